"""The organisations that imports give datasets to, and how many datasets change theirs."""

from __future__ import annotations

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.model import Record

Session = model.Session

NO_ORGANIZATION = "none"


def stored_organization(organization_id: str | None) -> str:
    """Return the value of ``Record.owner_org`` for an organisation's id, "" or None for none."""
    return organization_id or NO_ORGANIZATION


def count_moving_datasets(source_id: str, chosen: str | None, *, only_from: str = "") -> int:
    """Return how many datasets the next run moves if a source belongs to an organisation.

    Args:
        chosen: the organisation, as ``stored_organization`` returns it; None: any other than now.
        only_from: count only datasets that imports gave to this organisation; "": all.
    """
    package = model.Package
    query = (
        Session.query(Record.id)
        .join(package, package.id == Record.package_id)
        .filter(Record.source_id == source_id, package.state == "active", Record.owner_org != "")
    )
    if chosen is not None:
        query = query.filter(
            Record.owner_org != chosen,
            sa.func.coalesce(package.owner_org, NO_ORGANIZATION) != chosen,
        )
    if only_from:
        query = query.filter(Record.owner_org == only_from)
    return int(query.count())
