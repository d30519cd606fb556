"""Take the tables back to an earlier revision, and up again as a sysadmin does."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.harvest import database

Ckan = Callable[..., subprocess.CompletedProcess[str]]


@contextmanager
def tables_before(revision: str, ckan: Ckan) -> Iterator[None]:
    """Have the tables of before a migration inside the block; run all migrations at its end.

    A migration's test fills the tables by SQL, as the commit before does, and checks afterwards
    what became of the rows.

    Args:
        revision: of the migration, such as "0201".
        ckan: the fixture that runs ``ckan``.
    """
    position = database.REVISIONS.index(revision)
    target = database.REVISIONS[position - 1] if position else "base"
    model.Session.remove()  # its locks would keep the migration waiting
    try:
        ckan("db", "downgrade", "-p", "ukharvest", "-v", target)
        yield
    finally:
        model.Session.remove()
        ckan("db", "upgrade", "-p", "ukharvest")


def set_revision(number: str) -> None:
    """Store a revision as the database's; "" as if no migration was ever run."""
    model.Session.remove()
    with model.meta.engine.begin() as connection:
        connection.execute(sa.text(f"DELETE FROM {database.TABLE}"))  # noqa: S608 - ours
        if number:
            statement = f"INSERT INTO {database.TABLE} VALUES (:number)"  # noqa: S608 - ours
            connection.execute(sa.text(statement), {"number": number})


def drop_tables() -> None:
    """Drop the extension's tables, as the message about unreleased commits says."""
    model.Session.remove()
    with model.meta.engine.begin() as connection:
        for name in table_names():
            connection.execute(sa.text(f'DROP TABLE "{name}" CASCADE'))


def table_names() -> set[str]:
    """Return the names of the extension's tables, with Alembic's."""
    found = sa.inspect(model.meta.engine).get_table_names()
    return {name for name in found if name.startswith("ukharvest_")}
