"""Recognise datasets that come back from other portals, or by way of two of them.

A portal that harvests another one hands on its datasets, with the identity under which it got them.
Of two such routes to one dataset the first that is imported has it; records of the other are
skipped and name it (``Record.same_as``). So are records that this portal handed on itself. When
the first route no longer lists its record, the second gets the dataset.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import aliased

from ckanext.ukharvest import config
from ckanext.ukharvest.core.deletions import UUID, is_globally_unique
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.records import DatasetRecord, Origin
from ckanext.ukharvest.model import Change, JobReport, Record, guid_conflicts
from ckanext.ukharvest.model.statements import execute

Session = model.Session

Key = tuple[str, str]  # source id, guid


class Same(NamedTuple):
    """The dataset that a record would be once more; ``package_id``: None if it was purged."""

    package_id: str | None


def lock_and_find(records: Mapping[Key, DatasetRecord]) -> dict[Key, Same]:
    """Return which new records would be datasets once more that are here already.

    Holds a lock on the origins' identities until the transaction ends, so that of two routes that
    bring one at the same moment one comes second.

    Args:
        records: that will become new datasets.
    """
    named = ((key, _origin_of(key[1], record)) for key, record in records.items())
    origins = {key: origin for key, origin in named if origin is not None}
    if not origins:
        return {}
    guids = {guid for _source, guid in origins}
    guids.update(guid for origin in origins.values() for guid in origin.guids)
    # All at once: the identifiers of new datasets are locked again afterwards.
    if any(origin.guids for origin in origins.values()):
        guid_conflicts.lock(guids)
    datasets = _datasets(guids)
    guids_of_origins = (origin.guid for origin in origins.values())
    routes = _routes(set(filter(is_globally_unique, guids_of_origins)))
    datasets_of_records = {}
    for key, origin in origins.items():
        source_id, guid = key
        dataset = datasets.get(guid)
        own = [id_ for id_ in origin.guids if id_ in datasets and datasets[id_].is_origin]
        others = [route for route in routes.get(origin.guid, ()) if route[0] != source_id]
        if own:
            datasets_of_records[key] = Same(own[0])
        elif dataset and dataset.is_active and not dataset.has_id_of_record:
            datasets_of_records[key] = Same(guid)  # handed on by a portal that keeps our ids
        elif _is_own_page(origin.url):
            datasets_of_records[key] = Same(None)
        elif others:
            datasets_of_records[key] = Same(others[0][1])
    return datasets_of_records


def _origin_of(guid: str, record: DatasetRecord) -> Origin | None:
    """Return where a record may have been before, None if it can be new only.

    Most formats name no origin. What this portal exports has the id or the page of its dataset as
    its identifier, which portals keep when they hand it on.
    """
    if record.origin is not None:
        return record.origin
    if _is_own_page(guid):
        id_or_name = re.split("[/?#]", guid.partition("/dataset/")[2])[0]
        return Origin((id_or_name,), guid)
    return Origin() if UUID.fullmatch(guid) else None


class _Dataset(NamedTuple):
    """A dataset of this portal.

    Attributes:
        has_id_of_record: ckanext-harvest gave it the id that it has on the portal where it is from.
    """

    is_active: bool
    is_harvested: bool
    has_id_of_record: bool

    @property
    def is_origin(self) -> bool:
        """Tell whether a record that names it comes from it; one that was made here, for ever."""
        return self.is_active or not self.is_harvested


def _datasets(ids: Collection[str]) -> dict[str, _Dataset]:
    """Return the datasets of this portal with these ids; mostly there are none: one statement."""
    package = model.Package
    query = Session.query(package.id, package.state == "active")
    states = dict(query.filter(package.id == _any(ids), package.type == "dataset").all())
    if not states:
        return {}
    rows = Session.query(Record.package_id, Record.guid).filter(Record.package_id == _any(states))
    objects = Session.query(HarvestObject.package_id, HarvestObject.guid).filter(
        HarvestObject.package_id == _any(states), HarvestObject.current.is_(True)
    )
    harvested = [*rows, *objects]
    from_records = {id_ for id_, _guid in harvested}
    with_ids_of_records = {id_ for id_, guid in harvested if id_ == guid}
    return {
        id_: _Dataset(is_active, id_ in from_records, id_ in with_ids_of_records)
        for id_, is_active in states.items()
    }


def _routes(origins: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """Return origin's identity → source and dataset of records that were imported from there."""
    if not origins:
        return {}
    hashes = [sa.func.md5(origin) for origin in origins]
    query = (
        Session.query(Record.origin_guid, Record.source_id, Record.package_id)
        .join(model.Package, model.Package.id == Record.package_id)
        .filter(Record.origin_guid != "", sa.func.md5(Record.origin_guid).in_(hashes))
        .filter(Record.origin_guid == _any(origins), model.Package.state == "active")
        .order_by(Record.id)
    )
    routes: dict[str, list[tuple[str, str]]] = {}
    for origin, source_id, package_id in query:
        routes.setdefault(origin, []).append((source_id, package_id))
    return routes


