"""Save the data of a portal's database to a file, and load it into another database."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from ckan import model

HERE = Path(__file__).parent
HEAD = "-- "
END = "\\."


def path(name: str, ckan: str) -> Path:
    """Return the file of a dump: such as ``before-floors``, for CKAN ``2.12``."""
    return HERE / f"{name}-ckan-{ckan}.copy"


def write(to: Path, places: Mapping[str, str]) -> None:
    """Write all rows of the database except Alembic's.

    Args:
        places: text in the database → text in the file, such as URLs.
    """
    with model.meta.engine.connect() as connection, to.open("w", encoding="utf-8") as file:
        cursor = connection.connection.cursor()
        for table in _tables(connection):
            out = io.StringIO()
            columns = ", ".join(f'"{column.name}"' for column in table.columns)
            cursor.copy_expert(f'COPY (SELECT {columns} FROM "{table.name}") TO STDOUT', out)
            if not (text := out.getvalue()):
                continue
            for found, place in places.items():
                text = text.replace(found, place)
            file.write(f'{HEAD}"{table.name}" ({columns})\n{text}{END}\n')


def load(file: Path, places: Mapping[str, str]) -> None:
    """Replace all rows by those of a dump.

    Args:
        places: text in the file → text in the database.
    """
    text = file.read_text("utf-8")
    for place, real in places.items():
        text = text.replace(place, real)
    model.Session.remove()
    with model.meta.engine.begin() as connection:
        tables = _tables(connection)
        names = ", ".join(f'"{table.name}"' for table in tables)
        connection.execute(sa.text(f"TRUNCATE {names} CASCADE"))
        cursor = connection.connection.cursor()
        for head, rows in _parts(text):
            cursor.copy_expert(f"COPY {head} FROM STDIN", io.StringIO(rows))
        for table in tables:
            _go_on_counting(connection, table)


def _tables(connection: Any) -> list[sa.Table]:
    """Return all tables, sorted so that a table follows the tables it refers to."""
    found = sa.MetaData()
    found.reflect(connection)
    return [
        each
        for each in found.sorted_tables
        if not each.name.startswith("spatial_ref") and not each.name.endswith("alembic_version")
    ]


def _parts(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split(f"\n{END}\n"):
        if part.strip():
            head, _line_end, rows = part.partition("\n")
            yield head.removeprefix(HEAD), rows + "\n"


def _go_on_counting(connection: Any, table: sa.Table) -> None:
    """Continue the table's numbers after the loaded rows."""
    for column in table.primary_key:
        if isinstance(column.type, sa.Integer):
            name, key = table.name, column.name
            connection.execute(
                sa.text(
                    f'SELECT setval(sequence, greatest(max("{key}"), 1)) FROM "{name}", '  # noqa: S608
                    f"pg_get_serial_sequence('\"{name}\"', '{key}') AS sequence "
                    "WHERE sequence IS NOT NULL GROUP BY sequence"
                )
            )
