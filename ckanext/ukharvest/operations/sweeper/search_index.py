"""Keep the search index in line with the database."""

from __future__ import annotations

import datetime as dt

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.engine import search_index
from ckanext.ukharvest.model import index_repair, pending_index, record_state, utcnow
from ckanext.ukharvest.operations.sweeper import pauses

NOTE = "ukharvest.index"  # key in system_info: when the whole index was compared
# An organisation of which all datasets are indexed again must not hold up the other steps.
MOST_SECONDS = 300.0
DAY = dt.timedelta(hours=23)  # a tick that is a little early must not shift the night's comparison


def index_pending() -> list[str]:
    """Index the datasets that wait; what is left after five minutes waits for the next tick.

    Their index request failed, the process was killed, or the type of their organisation changed.
    """
    try:
        number, refused = search_index.catch_up(MOST_SECONDS)
    except compat.IndexFailed as exc:
        waiting = pending_index.backlog(utcnow()).number
        return [f"{waiting:,} datasets wait for the search index, which does not answer: {exc}"]
    did = [f"indexed {counted(number, 'dataset')} missing or out of date"] if number else []
    return did + [
        f"the search index refused dataset {package_id}: {why}"
        for package_id, why in refused.items()
    ]


def compare_all() -> list[str]:
    """Once a day, compare all sources and their datasets in the index with the database.

    A run does so for its own source, but after a backup was restored there can be sources that do
    not run, and datasets of sources that are gone.
    """
    if pauses.since(NOTE, DAY):
        return []
    number = mend_all()
    pauses.begin(NOTE)
    return [f"mended {counted(number, 'search result')} that differed from the database"] * bool(
        number
    )


def mend_all() -> int:
    """Compare the index with the database and repair it; return how many results were wrong.

    Raises:
        SearchIndexError, pysolr's and the connection's errors: the index does not answer.
    """
    number = index_repair.mend_sources()
    ours = sa.select(HarvestSource.id).where(HarvestSource.type.in_(config.our_type_names()))
    for source_id in list(model.Session.scalars(ours)):
        number += index_repair.mend(source_id, record_state.known_records(source_id).values())
    return number
