"""Locks, notes and statements of the database, and the version of its tables."""

from __future__ import annotations

import enum
import logging
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from ckan import model
from ckan.model.system_info import delete_system_info, set_system_info
from ckanext.harvest.model import HarvestSource
from sqlalchemy.dialects.postgresql import ARRAY, insert

from ckanext.ukharvest.harvest.model import SourceState

log = logging.getLogger(__name__)
Session = model.Session

# First in a transaction whose loss in a power cut does no harm: no commit waits for the disk then.
UNHURRIED = sa.text("SET LOCAL synchronous_commit TO off")

# Keys of PostgreSQL's advisory locks: any numbers that no other extension uses.
SWEEPER, LINKS, MAILS, CLEARING = 7_310_577, 7_310_578, 7_310_579, 7_310_580
TAGS, EXPORT, AFTER_RUN = 7_310_581, 7_310_583, 7_310_585
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


def hold_locks(names: Iterable[tuple[int | str, str]]) -> None:
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
def hold_alone(key: int, of: str = "") -> Iterator[bool]:
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


def lock_source(source_id: str) -> Any:
    """Return a harvest source as stored, or None; it is locked until the transaction ends.

    Its package is locked first, as by CKAN's ``package_patch``: who locks both never waits for
    another who does.
    """
    package = Session.query(model.Package.id).filter_by(id=source_id)
    package.with_for_update(key_share=True).first()
    query = Session.query(HarvestSource).filter_by(id=source_id).with_for_update()
    return query.populate_existing().first()


def hold_off_clearing(source_id: str) -> bool:
    """Keep a source from being cleared until the transaction ends; False if it is cleared now."""
    return bool(model.Session.execute(SHARED, {"key": CLEARING, "of": source_id}).scalar())


def source_state(source_id: str) -> SourceState | None:
    """Return the current state of a source, locked; None if it has none yet."""
    query = model.Session.query(SourceState).filter_by(source_id=source_id)
    return query.with_for_update().populate_existing().one_or_none()


NOTICE = "ukharvest.notice"  # see lib/actions.py


def load_note(key: str) -> str:
    """Return a note, "" if there is none."""
    return str(model.Session.scalar(sa.select(note_column(key))))


def note_column(key: str) -> sa.ColumnElement[str]:
    """Return the SQL expression of a note, "" if there is none."""
    info = model.SystemInfo
    query = sa.select(info.value).where(info.key == key, info.state == "active")
    return sa.func.coalesce(query.scalar_subquery(), "")


def set_note(key: str, text: str) -> None:
    """Save a note, or delete it with ""; commit."""
    if text:
        set_system_info(key, text)
    else:
        delete_system_info(key)


K = TypeVar("K")
V = TypeVar("V")


def execute(statement: sa.sql.Executable) -> Any:
    """Execute an UPDATE or DELETE; return its result.

    Objects that are in the session already keep their values. The caller commits.
    """
    return model.Session.execute(statement, execution_options={"synchronize_session": False})


def exists_statements(*conditions: Any) -> bool:
    """Tell whether the database has a row for which these conditions hold."""
    return bool(model.Session.scalar(sa.select(sa.exists().where(*conditions))))


