"""Tell a failing service (database, search index, Redis, disk) from a faulty record."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import pysolr
import redis
import sqlalchemy as sa
from ckan.lib.search import SearchError, SearchIndexError

DATABASE, SEARCH_INDEX, REDIS, DISK = "database", "search index", "Redis", "disk"

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
    for each in _chain(exc):
        if isinstance(each, sa.exc.DBAPIError):
            return DATABASE if _is_database_fault(each) else ""
        if isinstance(each, sa.exc.TimeoutError) or _LOST_CONNECTION in str(each):
            return DATABASE
        if isinstance(each, redis.RedisError):
            return REDIS if _is_redis_fault(each) else ""
        if isinstance(each, (SearchIndexError, SearchError, pysolr.SolrError)):
            return "" if "(HTTP 400)" in str(each) else SEARCH_INDEX
        if isinstance(each, OSError) and each.errno in _NO_ROOM:
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


def _is_redis_fault(exc: redis.RedisError) -> bool:
    return isinstance(exc, (redis.ConnectionError, redis.TimeoutError)) or "LOADING" in str(exc)


def _chain(exc: BaseException) -> Iterator[BaseException]:
    """Yield an exception and what it was raised from or during, the outermost first."""
    seen: set[int] = set()
    following: BaseException | None = exc
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        following = following.__cause__ or following.__context__
