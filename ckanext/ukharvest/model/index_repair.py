"""Compare the search index with the database, and repair the index.

They differ after a process was killed between both writes, or after an older backup of the database
or of the index was restored.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model
from ckan.lib import search
from ckan.lib.search.common import SearchIndexError, make_connection
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat
from ckanext.ukharvest.model import Record
from ckanext.ukharvest.model.statements import any_text
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


def remove(package_ids: Sequence[str]) -> None:
    """Take datasets out of the index.

    Raises:
        SearchIndexError: the index could not be written.
    """
    site = tk.config.get("ckan.site_id")
    for start in range(0, len(package_ids), BATCH):
        either = " OR ".join(f'"{id_}"' for id_ in package_ids[start : start + BATCH])
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
        record.package_id
        for record in records
        if record.package_id and record.is_active and record.has_current
    }
    try:
        shown = _shown(f'+harvest_source_id:"{source_id}" +dataset_type:dataset')
        more = shown.keys() - expected
        ghosts = sorted(more - set(_active(more)))
        packages = (
            sa.select(model.Package.id, model.Package.metadata_modified)
            .join(Record, Record.package_id == model.Package.id)
            .where(Record.source_id == source_id)
        )
        wrong = sorted(expected - shown.keys() | (expected & _changed(shown, packages)))
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


def _active(ids: Collection[str]) -> Iterable[str]:
    query = sa.select(model.Package.id).where(model.Package.state == "active")
    return Session.scalars(query.where(model.Package.id == any_text(ids))) if ids else ()
