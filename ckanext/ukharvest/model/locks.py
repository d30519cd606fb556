"""Locks of the database: over many transactions, and of one source until the next commit."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.model import SourceState

# Keys of PostgreSQL's advisory locks: any numbers that no other extension uses.
SWEEPER, LINKS, MAILS, CLEARING = 7_310_577, 7_310_578, 7_310_579, 7_310_580
TAGS, EXPORT = 7_310_581, 7_310_583
GUIDS, NAMES = 7_310_582, 7_310_584  # in the order in which they are locked

_TRY = sa.text("SELECT pg_try_advisory_lock(:key)")
_UNLOCK = sa.text("SELECT pg_advisory_unlock(:key)")
_TRY_OF = sa.text("SELECT pg_try_advisory_lock(:key, hashtext(:of))")
_UNLOCK_OF = sa.text("SELECT pg_advisory_unlock(:key, hashtext(:of))")
SHARED = sa.text("SELECT pg_try_advisory_xact_lock_shared(:key, hashtext(:of))")


# A process that hangs may hold a lock: the next one must not hang too. The sweeper has a shorter
# timeout of its own. The timeout is set before the first lock is waited for.
_HOLD = sa.text(
    """
    WITH bound AS MATERIALIZED (
        SELECT set_config('lock_timeout', '60s', true)
        WHERE current_setting('lock_timeout') = '0')
    SELECT pg_advisory_xact_lock(kind, name)
    FROM unnest(:kinds, :names) AS given (kind, name) LEFT JOIN bound ON true
    """
).bindparams(
    sa.bindparam("kinds", type_=ARRAY(sa.Integer)), sa.bindparam("names", type_=ARRAY(sa.Integer))
)


def hold(names: Iterable[tuple[int | str, str]]) -> None:
    """Lock names until the transaction ends, in one statement.

    In one order everywhere, so that two processes wait for each other and never both.

    Args:
        names: [(one of the keys above, or the id of a source; name), …].
    """
    if keys := sorted({(_number(kind), _number(name)) for kind, name in names}):
        kinds, numbers = zip(*keys, strict=True)
        model.Session.execute(_HOLD, {"kinds": list(kinds), "names": list(numbers)})


def _number(name: int | str) -> int:
    """Return the 32 bits with a sign that PostgreSQL takes as the key of a lock."""
    if isinstance(name, int):
        return name
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) - 2**31


@contextmanager
def alone(key: int, of: str = "") -> Iterator[bool]:
    """Hold a lock, on a connection of its own; False if another process holds it.

    Args:
        of: id of the locked object, "" for a lock of the whole portal.
    """
    lock = {"key": key, "of": of} if of else {"key": key}
    with model.meta.engine.connect() as connection, _without_transaction(connection):
        got = connection.execute(_TRY_OF if of else _TRY, lock).scalar()
        try:
            yield bool(got)
        finally:
            if got:
                connection.execute(_UNLOCK_OF if of else _UNLOCK, lock)


@contextmanager
def _without_transaction(connection: sa.engine.Connection) -> Iterator[None]:
    """Send no BEGIN: a transaction would stand idle for as long as the work takes.

    By psycopg2's own attribute: after SQLAlchemy's ``isolation_level="AUTOCOMMIT"`` psycopg2 sets
    the connection's level by a statement more, in each later transaction and test of it.
    """
    psycopg2s = connection.connection.dbapi_connection
    psycopg2s.autocommit = True
    try:
        yield
    finally:
        if not psycopg2s.closed:
            psycopg2s.autocommit = False


def hold_off_clearing(source_id: str) -> bool:
    """Keep a source from being cleared until the transaction ends; False if it is cleared now."""
    return bool(model.Session.execute(SHARED, {"key": CLEARING, "of": source_id}).scalar())


def source_state(source_id: str) -> SourceState | None:
    """Return the current state of a source, locked; None if it has none yet."""
    query = model.Session.query(SourceState).filter_by(source_id=source_id)
    return query.with_for_update().populate_existing().one_or_none()
