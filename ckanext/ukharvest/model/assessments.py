"""What the portal worked out of datasets; nothing here commits.

Until the migration that makes the table, nothing is kept: datasets can be written all the same.
"""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.model import Assessment, utcnow

log = logging.getLogger(__name__)
Session = model.Session


class _State:
    """Whether the table was there once, which saves asking again; one for the process."""

    is_made = False


def is_made() -> bool:
    """Tell whether the table is there, and say in the log what to do if it is not."""
    if not _State.is_made:
        found = Session.scalar(sa.select(sa.func.to_regclass(Assessment.__tablename__)))
        _State.is_made = found is not None
    if not _State.is_made:
        log.error(
            "Stars and themes of datasets are not kept, since their table is missing: run 'ckan db "
            "upgrade -p ukharvest', then 'ckan ukharvest stars --all'"
        )
    return _State.is_made


def lock(package_id: str) -> None:
    """Lock a dataset, for a row of it that is written before the dataset itself.

    Whoever writes a row holds its dataset first; the other way round would end in a deadlock with
    the pass over all datasets.
    """
    query = sa.select(model.Package.id).where(model.Package.id == package_id)
    Session.execute(query.with_for_update(key_share=True))


def keep(rows: Sequence[Mapping[str, Any]]) -> None:
    """Write what was worked out, one statement for all.

    Args:
        rows: "package_id", and the columns of ``Assessment`` that were worked out, the same ones
            in each row; others stay. A row that says what is stored is not written.
    """
    if not rows or not is_made():
        return
    names = [name for name in rows[0] if name != "package_id"]
    now = utcnow().isoformat()
    given = json.dumps([{**row, "assessed": now} for row in rows])
    Session.execute(_statement(tuple(names)), {"rows": given})


@functools.cache
def _statement(names: tuple[str, ...]) -> sa.TextClause:
    """What writes these columns of any number of rows.

    A text, since SQLAlchemy 2.0 compiles "ON CONFLICT" anew each time: 2 ms of each import.
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
        WHERE ({kept}) IS DISTINCT FROM ({new})"""  # noqa: S608
    return sa.text(statement)


def themes_of(package_id: str) -> tuple[tuple[str, tuple[str, ...]], str] | None:
    """Return the themes that a dataset had when it was last written, and where they came from."""
    if not is_made():
        return None
    found = (
        Session.query(Assessment.theme, Assessment.theme_secondary, Assessment.theme_origin)
        .filter_by(package_id=package_id)
        .first()
    )
    return ((found[0], tuple(found[1])), found[2]) if found else None


def of(package_id: str) -> Assessment | None:
    """Return what was worked out of a dataset."""
    found: Assessment | None = Session.get(Assessment, package_id) if is_made() else None
    return found


def stars_of(package_id: str) -> tuple[int, ...]:
    """Return a dataset's stars as they are in this transaction; () if they were never counted."""
    if not is_made():
        return ()
    statement = sa.select(Assessment.stars).where(Assessment.package_id == package_id)
    return tuple(Session.scalars(statement))
