"""Find datasets that a service operates on, by the identifiers that the service names.

A service names the records of its datasets by identifier or URL. These are stored unchanged and
looked up on request: dataset and service may arrive in any order, from any two sources, and be
deleted again. Nothing here commits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestSource
from sqlalchemy.orm import aliased

from ckanext.ukharvest.core.deletions import is_globally_unique
from ckanext.ukharvest.model import Coupling, Record
from ckanext.ukharvest.model.statements import execute
from ckanext.ukharvest.source_types import TYPES

Session = model.Session


def replace(references: Mapping[int, Collection[str]]) -> None:
    """Save the references of records, replacing all earlier ones.

    Args:
        references: id of a record's row → what it names.
    """
    if not references:
        return
    gone = sa.delete(Coupling).where(Coupling.record_id.in_(references))
    execute(gone)
    rows = [
        {"record_id": id_, "reference": each}
        for id_, named in references.items()
        for each in dict.fromkeys(named)
    ]
    if rows:
        Session.execute(sa.insert(Coupling), rows)


def datasets_of(package_id: str) -> dict[str, set[str]]:
    """Return the ids of the active datasets that a service names, with its references to each."""
    service, dataset = aliased(Record), aliased(Record)
    return _pairs(service, dataset, of=service, other=dataset, package_id=package_id)


def services_of(package_id: str) -> dict[str, set[str]]:
    """Return the ids of the active services that name a dataset, with their references to it."""
    service, dataset = aliased(Record), aliased(Record)
    return _pairs(service, dataset, of=dataset, other=service, package_id=package_id)


def _pairs(
    service: Any, dataset: Any, *, of: Any, other: Any, package_id: str
) -> dict[str, set[str]]:
    """Return the other ends of a package's couplings, in one statement."""
    named = Coupling.reference
    # Types whose source URL is that of one record, not of a catalogue.
    of_one_record = [kind.name for kind in TYPES.values() if kind.reference_is_address]
    has_own_address = sa.or_(
        dataset.url != HarvestSource.url, HarvestSource.type.in_(of_one_record)
    )
    query = (
        Session.query(other.package_id, named, service.source_id == dataset.source_id)
        .select_from(Coupling)
        .join(service, service.id == Coupling.record_id)
        .join(dataset, sa.or_(_equal(dataset.guid, named), _equal(dataset.url, named)))
        .join(HarvestSource, HarvestSource.id == dataset.source_id)
        .join(model.Package, model.Package.id == other.package_id)
        .filter(
            of.package_id == package_id,
            other.package_id != package_id,
            model.Package.state == "active",
            sa.or_(dataset.guid == named, has_own_address),
        )
    )
    # "1" means the first dataset of the same source, not of others.
    found: dict[str, set[str]] = {}
    for id_, name, at_home in query:
        if at_home or is_globally_unique(name):
            found.setdefault(id_, set()).add(name)
    return dict(sorted(found.items()))


def _equal(column: Any, named: Any) -> Any:
    # By digest, which has an index; a digest alone would be no proof.
    return sa.and_(sa.func.md5(column) == sa.func.md5(named), column == named)
