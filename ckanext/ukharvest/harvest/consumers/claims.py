"""Claims: which consumer works on which objects, and those that wait because a service failed."""

from __future__ import annotations

import datetime as dt
import logging
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import pysolr
import redis
import sqlalchemy as sa
from ckan import model
from ckan.lib.search import SearchError, SearchIndexError
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestObjectExtra, HarvestSource
from sqlalchemy.orm import aliased

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.errors import is_full_disk
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.database import UNHURRIED, execute, upsert
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import (
    Claim,
    Retry,
    SourceState,
    Worker,
    utcnow,
)
from ckanext.ukharvest.harvest.run import stopping

T = TypeVar("T")
Session = model.Session
log = logging.getLogger(__name__)

REASON = "another harvester began this run; the next run reads its records again"


def end_stock_object(obj: HarvestObject) -> None:
    """End an object of another harvester that is delivered to ours, and log it; commits."""
    if not obj.report_status:  # else ``ckan harvester import`` of an imported object
        report = stopping.open_report(obj.harvest_job_id, obj.harvest_source_id)
        if not report.outcome:
            report.outcome, report.reason = stopping.STOPPED, REASON
            report.finished = utcnow()
        stopping.end_object(obj)


def discard_stock_objects(job_id: str) -> None:
    """Delete the objects of another harvester's gather of this job; the caller commits."""
    statement = sa.delete(HarvestObject).where(
        HarvestObject.harvest_job_id == job_id, HarvestObject.state.notin_(objects.ENDED)
    )
    execute(statement)


DATABASE, SEARCH_INDEX, REDIS, RABBITMQ = "database", "search index", "Redis", "RabbitMQ"
DISK = "disk"
QUEUES = (REDIS, RABBITMQ)

_DEADLOCK = "40P01"
# SQLAlchemy's messages for a session whose connection was lost in an earlier statement.
_LOST_CONNECTION = "Can't reconnect until invalid"
# PostgreSQL's error codes (appendix A of its manual): by class, and single ones.
_CLASSES = ("08", "53", "57P", "58")  # connection, resources, operator's shutdown, system
_CODES = frozenset(
    (
        _DEADLOCK,
        "40001",  # serialization failure
        "55P03",  # lock time-out
        "57014",  # statement time-out
        "25P03",  # idle-in-transaction time-out
        "25006",  # read only: a stand-by after a fail-over
    )
)


def failing_service(exc: BaseException) -> str:
    """Return the service whose failure an exception, or its cause, reports; "" if none."""
    for cause in _chain(exc):
        if isinstance(cause, sa.exc.DBAPIError):
            return DATABASE if _is_database_fault(cause) else ""
        if isinstance(cause, sa.exc.TimeoutError) or _LOST_CONNECTION in str(cause):
            return DATABASE
        if isinstance(cause, redis.RedisError):
            return "" if isinstance(cause, redis.DataError) else REDIS  # a value of our own
        if isinstance(cause, (SearchIndexError, SearchError, pysolr.SolrError)):
            return "" if "(HTTP 400)" in str(cause) else SEARCH_INDEX
        if type(cause).__module__ == "pika.exceptions":  # a package that few portals have
            return RABBITMQ
        if is_full_disk(cause):
            return DISK
    return ""


def try_to_queue(send: Callable[[], T]) -> T | None:
    """Call a function that puts work on a queue; return its result, None if no queue answers.

    Commit what the work is about first: the sweeper, ``ckan harvester run``, queues it later.
    """
    try:
        return send()
    except Exception as exc:
        # pika raises a socket's errors, such as of a name that is not known, as they are.
        if failing_service(exc) not in QUEUES and not isinstance(exc, OSError):
            raise
        log.warning("The queue cannot be reached, the sweeper sends this later: %s", exc)
        return None


def first_line(exc: Exception) -> str:
    """Return an error's first line, without the SQL that SQLAlchemy adds."""
    if failing_service(exc) == DISK:
        return f"{exc} (downloads are in {tempfile.gettempdir()})"
    lines = str(getattr(exc, "orig", None) or exc).strip().splitlines()
    return lines[0] if lines else type(exc).__name__


def is_deadlock(exc: sa.exc.DBAPIError) -> bool:
    """Tell whether PostgreSQL ended this transaction because of a deadlock."""
    return getattr(exc.orig, "pgcode", None) == _DEADLOCK


