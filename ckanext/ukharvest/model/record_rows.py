"""Update a record's row and its dataset's current harvest object while it is written.

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
from ckanext.ukharvest.model import Record, RecordProblem, staged_objects, utcnow

Session = model.Session

LONGEST_TITLE = 500  # characters


@dataclass(frozen=True, slots=True)
class Stamp:
    """Values by which a later run recognises an unchanged record.

    Attributes:
        fingerprint: of its content and of the rules it was imported under.
        import_rules_hash: of those rules alone, for records that are not read again.
        url: where it was read.
        etag, last_modified: of its RawRecord.
    """

    fingerprint: str
    import_rules_hash: str
    url: str
    etag: str = ""
    last_modified: str = ""


def locked(obj: HarvestObject) -> Record:
    """Return the row of an object's record, locked until the transaction ends; may create it."""
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
    """Lock the records of a dataset, as ``locked`` does, until the transaction ends."""
    query = sa.select(Record.source_id, Record.guid).where(Record.package_id == package_id)
    for source_id, guid in sorted(map(tuple, Session.execute(query))):
        _lock(source_id, guid)


# A process that hangs may hold a record's lock: the next one must not hang too. The sweeper has a
# shorter timeout of its own.
_BOUND = sa.text(
    """
    SELECT set_config('lock_timeout', '60s', true) WHERE current_setting('lock_timeout') = '0'
    """
)


def _lock(source_id: str, guid: str) -> None:
    Session.execute(_BOUND)
    Session.execute(
        sa.text("SELECT pg_advisory_xact_lock(hashtext(:source), hashtext(:guid))"),
        {"source": source_id, "guid": guid},
    )


def mark_seen(row: Record, obj: HarvestObject) -> None:
    """Mark the record as seen by the object's job."""
    row.last_seen = utcnow()
    row.last_seen_job_id = obj.harvest_job_id
    row.missed_runs = 0


def put_stamp(row: Record, stamp: Stamp) -> None:
    """Save the stamp of an import; all its values are of the same import."""
    row.fingerprint = stamp.fingerprint
    row.import_rules_hash = stamp.import_rules_hash
    row.url = stamp.url
    row.etag = stamp.etag
    row.last_modified = stamp.last_modified


def forget_stamps(package_ids: Sequence[str]) -> None:
    """Let the next runs import the records of these datasets again."""
    # The rules too: records that are only listed, or copies, are recognised without a fingerprint.
    own = sa.update(Record).where(Record.package_id.in_(package_ids))
    statement = own.values(fingerprint="", import_rules_hash="")
    Session.execute(statement.execution_options(synchronize_session=False))


def spoil_stamp(row: Record, obj: HarvestObject) -> None:
    """Save the URL of a record that failed, and that it has to be read again."""
    row.url = staged_objects.extras_of(obj.id).get(staged_objects.URL, obj.source.url)
    row.etag = row.last_modified = ""


def put_title(row: Record, title: str) -> None:
    """Save a record's title."""
    row.title = " ".join(title.split())[:LONGEST_TITLE]


def put_error(row: Record, obj: HarvestObject, error: UkharvestError, stage: str) -> None:
    """Save why a record failed: in its row, and as a ``HarvestObjectError``."""
    if isinstance(error, RecordError) and error.title:
        put_title(row, error.title)
    row.error = {"code": error.code, "message": error.message, "line": error.line}
    lost = {"message": error.message, "stage": stage, "line": error.line}
    said = Session.query(HarvestObjectError).filter_by(harvest_object_id=obj.id, **lost)
    if said.first() is None:  # a message can be delivered twice, to two consumers
        Session.add(HarvestObjectError(harvest_object_id=obj.id, **lost))
        code = {staged_objects.IMPORT_CODE: error.code}
        staged_objects.restamp(obj.id, code, staged_objects.extras_of(obj.id))


def note_written(package_id: str, before: str) -> None:
    """Save that we have just changed a dataset again, unless a person changed it before.

    Args:
        before: its ``metadata_modified`` before that, as in package_show.
    """
    ours = sa.and_(
        Record.package_id == package_id, Record.written >= datetime.datetime.fromisoformat(before)
    )
    statement = sa.update(Record).where(ours).values(written=utcnow())
    Session.execute(statement.execution_options(synchronize_session=False))


def replace_problems(row: Record, problems: Iterable[Problem], *, lost: bool = False) -> None:
    """Save the problems that the last run found in a record; earlier ones become past.

    The row has its id already.

    Args:
        lost: the run did not import the record because of them.
    """
    of_record = Session.query(RecordProblem).filter_by(record_id=row.id)
    of_record.filter_by(job_id=row.last_seen_job_id).delete(synchronize_session=False)
    _make_past(of_record)
    Session.add_all(
        RecordProblem(
            record_id=row.id,
            code=problem.code,
            field=problem.field,
            message=problem.message,
            line=problem.line,
            job_id=row.last_seen_job_id,
            lost=lost,
        )
        for problem in problems
    )


def forget_rejection(row: Record) -> None:
    """Make the problems of the last rejection past, with the rejected version."""
    _make_past(Session.query(RecordProblem).filter_by(record_id=row.id, lost=True))


def _make_past(problems: Any) -> None:
    problems.filter_by(current=True).update({"current": False}, synchronize_session=False)


def make_current(obj: HarvestObject, package_id: str, status: str) -> None:
    """Make the object its dataset's current one, and save its outcome."""
    retire(package_id, obj)
    obj.package_id = package_id
    obj.current = True
    obj.report_status = status


def retire(package_id: str, obj: HarvestObject) -> None:
    """Make all other objects of the dataset, of any source, no longer current."""
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
# harvest object: those of datasets adopted without one, or whose history was cleared. It also
# marks every record that it did not import as errored, also those of a stopped run.
sa.event.listen(HarvestObject.report_status, "set", _keep_status, retval=True, active_history=True)
