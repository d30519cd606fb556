"""A record with its dataset, its problems, what runs did with it, and its text."""

from __future__ import annotations

import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.core.document_kind import HEAD, size_of
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.harvest.model import (
    JobReport,
    Outcome,
    Record,
    RecordProblem,
    RecordVersion,
    SourceState,
)
from ckanext.ukharvest.harvest.records import changes
from ckanext.ukharvest.harvest.records.changes import Glance

Session = model.Session

MOST = 20  # runs in the history


class Found(NamedTuple):
    """A record with its dataset."""

    row: Record
    dataset: model.Package | None


class Pass(NamedTuple):
    """What one run did with a record; ``state`` as ``RecordState``."""

    job_id: str
    when: datetime.datetime
    state: str
    message: str


def find_record(record_id: int) -> Found | None:
    """Return a record, None if there is none of this id."""
    row = Session.execute(
        sa.select(Record, model.Package)
        .outerjoin(model.Package, model.Package.id == Record.package_id)
        .where(Record.id == record_id)
    ).first()
    return Found(*row) if row else None


def problems(record_id: int) -> list[RecordProblem]:
    """Return the current problems of a record, in the order of its lines."""
    query = sa.select(RecordProblem).filter_by(record_id=record_id, current=True)
    return list(Session.scalars(query.order_by(RecordProblem.line, RecordProblem.id)))


def passes(row: Record) -> list[Pass]:
    """Return what the last runs did with a record, as far as they are still stored."""
    query = (
        sa.select(JobReport.job_id, Outcome.created, Outcome.state, Outcome.message, Outcome.more)
        .join(JobReport, JobReport.id == Outcome.run_id)
        .where(
            Outcome.record_id == row.id,
            Outcome.object_id.isnot(None),
            JobReport.job_id.isnot(None),
        )
        .order_by(Outcome.created.desc())
        .limit(MOST)
    )
    return [
        Pass(
            job_id,
            when,
            state,
            "\n".join([message or "", *(error["message"] for error in more or ())]),
        )
        for job_id, when, state, message, more in Session.execute(query)
    ]


def text_of(record_id: int) -> str:
    """Return the text that the record's problems are about, "" if it is not stored.

    Of a failed record that is the failed version, else the one that the dataset was made from.
    """
    content = Session.scalar(_text(record_id, HarvestObject.content))
    return str(content) if content else _version_of(record_id)


def glance_at(record_id: int) -> Glance | None:
    """Return the beginning and size of the text; a record may have megabytes."""
    head = sa.func.left(HarvestObject.content, HEAD)
    size = sa.func.octet_length(HarvestObject.content)
    row = Session.execute(_text(record_id, head, size)).first()
    if row and row[0]:
        return Glance(*row)
    content = _version_of(record_id)
    return Glance(content[:HEAD], size_of(content)) if content else None


def _text(record_id: int, *columns: Any) -> sa.Select[Any]:
    is_its = sa.and_(
        HarvestObject.guid == Record.guid, HarvestObject.harvest_source_id == Record.source_id
    )
    return (
        sa.select(*columns)
        .select_from(Record)
        .join(HarvestObject, is_its)
        .where(
            Record.id == record_id,
            HarvestObject.content.isnot(None),
            sa.or_(Record.outcome == RecordOutcome.ERRORED, HarvestObject.current.is_(True)),
        )
        .order_by(HarvestObject.gathered.desc())
        .limit(1)
    )


def _version_of(record_id: int) -> str:
    query = sa.select(RecordVersion.content).where(RecordVersion.record_id == record_id)
    content = Session.scalar(query.order_by(RecordVersion.id.desc()).limit(1))
    return changes.unpack(content) if content else ""


def forget_stamp(row: Record) -> None:
    """Let the next run read the whole source and import this record; the caller commits."""
    row.fingerprint = row.import_rules_hash = row.package_hash = row.etag = row.last_modified = ""
    row.error = {key: value for key, value in (row.error or {}).items() if key != "stamp"} or None
    state = Session.get(SourceState, row.source_id)
    if state is not None and state.sync_state:
        state.sync_state = {**state.sync_state, "job_id": None}
