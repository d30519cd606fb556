"""Checks that compare the search index with the database."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model
from ckan.lib import search
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.model import pending_index, utcnow
from ckanext.ukharvest.operations.doctor.finding import (
    ERROR,
    EXAMPLES,
    INDEX,
    STUCK,
    WARNING,
    Finding,
    examples,
)

Session = model.Session

LONG = datetime.timedelta(hours=1)  # that datasets may wait for the index
BATCH = 1000  # ids per query to Solr or PostgreSQL


def index() -> Iterator[Finding]:
    """Find datasets missing from the search index, and search results without a dataset."""
    missing, lacking = _first(missing_in_index())
    if lacking:
        yield Finding(
            ERROR,
            "index",
            f"{counted(lacking, 'harvested dataset')} missing from the search index: "
            f"{examples(missing)}.",
            "Run 'ckan ukharvest doctor --fix', or 'ckan search-index rebuild -o'.",
            INDEX,
        )
    yield from _waiting_for_index()
    # CKAN writes Solr before its database: a crash in between leaves a result without a dataset.
    ghosts, more = _first(without_dataset())
    if more:
        yield Finding(
            ERROR,
            "index",
            f"{counted(more, 'search result')} without a dataset: {examples(ghosts)}.",
            "Run 'ckan ukharvest doctor --fix', or 'ckan search-index rebuild -c'.",
            INDEX,
        )


def _waiting_for_index() -> Iterator[Finding]:
    """Find datasets that several ticks could not index."""
    waiting = pending_index.backlog(utcnow() - LONG)
    if waiting.oldest:
        yield Finding(
            WARNING,
            "index",
            f"{counted(waiting.number, 'dataset')} not in the search index yet, the oldest since "
            f"{waiting.oldest:%Y-%m-%d %H:%M} UTC; it refused {waiting.refused:,} of them.",
            "Check that Solr answers and that 'ckan harvester run' comes from cron: each tick tries"
            " again. The log says why Solr refuses a document.",
            STUCK,
        )


def missing_in_index() -> Iterator[list[str]]:
    """Yield ids of harvested datasets that the search index lacks, in batches."""
    for batch in _harvested_ids():
        yield sorted(set(batch) - _indexed(batch))


def without_dataset() -> Iterator[list[str]]:
    """Yield ids of search results whose dataset does not exist, in batches."""
    for batch in _solr_ids():
        yield sorted(set(batch) - existing(batch))


def _first(batches: Iterator[list[str]]) -> tuple[list[str], int]:
    """Return the first ids, and the number of all."""
    first: list[str] = []
    count = 0
    for batch in batches:
        count += len(batch)
        first.extend(batch[: EXAMPLES + 1 - len(first)])
    return first, count


def _harvested_ids() -> Iterator[list[str]]:
    """Yield ids of active datasets with a current harvest object, in batches."""
    last = ""
    current = sa.exists().where(
        HarvestObject.package_id == model.Package.id, HarvestObject.current.is_(True)
    )
    query = sa.select(model.Package.id).where(model.Package.state == "active", current)
    while True:
        page = query.where(model.Package.id > last).order_by(model.Package.id).limit(BATCH)
        batch = list(Session.scalars(page))
        if not batch:
            return
        last = batch[-1]
        yield batch


def existing(ids: list[str]) -> set[str]:
    """Return those of these ids that are of datasets not deleted."""
    return set(
        Session.scalars(
            sa.select(model.Package.id).where(
                model.Package.id.in_(ids), model.Package.state != "deleted"
            )
        )
    )


def _indexed(ids: list[str]) -> set[str]:
    found = search.make_connection().search(
        "*:*", fq=[_site(), "{!terms f=id}" + ",".join(ids)], fl="id", rows=len(ids)
    )
    return {document["id"] for document in found.docs}


def _solr_ids() -> Iterator[list[str]]:
    """Yield ids of all datasets of this site in the search index, in batches."""
    solr = search.make_connection()
    cursor = "*"
    while True:
        found = solr.search(
            "*:*",
            fq=[_site(), "+dataset_type:dataset"],
            fl="id",
            rows=BATCH,
            sort="index_id asc",
            cursorMark=cursor,
        )
        if found.docs:
            yield [document["id"] for document in found.docs]
        if not found.docs or found.nextCursorMark == cursor:
            return
        cursor = found.nextCursorMark


def _site() -> str:
    return '+site_id:"{}" +entity_type:package'.format(tk.config.get("ckan.site_id") or "default")
