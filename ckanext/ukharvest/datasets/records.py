"""A record of a source, as a dict for its page and the API, and its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import RecordOutcome, RecordState
from ckanext.ukharvest.core.problems.texts import LOST, PROBLEM, SEVERITIES
from ckanext.ukharvest.core.records import OF_DATASET
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.datasets.provenance import describe_change
from ckanext.ukharvest.harvest.model import Record, RecordProblem, utcnow
from ckanext.ukharvest.harvest.records import changes, record_history, record_rows, record_state
from ckanext.ukharvest.harvest.records.record_history import FoundRecord, Pass
from ckanext.ukharvest.lib import texts as lib_texts
from ckanext.ukharvest.lib.permissions import may
from ckanext.ukharvest.rendering import source_record
from ckanext.ukharvest.rendering.values import parse_translations

_ERROR = ("code", "message", "wording", "line")
_TEXTS = ("title", "meaning", "tip", "snippet")


def describe_record(context: Any, found: FoundRecord) -> dict[str, Any]:
    """Return the result of ``ukharvest_record_show`` for a user who may update the source."""
    row, dataset = found.row, found.dataset
    # It can be another organisation's private dataset.
    may_read = dataset is None or not dataset.private or may(context, "package_show", id=dataset.id)
    source = model.Package.get(row.source_id)
    state = record_state.state_now(row.id, row.source_id)
    glance = record_history.glance_at_record(row.id) if may_read else None
    return {
        "id": row.id,
        "source_id": row.source_id,
        "guid": row.guid,
        "title": str(row.title or (dataset.title if dataset else "")) if may_read else "",
        "url": "" if source and row.url == source.url else str(row.url),
        "outcome": state,
        "missed_runs": row.missed_runs,
        "runs_left": max(0, config.delete_after_runs() - row.missed_runs),
        "first_seen": iso(row.first_seen),
        "last_seen": iso(row.last_seen),
        "dataset": _dataset(dataset) if dataset and may_read else None,
        "same_as": _same_as(context, row),
        "came_back": row.outcome == RecordOutcome.SKIPPED and bool(row.origin_guid),
        "error": _with_texts({key: row.error.get(key) for key in _ERROR}, LOST)
        if state == RecordState.LOST and row.error
        else None,
        "problems": problems_of(row.id),
        "history": _history(row, record_history.passes_of_record(row)) if may_read else [],
        "content_type": source_record.form_of(glance.head).label if glance else "",
        "content_size": glance.size if glance else 0,
    }


def problems_of(record_id: int) -> list[dict[str, Any]]:
    """Return the ``problems`` of ``ukharvest_record_show``; checks no permission."""
    problems = [
        _with_texts(_problem(row), PROBLEM, "severity")
        for row in record_history.problems_of_record(record_id)
    ]
    return sorted(problems, key=lambda problem: SEVERITIES.index(problem["severity"]))


def _problem(row: RecordProblem) -> dict[str, Any]:
    until = row.accepted_until
    is_accepted = until is not None and until >= utcnow().date()
    few = {key: getattr(row, key) for key in ("field", *_ERROR)}
    return {**few, "accepted_until": until.isoformat() if is_accepted else None}


def _with_texts(problem: dict[str, Any], consequence: str, *more: str) -> dict[str, Any]:
    texts = lib_texts.describe_problem(problem["code"], consequence, problem.get("field", ""))
    return {**problem, **{key: getattr(texts, key) for key in (*_TEXTS, *more)}}


def _dataset(package: model.Package) -> dict[str, Any]:
    translations = (parse_translations(package.extras.get(key)) for key in OF_DATASET)
    return {
        "id": package.id,
        "name": package.name,
        "title": package.title or package.name,
        "state": package.state,
        # Besides that of CKAN's own title.
        "languages": sorted({code for texts in translations for code in texts}),
    }


def _same_as(context: Any, row: Record) -> dict[str, Any] | None:
    """Return the dataset that a skipped record would be once more."""
    package = model.Session.get(model.Package, row.same_as) if row.same_as else None
    if package is None or not may(context, "package_show", id=package.id):
        return None
    return {
        "id": package.id,
        "name": package.name,
        "title": package.title or package.name,
        # It would give the dataset to another organisation than it has.
        "is_elsewhere": row.owner_org != record_rows.stored_organization(package.owner_org),
    }


def _history(row: Record, passes: Sequence[Pass]) -> list[dict[str, Any]]:
    """Join what each run did with the changes of the dataset; rows of either may be deleted."""
    stored = changes.changes_of_record(row.id)
    changed = [_outcome(describe_change(change, with_contacts=True)) for change in stored]
    by_job = {entry["job_id"]: entry for entry in changed if entry["job_id"]}
    entries = []
    for run in passes:
        nothing = {"fields": [], "more": 0, "date": iso(run.when), "job_id": run.job_id}
        entry = by_job.pop(run.job_id, None) or {**nothing, "outcome": run.state}
        entries.append({**entry, "message": run.message, "wording": run.wording})
    alone = [entry for entry in changed if not entry["job_id"] or entry["job_id"] in by_job]
    return sorted([*entries, *alone], key=lambda entry: entry["date"], reverse=True)


def _outcome(change: dict[str, Any]) -> dict[str, Any]:
    """Return a change as an entry of the history."""
    kind = change.pop("kind")
    return {**change, "outcome": kind, "message": "", "wording": None}


# The text of a record that its problems refer to, "" if it is not stored; takes its number.
load_text = record_history.text_of_record
# The record that a dataset was made from, None if it is not stored; takes the dataset's id.
load_document = record_history.document_of_dataset


def source_of_record(record_id: int) -> str | None:
    """Return the id of a record's source, None if there is no such record."""
    record = record_history.load_record(record_id)
    return str(record.row.source_id) if record else None


def content_of(obj: Mapping[str, Any]) -> str:
    """Return the text of a harvest object that ``harvest_object_show`` returned, "" for none."""
    return str(obj["content"] or obj["extras"].get(record_history.ORIGINAL) or "")