def _is_database_fault(exc: sa.exc.DBAPIError) -> bool:
    if exc.connection_invalidated:
        return True
    code = getattr(exc.orig, "pgcode", None)
    if code is None:  # psycopg2 raised it itself: the connection is closed or cannot be made
        return isinstance(exc, (sa.exc.OperationalError, sa.exc.InterfaceError))
    return code in _CODES or code.startswith(_CLASSES)


def _chain(exc: BaseException) -> Iterator[BaseException]:
    """Yield an exception and what it was raised from or during, the outermost first."""
    seen: set[int] = set()
    following: BaseException | None = exc
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        following = following.__cause__ or following.__context__


# Minutes until the next attempt, by number of failed attempts.
PAUSES = (1, 5, 15, 60, 180)
# Seconds between attempts to store that while the database is unavailable.
PATIENCE = (1, 2, 4, 8, 15, 30)


class GivenUp(Exception):
    """A service failed at every attempt; ``attempts`` is their number."""

    def __init__(self, attempts: int) -> None:
        super().__init__(attempts)
        self.attempts = attempts


def postpone(object_id: str, service: str, message: str) -> None:
    """Let an object wait for its next attempt; this call waits until the database answers.

    Begins and ends with a session of its own.

    Raises:
        GivenUp: it was its last attempt.
        sqlalchemy.exc.SQLAlchemyError: the database did not come back; nothing is stored.
    """
    patiently(lambda: _wait_again(object_id, service, message))
    log.warning("Harvest object %s waits again: the %s failed: %s", object_id, service, message)


def patiently(work: Callable[[], None]) -> None:
    """Call a function, again and again while the database fails; it must be safe to repeat.

    Begins and ends with a session of its own.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: the database did not come back; nothing is stored.
    """
    for pause in (*PATIENCE, None):
        compat.close_session()
        try:
            work()
        except sa.exc.SQLAlchemyError as exc:
            if pause is None or not failing_service(exc):
                raise
            log.warning("The database does not answer; trying again in %d s", pause)
            time.sleep(pause)
        else:
            return
        finally:
            compat.close_session()


def _wait_again(object_id: str, service: str, message: str) -> None:
    """Let an object wait, or end it if it was imported already; commits."""
    query = Session.query(HarvestObject).filter_by(id=object_id)
    obj = query.with_for_update().populate_existing().one_or_none()
    if obj is None or obj.state in objects.ENDED:
        Session.commit()
        return
    if obj.report_status in stopping.IMPORTED:  # the fault came after the record's own commit
        obj.state = "COMPLETE"
        Session.commit()
        return
    retry = Session.get(Retry, object_id)
    attempts = (retry.attempts if retry else 0) + 1
    if attempts > len(PAUSES):
        Session.commit()
        raise GivenUp(attempts)
    due = tables.database_time() + dt.timedelta(minutes=PAUSES[attempts - 1])
    row = {"harvest_object_id": object_id, "attempts": attempts, "due": due}
    row |= {"service": service, "message": message}
    execute(upsert(Retry, ["harvest_object_id"], [row]))
    # ckanext.harvest.queue ends an object at its fifth delivery, but these were not its fault.
    obj.state, obj.report_status, obj.retry_times = "WAITING", None, 0
    Session.commit()


def next_due(job_id: str) -> dt.datetime | None:
    """Return the time of the next attempt at an object of a job, None without waiting objects."""
    due: dt.datetime | None = _postponed(job_id, sa.func.min(Retry.due)).scalar()
    return due


def is_paused(due: Any) -> sa.ColumnElement[bool]:
    """Return the SQL condition that an object waits for its next attempt, due at this time.

    A time beyond the longest pause is none: the clock was put back since.
    """
    now = tables.database_time()
    return sa.and_(due > now, due <= now + dt.timedelta(minutes=PAUSES[-1]))


def due_ids(job_id: str) -> list[str]:
    """Return the ids of a job's waiting objects whose pause is over."""
    due = _postponed(job_id, HarvestObject.id).filter(sa.not_(is_paused(Retry.due)))
    return [row[0] for row in due.order_by(Retry.due)]


def _postponed(job_id: str, column: Any) -> Any:
    return (
        Session.query(column)
        .select_from(HarvestObject)
        .join(Retry, Retry.harvest_object_id == HarvestObject.id)
        .filter(HarvestObject.harvest_job_id == job_id, HarvestObject.state == "WAITING")
    )


