"""Values that the search index adds to a dataset's package dict.

One statement for a dataset, or for a batch of them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import write_batch
from ckanext.ukharvest.model import (
    Assessment,
    DataCheck,
    data_checks,
    organization_types,
)

Session = model.Session


class IndexValues(NamedTuple):
    """Values of a dataset or source in this transaction.

    Attributes:
        stars: None if it was never rated.
        organization_type: of its organisation, as stored there; "" for none.
        area: of its organisation: the name of a place, "" for none.
        data_checks: the verdicts of the checks of its data against their schemas.
    """

    stars: int | None = None
    organization_type: str = ""
    area: str = ""
    data_checks: tuple[str, ...] = ()


_VERDICTS = (
    sa.select(sa.func.array_agg(DataCheck.verdict.distinct()))
    .join(model.Resource, data_checks.IS_CURRENT)
    .where(model.Resource.package_id == model.Package.id)
    .correlate(model.Package)
    .scalar_subquery()
)

_NOTHING = IndexValues()


def of_dataset(package_id: str) -> IndexValues:
    """Return a dataset's values."""
    batch = write_batch.current()
    known: IndexValues | None = batch.index_values.get(package_id) if batch else None
    return load([package_id]).get(package_id, _NOTHING) if known is None else known


def load(package_ids: Collection[str]) -> dict[str, IndexValues]:
    """Return dataset id → values of those that exist, for ``compat.index_packages``."""
    query = sa.select(
        model.Package.id,
        Assessment.stars,
        sa.literal_column(organization_types.EXTRA),
        sa.literal_column(organization_types.AREA),
        _VERDICTS,
    )
    query = query.select_from(model.Package)
    query = query.outerjoin(model.Group, model.Group.id == model.Package.owner_org)
    query = query.outerjoin(Assessment, Assessment.package_id == model.Package.id)
    query = query.where(model.Package.id.in_(package_ids))
    return {
        id_: IndexValues(stars, type_ or "", area or "", tuple(verdicts or ()))
        for id_, stars, type_, area, verdicts in Session.execute(query)
    }
