"""Checks that compare record rows, datasets and current objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.model import Record, adoption
from ckanext.ukharvest.operations.doctor.finding import (
    CURRENT,
    ERROR,
    EXAMPLES,
    INFO,
    ORPHANS,
    WARNING,
    Finding,
    examples,
)

Session = model.Session


def records() -> Iterator[Finding]:
    """Find record rows whose dataset is gone, and current objects without a record row."""
    yield from _purged()
    yield from _deleted_by_hand()
    yield from _unknown_objects()


def _purged() -> Iterator[Finding]:
    query = Session.query(Record.guid).filter(
        Record.outcome.in_((RecordOutcome.ADDED, RecordOutcome.UPDATED)),
        Record.package_id.is_(None),
    )
    yield from _finding(
        query,
        WARNING,
        "records",
        "Records whose dataset was purged ({count:,}): {some}.",
        "The next run of their source imports them again.",
    )


def _deleted_by_hand() -> Iterator[Finding]:
    query = (
        Session.query(model.Package.name)
        .join(Record, Record.package_id == model.Package.id)
        .filter(
            Record.outcome.in_((RecordOutcome.ADDED, RecordOutcome.UPDATED)),
            Record.removed.is_(False),
            model.Package.state != "active",
        )
    )
    yield from _finding(
        query,
        INFO,
        "records",
        "Harvested datasets deleted by hand, which stay deleted ({count:,}): {some}.",
        "Only a forced run brings them back.",
    )


def orphans() -> Any:
    """Return a query of current harvest objects that no record row stands for."""
    # Until a run of ours has read a source to its end it is still to be adopted: nothing is wrong.
    was_read = adoption.was_read(HarvestObject.harvest_source_id)
    known = sa.exists().where(
        Record.source_id == HarvestObject.harvest_source_id, Record.guid == HarvestObject.guid
    )
    return (
        Session.query(HarvestObject)
        .join(HarvestSource, HarvestSource.id == HarvestObject.harvest_source_id)
        .filter(
            HarvestObject.current.is_(True),
            HarvestSource.type.in_(config.our_type_names()),
            was_read,
            ~known,
        )
    )


def _unknown_objects() -> Iterator[Finding]:
    yield from _finding(
        orphans().with_entities(HarvestObject.guid),
        WARNING,
        "records",
        "Current harvest objects without a record ({count:,}): {some}.",
        "Run 'ckan ukharvest doctor --fix': their source adopts them. Then run the source; records "
        "that it no longer has go missing, and their datasets are deleted as usual.",
        ORPHANS,
    )


_OF_ONE_SOURCE = sa.func.count(sa.distinct(HarvestObject.harvest_source_id)) == 1


def ambiguous() -> Any:
    """Return a query of datasets with several current harvest objects, grouped by dataset."""
    return (
        Session.query(model.Package.name)
        .join(HarvestObject, HarvestObject.package_id == model.Package.id)
        .filter(HarvestObject.current.is_(True), model.Package.state == "active")
        .group_by(model.Package.id, model.Package.name)
        .having(sa.func.count() > 1)
    )


def ambiguous_in_source() -> Any:
    """Return those of ``ambiguous`` whose current harvest objects are all of one source."""
    return ambiguous().having(_OF_ONE_SOURCE)


def current_objects() -> Iterator[Finding]:
    """Find datasets with several current objects."""
    yield from _finding(
        ambiguous_in_source(),
        WARNING,
        "current",
        "Datasets with more than one current harvest object ({count:,}): {some}.",
        "Run 'ckan ukharvest doctor --fix': the newest one stays current.",
        CURRENT,
    )
    yield from _finding(
        ambiguous().having(~_OF_ONE_SOURCE),
        ERROR,
        "current",
        "Datasets written by more than one harvest source ({count:,}): {some}.",
        "Decide which source they belong to, and take the records out of the other.",
    )


def duplicates() -> Iterator[Finding]:
    """Find records with more than one active dataset, within a source or an organisation."""
    in_source = (
        Session.query(HarvestObject.guid)
        .join(model.Package, model.Package.id == HarvestObject.package_id)
        .filter(
            HarvestObject.current.is_(True),
            HarvestObject.guid != "",
            model.Package.state == "active",
        )
        .group_by(HarvestObject.harvest_source_id, HarvestObject.guid)
        .having(sa.func.count(sa.distinct(HarvestObject.package_id)) > 1)
    )
    yield from _finding(
        in_source,
        ERROR,
        "duplicates",
        "Records of one source with more than one dataset ({count:,}): {some}.",
        "Keep the dataset that the source's run updates, and delete the others.",
    )
    guids = (
        sa.select(model.Package.owner_org, compat.dataset_extra("guid").label("guid"))
        .where(model.Package.state == "active", model.Package.type == "dataset")
        .subquery()
    )
    in_organization = (
        Session.query(guids.c.guid)
        .filter(guids.c.guid.isnot(None))
        .group_by(guids.c.owner_org, guids.c.guid)
        .having(sa.func.count() > 1)
    )
    yield from _finding(
        in_organization,
        WARNING,
        "duplicates",
        "GUIDs of more than one dataset of an organisation ({count:,}): {some}.",
        "See whether two sources list the same records, and delete one of them.",
    )


def _finding(
    query: Any, level: str, code: str, message: str, what_to_do: str, fix: str = ""
) -> Iterator[Finding]:
    """Report the number of a query's results and the first few."""
    query = query.order_by(None)
    count = Session.query(sa.func.count()).select_from(query.subquery()).scalar()
    if count:
        some = examples([value for (value,) in query.limit(EXAMPLES + 1)])
        yield Finding(level, code, message.format(count=count, some=some), what_to_do, fix)
