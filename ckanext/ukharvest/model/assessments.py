"""Stored stars and themes of datasets; nothing here commits.

Without the table, before the migration, nothing is stored, and datasets can still be written.
"""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.model import Assessment, utcnow

log = logging.getLogger(__name__)
Session = model.Session


_collected: ContextVar[list[Mapping[str, Any]] | None] = ContextVar(
    "ukharvest_assessments", default=None
)


@contextmanager
def collected() -> Iterator[None]:
    """Save assessments at the end of the block, in one statement, instead of one by one."""
    rows: list[Mapping[str, Any]] = []
    token = _collected.set(rows)
    try:
        yield
    finally:
        _collected.reset(token)
    # Of a dataset that was written twice the last one counts.
    last = {row["package_id"]: row for row in rows}
    by_columns: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in last.values():
        by_columns.setdefault(tuple(row), []).append(row)
    for same in by_columns.values():
        save(same)


def mark() -> int:
    """Return the number of assessments collected so far."""
    return len(_collected.get() or ())


def back_to(number: int) -> None:
    """Forget the assessments collected since ``mark``: their datasets were not written."""
    rows = _collected.get()
    if rows is not None:
        del rows[number:]


def lock(package_id: str) -> None:
    """Lock a dataset whose row here is written before the dataset itself.

    Every writer locks the dataset first; the other order would deadlock with
    the pass over all datasets.
    """
    query = sa.select(model.Package.id).where(model.Package.id == package_id)
    Session.execute(query.with_for_update(key_share=True))


def save(rows: Sequence[Mapping[str, Any]]) -> None:
    """Save assessments of datasets, in one statement.

    Args:
        rows: "package_id" and new values of columns of ``Assessment``, the same columns in each
            row; others stay. Unchanged rows are not written.
    """
    collected = _collected.get()
    if collected is not None:
        collected.extend(rows)
        return
    if not rows:
        return
    names = [name for name in rows[0] if name != "package_id"]
    now = utcnow().isoformat()
    given = json.dumps([{**row, "assessed": now} for row in rows])
    Session.execute(_statement(tuple(names)), {"rows": given})


@functools.cache
def _statement(names: tuple[str, ...]) -> sa.TextClause:
    """Return the statement that writes these columns of any number of rows.

    A text, since SQLAlchemy 2.0 compiles "ON CONFLICT" again each time: 2 ms of each import.
    """
    columns = ", ".join(names)
    new = ", ".join(f"excluded.{name}" for name in names)
    table = Assessment.__tablename__
    kept = ", ".join(f"old.{name}" for name in names)
    statement = f"""INSERT INTO {table} AS old (package_id, {columns}, assessed)
        SELECT package_id, {columns}, assessed
        FROM jsonb_populate_recordset(CAST(NULL AS {table}), CAST(:rows AS jsonb))
        ON CONFLICT (package_id) DO UPDATE
        SET ({columns}, assessed) = ROW ({new}, excluded.assessed)
        WHERE ({kept}) IS DISTINCT FROM ({new})"""  # noqa: S608 - names of our own table
    return sa.text(statement)


def themes_of(package_id: str) -> tuple[tuple[str, tuple[str, ...]], str] | None:
    """Return the themes of a dataset when it was last written, and their origin."""
    found = (
        Session.query(Assessment.theme, Assessment.theme_secondary, Assessment.theme_origin)
        .filter_by(package_id=package_id)
        .first()
    )
    return ((found[0], tuple(found[1])), found[2]) if found else None


def find(package_id: str) -> Assessment | None:
    """Return the assessment of a dataset."""
    found: Assessment | None = Session.get(Assessment, package_id)
    return found
