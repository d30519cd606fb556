"""What is known of a source's records before a run, and what a run says of them, in bulk.

A run over an unchanged source costs one SELECT and one UPDATE here, however many records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple, TypeVar

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.model import Record, utcnow

Session = model.Session
T = TypeVar("T")

# One statement's worth of ids: far below PostgreSQL's limit of 65,535 parameters.
CHUNK = 5000

# Outcomes of rows that adoption made and no import has confirmed yet.
ADOPTED, ADOPTED_BY_GUID = "adopted", "adopted by guid"
# Outcome of a row whose dataset a person kept when its record had gone.
KEPT = "kept"


class Known(NamedTuple):
    """One record row with what decides whether it has to be imported again.

    Attributes:
        package_state: "active", "deleted" …, "" when there is no dataset.
        has_current: a current harvest object of this source names the dataset.
    """

    id: int
    guid: str
    package_id: str | None
    fingerprint: str
    salt: str
    url: str
    etag: str
    last_modified: str
    outcome: str
    missed_runs: int
    removed: bool
    package_state: str
    has_current: bool

    @property
    def is_active(self) -> bool:
        """There is a dataset that people can see."""
        return self.package_state == "active"

    @property
    def can_go_missing(self) -> bool:
        """Its absence means something: not so for what only shares its guid with the source.

        Nor for what a person kept.
        """
        return self.is_active and self.outcome not in (ADOPTED_BY_GUID, KEPT)

    @property
    def is_newly_adopted(self) -> bool:
        """No complete run of ours has looked for it, so the first one must not delete it."""
        return self.is_active and self.outcome == ADOPTED and not self.missed_runs

    @property
    def deleted_by_hand(self) -> bool:
        """A person deleted the dataset; it stays so until a forced run."""
        return self.package_state == "deleted" and not self.removed

    @property
    def is_sound(self) -> bool:
        """The last import succeeded and its result is still there: same content, same dataset."""
        if self.outcome == "skipped" or self.deleted_by_hand:
            return True
        return self.outcome in ("added", "updated") and self.is_active and self.has_current

    @property
    def is_settled(self) -> bool:
        """Nothing has to be done as long as the source does not change the record."""
        if self.outcome == KEPT:
            return True
        return self.outcome != "errored" and (self.is_sound or self.removed)


def known_records(source_id: str) -> dict[str, Known]:
    """Return guid → Known for every record of the source."""
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
            Record.salt,
            Record.url,
            Record.etag,
            Record.last_modified,
            Record.outcome,
            Record.missed_runs,
            Record.removed,
            sa.func.coalesce(model.Package.state, ""),
            current,
        )
        .outerjoin(model.Package, model.Package.id == Record.package_id)
        .filter(Record.source_id == source_id)
    )
    return {row[1]: Known(*row) for row in query}


def mark_seen(ids: Iterable[int], job_id: str) -> None:
    """Note that these records (row ids) were seen by the job; the caller commits."""
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
    """Begin anew to count the runs that miss these records, which one saw; the caller commits."""
    for chunk in _chunks(ids):
        _update(chunk, missed_runs=0)


def rename(row_id: int, source_id: str, guid: str) -> None:
    """Give a row its record's own guid; an empty row that stands there goes; no commit."""
    empty = sa.delete(Record).where(
        Record.source_id == source_id, Record.guid == guid, Record.package_id.is_(None)
    )
    Session.execute(empty.execution_options(synchronize_session=False))
    _update([row_id], guid=guid)


def forget(ids: Iterable[int]) -> None:
    """Drop rows (by id) that turned out not to be the source's; the caller commits."""
    for chunk in _chunks(ids):
        statement = sa.delete(Record).where(Record.id.in_(chunk))
        Session.execute(statement.execution_options(synchronize_session=False))


def _update(ids: list[int], **values: object) -> None:
    statement = sa.update(Record).where(Record.id.in_(ids)).values(**values)
    Session.execute(statement.execution_options(synchronize_session=False))


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
