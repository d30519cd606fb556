"""Index datasets after their commit, note what waits, compare and repair the index."""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckan.lib.search.common import make_connection
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat, write_batch
from ckanext.ukharvest.core.values import gazetteer, organization_types
from ckanext.ukharvest.harvest import lists
from ckanext.ukharvest.harvest.database import UNHURRIED, any_text, execute, upsert
from ckanext.ukharvest.harvest.model import (
    Record,
    utcnow,
)
from ckanext.ukharvest.reading.record_classifier import KnownRecord
from ckanext.ukharvest.write_batch import Pending

Session = model.Session
log = logging.getLogger(__name__)


class PendingIndex(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A dataset whose search document may be older than its row.

    Added in the transaction that writes the dataset, removed once the index has accepted it.

    Attributes:
        package_id: the dataset; one that is deleted or purged leaves the index.
        attempts: failed index requests so far.
    """

    __tablename__ = "ukharvest_index_pending"

    package_id = sa.Column(sa.UnicodeText, primary_key=True)
    since = sa.Column(sa.DateTime, nullable=False, default=utcnow, index=True)
    attempts = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")


def mark_pending(*package_ids: str) -> None:
    """Note that datasets of the batch that is being written have to be indexed after its commit."""
    batch = write_batch.written()
    if batch is None:
        raise RuntimeError("a dataset can be noted only while a batch is written")
    if new := [id_ for id_ in package_ids if id_ not in batch.pending]:
        batch.pending |= add_pending(new)


def add_pending(package_ids: Sequence[str]) -> dict[str, dt.datetime]:
    """Note that datasets have to be indexed; the caller commits it with the datasets.

    Returns:
        Package id → mark of this write, for ``remove``: a later write has another.
    """
    since = utcnow()
    # In one order everywhere, so that two processes wait for each other and never both.
    values = [{"package_id": id_, "since": since, "attempts": 0} for id_ in sorted(package_ids)]
    execute(upsert(PendingIndex, ["package_id"], values))
    return dict.fromkeys(package_ids, since)


def add_of_organization(organization_id: str) -> None:
    """Note, in one statement, that all datasets and sources of an organisation have to be indexed.

    The caller commits it with the organisation.
    """
    Session.execute(_ADD_OF_ORGANIZATION, {"organization": organization_id, "since": utcnow()})


# In the order of ``add``.
_ADD_OF_ORGANIZATION = sa.text(
    f"""
    INSERT INTO {PendingIndex.__tablename__} (package_id, since, attempts)
    SELECT id, :since, 0 FROM package
     WHERE owner_org = :organization AND state <> 'deleted' ORDER BY id
        ON CONFLICT (package_id) DO UPDATE SET since = excluded.since, attempts = 0
    """  # noqa: S608 - a name of our own
)


def remove_pending(indexed: Mapping[str, dt.datetime]) -> set[str]:
    """Remove datasets that are indexed, unless they were written again since; commits.

    Args:
        indexed: package id → mark of the write that was indexed.

    Returns:
        The ids that were removed.
    """
    if not indexed:
        return set()
    Session.execute(UNHURRIED)  # what is lost is only indexed once more
    key = sa.tuple_(PendingIndex.package_id, PendingIndex.since)
    statement = sa.delete(PendingIndex).where(key.in_(list(indexed.items())))
    gone = {row[0] for row in execute(statement.returning(PendingIndex.package_id))}
    Session.commit()
    return gone


def count_attempt(package_ids: list[str]) -> None:
    """Note that the index refused these datasets' documents once more; commits."""
    refused = sa.update(PendingIndex).where(PendingIndex.package_id.in_(package_ids))
    execute(refused.values(attempts=PendingIndex.attempts + 1))
    Session.commit()


def oldest(
    limit: int, *, after: tuple[dt.datetime, str] | None, attempts: int
) -> dict[str, dt.datetime]:
    """Return package id → mark of the datasets that have waited longest.

    Args:
        limit: how many at most.
        after: mark and package id of the last one of the page before; many can have one mark.
        attempts: leave out what was refused so often.
    """
    query = Session.query(PendingIndex.package_id, PendingIndex.since)
    query = query.filter(PendingIndex.attempts < attempts)
    if after is not None:
        query = query.filter(sa.tuple_(PendingIndex.since, PendingIndex.package_id) > after)
    ordered = query.order_by(PendingIndex.since, PendingIndex.package_id)
    return {row[0]: row[1] for row in ordered.limit(limit)}


def marks(package_ids: set[str]) -> dict[str, dt.datetime]:
    """Return package id → mark of those of these datasets that wait."""
    query = Session.query(PendingIndex.package_id, PendingIndex.since)
    return {row[0]: row[1] for row in query.filter(PendingIndex.package_id.in_(package_ids))}


def backlog(before: dt.datetime) -> Any:
    """Return how many datasets wait since before that time: a row (number, oldest, refused).

    ``oldest``: since when the first of them waits, None without any.
    """
    columns = (
        sa.func.count().label("number"),
        sa.func.min(PendingIndex.since).label("oldest"),
        sa.func.count().filter(PendingIndex.attempts > 0).label("refused"),
    )
    return Session.query(*columns).filter(PendingIndex.since < before).one()


# SQL for type and area of an organisation, of a statement over ``model.Group``.
EXTRA = compat.group_extra_sql('"group"', organization_types.KEY)
AREA = compat.group_extra_sql('"group"', gazetteer.AREA)


def is_stored(name_or_id: str, key: str) -> bool:
    """Tell whether an organisation has an extra of this key."""
    group = model.Group.get(name_or_id)
    return group is not None and key in group.extras


def area_of(organization_id: str) -> str:
    """Return the name of an organisation's area, "" for none."""
    query = sa.select(sa.literal_column(AREA)).select_from(model.Group)
    return Session.scalar(query.where(model.Group.id == organization_id)) or ""


def note_change(organization_id: str) -> None:
    """Note an organisation's datasets for the index if its type or area changed.

    The caller commits. For ``IOrganizationController.edit``: what is stored in this transaction
    is compared with what is committed, which another connection sees.
    """
    query = (
        sa.select(sa.literal_column(EXTRA), sa.literal_column(AREA))
        .select_from(model.Group)
        .where(model.Group.id == organization_id)
    )
    Session.flush()
    now = Session.execute(query).first()
    with model.meta.engine.connect() as connection:
        before = connection.execute(query).first()
    if _indexed(now) != _indexed(before):
        add_of_organization(organization_id)


def _indexed(row: sa.Row[Any] | None) -> tuple[str, str]:
    type_, area = row or ("", "")
    return organization_types.find(type_ or ""), area or ""


class IndexValues(NamedTuple):
    """Values of a dataset or source in this transaction.

    Attributes:
        organization_type: of its organisation, as stored there; "" for none.
        area: of its organisation: the name of a place, "" for none.
        facets: facet → values, of those that features add.
    """

    organization_type: str = ""
    area: str = ""
    facets: Mapping[str, tuple[str, ...]] = MappingProxyType({})


_NOTHING = IndexValues()


def of_dataset(package_id: str) -> IndexValues:
    """Return a dataset's values."""
    batch = write_batch.current()
    known: IndexValues | None = batch.index_values.get(package_id) if batch else None
    return load_index_values([package_id]).get(package_id, _NOTHING) if known is None else known


def load_index_values(package_ids: Collection[str]) -> dict[str, IndexValues]:
    """Return dataset id → values of those that exist, for ``compat.index_packages``."""
    columns = [field.column for field in lists.INDEX_FIELDS]
    query = (
        sa.select(model.Package.id, sa.literal_column(EXTRA), sa.literal_column(AREA), *columns)
        .select_from(model.Package)
        .outerjoin(model.Group, model.Group.id == model.Package.owner_org)
        .where(model.Package.id.in_(package_ids))
    )
    return {
        id_: IndexValues(
            type_ or "",
            area or "",
            {
                field.name: field.values(value)
                for field, value in zip(lists.INDEX_FIELDS, values, strict=True)
            },
        )
        for id_, type_, area, *values in Session.execute(query)
    }


PAGE = 1000  # ids in one question to Solr
BATCH = 100  # datasets in one request


def found_ids(source_id: str) -> set[str]:
    """Return the ids of the datasets that the index shows for a source.

    Raises:
        SearchIndexError, pysolr's and the connection's errors: the index does not answer.
    """
    return set(_shown(f'+harvest_source_id:"{source_id}" +dataset_type:dataset'))


def _shown(query: str) -> dict[str, str]:
    """Return package id → time of its last change, as the index has it."""
    connection = make_connection()
    query += f' +site_id:"{tk.config.get("ckan.site_id")}"'
    changed: dict[str, str] = {}
    cursor, last = "*", ""
    while cursor != last:
        answer = connection.search(
            query,
            fl="id,metadata_modified",
            rows=PAGE,
            sort="index_id asc",
            cursorMark=cursor,
        )
        changed.update((row["id"], _second(row.get("metadata_modified"))) for row in answer)
        last, cursor = cursor, answer.nextCursorMark
    return changed


def _second(time: Any) -> str:
    """Return a time up to its second; clients of Solr return dates as text or as datetime."""
    return str(time).replace(" ", "T")[:19]


def put(package_ids: Sequence[str]) -> None:
    """Index datasets as the database has them.

    Raises:
        compat.IndexFailed: the index does not answer.
    """
    for start in range(0, len(package_ids), BATCH):
        batch = package_ids[start : start + BATCH]
        _log_refusals(compat.index_packages(batch, load_index_values(batch)))


def _log_refusals(refused: Mapping[str, str]) -> None:
    for package_id, why in refused.items():
        log.warning("The index refused dataset %s: %s", package_id, why)


MOMENT = dt.timedelta(minutes=1)  # Solr may show a change so much later (autoSoftCommit)


def mend(
    source_id: str,
    records: Iterable[KnownRecord],
    show_life: Callable[[], object] = lambda: None,
) -> int:
    """Bring the index in line with the database, for the datasets of one source.

    Costs one question to Solr for each 1,000 datasets. A failure is logged: a run does not end
    for it, the next one tries again.

    Args:
        records: what is known of the source's records; of those without a current harvest
            object the index does not say whose they are.
        show_life: is called after each request that writes; what it raises is raised.

    Returns:
        The number of datasets that the index lacked, showed without need, or showed as they were
        at another time. Those that are pending, or were changed a moment ago, are left alone.
    """
    repairs = _repair(source_id, records)
    total = 0
    while True:
        try:
            number = next(repairs, 0)
        except Exception:  # noqa: BLE001 - whatever pysolr, requests, PostgreSQL or CKAN raise
            log.exception("The search index could not be compared for source %s", source_id)
            compat.rollback()
            return total
        if not number:
            return total
        total += number
        show_life()


def _repair(source_id: str, records: Iterable[KnownRecord]) -> Iterator[int]:
    """Yield the number of datasets repaired by each request."""
    expected = {
        record.package_id
        for record in records
        if record.package_id and record.is_active and record.has_current
    }
    shown = _shown(f'+harvest_source_id:"{source_id}" +dataset_type:dataset')
    more = shown.keys() - expected
    packages = (
        sa.select(model.Package.id, model.Package.metadata_modified)
        .join(Record, Record.package_id == model.Package.id)
        .where(Record.source_id == source_id)
    )
    ghosts = more - set(_active(more))
    wrong = expected - shown.keys() | (expected & _changed(shown, packages))
    if not (ghosts or wrong):
        return
    pending = marks(ghosts | wrong).keys()
    recent = Session.scalars(
        sa.select(model.Package.id).where(
            model.Package.id == any_text(wrong),
            model.Package.metadata_modified > utcnow() - MOMENT,
        )
    )
    wrong -= pending | set(recent)
    ghosts -= pending
    if ghosts or wrong:
        log.warning(
            "The search index showed %d datasets of source %s that are gone, and %d were"
            " missing or out of date",
            len(ghosts),
            source_id,
            len(wrong),
        )
    for repair, ids in ((compat.remove_from_index, sorted(ghosts)), (put, sorted(wrong))):
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            repair(batch)
            yield len(batch)


def _changed(shown: Mapping[str, str], packages: sa.Select[Any]) -> set[str]:
    """Return the ids that the index shows as they were before or after their last change."""
    rows = Session.execute(packages.execution_options(yield_per=PAGE))
    return {id_ for id_, at in rows if id_ in shown and shown[id_] != _second(at)}


def mend_sources() -> int:
    """Bring the index in line with the database, for harvest sources and those that are gone.

    Returns:
        The number of search results that were wrong: sources, and datasets of unknown sources.

    Raises:
        SearchIndexError, pysolr's and the connection's errors: the index does not answer.
    """
    shown = _shown("+dataset_type:harvest")
    query = sa.select(model.Package.id, model.Package.metadata_modified)
    query = query.where(model.Package.type == "harvest", model.Package.state == "active")
    active = set(Session.scalars(query.with_only_columns(model.Package.id)))
    wrong = (active ^ shown.keys()) | _changed(shown, query)
    compat.index_packages(sorted(wrong))
    ghosts: set[str] = set()
    there = set(Session.scalars(sa.select(HarvestSource.id)))
    for source_id in sorted(_shown_sources() - there):
        ids = found_ids(source_id)
        ghosts |= ids - set(_active(ids))
    compat.remove_from_index(sorted(ghosts))
    return len(wrong) + len(ghosts)


def _shown_sources() -> set[str]:
    """Return the ids of all sources that the index shows datasets of."""
    field = "harvest_source_id"
    site = tk.config.get("ckan.site_id")
    more = {"facet.field": field, "facet.limit": -1, "facet.mincount": 1}
    query = f'+site_id:"{site}" +dataset_type:dataset'
    answer = make_connection().search(query, rows=0, facet="true", **more)
    return set(answer.facets["facet_fields"].get(field, ())[::2])


def _active(ids: Collection[str]) -> Iterable[str]:
    query = sa.select(model.Package.id).where(model.Package.state == "active")
    return Session.scalars(query.where(model.Package.id == any_text(ids))) if ids else ()


REFUSALS = 20  # refusals by Solr after which a dataset waits for its next import


def index_pending(pending: Mapping[str, dt.datetime]) -> dict[str, str]:
    """Index committed datasets; those that Solr refuses stay pending.

    Returns:
        Package id → why Solr refused its document.

    Raises:
        compat.IndexFailed: the index could not be reached; the sweeper tries again.
    """
    todo: Pending = dict(pending)
    refused: dict[str, str] = {}
    while todo:
        refused |= compat.index_packages(list(todo), load_index_values(todo))
        done = remove_pending({id_: at for id_, at in todo.items() if id_ not in refused})
        # Written again during indexing: the index may have the older version.
        again = set(todo) - done - set(refused)
        todo = marks(again) if again else {}
    if refused:
        count_attempt(sorted(refused))
    return refused


def index_changed(package_ids: Iterable[str], must_end: Callable[[], bool]) -> None:
    """Note and commit that datasets have to be indexed; do it now, unless the work has to end."""
    ids = sorted(set(package_ids))
    pending = add_pending(ids) if ids else {}
    Session.commit()
    if not must_end():
        index_or_leave(pending)


def index_or_leave(pending: Mapping[str, dt.datetime]) -> None:
    """Index committed datasets; what cannot be indexed now stays pending, and the log says so."""
    try:
        _log_refusals(index_pending(pending))
    except compat.IndexFailed as exc:
        log.warning("The index is not there; the next tick indexes the datasets: %s", exc)
        compat.rollback()


def catch_up(most_seconds: float = float("inf")) -> tuple[int, dict[str, str]]:
    """Index the pending datasets, those that have waited longest first.

    Args:
        most_seconds: time after which no further batch is begun.

    Returns:
        The number of datasets indexed, and package id → why Solr refused its document.

    Raises:
        compat.IndexFailed: the index could not be reached; the rest waits for the next tick.
    """
    number = 0
    refused: dict[str, str] = {}
    after: tuple[dt.datetime, str] | None = None
    end = time.monotonic() + most_seconds
    while batch := oldest(BATCH, after=after, attempts=REFUSALS):
        errors = index_pending(batch)
        refused |= errors
        number += len(batch) - len(errors)
        after = max((since, id_) for id_, since in batch.items())
        if time.monotonic() > end:
            break
    return number, refused
