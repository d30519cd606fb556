"""Type and area of an organisation as stored, and the datasets to index if one changes."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.values import gazetteer, organization_types
from ckanext.ukharvest.model import pending_index

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
        pending_index.add_of_organization(organization_id)


def _indexed(row: sa.Row[Any] | None) -> tuple[str, str]:
    type_, area = row or ("", "")
    return organization_types.find(type_ or ""), area or ""
