"""Figures of checks of data against schemas, of public datasets, so that everybody may see them.

All of them count resources, by the same rows that pages and the search show.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.model import DataCheck, Record, data_checks
from ckanext.ukharvest.model.datasets import IS_DATASET, IS_PUBLIC

Session = model.Session
Package, Group, Resource = model.Package, model.Group, model.Resource

_ORGANISATION = sa.and_(
    Group.id == Package.owner_org, Group.is_organization.is_(True), Group.state == "active"
)


def _checks(*columns: Any) -> sa.Select[Any]:
    return (
        sa.select(*columns)
        .select_from(DataCheck)
        .join(Resource, data_checks.IS_CURRENT)
        .join(Package, Package.id == Resource.package_id)
    )


def counts(organisation_id: str | None = None) -> Sequence[Any]:
    """Count resources, by organisation, schema and verdict.

    Returns:
        Rows (id, name, title, schema_url, verdict, resources, errors); id is None for those
        without an organisation.
    """
    of = (Group.id, Group.name, Group.title, DataCheck.schema_url, DataCheck.verdict)
    numbers = (sa.func.count().label("resources"), sa.func.sum(DataCheck.errors).label("errors"))
    query = _checks(*of, *numbers).outerjoin(Group, _ORGANISATION).where(IS_PUBLIC)
    if organisation_id is not None:
        query = query.where(Package.owner_org == organisation_id)
    return Session.execute(query.group_by(*of)).all()


def resources(
    *, organisation_id: str | None, schema_url: str, verdict: str, limit: int, offset: int
) -> tuple[int, Sequence[Any]]:
    """Return the number of resources that were checked, and one page, the most errors first.

    Args:
        organisation_id: None for all.
        schema_url, verdict: "" for all.

    Returns:
        Rows (DataCheck, resource_name, name, title).
    """
    where = [IS_PUBLIC]
    if organisation_id is not None:
        where.append(Package.owner_org == organisation_id)
    where += [DataCheck.schema_url == schema_url] if schema_url else []
    where += [DataCheck.verdict == verdict] if verdict else []
    number = int(Session.scalar(_checks(sa.func.count()).where(*where)) or 0)
    page = (
        _checks(DataCheck, Resource.name.label("resource_name"), Package.name, Package.title)
        .where(*where)
        .options(sa.orm.defer(DataCheck.report), sa.orm.defer(DataCheck.findings))
        .order_by(DataCheck.errors.desc(), Package.name, DataCheck.resource_id)
    )
    return number, Session.execute(page.limit(limit).offset(min(offset, number))).all()


def count_verdicts() -> dict[str, int]:
    """Return verdict → number of resources, of private datasets too."""
    query = _checks(DataCheck.verdict, sa.func.count()).where(IS_DATASET)
    return {row[0]: int(row[1]) for row in Session.execute(query.group_by(DataCheck.verdict))}


def count_invalid(source_ids: Collection[str]) -> dict[str, int]:
    """Return source id → number of its resources whose data have errors; one statement."""
    query = (
        _checks(Record.source_id, sa.func.count(DataCheck.resource_id.distinct()))
        .join(Record, Record.package_id == Package.id)
        .where(IS_DATASET, DataCheck.verdict == "invalid", Record.source_id.in_(source_ids))
    )
    return {row[0]: int(row[1]) for row in Session.execute(query.group_by(Record.source_id))}