def forget_finished() -> None:
    """Delete the rows of finished objects; the caller commits."""
    finished = sa.select(HarvestObject.id).where(HarvestObject.state.in_(objects.ENDED))
    execute(sa.delete(Retry).where(Retry.harvest_object_id.in_(finished)))


KILLS = "ended_workers"  # extra of a harvest object: how many consumers died while working on it


class Claimed(NamedTuple):
    """A batch: objects of one run of one source, in the order in which they were gathered."""

    source_type: str
    job_id: str
    object_ids: list[str]


def claim(worker_id: str, types: Collection[str], limit: int) -> Claimed | None:
    """Claim waiting objects, of the source that was claimed longest ago; commits.

    An object whose consumer died, or whose batch failed with a service, is claimed alone, after all
    others: if it is the cause, such as a record that exceeds the database's statement timeout, it
    costs itself.

    Args:
        worker_id: of ``Worker``, which has heartbeats.
        types: names of source types.
        limit: objects at most.

    Returns:
        None if nothing waits.
    """
    give_back(worker_id)
    for source_id, source_type, job_id in Session.execute(_runs(types)).all():
        ids = _lock(job_id, limit) or _lock(job_id, 1, failed_before=True)
        if ids:
            _take(worker_id, source_id, ids)
            Session.commit()
            return Claimed(source_type, job_id, ids)
    Session.commit()
    return None


def claim_given(worker_id: str, source_id: str, object_ids: Collection[str]) -> list[str]:
    """Claim those of these objects that wait, for a run in the foreground; commits.

    Returns:
        Their ids, in the given order.
    """
    query = sa.select(HarvestObject.id).where(
        HarvestObject.id.in_(object_ids), HarvestObject.state == "WAITING"
    )
    waiting = set(Session.scalars(query.with_for_update(skip_locked=True)))
    ids = [id_ for id_ in object_ids if id_ in waiting]
    if ids:
        _take(worker_id, source_id, ids)
    Session.commit()
    return ids


def is_object_waiting(types: Collection[str]) -> bool:
    """Tell whether an object can be claimed now; one statement."""
    return Session.execute(_runs(types).limit(1)).first() is not None


def claim_run(worker_id: str, types: Collection[str]) -> str:
    """Claim the run that waits longest for a gather consumer; commits; return its id or ""."""
    job_id = Session.scalar(_unread(types).with_for_update(of=HarvestJob, skip_locked=True))
    if job_id:
        now = tables.database_time()
        own = sa.update(HarvestJob).where(HarvestJob.id == job_id).values(gather_started=now)
        worker = sa.update(Worker).where(Worker.id == worker_id)
        execute(own.execution_options(synchronize_session=False))
        execute(worker.values(heartbeat=now, busy_with=job_id, busy_since=now))
    Session.commit()
    return job_id or ""


def is_run_waiting(types: Collection[str]) -> bool:
    """Tell whether a run waits for a gather consumer; one statement."""
    return Session.scalar(_unread(types)) is not None


def _unread(types: Collection[str]) -> sa.Select[Any]:
    """Select the run that nobody reads and that waits longest."""
    return (
        sa.select(HarvestJob.id)
        .join(HarvestSource, HarvestSource.id == HarvestJob.source_id)
        .where(
            HarvestJob.status == "Running",
            HarvestJob.gather_started.is_(None),
            HarvestSource.type.in_(types),
            ~_is_worked_on(),
        )
        .order_by(HarvestJob.created)
        .limit(1)
    )


def release(object_ids: Collection[str]) -> None:
    """Delete claims; the caller commits."""
    Session.execute(released(object_ids))


def end(object_ids: Collection[str]) -> None:
    """End objects that have had a result, and delete their claims; the caller commits.

    Objects that wait again, that have no result or that had ended before keep their state.
    """
    table = HarvestObject.__table__.c
    is_error = table.report_status.in_(("errored", stopping.STOPPED))
    Session.execute(
        sa.update(HarvestObject.__table__)
        .where(table.id.in_(object_ids), table.report_status.isnot(None))
        .where(table.state.notin_((objects.WAITING, *objects.ENDED)))
        .values(state=sa.case((is_error, "ERROR"), else_="COMPLETE"))
        .add_cte(released(object_ids).cte("released"))
    )


