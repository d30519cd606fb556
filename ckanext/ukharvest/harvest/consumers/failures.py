"""Services that fail: which one did, and objects that wait for their next attempt."""

from __future__ import annotations

import datetime as dt
import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pysolr
import redis
import sqlalchemy as sa
from ckan import model
from ckan.lib.search import SearchError, SearchIndexError
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.errors import is_full_disk
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.database import execute, upsert_statement
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import Retry
from ckanext.ukharvest.harvest.run import stopping

Session = model.Session
log = logging.getLogger(__name__)
T = TypeVar("T")

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
        if not is_queue_fault(exc):
            raise
        log.warning("The queue cannot be reached, the sweeper sends this later: %s", exc)
        return None


def is_queue_fault(exc: BaseException) -> bool:
    """Tell whether an exception says that a queue does not answer."""
    # pika raises a socket's errors, such as of a name that is not known, as they are.
    return failing_service(exc) in QUEUES or isinstance(exc, OSError)


def first_error_line(exc: Exception) -> str:
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


def postpone_attempt(object_id: str, service: str, message: str) -> None:
    """Let an object wait for its next attempt; this call waits until the database answers.

    Begins and ends with a session of its own.

    Raises:
        GivenUp: it was its last attempt.
        sqlalchemy.exc.SQLAlchemyError: the database did not come back; nothing is stored.
    """
    call_patiently(lambda: _wait_again(object_id, service, message))
    log.warning("Harvest object %s waits again: the %s failed: %s", object_id, service, message)


def call_patiently(work: Callable[[], None]) -> None:
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
    execute(upsert_statement(Retry, ["harvest_object_id"], [row]))
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
