"""Links whose change has not reached the stars of their datasets yet. Nothing commits."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.model import Link, datasets
from ckanext.ukharvest.model.statements import execute

Session = model.Session
Resource, Package = model.Resource, model.Package

PAGE = 500


def marked(after: int) -> list[int]:
    """Return the ids of the next marked links, in ascending order."""
    query = sa.select(Link.id).where(Link.rescore, Link.id > after).order_by(Link.id)
    return list(Session.scalars(query.limit(PAGE)))


def datasets_of(links: Sequence[int]) -> list[str]:
    """Return the ids of the active datasets with these links, in order."""
    query = (
        sa.select(Resource.package_id.distinct())
        .join(Link, Link.url == Resource.url)
        .join(Package, Package.id == Resource.package_id)
        .where(Link.id.in_(links), Resource.state == "active", datasets.IS_DATASET)
    )
    return sorted(Session.scalars(query))


def unmark(links: Sequence[int], skipped: Collection[str]) -> None:
    """Remove the mark, but for links of datasets that were skipped."""
    is_skipped = sa.exists().where(Resource.url == Link.url, Resource.package_id.in_(skipped))
    statement = sa.update(Link).where(Link.id.in_(links))
    if skipped:
        statement = statement.where(~is_skipped)
    statement = statement.values(rescore=False)
    execute(statement)
