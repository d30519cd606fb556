"""A source as ``ukharvest_source_show`` returns it, to everybody and to those who may update it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.source_status import MISSING, Health
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.logic.permissions import may, once, readable_organisations
from ckanext.ukharvest.model import (
    broken_links,
    datasets,
    health,
    runs,
    source_previews,
    utcnow,
)
from ckanext.ukharvest.model.current_run import CurrentRun
from ckanext.ukharvest.model.source_list import SourceRow
from ckanext.ukharvest.presentation.messages import source_status
from ckanext.ukharvest.presentation.messages.status_parts import Card, StatusFacts

NEWEST = 30  # runs of the chart on a source's page


def type_label(name: str) -> str:
    """Return the title of a source type, also of another extension's."""
    kind = source_types.find(name)
    if kind is not None:
        return str(tk._(kind.title))
    known = tk.get_action("harvesters_info_show")({"ignore_auth": True}, {})
    titles = {each["name"]: each["title"] for each in known}
    return str(tk._(titles[name])) if name in titles else name


def describe_source(row: SourceRow) -> dict[str, Any]:
    """Return what everybody who may read the source gets, but what ``describe_harvest`` has."""
    package, source, group, _notice = row
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
        "created": iso(package.metadata_created),
    }


def describe_harvest(source_id: str) -> dict[str, Any]:
    """Return what those get besides who may not update the source."""
    return {
        "datasets": datasets.of_sources([source_id], public=True).get(source_id, 0),
        "harvested": iso(runs.last_good_end(source_id)),
    }


def describe_status(context: Any, source: HarvestSource) -> dict[str, Any]:
    """Return status, texts and figures of the source, and the version of all that.

    For users who may update it.
    """
    shown = health.load_health([source.id])[source.id]
    known = _runs(source.id, shown)
    may_need_decision = shown.state == "held" or shown.value in MISSING
    told = StatusFacts(
        health=shown,
        now=utcnow(),
        last=known.get(str(shown.last_run and shown.last_run["id"])),
        judged=known.get(str(shown.judged_id)),
        frequency=source.frequency or "",
        checked=_checked(source.id) if shown.state == "checking" else 0,
        may_decide=may_need_decision
        and may(context, "ukharvest_deletion_approve", source_id=source.id),
        max_share=config.delete_max_share(),
        broken_links=_broken_links(context, source.id, shown),
        cron_minutes=config.schedule_cron_minutes(),
    )
    card = source_status.card(told)
    answer = {**_card(card), **_facts(shown), "progress": _progress(shown.current)}
    answer["queue_position"] = shown.current.queue_position if shown.current else 0
    return {**answer, "version": _version(answer)}


def _broken_links(context: Any, source_id: str, shown: health.SourceHealth) -> int:
    """Return how many links do not work, 0 where the card is about something worse or a run."""
    if shown.value != Health.HEALTHY or shown.current is not None:
        return 0
    return count_broken_links(context, source_id)[0]


def count_broken_links(context: Any, source_id: str) -> tuple[int, int]:
    """Return the numbers of a source's links that do not work, and of their datasets.

    Without those of private datasets that the user may not read.
    """
    wanted = broken_links.Wanted(source_id, reads=readable_organisations(context))
    question = ("broken links", source_id, context.get("user") or "")
    return once(question, lambda: broken_links.count(wanted))


def newest_runs(source_id: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of a source's runs, and the newest ``NEWEST`` as ``runs.list_runs`` does.

    The source's page shows them, and its status is about one of them.
    """
    return once(
        ("newest runs", source_id), lambda: runs.list_runs(source_id=source_id, limit=NEWEST)
    )


def _runs(source_id: str, shown: health.SourceHealth) -> dict[str, dict[str, Any]]:
    """Return the last run and the one that health is judged by, by run id.

    {} while a run is under way: the texts are then about that one.
    """
    last = shown.last_run["id"] if shown.last_run else None
    ids = {id_ for id_ in (shown.judged_id, last) if id_}
    if not ids or shown.current is not None:
        return {}
    newest = {run["id"]: run for run in newest_runs(source_id)[1]}
    # Many runs can have been stopped since the one that health is judged by.
    return newest if ids <= newest.keys() else runs.by_id(ids)


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
        "harvested": iso(shown.harvested),
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
