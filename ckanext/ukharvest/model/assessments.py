"""Stored stars and themes of datasets; nothing here commits."""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import write_batch
from ckanext.ukharvest.model import Assessment, utcnow
from ckanext.ukharvest.model.statements import grouped

log = logging.getLogger(__name__)
Session = model.Session


def lock(package_id: str) -> None:
    """Lock a dataset whose row here is written before the dataset itself.

    Every writer locks the dataset first; the other order would deadlock with
    the pass over all datasets.
    """
    query = sa.select(model.Package.id).where(model.Package.id == package_id)
    Session.execute(query.with_for_update(key_share=True))


def save(rows: Sequence[Mapping[str, Any]]) -> None:
    """Save assessments of datasets, in one statement; in a batch with those of all its datasets.

    Args:
        rows: "package_id" and new values of columns of ``Assessment``, the same columns in each
            row; others stay. Unchanged rows are not written.
    """
    if batch := write_batch.written():
        batch.assessments.extend(rows)
    else:
        _store(rows)


def save_collected(rows: Sequence[Mapping[str, Any]]) -> None:
    """Save the assessments of a batch; of a dataset that was written twice the last one counts."""
    last = {row["package_id"]: row for row in rows}
    for same_columns in grouped((tuple(row), row) for row in last.values()).values():
        _store(same_columns)


def _store(rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        return
    names = [name for name in rows[0] if name != "package_id"]
    now = utcnow().isoformat()
    text = json.dumps([{**row, "assessed": now} for row in rows])
    Session.execute(_statement(tuple(names)), {"rows": text})


@functools.cache
def _statement(names: tuple[str, ...]) -> sa.TextClause:
    """Return the statement that writes these columns of any number of rows.

    A text, since SQLAlchemy 2.0 compiles "ON CONFLICT" again each time: 2 ms of each import.
    """
    columns = ", ".join(names)
    new = ", ".join(f"excluded.{name}" for name in names)
    table = Assessment.__tablename__
    before = ", ".join(f"old.{name}" for name in names)
    return sa.text(f"""INSERT INTO {table} AS old (package_id, {columns}, assessed)
        SELECT package_id, {columns}, assessed
        FROM jsonb_populate_recordset(CAST(NULL AS {table}), CAST(:rows AS jsonb))
        ON CONFLICT (package_id) DO UPDATE
        SET ({columns}, assessed) = ROW ({new}, excluded.assessed)
        WHERE ({before}) IS DISTINCT FROM ({new})""")  # noqa: S608 - names of our own table


def themes_of(package_id: str) -> tuple[tuple[str, tuple[str, ...]], str] | None:
    """Return the themes of a dataset when it was last written, and their origin."""
    row = (
        Session.query(Assessment.theme, Assessment.theme_secondary, Assessment.theme_origin)
        .filter_by(package_id=package_id)
        .first()
    )
    return ((row[0], tuple(row[1])), row[2]) if row else None


def find(package_id: str) -> Assessment | None:
    """Return the assessment of a dataset."""
    assessment: Assessment | None = Session.get(Assessment, package_id)
    return assessment
