"""Tell a failing service (database, search index, queue, disk) from a faulty record."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import pysolr
import redis
import sqlalchemy as sa
from ckan.lib.search import SearchError, SearchIndexError

DATABASE, SEARCH_INDEX, REDIS, RABBITMQ = "database", "search index", "Redis", "RabbitMQ"
DISK = "disk"
QUEUES = (REDIS, RABBITMQ)

# No room for a download: the disk, the user's share of it, or the process's limit.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

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
            is_fault = isinstance(cause, (redis.ConnectionError, redis.TimeoutError))
            return REDIS if is_fault or "LOADING" in str(cause) else ""
        if isinstance(cause, (SearchIndexError, SearchError, pysolr.SolrError)):
            return "" if "(HTTP 400)" in str(cause) else SEARCH_INDEX
        if type(cause).__module__ == "pika.exceptions":  # a package that few portals have
            return RABBITMQ
        if isinstance(cause, OSError) and cause.errno in _NO_ROOM:
            return DISK
    return ""


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
