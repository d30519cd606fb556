"""The records and sources of datasets, in one statement, for pages and the API."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource
from sqlalchemy.orm import aliased

from ckanext.ukharvest.harvest import lists
from ckanext.ukharvest.harvest.model import Record, RecordProblem, SourceState
from ckanext.ukharvest.harvest.records.record_state import (
    DATASET,
    DATASET_OF,
    DELETION,
    DELETION_OF,
    RECORD,
    STATE,
)
from ckanext.ukharvest.harvest.sources import accepted_problems

Session = model.Session

# A dataset's record and source, a row of ``origins_of_datasets``.
Origin = Any


def origin_of_dataset(package_id: str) -> Origin | None:
    """Return a dataset's origin, None if it was not harvested or its source was purged."""
    return origins_of_datasets([package_id]).get(package_id)


def origins_of_datasets(package_ids: Collection[str]) -> dict[str, Origin]:
    """Return the origins of these datasets by id; without one of a dataset that has none.

    Unknown values are None; times are naive UTC. Columns:
        package_id: the dataset's.
        record_id, outcome, state, missed_runs, checked, written, error, supplied_fields,
            record_url: of our row, all None for a dataset that we have not imported yet;
            ``checked``: when a run last saw it.
        guid: the record's.
        is_news: the run that saw the record last is the one that wrote the dataset.
        harvested: when the dataset was last written by a harvest.
        changed: when the dataset was last changed by anybody.
        problems: number of the record's problems.
        is_listed_twice: another source lists it too; its record is skipped.
        id (as ``schedules.next_start`` expects), source_id, source_url, source_type, source_name,
            source_title, source_state, is_private, is_active, organization_name,
            organization_title: of the source.
        is_switched_on: the source is not switched off.
        frequency, schedule, config: of the source, as stored.
    """
    if not package_ids:
        return {}
    dataset, record, package = DATASET, RECORD, aliased(model.Package)
    source_id = sa.func.coalesce(record.source_id, HarvestObject.harvest_source_id)
    is_current = sa.and_(
        HarvestObject.package_id == dataset.id,
        HarvestObject.current.is_(True),
        sa.or_(record.id.is_(None), HarvestObject.harvest_source_id == record.source_id),
    )
    query = (
        sa.select(
            dataset.id.label("package_id"),
            *_of_record(),
            HarvestSource.id,
            HarvestSource.id.label("source_id"),
            HarvestSource.url.label("source_url"),
            HarvestSource.type.label("source_type"),
            package.name.label("source_name"),
            sa.func.coalesce(sa.func.nullif(package.title, ""), package.name).label("source_title"),
            package.state.label("source_state"),
            package.private.label("is_private"),
            HarvestSource.active.label("is_active"),
            sa.and_(HarvestSource.active, package.state == "active").label("is_switched_on"),
            HarvestSource.frequency,
            SourceState.schedule,
            HarvestSource.config,
            model.Group.name.label("organization_name"),
            model.Group.title.label("organization_title"),
        )
        .select_from(dataset)
        .outerjoin(record, DATASET_OF)
        .outerjoin(DELETION, DELETION_OF)
        .outerjoin(HarvestObject, is_current)
        .join(HarvestSource, HarvestSource.id == source_id)
        .join(package, package.id == HarvestSource.id)
        .outerjoin(model.Group, model.Group.id == package.owner_org)
        .outerjoin(SourceState, SourceState.source_id == HarvestSource.id)
        .where(dataset.id.in_(package_ids))
        # Several records can name one dataset: the one that it was written from last.
        .distinct(dataset.id)
        .order_by(
            dataset.id,
            HarvestObject.id.is_(None),
            HarvestObject.import_finished.desc().nulls_last(),
            record.last_seen.desc().nulls_last(),
        )
    )
    return {row.package_id: row for row in Session.execute(query)}


def _of_record() -> tuple[Any, ...]:
    dataset, record, other = DATASET, RECORD, aliased(Record)
    problems = sa.select(sa.func.count()).where(
        RecordProblem.record_id == record.id, RecordProblem.current, accepted_problems.is_to_fix()
    )
    return (
        record.id.label("record_id"),
        sa.func.coalesce(record.guid, HarvestObject.guid).label("guid"),
        record.outcome,
        sa.case((record.id.isnot(None), sa.literal_column(STATE))).label("state"),
        record.missed_runs,
        record.last_seen.label("checked"),
        record.written,
        record.error,
        record.supplied_fields,
        sa.func.nullif(record.url, "").label("record_url"),
        (record.last_seen_job_id == HarvestObject.harvest_job_id).label("is_news"),
        sa.func.coalesce(HarvestObject.import_finished, HarvestObject.gathered).label("harvested"),
        dataset.metadata_modified.label("changed"),
        problems.scalar_subquery().label("problems"),
        sa.select(other.id).where(other.same_as == dataset.id).exists().label("is_listed_twice"),
    )


Listed = Any  # a row of ``load_badges``


def load_badges(package_ids: Collection[str]) -> dict[str, Listed]:
    """Return stars and source of these datasets, by their ids.

    Columns:
        id: the dataset's.
        stars, code, detail: of a rated dataset, else None; as ``lists.BADGES`` has them.
        source, title: name and title of the harvest source, None if it was not harvested.
        harvested: time of the last import, UTC.
    """
    if not package_ids:
        return {}
    source = sa.orm.aliased(model.Package)
    is_current = sa.and_(
        HarvestObject.package_id == model.Package.id, HarvestObject.current.is_(True)
    )
    harvested = sa.func.coalesce(HarvestObject.import_finished, HarvestObject.gathered)
    # Only sources that everybody may open.
    is_open = sa.and_(source.state == "active", source.private.is_not(True))
    query = (
        sa.select(
            model.Package.id,
            *lists.BADGES,
            sa.case((is_open, source.name)).label("source"),
            sa.case((is_open, HarvestSource.title)).label("title"),
            harvested.label("harvested"),
        )
        .select_from(model.Package)
        .outerjoin(HarvestObject, is_current)
        .outerjoin(HarvestSource, HarvestSource.id == HarvestObject.harvest_source_id)
        .outerjoin(source, source.id == HarvestSource.id)
        .where(model.Package.id.in_(package_ids))
        # The last one counts where several are current.
        .order_by(harvested.asc().nulls_first())
    )
    return {row.id: row for row in Session.execute(query)}
