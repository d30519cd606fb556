"""Find the records and sources of datasets, in one statement, for pages and the API."""

from __future__ import annotations

import datetime
from collections.abc import Collection
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource
from sqlalchemy.orm import aliased

from ckanext.ukharvest.model import Record, RecordProblem, SourceState

Session = model.Session


class Origin(NamedTuple):
    """A dataset's record and source; unknown values are None. Times are naive UTC.

    Attributes:
        record_id, outcome, state, missed_runs, checked, written, error, supplied_fields,
            record_url: of our row, all None for a dataset that we have not imported yet;
            ``checked``: when a run last saw it.
        is_news: the run that saw the record last is the one that wrote the dataset.
        harvested: when the dataset was last written by a harvest.
        changed: when the dataset was last changed by anybody.
        is_held: its deletion is pending.
        problems: number of the record's problems.
        is_listed_twice: another source lists it too; its record is skipped.
        frequency, schedule, config: of the source, as stored.
    """

    record_id: int | None
    guid: str | None
    outcome: str | None
    state: str | None
    missed_runs: int | None
    checked: datetime.datetime | None
    written: datetime.datetime | None
    error: dict[str, Any] | None
    supplied_fields: dict[str, Any] | None
    record_url: str | None
    is_news: bool | None
    harvested: datetime.datetime | None
    changed: datetime.datetime | None
    is_held: bool
    problems: int
    is_listed_twice: bool
    source_id: str
    source_url: str
    source_type: str
    source_name: str
    source_title: str
    source_state: str
    is_private: bool
    is_active: bool
    frequency: str | None
    schedule: dict[str, Any] | None
    config: str | None
    organization_name: str | None
    organization_title: str | None

    @property
    def id(self) -> str:
        """Return the source's id, as ``sweeper.schedules`` expects."""
        return self.source_id

    @property
    def is_running(self) -> bool:
        """Tell whether the source is not switched off."""
        return self.is_active and self.source_state == "active"


def of_dataset(package_id: str) -> Origin | None:
    """Return a dataset's origin, None if it was not harvested or its source was purged."""
    return of_datasets([package_id]).get(package_id)


def of_datasets(package_ids: Collection[str]) -> dict[str, Origin]:
    """Return the origins of these datasets by id, without those that ``of_dataset`` has none of."""
    if not package_ids:
        return {}
    return {id_: Origin(*values) for id_, *values in Session.execute(_query(package_ids))}


def _query(package_ids: Collection[str]) -> sa.Select[Any]:
    dataset, source_package = aliased(model.Package), aliased(model.Package)
    source_id = sa.func.coalesce(Record.source_id, HarvestObject.harvest_source_id)
    is_current = sa.and_(
        HarvestObject.package_id == dataset.id,
        HarvestObject.current.is_(True),
        sa.or_(Record.id.is_(None), HarvestObject.harvest_source_id == Record.source_id),
    )
    return (
        sa.select(dataset.id, *_of_record(dataset), *_of_source(source_package))
        .select_from(dataset)
        .outerjoin(Record, Record.package_id == dataset.id)
        .outerjoin(HarvestObject, is_current)
        .join(HarvestSource, HarvestSource.id == source_id)
        .join(source_package, source_package.id == HarvestSource.id)
        .outerjoin(model.Group, model.Group.id == source_package.owner_org)
        .outerjoin(SourceState, SourceState.source_id == HarvestSource.id)
        .where(dataset.id.in_(package_ids))
        # Several records can name one dataset: the one that it was written from last.
        .distinct(dataset.id)
        .order_by(
            dataset.id,
            HarvestObject.id.is_(None),
            HarvestObject.import_finished.desc().nulls_last(),
            Record.last_seen.desc().nulls_last(),
        )
    )


def _of_record(dataset: Any) -> tuple[Any, ...]:
    problems = sa.select(sa.func.count()).where(
        RecordProblem.record_id == Record.id, RecordProblem.current
    )
    held = SourceState.held["guids"].has_key(sa.func.coalesce(Record.guid, ""))
    other = aliased(Record)
    return (
        Record.id,
        sa.func.coalesce(Record.guid, HarvestObject.guid),
        Record.outcome,
        Record.state,
        Record.missed_runs,
        Record.last_seen,
        Record.written,
        Record.error,
        Record.supplied_fields,
        sa.func.nullif(Record.url, ""),
        Record.last_seen_job_id == HarvestObject.harvest_job_id,
        sa.func.coalesce(HarvestObject.import_finished, HarvestObject.gathered),
        dataset.metadata_modified,
        sa.func.coalesce(held, sa.false()),
        problems.scalar_subquery(),
        sa.select(other.id).where(other.same_as == dataset.id).exists(),
    )


def _of_source(package: Any) -> tuple[Any, ...]:
    return (
        HarvestSource.id,
        HarvestSource.url,
        HarvestSource.type,
        package.name,
        sa.func.coalesce(sa.func.nullif(package.title, ""), package.name),
        package.state,
        package.private,
        HarvestSource.active,
        HarvestSource.frequency,
        SourceState.schedule,
        HarvestSource.config,
        model.Group.name,
        model.Group.title,
    )