def group_pairs(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return key → its values, both in their order."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def any_text(texts: Iterable[str]) -> Any:
    """Return ANY of these texts, however many: one parameter."""
    return sa.any_(sa.literal(list(texts), ARRAY(sa.UnicodeText)))


def any_number(numbers: Iterable[int]) -> Any:
    """Return ANY of these numbers, however many: one parameter."""
    return sa.any_(sa.literal(list(numbers), ARRAY(sa.BigInteger)))


def upsert_statement(
    table: Any, key: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> sa.sql.Executable:
    """Return the statement that inserts rows, or updates those that exist.

    Args:
        table: class of ``model``.
        key: names of the columns that are unique together.
        rows: column → value, the same columns in each row. None of them is there twice.
    """
    statement = insert(table.__table__).values(list(rows))
    changed = {name: statement.excluded[name] for name in rows[0] if name not in key}
    return statement.on_conflict_do_update(index_elements=list(key), set_=changed)


COMMAND = "ckan db upgrade -p ukharvest"
TABLE = "ukharvest_alembic_version"
UNDEFINED_TABLE = "42P01"  # PostgreSQL's code of the error

_FOLDER = Path(__file__).resolve().parent.parent / "migration" / "ukharvest" / "versions"
# Oldest first.
REVISIONS = tuple(sorted(path.name.split("_")[0] for path in _FOLDER.glob("[0-9]*.py")))

_REVISION = sa.text(f"SELECT version_num FROM {TABLE}")  # noqa: S608 - a name of our own


class State(enum.Enum):
    """The database's revision, compared with this process's code."""

    CURRENT = "current"
    BEHIND = "behind"  # a migration was not run, or none at all
    UNRELEASED = "unreleased"  # by a migration that was replaced before a release
    AHEAD = "ahead"  # another process, with newer code, has upgraded it
    UNKNOWN = "unknown"  # the database does not answer


TEXTS = {
    State.BEHIND: (
        "The harvest tables are missing or older than the installed ckanext-ukharvest. Run "
        f"“{COMMAND}”, then restart the web server and the consumers."
    ),
    State.UNRELEASED: (
        "The harvest tables were made by an unreleased commit: drop the “ukharvest_” tables, also "
        f"“{TABLE}”, and run “{COMMAND}”. Then restart the web server and the consumers."
    ),
    State.AHEAD: (
        "The harvest tables were made by a newer version of ckanext-ukharvest: install that "
        "version."
    ),
}
# Not a state: only an upgrade, which would create the tables again, has to know.
UNVERSIONED = (
    f"The database has “ukharvest_” tables without their version, which the table “{TABLE}” holds: "
    "it is missing or empty. Restore that table from the same backup as the others. If there is "
    f"none, drop the “ukharvest_” tables as docs/install.md (“Upgrade”) says. Then run “{COMMAND}”."
)


def load_schema_version() -> State:
    """Ask the database, on a connection of its own; never raises."""
    try:
        with model.meta.engine.connect() as connection:
            revisions = {row[0] for row in connection.execute(_REVISION)}
    except Exception as exc:  # noqa: BLE001 - code that needs the database reports it
        if getattr(getattr(exc, "orig", None), "pgcode", "") == UNDEFINED_TABLE:
            return State.BEHIND
        log.warning("The revision of the tables could not be read: %s", exc)
        return State.UNKNOWN
    return state_of(revisions)


def state_of(found: Collection[str]) -> State:
    """Return the state of tables at these revisions: none, or one.

    Revisions are sorted texts: an unknown one after the last is of newer code, any other was
    replaced.
    """
    newest = max(found, default="")
    if not newest or newest in REVISIONS[:-1]:
        return State.BEHIND
    if newest == REVISIONS[-1]:
        return State.CURRENT
    return State.AHEAD if newest > REVISIONS[-1] else State.UNRELEASED


def is_unversioned(connection: Any) -> bool:
    """Tell whether a database has our tables, but not their revision."""
    names = set(sa.inspect(connection).get_table_names())
    ours = {name for name in model.meta.metadata.tables if name.startswith("ukharvest_")}
    if not names & ours:
        return False
    return TABLE not in names or connection.execute(_REVISION).first() is None


def check_at_start() -> None:
    """Log what to do if the tables are not those of this code."""
    state = load_schema_version()
    if state in TEXTS:
        log.error(TEXTS[state])


def ensure_source_state(source_id: str, *, lock: bool = False) -> SourceState:
    """Return the source's state, created if missing; the caller commits.

    Two processes, or two calls in one transaction, create one row.

    Args:
        lock: reload the row and lock it until the transaction ends. Changes that are not flushed
            are lost.
    """
    state = source_state(source_id) if lock else Session.get(SourceState, source_id)
    if state is not None:
        return state
    statement = insert(SourceState).values(source_id=source_id)
    Session.execute(statement.on_conflict_do_nothing(index_elements=["source_id"]))
    query = Session.query(SourceState).filter_by(source_id=source_id)
    return (query.with_for_update().populate_existing() if lock else query).one()
