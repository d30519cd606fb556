"""A source as ``ukharvest_source_show`` returns it, to everybody and to those who may update it."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.source_status import MISSING, Health
from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.model import (
    broken_links,
    health,
    reports,
    run_figures,
    source_previews,
    utcnow,
)
from ckanext.ukharvest.model.current_run import CurrentRun
from ckanext.ukharvest.presentation.messages import source_status
from ckanext.ukharvest.presentation.messages.status_parts import Card, StatusFacts

Session = model.Session


def type_label(name: str) -> str:
    """Return the title of a source type, also of another extension's."""
    kind = source_types.find(name)
    if kind is not None:
        return str(tk._(kind.title))
    known = tk.get_action("harvesters_info_show")({"ignore_auth": True}, {})
    titles = {each["name"]: each["title"] for each in known}
    return str(tk._(titles[name])) if name in titles else name


def describe_source(source: HarvestSource, package: model.Package) -> dict[str, Any]:
    """Return what everybody who may read the source gets; takes three SQL statements."""
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
        "frequency_label": source_status.frequency_words(source.frequency or ""),
        "datasets": status["total_datasets"],
        "created": iso(package.metadata_created),
        "harvested": finished and iso(dt.datetime.fromisoformat(finished)),
    }


def describe_status(source: HarvestSource, may_decide: Callable[[], bool]) -> dict[str, Any]:
    """Return status, texts and figures of the source, and the version of all that.

    Args:
        source: the source.
        may_decide: tells whether the user may decide about pending deletions.
    """
    shown = health.load_health([source.id])[source.id]
    runs = _runs(shown)
    told = StatusFacts(
        health=shown,
        now=utcnow(),
        last=runs.get(str(shown.last_run and shown.last_run["id"])),
        judged=runs.get(str(shown.judged_id)),
        frequency=source.frequency or "",
        checked=_checked(source.id) if shown.state == "checking" else 0,
        may_decide=(shown.state == "held" or shown.value in MISSING) and may_decide(),
        max_share=config.delete_max_share(),
        broken_links=_broken_links(source.id, shown),
        cron_minutes=config.schedule_cron_minutes(),
    )
    card = source_status.card(told)
    answer = {**_card(card), **_facts(shown), "progress": _progress(shown.current)}
    answer["queue_position"] = shown.current.queue_position if shown.current else 0
    return {**answer, "version": _version(answer)}


def _broken_links(source_id: str, shown: health.SourceHealth) -> int:
    """Return how many links do not work, 0 where the card is about something worse or a run."""
    if shown.value != Health.HEALTHY or shown.current is not None:
        return 0
    return broken_links.count_of_sources([source_id]).get(source_id, 0)


def _runs(shown: health.SourceHealth) -> dict[str, dict[str, Any]]:
    """Return the figures of the last run and of the run that health is judged by, by run id.

    {} while a run is under way: the texts are then about that one.
    """
    last = shown.last_run["id"] if shown.last_run else None
    ids = {id_ for id_ in (shown.judged_id, last) if id_}
    if not ids or shown.current is not None:
        return {}
    jobs = Session.query(HarvestJob).filter(HarvestJob.id.in_(ids)).all()
    return {row["id"]: row for row in run_figures.load_figures(jobs)}


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
        "renamed": shown.renamed,
        "missing": shown.missing,
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
    check = source_previews.dry_run_under_way(source_id)
    return check.done if check else 0


def _version(answer: Mapping[str, Any]) -> str:
    """Return a hash that changes when the page does; the estimate of the time left is ignored."""
    run = {**(answer["progress"] or {}), "eta_seconds": None}
    text = json.dumps({**answer, "progress": run}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
