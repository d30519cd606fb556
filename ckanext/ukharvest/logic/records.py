"""A record of a source, as a dict for its page and the API, and its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import RecordOutcome, RecordState
from ckanext.ukharvest.core.problems.texts import LOST, PROBLEM, SEVERITIES
from ckanext.ukharvest.core.translations import OF_DATASET
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.logic.permissions import may
from ckanext.ukharvest.logic.provenance import describe_change
from ckanext.ukharvest.model import (
    Record,
    RecordProblem,
    changes,
    documents,
    outcomes,
    record_history,
)
from ckanext.ukharvest.model.documents import Document
from ckanext.ukharvest.model.record_history import Found, Pass
from ckanext.ukharvest.presentation.messages import problems as words
from ckanext.ukharvest.presentation.rendering.source_record import form as record_form
from ckanext.ukharvest.presentation.rendering.translations import parse_translations


def describe_record(context: Any, found: Found) -> dict[str, Any]:
    """Return the result of ``ukharvest_record_show`` for a user who may update the source."""
    row, dataset = found.row, found.dataset
    may_read = _may_read(context, found)
    state = outcomes.state_now(row.id, row.source_id)
    glance = record_history.glance_at(row.id) if may_read else None
    return {
        "id": row.id,
        "source_id": row.source_id,
        "guid": row.guid,
        "title": _title(found) if may_read else "",
        "url": _url(row),
        "outcome": state,
        "missed_runs": row.missed_runs,
        "runs_left": max(0, config.delete_after_runs() - row.missed_runs),
        "first_seen": iso(row.first_seen),
        "last_seen": iso(row.last_seen),
        "dataset": _dataset(dataset) if dataset and may_read else None,
        "same_as": _same_as(context, row),
        "came_back": row.outcome == RecordOutcome.SKIPPED and bool(row.origin_guid),
        "error": _error(row.error) if state == RecordState.LOST else None,
        "problems": problems_of(row.id),
        "history": _history(row, record_history.passes(row)) if may_read else [],
        "content_type": record_form.form_of(glance.head).label if glance else "",
        "content_size": glance.size if glance else 0,
    }


def problems_of(record_id: int) -> list[dict[str, Any]]:
    """Return the ``problems`` of ``ukharvest_record_show``; checks no permission."""
    found = [_problem(each) for each in record_history.problems(record_id)]
    return sorted(found, key=lambda problem: SEVERITIES.index(problem["severity"]))


def _may_read(context: Any, found: Found) -> bool:
    """Tell whether the user may read the dataset; it can be another organisation's private one."""
    if found.dataset is None or not found.dataset.private:
        return True
    return may(context, "package_show", id=found.dataset.id)


def _title(found: Found) -> str:
    return str(found.row.title or (found.dataset.title if found.dataset else ""))


def _url(row: Record) -> str:
    source = model.Package.get(row.source_id)
    return "" if source and row.url == source.url else str(row.url)


def _dataset(package: model.Package) -> dict[str, Any]:
    title = package.title or package.name
    return {
        "id": package.id,
        "name": package.name,
        "title": title,
        "state": package.state,
        "languages": _languages(package),
    }


def _same_as(context: Any, row: Record) -> dict[str, Any] | None:
    """Return the dataset that a skipped record would be once more."""
    package = model.Session.get(model.Package, row.same_as) if row.same_as else None
    if package is None or not may(context, "package_show", id=package.id):
        return None
    return {"id": package.id, "name": package.name, "title": package.title or package.name}


def _languages(package: model.Package) -> list[str]:
    """Return the codes of the languages of a dataset's texts, besides CKAN's own title."""
    found = (parse_translations(package.extras.get(key)) for key in OF_DATASET)
    return sorted({code for each in found for code in each})


def _error(error: dict[str, Any] | None) -> dict[str, Any] | None:
    if not error:
        return None
    said = words.describe_problem(error["code"], LOST)
    return {**error, "title": said.title, "meaning": said.meaning, "tip": said.tip}


def _problem(row: RecordProblem) -> dict[str, Any]:
    said = words.describe_problem(row.code, PROBLEM)
    return {
        "code": row.code,
        "severity": said.severity,
        "title": said.title,
        "meaning": said.meaning,
        "field": row.field,
        "message": row.message,
        "tip": said.tip,
        "line": row.line,
    }


def _history(row: Record, passes: Sequence[Pass]) -> list[dict[str, Any]]:
    """Join what each run did with the changes of the dataset; rows of either may be deleted."""
    entries = []
    changed = [describe_change(each, with_contacts=True) for each in changes.of_record(row.id)]
    by_job = {each["job_id"]: each for each in changed if each["job_id"]}
    for each in passes:
        change = by_job.pop(each.job_id, None)
        entry = change or {"fields": [], "more": 0, "date": iso(each.when), "job_id": each.job_id}
        outcome = (change and change["kind"]) or each.state
        entries.append({**entry, "outcome": outcome, "message": each.message})
    alone = [each for each in changed if not each["job_id"] or each["job_id"] in by_job]
    entries += [{**each, "outcome": each["kind"], "message": ""} for each in alone]
    for entry in entries:
        entry.pop("kind", None)
    return sorted(entries, key=lambda entry: entry["date"], reverse=True)


def load_text(record_id: int) -> str:
    """Return the text of a record that its problems refer to, "" if it is not stored."""
    return record_history.text_of(record_id)


def source_of_record(record_id: int) -> str | None:
    """Return the id of a record's source, None if there is no such record."""
    found = record_history.find(record_id)
    return str(found.row.source_id) if found else None


def load_document(package_id: str) -> Document | None:
    """Return the record that a dataset was made from, None if it is not stored."""
    return documents.of_dataset(package_id)


def content_of(obj: Mapping[str, Any]) -> str:
    """Return the text of a harvest object that ``harvest_object_show`` returned, "" for none."""
    return str(obj["content"] or obj["extras"].get(documents.ORIGINAL) or "")
