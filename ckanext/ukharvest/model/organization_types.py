"""The type of an organisation as stored, and the datasets to index if it changes."""

from __future__ import annotations

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.values import organization_types
from ckanext.ukharvest.model import pending_index

Session = model.Session

# SQL for the type of an organisation, of a statement over ``model.Group``.
EXTRA = compat.group_extra_sql('"group"', organization_types.KEY)


def is_stored(name_or_id: str) -> bool:
    """Tell whether an organisation has the extra."""
    group = model.Group.get(name_or_id)
    return group is not None and organization_types.KEY in group.extras


def note_change(organization_id: str) -> None:
    """Note an organisation's datasets for the index if its type changed; the caller commits.

    For ``IOrganizationController.edit``: what is stored in this transaction is compared with what
    is committed, which another connection sees.
    """
    query = (
        sa.select(sa.literal_column(EXTRA))
        .select_from(model.Group)
        .where(model.Group.id == organization_id)
    )
    Session.flush()
    now = Session.scalar(query)
    with model.meta.engine.connect() as connection:
        before = connection.scalar(query)
    if organization_types.find(now or "") != organization_types.find(before or ""):
        pending_index.add_of_organization(organization_id)
