"""Index datasets after their commit, and retry failures at the next tick.

Pending datasets are in ``ukharvest_index_pending`` (model/pending_index.py), so that none is lost
if a process is killed between commit and indexing.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Mapping

from ckanext.ukharvest import compat
from ckanext.ukharvest.model import index_values, pending_index
from ckanext.ukharvest.write_batch import Pending

log = logging.getLogger(__name__)

BATCH = 100  # datasets per commit of the index
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
        refused |= compat.index_packages(list(todo), index_values.load(todo))
        done = pending_index.remove({id_: at for id_, at in todo.items() if id_ not in refused})
        # Written again during indexing: the index may have the older version.
        again = set(todo) - done - set(refused)
        todo = pending_index.marks(again) if again else {}
    if refused:
        pending_index.count_attempt(sorted(refused))
    return refused


def index_or_leave(pending: Mapping[str, dt.datetime]) -> None:
    """Index committed datasets; what cannot be indexed now stays pending, and the log says so."""
    try:
        for package_id, why in index_pending(pending).items():
            log.warning("The index refused dataset %s: %s", package_id, why)
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
    while batch := pending_index.oldest(BATCH, after=after, attempts=REFUSALS):
        errors = index_pending(batch)
        refused |= errors
        number += len(batch) - len(errors)
        after = max((since, id_) for id_, since in batch.items())
        if time.monotonic() > end:
            break
    return number, refused
