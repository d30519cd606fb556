"""What the portal worked out of datasets; nothing here commits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import insert

from ckanext.ukharvest.model import Assessment, utcnow

Session = model.Session


def keep(rows: Sequence[Mapping[str, Any]]) -> None:
    """Write what was worked out, one statement for all.

    Args:
        rows: "package_id", and the columns of ``Assessment`` that were worked out, the same ones
            in each row; others stay. A row that says what is stored is not written.
    """
    if not rows:
        return
    statement = insert(Assessment).values([{**row, "assessed": utcnow()} for row in rows])
    names = [name for name in rows[0] if name != "package_id"]
    new = statement.excluded
    is_other = sa.or_(*(getattr(Assessment, name).is_distinct_from(new[name]) for name in names))
    Session.execute(
        statement.on_conflict_do_update(
            index_elements=["package_id"],
            set_={name: new[name] for name in (*names, "assessed")},
            where=is_other,
        )
    )


def themes_of(package_id: str) -> tuple[tuple[str, tuple[str, ...]], str] | None:
    """Return the themes that a dataset had when it was last written, and where they came from."""
    found = (
        Session.query(Assessment.theme, Assessment.theme_secondary, Assessment.theme_origin)
        .filter_by(package_id=package_id)
        .first()
    )
    return ((found[0], tuple(found[1])), found[2]) if found else None


def of(package_id: str) -> Assessment | None:
    """Return what was worked out of a dataset."""
    found: Assessment | None = Session.get(Assessment, package_id)
    return found


def stars_of(package_id: str) -> tuple[int, ...]:
    """Return a dataset's stars as they are in this transaction; () if they were never counted."""
    statement = sa.select(Assessment.stars).where(Assessment.package_id == package_id)
    return tuple(Session.scalars(statement))
