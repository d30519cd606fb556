"""Check whether the database has the tables that this process expects.

Asked once, when the process starts: the log then says which command to run. Migrations and the
doctor ask too. It reads the migrations' version table.
"""

from __future__ import annotations

import enum
import logging
from collections.abc import Collection
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from ckan import model

log = logging.getLogger(__name__)

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


def load() -> State:
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
    state = load()
    if state in TEXTS:
        log.error(TEXTS[state])