def released(object_ids: Collection[str]) -> sa.Delete:
    """Return the statement that deletes claims."""
    claims = Claim.__table__
    return sa.delete(claims).where(claims.c.harvest_object_id.in_(object_ids))


def give_back(worker_id: str) -> None:
    """Let objects wait again that are left of a batch whose end could not be stored."""
    mine = sa.delete(Claim).where(Claim.worker_id == worker_id).returning(Claim.harvest_object_id)
    ids = list(execute(mine).scalars())
    if ids:
        execute(
            sa.update(HarvestObject)
            .where(HarvestObject.id.in_(ids), HarvestObject.state.in_(("FETCH", "IMPORT")))
            .values(state="WAITING")
        )


def _runs(types: Collection[str]) -> sa.Select[Any]:
    """Return source id, source type and job id of runs with waiting objects, in their turn."""
    waits = _waiting(HarvestJob.id, HarvestObject.id).correlate(HarvestJob).exists()
    return (
        sa.select(HarvestSource.id, HarvestSource.type, HarvestJob.id)
        .join(HarvestJob, HarvestJob.source_id == HarvestSource.id)
        .outerjoin(SourceState, SourceState.source_id == HarvestSource.id)
        .where(HarvestJob.status == "Running", HarvestSource.type.in_(types))
        # ``ckan ukharvest run`` imports the objects of its run itself.
        .where(waits, ~_is_worked_on("command"))
        .order_by(SourceState.claimed.asc().nulls_first(), HarvestJob.created)
    )


def _is_worked_on(*kinds: str) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a live process of these kinds, or of any, has this run."""
    alive = tables.database_time() - dt.timedelta(seconds=config.worker_timeout())
    busy = sa.exists().where(Worker.busy_with == HarvestJob.id, Worker.heartbeat > alive)
    return busy.where(Worker.kind.in_(kinds)) if kinds else busy


def _waiting(job_id: Any, column: Any) -> sa.Select[Any]:
    """Select from a run's waiting objects, without those that pause after a service failed."""
    other = aliased(Retry)
    pauses = sa.exists().where(other.harvest_object_id == HarvestObject.id, is_paused(other.due))
    return sa.select(column).where(
        HarvestObject.harvest_job_id == job_id, HarvestObject.state == "WAITING", ~pauses
    )


def _lock(job_id: str, limit: int, *, failed_before: bool = False) -> list[str]:
    killed = sa.exists().where(
        HarvestObjectExtra.harvest_object_id == HarvestObject.id, HarvestObjectExtra.key == KILLS
    )
    suspected = killed | Retry.attempts.isnot(None)
    query = (
        _waiting(job_id, HarvestObject.id)
        .outerjoin(Retry, Retry.harvest_object_id == HarvestObject.id)
        .where(suspected if failed_before else ~suspected)
        # Of those that failed, the one that failed least often.
        .order_by(Retry.attempts, HarvestObject.gathered, HarvestObject.id)
        .limit(limit)
        .with_for_update(of=HarvestObject, skip_locked=True)
    )
    return list(Session.scalars(query))


def _take(worker_id: str, source_id: str, ids: Sequence[str]) -> None:
    now = tables.database_time()
    busy = {"heartbeat": now, "busy_with": ids[0], "busy_since": now}
    # A run in the foreground is busy with the run as a whole.
    worker, harvest_object = Worker.__table__, HarvestObject.__table__
    own = sa.update(worker).where(worker.c.id == worker_id, worker.c.kind == "fetch")
    started = (
        sa.update(harvest_object)
        .where(harvest_object.c.id.in_(ids))
        .values(state="FETCH", fetch_started=now, retry_times=harvest_object.c.retry_times + 1)
    )
    rows = [{"harvest_object_id": id_, "worker_id": worker_id, "since": now} for id_ in ids]
    # A row may be left of a consumer that died.
    taken = upsert(Claim, ["harvest_object_id"], rows)
    turn = upsert(SourceState, ["source_id"], [{"source_id": source_id, "claimed": now}])
    # All in one statement, which is felt where records are taken one by one.
    together = sa.select(sa.true())
    parts = {"own": own.values(busy), "started": started, "taken": taken, "turn": turn}
    for name, part in parts.items():
        together = together.add_cte(part.cte(name))
    Session.execute(UNHURRIED)
    Session.execute(together)
