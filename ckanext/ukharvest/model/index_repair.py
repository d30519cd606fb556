"""Compare the search index with the database, and repair the index.

They differ after a process was killed between both writes, or after an older backup of the database
or of the index was restored.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model
from ckan.lib import search
from ckan.lib.search.common import SearchIndexError, make_connection
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat
from ckanext.ukharvest.model import Record
from ckanext.ukharvest.reading.record_classifier import KnownRecord

log = logging.getLogger(__name__)
Session = model.Session

PAGE = 1000  # ids in one question to Solr
BATCH = 100  # ids in one deletion


def found_ids(source_id: str) -> set[str]:
    """Return the ids of the datasets that the index shows for a source.

    Raises:
        SearchIndexError, pysolr's and the connection's errors: the index does not answer.
    """
    return set(_found(f'+harvest_source_id:"{source_id}" +dataset_type:dataset'))


def _found(query: str) -> dict[str, str]:
    """Return package id → time of its last change, as the index has it."""
    connection = make_connection()
    query += f' +site_id:"{tk.config.get("ckan.site_id")}"'
    found: dict[str, str] = {}
    cursor, last = "*", ""
    while cursor != last:
        answer = connection.search(
            query,
            fl="id,metadata_modified",
            rows=PAGE,
            sort="index_id asc",
            cursorMark=cursor,
        )
        found.update((each["id"], _second(each.get("metadata_modified"))) for each in answer)
        last, cursor = cursor, answer.nextCursorMark
    return found


def _second(time: Any) -> str:
    """Return a time up to its second; clients of Solr return dates as text or as datetime."""
    return str(time).replace(" ", "T")[:19]


def remove(package_ids: Sequence[str]) -> None:
    """Take datasets out of the index.

    Raises:
        SearchIndexError: the index could not be written.
    """
    site = tk.config.get("ckan.site_id")
    for start in range(0, len(package_ids), BATCH):
        either = " OR ".join(f'"{each}"' for each in package_ids[start : start + BATCH])
        try:
            make_connection().delete(q=f'+site_id:"{site}" +id:({either})', commit=True)
        except Exception as exc:
            raise SearchIndexError(str(exc)) from exc


def put(package_ids: Sequence[str]) -> None:
    """Index datasets as the database has them."""
    if package_ids:
        search.rebuild(package_ids=list(package_ids), force=True, quiet=True)


def mend(source_id: str, records: Iterable[KnownRecord]) -> int:
    """Bring the index in line with the database, for the datasets of one source.

    Costs one question to Solr for each 1,000 datasets. A failure is logged: a run does not end
    for it, the next one tries again.

    Args:
        records: what is known of the source's records; of those without a current harvest
            object the index does not say whose they are.

    Returns:
        The number of datasets that the index lacked, showed without need, or showed as they were
        at another time.
    """
    expected = {
        each.package_id
        for each in records
        if each.package_id and each.is_active and each.has_current
    }
    try:
        found = _found(f'+harvest_source_id:"{source_id}" +dataset_type:dataset')
        more = found.keys() - expected
        ghosts = sorted(more - set(_active(more)))
        stale = expected & _changed(found, _of_source(source_id))
        wrong = sorted(expected - found.keys() | stale)
        if ghosts or wrong:
            log.warning(
                "The search index showed %d datasets of source %s that are gone, and %d were"
                " missing or out of date",
                len(ghosts),
                source_id,
                len(wrong),
            )
        remove(ghosts)
        put(wrong)
    except Exception:  # noqa: BLE001 - whatever pysolr, requests or CKAN raise
        log.exception("The search index could not be compared for source %s", source_id)
        return 0
    return len(ghosts) + len(wrong)


def _of_source(source_id: str) -> sa.Select[Any]:
    return (
        sa.select(model.Package.id, model.Package.metadata_modified)
        .join(Record, Record.package_id == model.Package.id)
        .where(Record.source_id == source_id)
    )


def _changed(found: Mapping[str, str], packages: sa.Select[Any]) -> set[str]:
    """Return the ids that the index shows as they were before or after their last change."""
    rows = Session.execute(packages.execution_options(yield_per=PAGE))
    return {id_ for id_, at in rows if id_ in found and found[id_] != _second(at)}


def mend_sources() -> int:
    """Bring the index in line with the database, for harvest sources and those that are gone.

    Returns:
        The number of search results that were wrong: sources, and datasets of unknown sources.

    Raises:
        SearchIndexError, pysolr's and the connection's errors: the index does not answer.
    """
    found = _found("+dataset_type:harvest")
    query = sa.select(model.Package.id, model.Package.metadata_modified)
    query = query.where(model.Package.type == "harvest", model.Package.state == "active")
    there = set(Session.scalars(query.with_only_columns(model.Package.id)))
    wrong = (there ^ found.keys()) | _changed(found, query)
    compat.index_packages(sorted(wrong))
    ghosts: set[str] = set()
    for source_id in sorted(_shown_sources() - _source_ids()):
        ids = found_ids(source_id)
        ghosts |= ids - set(_active(ids))
    remove(sorted(ghosts))
    return len(wrong) + len(ghosts)


def _shown_sources() -> set[str]:
    """Return the ids of all sources that the index shows datasets of."""
    field = "harvest_source_id"
    site = tk.config.get("ckan.site_id")
    more = {"facet.field": field, "facet.limit": -1, "facet.mincount": 1}
    query = f'+site_id:"{site}" +dataset_type:dataset'
    answer = make_connection().search(query, rows=0, facet="true", **more)
    return set(answer.facets["facet_fields"].get(field, ())[::2])


def _source_ids() -> set[str]:
    return set(Session.scalars(sa.select(HarvestSource.id)))


def _active(ids: Collection[str]) -> Iterator[str]:
    wanted = sorted(ids)
    for start in range(0, len(wanted), PAGE):
        query = Session.query(model.Package.id).filter(
            model.Package.id.in_(wanted[start : start + PAGE]), model.Package.state == "active"
        )
        yield from (row[0] for row in query)
