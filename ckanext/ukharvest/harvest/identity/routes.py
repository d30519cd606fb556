"""Routes to a dataset: the records, of any sources, that would be one, and which of them has it.

The record that has the dataset names it as ``Record.package_id``, the others as ``same_as``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import aliased

from ckanext.ukharvest import config
from ckanext.ukharvest.core.deletions import UUID, is_globally_unique
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.records import Origin, extra_values
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.database import any_text, execute, group_pairs
from ckanext.ukharvest.harvest.identity.precedence import Contest, Sources, takes_newest
from ckanext.ukharvest.harvest.model import Change, JobReport, Record
from ckanext.ukharvest.harvest.records.conflicts import GuidElsewhere, foreign_guid, plain_title

Session = model.Session

Key = tuple[str, str]  # source id, guid


class NewRecord(NamedTuple):
    """A record without a dataset of its own.

    Attributes:
        guid: the identity that its dataset would have.
        origin: where another portal says that it got it.
        url: of its source.
        owner_org: as ``Record.owner_org``.
        same_as: the dataset that it was at its last import, None for none.
        modified: when its data was changed, "" if that is not known.
    """

    guid: str
    title: str
    origin: Origin | None
    url: str
    owner_org: str
    same_as: str | None = None
    modified: str = ""

    @property
    def guids(self) -> tuple[str, ...]:
        """The identities under which other sources may have its dataset."""
        first = self.origin.guid if self.origin else ""
        return tuple(dict.fromkeys(guid for guid in (first, self.guid) if guid))


class Route(NamedTuple):
    """A record that has an active dataset.

    Attributes:
        key: the identity by which it was found, or the dataset's id.
        record_id: None if another harvester made the dataset, or it is not adopted yet.
        owner_org: of the dataset, as ``Record.owner_org``.
        is_deleted: its source is deleted.
        is_private: the dataset.
    """

    key: str
    record_id: int | None
    guid: str
    title: str
    dataset_id: str
    dataset_title: str
    owner_org: str
    source_id: str
    source_title: str
    source_url: str
    is_deleted: bool
    is_private: bool

    def has_title(self, title: str) -> bool:
        """Tell whether its record, or its dataset here, has this title."""
        return plain_title(title) in (plain_title(self.title), plain_title(self.dataset_title))


class Found(NamedTuple):
    """What new records are, by key; those in none of these are new datasets.

    Attributes:
        same: the dataset that each would be once more, None for one that was purged here.
        takes: those of them that take it from the route that has it.
        refused: whose identifier another dataset has.
    """

    same: dict[Key, str | None]
    takes: dict[Key, Route]
    refused: dict[Key, GuidElsewhere]


def lock_and_find(records: Mapping[Key, NewRecord], names: Iterable[tuple[int, str]] = ()) -> Found:
    """Return which new records would be datasets once more that are here already.

    Holds a lock on their identities until the transaction ends, so that of two routes that bring
    one at the same moment one comes second.

    Args:
        names: to lock in the same statement (``database.hold_locks``).
    """
    database.hold_locks([*names, *((database.GUIDS, name) for name in _names(records.values()))])
    if not records:
        return Found({}, {}, {})
    handed_on = _find_own(records)
    routes = _load_routes(records.values())
    same: dict[Key, str | None] = {}
    routes_of: dict[Key, Route] = {}
    refused: dict[Key, GuidElsewhere] = {}
    for key, record in records.items():
        if key in handed_on:
            same[key] = handed_on[key]
        elif route := _choose(routes, key[0], record):
            # Of another harvester's dataset no row would be left to hand over.
            if is_same(record, route) and route.record_id is not None:
                routes_of[key] = route
            else:
                refused[key] = foreign_guid(key[0], record.guid, record.title, route)
    sources = Sources(*(key[0] for key in routes_of), *(r.source_id for r in routes_of.values()))
    dates = _dates({route.dataset_id for route in routes_of.values()}) if takes_newest() else {}
    takes: dict[Key, Route] = {}
    for key, route in routes_of.items():
        record = records[key]
        contest = Contest(
            key[0],
            record.owner_org,
            record.guids,
            route.source_id,
            route.owner_org,
            record.modified,
            dates.get(route.dataset_id, ""),
        )
        if sources.may_take(contest):
            takes[key] = route
        elif route.is_deleted and record.same_as is None:
            # It never gives the dataset back: the error says how to adopt or to delete it.
            refused[key] = foreign_guid(key[0], record.guid, record.title, route)
            continue
        same[key] = route.dataset_id
    return Found(same, takes, refused)


def _dates(package_ids: Collection[str]) -> dict[str, str]:
    """Return dataset id → when its data was changed, as its source says."""
    datasets = dataset_rows.load_datasets(list(package_ids)) if package_ids else ()
    return {one["id"]: str(extra_values(one).get("data_modified") or "") for one in datasets}


def _names(records: Iterable[NewRecord]) -> Iterator[str]:
    """Yield the names of the identities of records; a local one is its source's URL's."""
    for record in records:
        for guid in (*record.guids, *(record.origin.guids if record.origin else ())):
            yield guid if is_globally_unique(guid) else f"{_plain_url(record.url)} {guid}"


def _plain_url(url: str) -> str:
    return url.rstrip("/")


def _find_own(records: Mapping[Key, NewRecord]) -> dict[Key, str | None]:
    """Return which records come from a dataset of this portal: its id, None if it was purged."""
    origins = {key: _origin_of(key[1], record.origin) for key, record in records.items()}
    ids = {record.same_as for record in records.values() if record.same_as}
    for (_source_id, guid), origin in origins.items():
        if origin is not None:
            ids.update((guid, *origin.guids))
    datasets = _datasets(ids) if ids else {}
    found: dict[Key, str | None] = {}
    for key, origin in origins.items():
        own = (
            [id_ for id_ in origin.guids if id_ in datasets and datasets[id_].is_origin]
            if origin
            else ()
        )
        dataset = datasets.get(key[1])
        joined = datasets.get(records[key].same_as or "")
        if own:
            found[key] = own[0]
        elif origin and dataset and dataset.is_active and not dataset.has_id_of_record:
            found[key] = key[1]  # handed on by a portal that keeps our ids
        elif origin and _is_own_page(origin.url):
            found[key] = None
        elif joined and joined.is_active and not joined.has_row:
            found[key] = records[key].same_as
    return found


def _origin_of(guid: str, origin: Origin | None) -> Origin | None:
    """Return where a record may have been before, None if it can be new only.

    Most formats name no origin. What this portal exports has the id or the page of its dataset as
    its identifier, which portals keep when they hand it on.
    """
    if origin is not None:
        return origin
    if _is_own_page(guid):
        return Origin((re.split("[/?#]", guid.partition("/dataset/")[2])[0],), guid)
    return Origin() if UUID.fullmatch(guid) else None


class _Dataset(NamedTuple):
    """A dataset of this portal.

    Attributes:
        has_id_of_record: ckanext-harvest gave it the id that it has on the portal where it is from.
        has_row: a record of ours has it, not another harvester's alone.
    """

    is_active: bool
    is_harvested: bool
    has_id_of_record: bool
    has_row: bool

    @property
    def is_origin(self) -> bool:
        """Tell whether a record that names it comes from it; one that was made here, for ever."""
        return self.is_active or not self.is_harvested


def _datasets(ids: Collection[str]) -> dict[str, _Dataset]:
    """Return the datasets of this portal with these ids; mostly there are none: one statement."""
    package = model.Package
    query = Session.query(package.id, package.state == "active")
    states = dict(query.filter(package.id == any_text(ids), package.type == "dataset").all())
    if not states:
        return {}
    here = any_text(states)
    rows = Session.query(Record.package_id, Record.guid).filter(Record.package_id == here).all()
    objects = Session.query(HarvestObject.package_id, HarvestObject.guid).filter(
        HarvestObject.package_id == here, HarvestObject.current.is_(True)
    )
    harvested = [*rows, *objects]
    with_rows = {id_ for id_, _guid in rows}
    from_records = {id_ for id_, _guid in harvested}
    with_ids_of_records = {id_ for id_, guid in harvested if id_ == guid}
    return {
        id_: _Dataset(is_active, id_ in from_records, id_ in with_ids_of_records, id_ in with_rows)
        for id_, is_active in states.items()
    }


def _is_own_page(url: str) -> bool:
    own = config.site_url()
    return bool(own) and url.startswith(f"{own}/dataset/")


_ROUTES = sa.text(
    """
    SELECT claim.key, claim.record_id, claim.guid, claim.title, dataset.id, dataset.title,
           COALESCE(NULLIF(dataset.owner_org, ''), 'none'), source.id, source.title, source.url,
           COALESCE(listed.state = 'deleted', true), dataset.private
      FROM (SELECT guid AS key, id AS record_id, guid, title, package_id, source_id
              FROM ukharvest_record
             WHERE md5(guid) = ANY (ARRAY(SELECT md5(name) FROM unnest(:guids) AS name))
         UNION
            SELECT own_guid, id, guid, title, package_id, source_id
              FROM ukharvest_record
             WHERE own_guid <> ''
               AND md5(own_guid) = ANY (ARRAY(SELECT md5(name) FROM unnest(:guids) AS name))
         UNION
            SELECT origin_guid, id, guid, title, package_id, source_id
              FROM ukharvest_record
             WHERE origin_guid <> ''
               AND md5(origin_guid) = ANY (ARRAY(SELECT md5(name) FROM unnest(:guids) AS name))
         UNION
            SELECT package_id, id, guid, title, package_id, source_id
              FROM ukharvest_record
             WHERE package_id = ANY (:same_as)
         UNION
            SELECT object.guid, NULL, object.guid, '', object.package_id, object.harvest_source_id
              FROM harvest_object AS object
             WHERE object.guid = ANY (:guids) AND object.current
               AND NOT EXISTS (SELECT FROM ukharvest_record AS record
                                WHERE record.package_id = object.package_id
                                  AND record.source_id = object.harvest_source_id)) AS claim
      JOIN package AS dataset ON dataset.id = claim.package_id AND dataset.state = 'active'
      JOIN harvest_source AS source ON source.id = claim.source_id
      LEFT JOIN package AS listed ON listed.id = source.id
     WHERE claim.key = ANY (:unique) OR claim.key = ANY (:same_as)
        OR rtrim(source.url, '/') = ANY (:urls)
     ORDER BY claim.record_id, source.id
    """
).bindparams(
    *(
        sa.bindparam(name, type_=ARRAY(sa.UnicodeText))
        for name in ("guids", "unique", "same_as", "urls")
    )
)


def _load_routes(records: Collection[NewRecord]) -> dict[str, list[Route]]:
    """Return identity, or id of a dataset → routes that have an active dataset; one statement.

    Of local identifiers only those of sources with the URL of one of the records'. Sources that
    another harvester works on, or did before they are adopted, are known by their objects.
    """
    guids = {guid for record in records for guid in record.guids}
    given = {
        "guids": list(guids),
        "unique": list(filter(is_globally_unique, guids)),
        "same_as": list({record.same_as for record in records if record.same_as}),
        "urls": list({_plain_url(record.url) for record in records}),
    }
    return group_pairs((row[0], Route(*row)) for row in Session.execute(_ROUTES, given))


def _choose(
    routes: Mapping[str, Sequence[Route]], source_id: str, record: NewRecord
) -> Route | None:
    """Return the route of another source that has a record's dataset; None: there is none.

    A private dataset of another organisation counts only if the record was it before: visitors do
    not see it.
    """
    others = [
        route
        for name in (record.same_as, *record.guids)
        for route in routes.get(name or "", ())
        if route.source_id != source_id
        and (
            name == record.same_as
            or (not route.is_private or route.owner_org == record.owner_org)
            and (
                is_globally_unique(route.key)
                or _plain_url(route.source_url) == _plain_url(record.url)
            )
        )
    ]
    same = (route for route in others if is_same(record, route))
    return next(same, others[0] if others else None)


def is_same(record: NewRecord, route: Route) -> bool:
    """Tell whether a route with an identity of a record has the same dataset, not of a copy."""
    return record.same_as == route.dataset_id or route.has_title(record.title)


def find_takeable(source_id: str) -> set[int]:
    """Return the records (row ids) of a source that take their datasets from others, now.

    They were skipped, and have to be read once more although they have not changed.
    """
    package, holder = model.Package, aliased(Record)
    owner_org = sa.func.coalesce(sa.func.nullif(package.owner_org, ""), "none")
    query = (
        Session.query(
            Record.id,
            Record.guid,
            Record.origin_guid,
            Record.owner_org,
            holder.source_id,
            owner_org,
        )
        .join(package, package.id == Record.same_as)
        .join(holder, holder.package_id == package.id)
        .filter(Record.source_id == source_id, Record.outcome == RecordOutcome.SKIPPED)
        .filter(package.state == "active", holder.source_id != source_id)
    )
    rows = query.all()
    sources = Sources(*({source_id, *(row.source_id for row in rows)} if rows else ()))
    return {
        id_
        for id_, guid, origin_guid, org, holder_id, holder_org in rows
        if sources.may_take(Contest(source_id, org, (guid, origin_guid), holder_id, holder_org))
    }


# Of another route's record. One that failed since is still in its source: ``same_as`` stays.
_OF_ROUTES = (RecordOutcome.SKIPPED, RecordOutcome.ERRORED)


class OtherRoute(NamedTuple):
    """Another route to a dataset, which an active source still lists.

    Attributes:
        guid: of its record.
        may_have: whether the dataset is given to it rather than deleted.
    """

    source_id: str
    guid: str
    source_title: str
    may_have: bool


def find_others(package_ids: Sequence[str]) -> dict[str, OtherRoute]:
    """Return dataset id → the route that may have it next, of those that its sources still list.

    Of several that may, by the portal's order, then the first.
    """
    if not package_ids:
        return {}
    package, holder = model.Package, aliased(Record)
    # It has an object of a run that listed it: the object waits, or the run was stopped.
    listed = (
        sa.select(HarvestObject.id)
        .where(
            HarvestObject.harvest_job_id == JobReport.job_id,
            HarvestObject.harvest_source_id == Record.source_id,
            HarvestObject.guid == Record.guid,
        )
        .correlate(JobReport, Record)
        .exists()
    )
    # A complete run that began after it was last seen has missed it.
    missed = (
        sa.select(JobReport.id)
        .where(
            JobReport.source_id == Record.source_id,
            JobReport.complete.is_(True),
            JobReport.started > Record.last_seen,
            ~listed,
        )
        .correlate(Record)
        .exists()
    )
    query = (
        Session.query(
            Record.same_as,
            Record.guid,
            Record.origin_guid,
            Record.owner_org,
            Record.source_id,
            HarvestSource.title,
            sa.func.coalesce(sa.func.nullif(package.owner_org, ""), "none"),
            holder.source_id,
        )
        .join(package, package.id == Record.same_as)
        .join(HarvestSource, HarvestSource.id == Record.source_id)
        .join(holder, holder.package_id == package.id)
        .filter(Record.same_as == any_text(package_ids), Record.outcome.in_(_OF_ROUTES))
        .filter(~missed)
        .order_by(Record.id)
    )
    rows = query.all()
    sources = Sources(*(row[4] for row in rows), *(row[7] for row in rows))
    found = group_pairs(
        (same_as, OtherRoute(source_id, guid, title, sources.may_have(contest)))
        for same_as, guid, origin_guid, org, source_id, title, holder_org, holder_id in rows
        if sources.is_there(source_id)
        and (contest := Contest(source_id, org, (guid, origin_guid), holder_id, holder_org))
    )
    return {
        id_: min(others, key=lambda route: (not route.may_have, sources.rank(route.source_id)))
        for id_, others in found.items()
    }


def is_other_route(row: Record, package_id: str) -> bool:
    """Tell whether a record has no dataset because this one is here already."""
    return bool(row.same_as == package_id and row.outcome in _OF_ROUTES)


def hand_over(holder: Record, taker: Record) -> None:
    """Give a dataset to the record of another route, whose import writes it.

    Args:
        holder: of the record that has the dataset; both are locked by the caller.
    """
    if taker.id is None:
        Session.add(taker)
        Session.flush()
    copy_dataset(holder, taker)
    taker.outcome, taker.same_as = "", None
    taker.fingerprint = taker.import_rules_hash = taker.package_hash = ""
    # The history of the dataset goes with it.
    execute(sa.update(Change).where(Change.record_id == holder.id).values(record_id=taker.id))
    holder.package_id = holder.resources = holder.supplied_fields = holder.error = None
    holder.fingerprint = holder.package_hash = ""
    holder.outcome, holder.removed = RecordOutcome.DELETED, True
    Session.flush()


_OF_DATASET = ("package_id", "resources", "supplied_fields")


def copy_dataset(holder: Record, taker: Record) -> dict[str, Any]:
    """Let a record write the dataset of another; return what to give to ``put_dataset`` if not."""
    before = {name: getattr(taker, name) for name in _OF_DATASET}
    put_dataset(taker, {name: getattr(holder, name) for name in _OF_DATASET})
    return before


def put_dataset(row: Record, values: Mapping[str, Any]) -> None:
    """Let a record have a dataset, with what is known of it."""
    for name, value in values.items():
        setattr(row, name, value)


def release_other_routes(package_ids: Collection[str]) -> None:
    """Let the records be imported that were skipped because of these datasets; no commit.

    Without a stamp, and with an outcome that is none, the next run of their source reads them.
    """
    if not package_ids:
        return
    execute(
        sa.update(Record)
        .where(Record.same_as == any_text(package_ids))
        .values(same_as=None, outcome="", fingerprint="", import_rules_hash="")
    )


def other_listings(package_id: str) -> Sequence[Any]:
    """Return the sources that list a dataset too, by title; they skip its record.

    Returns:
        Rows (source_id, name, title, state, is_private, record_id).
    """
    source = aliased(model.Package)
    query = (
        Session.query(
            source.id.label("source_id"),
            source.name,
            sa.func.coalesce(sa.func.nullif(source.title, ""), source.name).label("title"),
            source.state,
            source.private.label("is_private"),
            Record.id.label("record_id"),
        )
        .join(Record, Record.source_id == source.id)
        .filter(Record.same_as == package_id, Record.outcome == RecordOutcome.SKIPPED)
        .order_by(source.title, Record.id)
    )
    return query.all()  # type: ignore[no-any-return]
