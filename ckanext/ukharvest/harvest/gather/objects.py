"""Harvest objects: those that a gather stages, and those that are open."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestObjectError, HarvestObjectExtra
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.core.messages import wording_of
from ckanext.ukharvest.harvest.database import any_text, execute, exists_statements
from ckanext.ukharvest.harvest.model import SourceState, utcnow

Session = model.Session

GATHERED = "GATHERED"
# Extras of a harvest object that the stages read again.
STATUS, URL, MODIFIED, ETAG = "status", "url", "modified", "etag"
# Of a deletion that only gives the dataset to another route: its run asked nobody.
HANDS_OVER = "hands_over"
# The error's code, of an object that failed while it was read; ckanext-harvest stores only the
# message.
CODE = "error_code"
WORDING = "error_wording"  # what the message is made of (core/messages.py), as JSON
TITLE = "record_title"  # of an object that failed while it was read, if known


@dataclass(slots=True)
class StagedObject:
    """A harvest object to add.

    Attributes:
        status: "new", "change", "delete" or "errored" (failed while it was read).
        error, line, code: for "errored": the message.
        title: for "errored": the record's, if it is known.
    """

    guid: str
    status: str
    content: str | None = None
    package_id: str | None = None
    extras: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    line: int | None = None
    code: str = ""
    title: str = ""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


def add_staged(staged: Sequence[StagedObject], job_id: str, source_id: str) -> None:
    """Insert objects as GATHERED, in three statements; the caller commits."""
    if not staged:
        return
    objects = [
        {
            "id": obj.id,
            "guid": obj.guid,
            "current": False,
            "gathered": utcnow(),  # also their order
            "content": obj.content,
            "state": GATHERED,
            "retry_times": 0,
            "harvest_job_id": job_id,
            "harvest_source_id": source_id,
            "package_id": obj.package_id,
            "report_status": "errored" if obj.error else None,
        }
        for obj in staged
    ]
    extras = [
        {"id": str(uuid.uuid4()), "harvest_object_id": obj.id, "key": key, "value": value}
        for obj in staged
        for key, value in (
            *((STATUS, obj.status), (CODE, obj.code), (TITLE, obj.title)),
            (WORDING, _wording(obj.error)),
            *obj.extras.items(),
        )
        if value
    ]
    errors = [
        {
            "id": str(uuid.uuid4()),
            "harvest_object_id": obj.id,
            "message": obj.error,
            "stage": "Gather",
            "line": obj.line,
            "created": utcnow(),
        }
        for obj in staged
        if obj.error
    ]
    Session.execute(sa.insert(HarvestObject.__table__), objects)
    Session.execute(sa.insert(HarvestObjectExtra.__table__), extras)
    if errors:
        Session.execute(sa.insert(HarvestObjectError.__table__), errors)


def _wording(message: str) -> str:
    wording = wording_of(message)
    return json.dumps(wording) if wording else ""


def show_staged(job_id: str) -> None:
    """Make the job's objects visible to the consumers, in one statement; the caller commits."""
    execute(
        sa.update(HarvestObject)
        .where(HarvestObject.harvest_job_id == job_id, HarvestObject.state == GATHERED)
        .values(state=sa.case((HarvestObject.report_status == "errored", "ERROR"), else_="WAITING"))
    )


def discard_staged(job_id: str) -> None:
    """Remove the job's staged objects, their extras and errors; the caller commits."""
    statement = sa.delete(HarvestObject).where(
        HarvestObject.harvest_job_id == job_id, HarvestObject.state == GATHERED
    )
    execute(statement)


def list_staged(job_id: str) -> list[tuple[str, str, bool]]:
    """Return id, guid and whether it failed of each of the job's staged objects, in order."""
    query = Session.query(
        HarvestObject.id,
        HarvestObject.guid,
        sa.func.coalesce(HarvestObject.report_status, "") == "errored",
    ).filter(HarvestObject.harvest_job_id == job_id, HarvestObject.state == GATHERED)
    return [tuple(row) for row in query.order_by(HarvestObject.gathered)]


