"""A record's row and its dataset's current harvest object, while one record is written.

Nothing here commits: the caller's transaction holds the row's lock.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestObjectError

from ckanext.ukharvest.core.errors import RecordError, UkharvestError
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.model import Record, RecordProblem, staging, utcnow

Session = model.Session

LONGEST_TITLE = 500  # characters


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells a later run that a record has not changed since this import.

    Attributes:
        fingerprint: of its content and of the rules it was imported under.
        salt: digest of those rules alone, for what is told without the content.
        url: where it was read.
        etag, last_modified: as its RawRecord had them.
    """

    fingerprint: str
    salt: str
    url: str
    etag: str = ""
    last_modified: str = ""


def locked(obj: HarvestObject) -> Record:
    """Return the row of an object's record, made if it is new, locked until the end."""
    _lock(obj.harvest_source_id, obj.guid)
    row = (
        Session.query(Record)
        .filter_by(source_id=obj.harvest_source_id, guid=obj.guid)
        .populate_existing()
        .one_or_none()
    )
    if row is None:
        row = Record(source_id=obj.harvest_source_id, guid=obj.guid)
        row.first_seen = utcnow()
        row.first_seen_job_id = obj.harvest_job_id
        Session.add(row)
    return row


def lock_all_of(package_id: str) -> None:
    """Lock the records of a dataset, as ``locked`` does, until the end."""
    query = sa.select(Record.source_id, Record.guid).where(Record.package_id == package_id)
    for source_id, guid in sorted(map(tuple, Session.execute(query))):
        _lock(source_id, guid)


def _lock(source_id: str, guid: str) -> None:
    Session.execute(
        sa.text("SELECT pg_advisory_xact_lock(hashtext(:source), hashtext(:guid))"),
        {"source": source_id, "guid": guid},
    )


def mark_seen(row: Record, obj: HarvestObject) -> None:
    """Note that the record was seen by the object's job."""
    row.last_seen = utcnow()
    row.last_seen_job_id = obj.harvest_job_id
    row.missed_runs = 0


def put_stamp(row: Record, stamp: Stamp) -> None:
    """Note what the record was imported from; a row's stamp is of one import, as a whole."""
    row.fingerprint = stamp.fingerprint
    row.salt = stamp.salt
    row.url = stamp.url
    row.etag = stamp.etag
    row.last_modified = stamp.last_modified


def forget_stamps(package_ids: Sequence[str]) -> None:
    """Have these datasets' records imported again at their sources' next runs."""
    # The salt too: what is only listed, or a copy, is told from its row without a fingerprint.
    own = sa.update(Record).where(Record.package_id.in_(package_ids))
    statement = own.values(fingerprint="", salt="")
    Session.execute(statement.execution_options(synchronize_session=False))


def spoil_stamp(row: Record, obj: HarvestObject) -> None:
    """Note where a record was read that was then lost, and that it has to be read again."""
    row.url = staging.extras_of(obj.id).get(staging.URL, obj.source.url)
    row.etag = row.last_modified = ""


def put_title(row: Record, title: str) -> None:
    """Note what a record calls itself."""
    row.title = " ".join(title.split())[:LONGEST_TITLE]


def put_error(row: Record, obj: HarvestObject, error: UkharvestError, stage: str) -> None:
    """Note why a record was lost: in its row, and as ckanext-harvest does."""
    if isinstance(error, RecordError) and error.title:
        put_title(row, error.title)
    row.error = {"code": error.code, "message": error.message, "line": error.line}
    lost = {"message": error.message, "stage": stage, "line": error.line}
    said = Session.query(HarvestObjectError).filter_by(harvest_object_id=obj.id, **lost)
    if said.first() is None:  # two consumers can be at one message that is delivered twice
        Session.add(HarvestObjectError(harvest_object_id=obj.id, **lost))


def note_written(package_id: str, before: str) -> None:
    """Note that we have just changed a dataset again, unless a person did before.

    Args:
        before: when it had been changed last, as package_show has it.
    """
    ours = sa.and_(
        Record.package_id == package_id, Record.written >= datetime.datetime.fromisoformat(before)
    )
    statement = sa.update(Record).where(ours).values(written=utcnow())
    Session.execute(statement.execution_options(synchronize_session=False))


def replace_problems(row: Record, problems: Iterable[Problem]) -> None:
    """Keep what the run that saw the record last found in it, in place of all before.

    The row has its id already.
    """
    Session.query(RecordProblem).filter_by(record_id=row.id).delete(synchronize_session=False)
    Session.add_all(
        RecordProblem(
            record_id=row.id,
            code=problem.code,
            field=problem.field,
            message=problem.message,
            line=problem.line,
            job_id=row.last_seen_job_id,
        )
        for problem in problems
    )


def forget_rejection(row: Record) -> None:
    """Forget what the run that saw the record last rejected it for: that version is past, too."""
    Session.query(RecordProblem).filter_by(record_id=row.id, job_id=row.last_seen_job_id).delete(
        synchronize_session=False
    )


def make_current(obj: HarvestObject, package_id: str, status: str) -> None:
    """Make the object the dataset's current one, with its outcome."""
    retire(package_id, obj)
    obj.package_id = package_id
    obj.current = True
    obj.report_status = status


def retire(package_id: str, obj: HarvestObject) -> None:
    """Let no other object be the dataset's current one, of whichever source it came from."""
    statement = (
        sa.update(HarvestObject)
        .where(
            HarvestObject.package_id == package_id,
            HarvestObject.current.is_(True),
            HarvestObject.id != obj.id,
        )
        .values(current=False)
    )
    Session.execute(statement.execution_options(synchronize_session=False))


def _keep_status(_obj: HarvestObject, value: Any, before: Any, _event: Any) -> Any:
    return before if before == "stopped" or (before, value) == ("updated", "added") else value


# ckanext.harvest.queue.fetch_callback calls every import "added" whose dataset has no second
# harvest object: those of datasets adopted without one, or whose history was cleared. And it calls
# every record errored that it did not import, those of a stopped run too.
sa.event.listen(HarvestObject.report_status, "set", _keep_status, retval=True, active_history=True)
