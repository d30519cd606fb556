"""The table of stars, and figures of public datasets only, so that everybody may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.harvest.batch.dataset_rows import (
    IS_PUBLIC,
    OF_ORGANISATION,
    count_active_datasets,
)
from ckanext.ukharvest.harvest.lists import IndexField
from ckanext.ukharvest.harvest.model import utcnow

Session = model.Session
Package, Group = model.Package, model.Group


class StarRating(tk.BaseModel):  # type: ignore[misc, name-defined]
    """Stars of openness of a dataset, harvested or not, and the reason (stars/rules.py).

    Attributes:
        resources: {CKAN id: [stars, code, detail]} of the rated resources.
        assessed: when the result last changed.
    """

    __tablename__ = "ukharvest_stars"

    package_id = sa.Column(
        sa.UnicodeText,
        sa.ForeignKey("package.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
        primary_key=True,
    )
    stars = sa.Column(sa.SmallInteger, nullable=False, default=0, server_default="0")
    stars_code = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    stars_detail = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    resources = sa.Column(JSONB, nullable=False, default=dict, server_default="{}")
    assessed = sa.Column(sa.DateTime, nullable=False, default=utcnow)


def _of_package(column: Any) -> Any:
    own = sa.select(column).where(StarRating.package_id == Package.id)
    return own.correlate(Package).scalar_subquery()


_STARS = _of_package(StarRating.stars)
INDEX_FIELDS = (IndexField("stars", _STARS, lambda stars: () if stars is None else (str(stars),)),)
BADGES = (
    _STARS.label("stars"),
    _of_package(StarRating.stars_code).label("code"),
    _of_package(StarRating.stars_detail).label("detail"),
)


def load_ratings(ids: Sequence[str]) -> dict[str, Any]:
    """Return the rows of datasets by their ids."""
    query = sa.select(StarRating.__table__).where(StarRating.package_id.in_(ids))
    return {row.package_id: row for row in Session.execute(query)}


def count_unrated() -> int:
    """Return the number of datasets without stars yet."""
    return count_active_datasets(~sa.exists().where(StarRating.package_id == Package.id))


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
            StarRating.stars,
            StarRating.stars_code,
            sa.func.count().label("number"),
        )
        .select_from(Package)
        .outerjoin(Group, OF_ORGANISATION)
        .outerjoin(StarRating, StarRating.package_id == Package.id)
        .where(IS_PUBLIC)
        .group_by(Group.id, StarRating.stars, StarRating.stars_code)
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
        where.append(StarRating.stars == stars)
    query = (
        sa.select(
            Package.id,
            Package.name,
            Package.title,
            StarRating.stars,
            StarRating.stars_code,
            StarRating.stars_detail,
        )
        .select_from(Package)
        .outerjoin(StarRating, StarRating.package_id == Package.id)
        .where(*where)
    )
    page = query.order_by(StarRating.stars.asc().nulls_first(), Package.name)
    number = Session.scalar(sa.select(sa.func.count()).select_from(query.subquery())) or 0
    return number, Session.execute(page.limit(limit).offset(offset)).all()
