"""Figures of stars, of public datasets only, so that everybody may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.harvest.datasets import IS_PUBLIC
from ckanext.ukharvest.harvest.lists import IndexField
from ckanext.ukharvest.harvest.model import Assessment

Session = model.Session
Package, Group = model.Package, model.Group

_ORGANISATION = sa.and_(
    Group.id == Package.owner_org, Group.is_organization.is_(True), Group.state == "active"
)


_STARS = (
    sa.select(Assessment.stars)
    .where(Assessment.package_id == Package.id)
    .correlate(Package)
    .scalar_subquery()
)
INDEX_FIELDS = (IndexField("stars", _STARS, lambda stars: () if stars is None else (str(stars),)),)


def counts(organisation_id: str | None = None) -> Sequence[Any]:
    """Count datasets, by organisation, stars and reason.

    Returns:
        Rows (id, name, title, stars, code, number); stars is None for datasets that were never
        rated, and id for those without an organisation. Organisations without datasets have
        no row.
    """
    query = (
        sa.select(
            Group.id,
            Group.name,
            Group.title,
            Assessment.stars,
            Assessment.stars_code,
            sa.func.count().label("number"),
        )
        .select_from(Package)
        .outerjoin(Group, _ORGANISATION)
        .outerjoin(Assessment, Assessment.package_id == Package.id)
        .where(IS_PUBLIC)
        .group_by(Group.id, Assessment.stars, Assessment.stars_code)
    )
    if organisation_id is not None:
        query = query.where(Package.owner_org == organisation_id)
    return Session.execute(query).all()


def datasets(
    organisation_id: str, *, stars: int | None, limit: int, offset: int
) -> tuple[int, Sequence[Any]]:
    """Return the number of an organisation's datasets, and one page, the fewest stars first.

    Args:
        stars: only datasets with this number of stars.

    Returns:
        Rows (id, name, title, stars, stars_code, stars_detail), stars None if never rated.
    """
    where = [IS_PUBLIC, Package.owner_org == organisation_id]
    if stars is not None:
        where.append(Assessment.stars == stars)
    query = (
        sa.select(
            Package.id,
            Package.name,
            Package.title,
            Assessment.stars,
            Assessment.stars_code,
            Assessment.stars_detail,
        )
        .select_from(Package)
        .outerjoin(Assessment, Assessment.package_id == Package.id)
        .where(*where)
    )
    page = query.order_by(Assessment.stars.asc().nulls_first(), Package.name)
    number = Session.scalar(sa.select(sa.func.count()).select_from(query.subquery())) or 0
    # PostgreSQL's bigint ends somewhere.
    page = page.limit(limit).offset(min(offset, number))
    return number, Session.execute(page).all()
