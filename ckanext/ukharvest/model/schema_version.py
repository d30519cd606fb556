"""Check whether the database has the tables that this process expects.

The only place that decides it: CKAN's hooks, helpers, actions, pages, commands and consumers ask
here before they use our tables. It reads the migrations' version table.
"""

from __future__ import annotations

import enum
import functools
import logging
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core.values.text import marked as _

log = logging.getLogger(__name__)

_F = TypeVar("_F", bound=Callable[..., Any])

COMMAND = "ckan db upgrade -p ukharvest"
TABLE = "ukharvest_alembic_version"
UNDEFINED_TABLE = "42P01"  # PostgreSQL's code of the error
SECONDS = 5.0  # between two questions to the database, as long as the answer may change

_FOLDER = Path(__file__).resolve().parent.parent / "migration" / "ukharvest" / "versions"
# Oldest first. Read once: files that an upgrade adds later are not for this process.
REVISIONS = tuple(sorted(path.name.split("_")[0] for path in _FOLDER.glob("[0-9]*.py")))

_REVISION = sa.text(f"SELECT version_num FROM {TABLE}")  # noqa: S608 - a name of our own
# Not caught up automatically.
STARS_TEXT = "Then run 'ckan ukharvest stars --all' for datasets that were changed meanwhile."


class State(enum.Enum):
    """The database's revision, compared with this process's code."""

    CURRENT = "current"
    BEHIND = "behind"  # a migration was not run, or none at all
    UNRELEASED = "unreleased"  # by a migration that was replaced before a release
    AHEAD = "ahead"  # another process, with newer code, has upgraded it
    UNKNOWN = "unknown"  # the database does not answer


TEXTS = {
    State.BEHIND: _(
        "The harvest tables are older than the installed ckanext-ukharvest. Run “{command}”, then "
        "restart the web server and the consumers."
    ),
    State.UNRELEASED: _(
        "The harvest tables were made by an unreleased commit: drop the “ukharvest_” tables, also "
        "“ukharvest_alembic_version”, and run “{command}”. Then restart the web server and the "
        "consumers."
    ),
    State.AHEAD: _(
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
UNUSABLE = (State.BEHIND, State.UNRELEASED)


def load() -> State:
    """Ask the database, on a connection of its own; never raises."""
    try:
        with model.meta.engine.connect() as connection:
            found = {row[0] for row in connection.execute(_REVISION)}
    except Exception as exc:  # noqa: BLE001 - code that needs the database reports it
        if getattr(getattr(exc, "orig", None), "pgcode", "") == UNDEFINED_TABLE:
            return State.BEHIND
        log.warning("The revision of the tables could not be read: %s", exc)
        return State.UNKNOWN
    return state_of(found)


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


class Watch:
    """The last answer of the database, asked again after ``seconds`` as long as it may change.

    Args:
        is_for_good: a database that has the tables is not asked again.
    """

    def __init__(self, *, is_for_good: bool) -> None:
        self._is_for_good = is_for_good
        self.forget()

    def forget(self) -> None:
        """Ask the database at the next call."""
        self._state, self._asked = State.UNKNOWN, float("-inf")

    def state(self) -> State:
        """Return the last known state."""
        if self._is_for_good and self._state in (State.CURRENT, State.AHEAD):
            return self._state
        now = time.monotonic()
        if now - self._asked >= SECONDS:
            self._asked, self._state = now, load()
            if self._state in UNUSABLE:
                log.error("%s %s", advice(self._state), STARS_TEXT)
        return self._state


# Of web servers, commands and hooks: migrations only add, so code older than the database works.
watch = Watch(is_for_good=True)


def is_behind() -> bool:
    """Tell whether our tables cannot be used: a migration is missing, or they are unreleased."""
    return watch.state() in UNUSABLE


def advice(state: State) -> str:
    """Return what to do about tables in a state of ``TEXTS``, in English, with the command."""
    return TEXTS[state].format(command=COMMAND)


def text() -> str:
    """Return what to do while ``is_behind``, in English."""
    return advice(_unusable())


def translated() -> str:
    """Return the same in the language of the page."""
    return str(tk._(TEXTS[_unusable()])).format(command=COMMAND)


def _unusable() -> State:
    # Upgraded since the caller asked: as it was then.
    state = watch.state()
    return state if state in UNUSABLE else State.BEHIND


def require() -> None:
    """Make sure that the tables are there.

    Raises:
        ValidationError: says which command to run.
    """
    if is_behind():
        raise tk.ValidationError({"message": [text()]})


def needs_tables(otherwise: Callable[[], Any]) -> Callable[[_F], _F]:
    """Make a function return ``otherwise()`` while a migration is missing."""

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            return otherwise() if is_behind() else function(*args, **kwargs)

        return guarded  # type: ignore[return-value]

    return decorate
