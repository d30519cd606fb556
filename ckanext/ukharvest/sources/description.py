"""A source as ``ukharvest_source_show`` returns it, and its organisation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core import schedule
from ckanext.ukharvest.core.options import Option, parse_options
from ckanext.ukharvest.core.outcomes import PreviewState
from ckanext.ukharvest.core.status_rules import Health, SourceStatus
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.records.record_rows import count_moving_datasets, stored_organization
from ckanext.ukharvest.harvest.run import runs
from ckanext.ukharvest.harvest.sources import schedules, source_status
from ckanext.ukharvest.harvest.sources.source_moves import is_move
from ckanext.ukharvest.lib.lookups import SourceRow, once
from ckanext.ukharvest.lib.permissions import may
from ckanext.ukharvest.lib.slots import facts_of
from ckanext.ukharvest.lib.source_secrets import source_url
from ckanext.ukharvest.lib.texts import ngettext
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS
from ckanext.ukharvest.sources import approvals, filter_rules
from ckanext.ukharvest.sources import texts as source_texts

NEWEST = 30  # runs of the chart on a source's page


def type_label(name: str) -> str:
    """Return the title of a source type, also of another extension's."""
    kind = source_types.find(name)
    if kind is not None:
        return str(tk._(kind.title))
    known = tk.get_action("harvesters_info_show")({"ignore_auth": True}, {})
    titles = {info["name"]: info["title"] for info in known}
    return str(tk._(titles[name])) if name in titles else name


def describe_source(context: Any, row: SourceRow) -> dict[str, Any]:
    """Return what everybody who may read the source gets, but its number of datasets.

    Secrets in its URL are for users who may update it.
    """
    package, source, group = row[:3]
    plan = schedules.schedule_of(row.schedule)
    frequency = schedule.frequency_of(source.frequency or "", plan.cron)
    return {
        "id": source.id,
        "name": package.name,
        "title": package.title or source.title or package.name,
        "url": source_url(context, source.id, source.url),
        "type": source.type,
        "type_label": type_label(source.type),
        "organization": group and {"id": group.id, "name": group.name, "title": group.title},
        "frequency": frequency,
        "frequency_label": source_texts.frequency_words(frequency),
        "created": iso(package.metadata_created),
    }


def describe_options(source: HarvestSource) -> list[dict[str, str]]:
    """Return the options that are set for a source of one of our types: name, label and value."""
    kind, stored = source_types.find(source.type), parse_options(source.config)
    if kind is None:
        return []
    kind = kind.for_options(stored)
    in_rules = filter_rules.option_names(kind)
    return [
        {
            "name": option.name,
            "label": str(tk._(option.label)) if option.label else option.name,
            "value": _option_text(option, stored[option.name]),
        }
        for option in (*kind.options, *kind.portal_options, *COMMON_OPTIONS)
        if option.name not in in_rules
        and stored.get(option.name) not in (None, "", [], {}, option.default)
    ] + [
        {"name": action, "label": str(tk._(filter_rules.ACTIONS[action])), "value": text}
        for action, text in filter_rules.describe_rules(kind, stored, tk._)
    ]


def _option_text(option: Option, value: Any) -> str:
    if isinstance(value, bool):
        return str(tk._("Yes") if value else tk._("No"))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}={of}" for name, of in value.items())
    return str(tk._(option.labels.get(str(value), str(value))))


def describe_schedule(source: HarvestSource, plan: schedules.SourceSchedule) -> dict[str, Any]:
    """Return ``schedule`` of ``ukharvest_source_show``; its text is English."""
    waits = approvals.is_new(source)
    is_due = source.active and not waits
    start = schedules.next_start(source, plan) if is_due else None
    starts = schedules.next_starts(source, plan) if is_due else []
    minutes = config.schedule_cron_minutes()
    text = f"Scheduled to start within {minutes} minutes"
    if start is None:
        text = approvals.ASKED_NEW if waits else "Runs only when you start it"
    elif source.frequency != schedule.ALWAYS:
        text += f" after {start:%Y-%m-%d %H:%M} UTC"
    return {
        **plan._asdict(),
        "days": list(plan.days),
        "next_run": iso(start),
        "next_starts": list(map(iso, starts)),
        "text": text,
    }


