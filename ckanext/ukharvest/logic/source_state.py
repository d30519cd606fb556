"""A source as its page and the API show it: to everybody, and to those who look after it."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest import config, types
from ckanext.ukharvest.core.moments import iso
from ckanext.ukharvest.model import health, reports, run_figures, trials, utcnow
from ckanext.ukharvest.model.current_run import CurrentRun
from ckanext.ukharvest.words import source_card
from ckanext.ukharvest.words.cards import Card, Told

Session = model.Session


def type_label(name: str) -> str:
    """Return what a source type is called, of another extension's too."""
    kind = types.find(name)
    if kind is not None:
        return str(tk._(kind.title))
    known = tk.get_action("harvesters_info_show")({"ignore_auth": True}, {})
    titles = {each["name"]: each["title"] for each in known}
    return str(tk._(titles[name])) if name in titles else name


def public(source: HarvestSource, package: model.Package) -> dict[str, Any]:
    """Return what everybody may know who may see the source, in three statements."""
    group = model.Group.get(package.owner_org) if package.owner_org else None
    status = reports.short_status(source.id)
    finished = (status["last_job"] or {}).get("finished")
    return {
        "id": source.id,
        "name": package.name,
        "title": package.title or source.title or package.name,
        "url": source.url,
        "type": source.type,
        "type_label": type_label(source.type),
        "organization": group and {"id": group.id, "name": group.name, "title": group.title},
        "frequency": source.frequency or "MANUAL",
        "frequency_label": source_card.frequency_words(source.frequency or ""),
        "datasets": status["total_datasets"],
        "created": iso(package.metadata_created),
        "harvested": finished and iso(dt.datetime.fromisoformat(finished)),
    }


def inside(source: HarvestSource, may_decide: Callable[[], bool]) -> dict[str, Any]:
    """Return what the source does and how it is, in words and figures, and its version.

    Args:
        may_decide: tells whether who asks may decide on deletions that wait.
    """
    shown = health.of([source.id])[source.id]
    runs = _runs(shown)
    told = Told(
        health=shown,
        now=utcnow(),
        last=runs.get(str(shown.last_run and shown.last_run["id"])),
        judged=runs.get(str(shown.judged_id)),
        frequency=source.frequency or "",
        checked=_checked(source.id) if shown.state == "checking" else 0,
        may_decide=shown.state == "held" and may_decide(),
        max_share=config.delete_max_share(),
        tick_minutes=config.schedule_tick_minutes(),
    )
    card = source_card.card(told)
    answer = {**_card(card), **_facts(shown), "progress": _progress(shown.current)}
    answer["queue_position"] = shown.current.queue_position if shown.current else 0
    return {**answer, "version": _version(answer)}


def _runs(shown: health.SourceHealth) -> dict[str, dict[str, Any]]:
    """The figures of the last run and of that which health speaks of, which may be another.

    Whatever they were, they are not told while another goes on.
    """
    ids = {shown.judged_id, shown.last_run and shown.last_run["id"]} - {None}
    if not ids or shown.current is not None:
        return {}
    jobs = Session.query(HarvestJob).filter(HarvestJob.id.in_(ids)).all()
    return {row["id"]: row for row in run_figures.of(jobs)}


def _card(card: Card) -> dict[str, Any]:
    return {
        "state": card.value if card.kind == "state" else "idle",
        "badge": {"kind": card.kind, "value": card.value},
        "css": card.css,
        "heading": card.heading,
        "text": list(card.text),
        "actions": list(card.actions),
    }


def _facts(shown: health.SourceHealth) -> dict[str, Any]:
    return {
        "health": shown.value,
        "health_reason": shown.reason,
        "failing_since": iso(shown.since),
        "failures": shown.failures,
        "last_run": _run(shown.last_run),
        "last_good_run": _run(shown.last_good_run),
        "next_run": iso(shown.next_run),
        "datasets": shown.datasets,
        "held": shown.held,
    }


def _run(run: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return {**run, "finished": iso(run["finished"])} if run else None


def _progress(run: CurrentRun | None) -> dict[str, Any] | None:
    if run is None:
        return None
    return {
        "run_id": run.id,
        "stage": run.state,
        "seen": run.seen,
        "done": run.done,
        "total": run.total,
        "lost": run.lost,
        "eta_seconds": None if run.eta_seconds is None else round(run.eta_seconds),
        "started": iso(run.started),
        "asked_by": run.asked_by,
        "mode": run.mode,
    }


def _checked(source_id: str) -> int:
    check = trials.check_under_way(source_id)
    return check.done if check else 0


def _version(answer: Mapping[str, Any]) -> str:
    """Return what changes when the page would; the guess of the time left alone is no change."""
    run = {**(answer["progress"] or {}), "eta_seconds": None}
    text = json.dumps({**answer, "progress": run}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