def _is_own_page(url: str) -> bool:
    own = config.site_url()
    return bool(own) and url.startswith(f"{own}/dataset/")


class Route(NamedTuple):
    """Another route to a dataset whose record is missing.

    Attributes:
        is_same_organisation: it would give the dataset to the organisation that it has.
    """

    package_id: str
    record_id: int
    source_id: str
    source_title: str
    is_same_organisation: bool


def other_routes(package_ids: Sequence[str]) -> dict[str, Route]:
    """Return dataset id → another route to it that an active source still lists.

    Of several the first that gives it to the organisation that it has, if there is one.
    """
    if not package_ids:
        return {}
    package = model.Package
    # A complete run that began after it was last seen has missed it.
    missed = (
        sa.select(JobReport.id)
        .where(
            JobReport.source_id == Record.source_id,
            JobReport.complete.is_(True),
            JobReport.started > Record.last_seen,
        )
        .exists()
    )
    is_same = Record.owner_org == sa.func.coalesce(sa.func.nullif(package.owner_org, ""), "none")
    query = (
        Session.query(Record.same_as, Record.id, Record.source_id, HarvestSource.title, is_same)
        .join(package, package.id == Record.same_as)
        .join(HarvestSource, HarvestSource.id == Record.source_id)
        .filter(Record.same_as == _any(package_ids), Record.outcome == RecordOutcome.SKIPPED)
        .filter(HarvestSource.active.is_(True), ~missed)
        .order_by(Record.same_as, is_same.desc(), Record.id)
    )
    routes: dict[str, Route] = {}
    for row in query:
        routes.setdefault(row[0], Route(*row))
    return routes


def hand_over(row: Record, route: Route) -> None:
    """Give a dataset to the record of another route; the next run of its source imports it.

    Args:
        row: of the record that has the dataset and is missing; locked by the caller.
    """
    taker = Session.get(Record, route.record_id, with_for_update=True, populate_existing=True)
    taker.package_id, taker.resources = row.package_id, row.resources
    taker.supplied_fields = row.supplied_fields
    taker.outcome, taker.same_as = RecordOutcome.UPDATED, None
    taker.fingerprint = taker.import_rules_hash = taker.package_hash = ""
    # The history of the dataset goes with it.
    of_row = sa.update(Change).where(Change.record_id == row.id).values(record_id=taker.id)
    execute(of_row)
    row.package_id = row.resources = row.supplied_fields = row.error = None
    row.fingerprint = row.package_hash = ""
    row.outcome, row.removed = RecordOutcome.DELETED, True
    Session.flush()


def release(package_id: str) -> None:
    """Let the records be imported that were skipped because of a dataset; no commit.

    Without a stamp, and with an outcome that is none, the next run of their source reads them.
    """
    statement = (
        sa.update(Record)
        .where(Record.same_as == package_id)
        .values(same_as=None, outcome="", fingerprint="", import_rules_hash="")
    )
    execute(statement)


class Listing(NamedTuple):
    """A source that lists a dataset too; its record is skipped."""

    source_id: str
    name: str
    title: str
    state: str
    is_private: bool
    record_id: int


def listings(package_id: str) -> list[Listing]:
    """Return the sources that list a dataset too, by title."""
    source = aliased(model.Package)
    query = (
        Session.query(
            source.id,
            source.name,
            sa.func.coalesce(sa.func.nullif(source.title, ""), source.name),
            source.state,
            source.private,
            Record.id,
        )
        .join(Record, Record.source_id == source.id)
        .filter(Record.same_as == package_id, Record.outcome == RecordOutcome.SKIPPED)
        .order_by(source.title, Record.id)
    )
    return [Listing(*row) for row in query]


def _any(texts: Iterable[str]) -> sa.ColumnElement[str]:
    return sa.any_(sa.literal(list(texts), ARRAY(sa.UnicodeText)))  # type: ignore[return-value]
