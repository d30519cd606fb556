"""Stars and source of datasets in lists, in one statement for all. Nothing here commits."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest.model import Assessment

Session = model.Session


Listed = Any  # a row of ``load_badges``


def load_badges(package_ids: Collection[str]) -> dict[str, Listed]:
    """Return stars and source of these datasets, by their ids.

    Columns:
        id: the dataset's.
        stars, code, detail: as ``Assessment`` has them; None if it was never rated.
        source, title: name and title of the harvest source, None if it was not harvested.
        harvested: time of the last import, UTC.
    """
    if not package_ids:
        return {}
    source = sa.orm.aliased(model.Package)
    is_current = sa.and_(
        HarvestObject.package_id == model.Package.id, HarvestObject.current.is_(True)
    )
    harvested = sa.func.coalesce(HarvestObject.import_finished, HarvestObject.gathered)
    # Only sources that everybody may open.
    is_open = sa.and_(source.state == "active", source.private.is_not(True))
    query = (
        sa.select(
            model.Package.id,
            Assessment.stars,
            Assessment.stars_code.label("code"),
            Assessment.stars_detail.label("detail"),
            sa.case((is_open, source.name)).label("source"),
            sa.case((is_open, HarvestSource.title)).label("title"),
            harvested.label("harvested"),
        )
        .select_from(model.Package)
        .outerjoin(Assessment, Assessment.package_id == model.Package.id)
        .outerjoin(HarvestObject, is_current)
        .outerjoin(HarvestSource, HarvestSource.id == HarvestObject.harvest_source_id)
        .outerjoin(source, source.id == HarvestSource.id)
        .where(model.Package.id.in_(package_ids))
        # The last one counts where several are current.
        .order_by(harvested.asc().nulls_first())
    )
    return {row.id: row for row in Session.execute(query)}
