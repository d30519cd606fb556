"""Load the known records of a source before a run, and update them in bulk.

A run over an unchanged source costs one SELECT and one UPDATE here, however many records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.model import Record, utcnow
from ckanext.ukharvest.model.statements import execute
from ckanext.ukharvest.reading.record_classifier import KnownRecord

Session = model.Session
T = TypeVar("T")

# Ids per statement: far below PostgreSQL's limit of 65,535 parameters.
CHUNK = 5000


def known_records(source_id: str) -> dict[str, KnownRecord]:
    """Return guid → KnownRecord for every record of the source."""
    current = (
        sa.select(sa.literal(1))
        .where(
            HarvestObject.package_id == Record.package_id,
            HarvestObject.harvest_source_id == Record.source_id,
            HarvestObject.current.is_(True),
        )
        .exists()
    )
    query = (
        Session.query(
            Record.id,
            Record.guid,
            Record.package_id,
            Record.fingerprint,
            Record.import_rules_hash,
            Record.url,
            Record.etag,
            Record.last_modified,
            Record.outcome,
            Record.missed_runs,
            Record.removed,
            sa.func.coalesce(model.Package.state, ""),
            current,
            Record.owner_org,
            sa.and_(
                Record.outcome == RecordOutcome.SKIPPED,
                Record.origin_guid != "",
                Record.same_as.is_(None),
            ),
        )
        .outerjoin(model.Package, model.Package.id == Record.package_id)
        .filter(Record.source_id == source_id)
    )
    return {row[1]: KnownRecord(*row) for row in query}


def mark_seen(ids: Iterable[int], job_id: str) -> None:
    """Mark these records (row ids) as seen by the job; the caller commits."""
    for chunk in _chunks(ids):
        _update(chunk, last_seen_job_id=job_id, last_seen=utcnow(), missed_runs=0)


def seen_by(source_id: str, job_id: str) -> set[str]:
    """Return the guids of the records that the job has marked as seen."""
    query = Session.query(Record.guid).filter_by(source_id=source_id, last_seen_job_id=job_id)
    return {row[0] for row in query}


def mark_missed(ids: Iterable[int]) -> None:
    """Count one more complete run that did not see these records; the caller commits."""
    for chunk in _chunks(ids):
        _update(chunk, missed_runs=Record.missed_runs + 1)


def mark_back(ids: Iterable[int]) -> None:
    """Reset the number of missed runs of these records, which a run saw; the caller commits."""
    for chunk in _chunks(ids):
        _update(chunk, missed_runs=0)


def rename(row_id: int, source_id: str, guid: str) -> None:
    """Change a row's guid, replacing an empty row with that guid; no commit."""
    empty = sa.delete(Record).where(
        Record.source_id == source_id, Record.guid == guid, Record.package_id.is_(None)
    )
    execute(empty)
    _update([row_id], guid=guid)


def forget(ids: Iterable[int]) -> None:
    """Delete rows (by id) that turned out not to belong to the source; the caller commits."""
    for chunk in _chunks(ids):
        statement = sa.delete(Record).where(Record.id.in_(chunk))
        execute(statement)


def _update(ids: list[int], **values: object) -> None:
    statement = sa.update(Record).where(Record.id.in_(ids)).values(**values)
    execute(statement)


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
