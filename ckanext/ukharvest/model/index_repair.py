"""Compare a source's datasets in the search index with those in the database, and repair the index.

They differ after a process was killed between both writes, or after an older backup of the
database was restored.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.lib import search
from ckan.lib.search.common import SearchIndexError, make_connection

from ckanext.ukharvest.reading.known_record import KnownRecord

log = logging.getLogger(__name__)
Session = model.Session

PAGE = 1000  # ids in one question to Solr
BATCH = 100  # ids in one deletion


def found_ids(source_id: str) -> set[str]:
    """Return the ids of the datasets that the index shows for a source.

    Raises:
        SearchIndexError, pysolr's and the connection's errors: the index does not answer.
    """
    connection = make_connection()
    site = tk.config.get("ckan.site_id")
    query = f'+harvest_source_id:"{source_id}" +site_id:"{site}" +dataset_type:dataset'
    found: set[str] = set()
    cursor, last = "*", ""
    while cursor != last:
        answer = connection.search(
            query, fl="id", rows=PAGE, sort="index_id asc", cursorMark=cursor
        )
        found.update(each["id"] for each in answer)
        last, cursor = cursor, answer.nextCursorMark
    return found


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


def mend(source_id: str, records: Iterable[KnownRecord]) -> None:
    """Bring the index in line with the database, for the datasets of one source.

    Costs one question to Solr for each 1,000 datasets. A failure is logged: a run does not end
    for it, the next one tries again.

    Args:
        records: what is known of the source's records; of those without a current harvest
            object the index does not say whose they are.
    """
    expected = {
        each.package_id
        for each in records
        if each.package_id and each.is_active and each.has_current
    }
    try:
        found = found_ids(source_id)
        ghosts = sorted(found - set(expected) - set(_active(found - set(expected))))
        missing = sorted(set(expected) - found)
        if ghosts or missing:
            log.warning(
                "The search index showed %d datasets of source %s that are gone, and lacked %d",
                len(ghosts),
                source_id,
                len(missing),
            )
        remove(ghosts)
        put(missing)
    except Exception:  # noqa: BLE001 - whatever pysolr, requests or CKAN raise
        log.exception("The search index could not be compared for source %s", source_id)


def _active(ids: Collection[str]) -> Iterator[str]:
    wanted = sorted(ids)
    for start in range(0, len(wanted), PAGE):
        query = Session.query(model.Package.id).filter(
            model.Package.id.in_(wanted[start : start + PAGE]), model.Package.state == "active"
        )
        yield from (row[0] for row in query)
