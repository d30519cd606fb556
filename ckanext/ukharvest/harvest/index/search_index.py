"""Index datasets after their commit, note what waits, compare and repair the index."""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.lib.search.common import make_connection
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat
from ckanext.ukharvest.harvest.database import any_text
from ckanext.ukharvest.harvest.index.index_values import load_index_values
from ckanext.ukharvest.harvest.index.pending_index import (
    add_pending,
    count_attempt,
    load_marks,
    oldest_pending,
    remove_pending,
)
from ckanext.ukharvest.harvest.model import Record, utcnow
from ckanext.ukharvest.reading.record_classifier import KnownRecord
from ckanext.ukharvest.write_batch import Pending

Session = model.Session
log = logging.getLogger(__name__)


PAGE = 1000  # ids in one question to Solr
BATCH = 100  # datasets in one request


def indexed_ids(source_id: str) -> set[str]:
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


def put_in_index(package_ids: Sequence[str]) -> None:
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


def mend_source(
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
    pending = load_marks(ghosts | wrong).keys()
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
    for repair, ids in ((compat.remove_from_index, sorted(ghosts)), (put_in_index, sorted(wrong))):
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
        ids = indexed_ids(source_id)
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


def index_committed(pending: Mapping[str, dt.datetime]) -> dict[str, str]:
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
        todo = load_marks(again) if again else {}
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
        _log_refusals(index_committed(pending))
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
    while batch := oldest_pending(BATCH, after=after, attempts=REFUSALS):
        errors = index_committed(batch)
        refused |= errors
        number += len(batch) - len(errors)
        after = max((since, id_) for id_, since in batch.items())
        if time.monotonic() > end:
            break
    return number, refused