def new_staged(job_id: str) -> list[str]:
    """Return the ids of the job's staged objects whose records have no dataset yet, in order."""
    extra = HarvestObjectExtra
    query = (
        Session.query(HarvestObject.id)
        .join(extra, extra.harvest_object_id == HarvestObject.id)
        .filter(HarvestObject.harvest_job_id == job_id, HarvestObject.state == GATHERED)
        .filter(extra.key == STATUS, extra.value == "new")
    )
    return [row[0] for row in query.order_by(HarvestObject.gathered)]


def discard_guids(job_id: str, guids: Collection[str]) -> set[str]:
    """Remove the job's staged objects with these guids; return their ids. The caller commits."""
    statement = (
        sa.delete(HarvestObject)
        .where(
            HarvestObject.harvest_job_id == job_id,
            HarvestObject.state == GATHERED,
            HarvestObject.guid == any_text(guids),
        )
        .returning(HarvestObject.id)
    )
    return {row[0] for row in execute(statement)}


def resume_point_of(source_id: str, job_id: str) -> dict[str, Any]:
    """Return the resume point of the job's gather; {} without one."""
    state = Session.get(SourceState, source_id)
    noted = (state.resume or {}) if state else {}
    return dict(noted) if noted.get("job_id") == job_id else {}


def forget_point(source_id: str) -> None:
    """Delete the resume point: the run has ended, or starts again; the caller commits."""
    state = Session.get(SourceState, source_id)
    if state is not None and state.resume:
        state.resume = sa.null()


def extras_of(object_id: str) -> dict[str, str]:
    """Return the extras of one harvest object."""
    query = Session.query(HarvestObjectExtra.key, HarvestObjectExtra.value)
    return dict(query.filter(HarvestObjectExtra.harvest_object_id == object_id).all())


def extras_column() -> sa.ScalarSelect[dict[str, str]]:
    """Return the SQL expression of a harvest object's extras, None if it has none."""
    extra = HarvestObjectExtra
    values = sa.func.jsonb_object_agg(extra.key, extra.value, type_=JSONB)
    query = sa.select(values).where(extra.harvest_object_id == HarvestObject.id)
    return query.correlate(HarvestObject).scalar_subquery()


def end_as_failed(object_id: str, message: str) -> None:
    """End an object as failed, without its record; the caller commits."""
    Session.add(HarvestObjectError(harvest_object_id=object_id, message=message, stage="Import"))
    ended = {"state": "ERROR", "report_status": "errored", "import_finished": utcnow()}
    execute(sa.update(HarvestObject).where(HarvestObject.id == object_id).values(ended))


def count_unfinished_objects(job_id: str) -> int:
    """Return how many of the job's objects were not imported (or not yet)."""
    return int(
        Session.query(sa.func.count(HarvestObject.id))
        .filter(HarvestObject.harvest_job_id == job_id, HarvestObject.state != "COMPLETE")
        .scalar()
    )


ENDED = ("COMPLETE", "ERROR")  # of objects
UNENDED = ("New", "Running")  # of jobs; some ended ones were called "Aborted"
WAITING = "WAITING"


def is_open_object() -> sa.ColumnElement[bool]:
    """Return the SQL condition that an object is not ended.

    Very old objects have no state; ckanext-harvest takes them for ended.
    """
    return HarvestObject.state.notin_(ENDED)


def has_open_objects(job_id: str) -> bool:
    """Tell whether a job has objects that are not ended."""
    return exists_statements(HarvestObject.harvest_job_id == job_id, is_open_object())


def is_under_way() -> sa.ColumnElement[bool]:
    """Return the SQL condition that a process took an object and has not ended it."""
    return HarvestObject.state.notin_((*ENDED, WAITING, GATHERED))


def last_sign() -> sa.ColumnElement[sa.DateTime]:
    """Return the SQL expression of the time when a process last took an object, or made it."""
    taken = sa.func.greatest(HarvestObject.fetch_started, HarvestObject.import_started)
    return sa.func.coalesce(taken, HarvestObject.gathered)


def is_over() -> sa.ColumnElement[bool]:
    """Return the SQL condition that a job has ended."""
    return sa.func.coalesce(HarvestJob.status, "").notin_(UNENDED)


def discard_stock_objects(job_id: str) -> None:
    """Delete the objects of another harvester's gather of this job; the caller commits."""
    statement = sa.delete(HarvestObject).where(
        HarvestObject.harvest_job_id == job_id, HarvestObject.state.notin_(ENDED)
    )
    execute(statement)
