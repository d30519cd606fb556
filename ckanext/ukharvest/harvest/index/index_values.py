"""Values of datasets and sources that the search index has, and package dicts lack."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import compat, write_batch
from ckanext.ukharvest.core.values import gazetteer, organization_types
from ckanext.ukharvest.harvest import lists
from ckanext.ukharvest.harvest.index.pending_index import add_of_organization

Session = model.Session

# SQL for type and area of an organisation, of a statement over ``model.Group``.
EXTRA = compat.group_extra_sql('"group"', organization_types.KEY)
AREA = compat.group_extra_sql('"group"', gazetteer.AREA)


def is_stored(name_or_id: str, key: str) -> bool:
    """Tell whether an organisation has an extra of this key."""
    group = model.Group.get(name_or_id)
    return group is not None and key in group.extras


def area_of(organization_id: str) -> str:
    """Return the name of an organisation's area, "" for none."""
    query = sa.select(sa.literal_column(AREA)).select_from(model.Group)
    return Session.scalar(query.where(model.Group.id == organization_id)) or ""


def note_change(organization_id: str) -> None:
    """Note an organisation's datasets for the index if its type or area changed.

    The caller commits. For ``IOrganizationController.edit``: what is stored in this transaction
    is compared with what is committed, which another connection sees.
    """
    query = (
        sa.select(sa.literal_column(EXTRA), sa.literal_column(AREA))
        .select_from(model.Group)
        .where(model.Group.id == organization_id)
    )
    Session.flush()
    now = Session.execute(query).first()
    with model.meta.engine.connect() as connection:
        before = connection.execute(query).first()
    if _indexed(now) != _indexed(before):
        add_of_organization(organization_id)


def _indexed(row: sa.Row[Any] | None) -> tuple[str, str]:
    type_, area = row or ("", "")
    return organization_types.find(type_ or ""), area or ""


class IndexValues(NamedTuple):
    """Values of a dataset or source in this transaction.

    Attributes:
        organization_type: of its organisation, as stored there; "" for none.
        area: of its organisation: the name of a place, "" for none.
        facets: facet → values, of those that features add.
    """

    organization_type: str = ""
    area: str = ""
    facets: Mapping[str, tuple[str, ...]] = MappingProxyType({})


_NOTHING = IndexValues()


def values_of_dataset(package_id: str) -> IndexValues:
    """Return a dataset's values."""
    batch = write_batch.current()
    known: IndexValues | None = batch.index_values.get(package_id) if batch else None
    return load_index_values([package_id]).get(package_id, _NOTHING) if known is None else known


def load_index_values(package_ids: Collection[str]) -> dict[str, IndexValues]:
    """Return dataset id → values of those that exist, for ``compat.index_packages``."""
    columns = [field.column for field in lists.INDEX_FIELDS]
    query = (
        sa.select(model.Package.id, sa.literal_column(EXTRA), sa.literal_column(AREA), *columns)
        .select_from(model.Package)
        .outerjoin(model.Group, model.Group.id == model.Package.owner_org)
        .where(model.Package.id.in_(package_ids))
    )
    return {
        id_: IndexValues(
            type_ or "",
            area or "",
            {
                field.name: field.values(value)
                for field, value in zip(lists.INDEX_FIELDS, values, strict=True)
            },
        )
        for id_, type_, area, *values in Session.execute(query)
    }