def describe_status(context: Any, source: HarvestSource) -> dict[str, Any]:
    """Return status, texts and figures of the source, and the version of all that.

    For users who may update it.
    """
    status = source_status.load_statuses([source.id])[source.id]
    known = _runs(source.id, status)
    preview = source_previews.dry_run_under_way(source.id) if status.state == "checking" else None
    # Elsewhere the card is about something worse, or a run.
    is_calm = status.value == Health.HEALTHY and status.current is None
    status = replace(
        status,
        last=known.get(str(status.last_id)),
        judged=known.get(str(status.judged_id)),
        checked=preview.done if preview else 0,
        notice=next(iter(facts_of("source_status", context, source.id)), "") if is_calm else "",
    )
    card, run = source_texts.status_card(status), status.current
    if approval := approvals.describe_approval(source):
        decides = may(context, "sysadmin")
        card = approvals.amend_card(card, approval, decides=decides)
    answer: dict[str, Any] = {
        "state": card.value if card.kind == "state" else "idle",
        "badge": {"kind": card.kind, "value": card.value},
        "css": card.css,
        "heading": card.heading,
        "text": list(card.text),
        "actions": list(card.actions),
        "health": status.value,
        "health_reason": status.reason,
        "failing_since": iso(status.since),
        "failures": status.failures,
        "last_run": status.last_id
        and {
            "id": status.last_id,
            "finished": iso(status.last_ended),
            "outcome": status.last_outcome,
            "lost": status.last_lost,
        },
        "last_good_run": status.good_id
        and {"id": status.good_id, "finished": iso(status.good_ended)},
        "harvested": iso(status.harvested),
        "next_run": iso(status.next_run),
        "datasets": status.datasets,
        "held": status.held,
        "renamed": status.renamed,
        "kept": status.kept,
        "missing": status.missing,
        "progress": {
            "run_id": run.id,
            "stage": run.state,
            "seen": run.seen,
            "done": run.done,
            "total": run.total,
            "lost": run.lost,
            "eta_seconds": None if run.eta_seconds is None else round(run.eta_seconds),
            "started": iso(run.gather_started),
            "asked_by": run.asked_by,
            "mode": run.mode,
        }
        if run
        else None,
        "queue_position": run.queue_position if run else 0,
        "approval": approval,
    }
    # A hash that changes when the page does; the estimate of the time left is ignored.
    progress = {**(answer["progress"] or {}), "eta_seconds": None}
    text = json.dumps({**answer, "progress": progress}, sort_keys=True)
    return {**answer, "version": hashlib.sha256(text.encode()).hexdigest()[:16]}


def newest_runs(source_id: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of a source's runs, and the newest ``NEWEST`` as ``runs.list_runs`` does.

    The source's page shows them, and its status is about one of them.
    """
    return once(
        ("newest runs", source_id), lambda: runs.list_runs(source_id=source_id, limit=NEWEST)
    )


def _runs(source_id: str, shown: SourceStatus) -> dict[str, dict[str, Any]]:
    """Return the last run and the one that health is judged by, by run id.

    {} while a run is under way: the texts are then about that one.
    """
    ids = {id_ for id_ in (shown.judged_id, shown.last_id) if id_}
    if not ids or shown.current is not None:
        return {}
    newest = {run["id"]: run for run in newest_runs(source_id)[1]}
    # Many runs can have been stopped since the one that health is judged by.
    return newest if ids <= newest.keys() else runs.runs_by_id(ids)


def latest_move(source_id: str) -> dict[str, str] | None:
    """Return ``id`` and ``url`` of the latest dry run if it is of another URL, for the form."""
    preview = source_previews.latest_dry_run(source_id)
    # A search near the source's URL has none unless it found one.
    if preview is None or not preview.url or preview.state == PreviewState.STOPPED:
        return None
    if not is_move(preview):
        return None
    return {"id": preview.id, "url": preview.url}


def count_moving(source: Mapping[str, Any], organization_id: str | None) -> int:
    """Return how many datasets the next run moves if the source belongs to an organisation.

    Args:
        source: as stored, with ``config``.
        organization_id: id or name, "" for no organisation, None for any that it has not now.
    """
    group = model.Group.get(organization_id) if organization_id else None
    chosen = None if organization_id is None else stored_organization(group.id if group else "")
    return count_moving_datasets(source["id"], chosen)


def moving_text(source: Mapping[str, Any], organization_id: str) -> str:
    """Return which datasets the next run moves as a sentence, "" for none; as ``count_moving``."""
    number = count_moving(source, organization_id)
    if not number:
        return ""
    group = model.Group.get(organization_id) if organization_id else None
    return (
        ngettext(
            "{n} dataset will belong to no organisation after the next run.",
            "{n} datasets will belong to no organisation after the next run.",
            number,
            n=f"{number:,}",
        )
        if group is None
        else ngettext(
            "{n} dataset moves to {organisation} with the next run.",
            "{n} datasets move to {organisation} with the next run.",
            number,
            n=f"{number:,}",
            organisation=group.title or group.name,
        )
    )
