"""Suspend CKAN's own indexing while our writer is active, and mark datasets as pending instead.

CKAN 2.12 indexes a deleted dataset before its transaction is committed, and CKAN 2.11 every
dataset: a process killed in between leaves search results without a dataset. Our writer adds the
dataset to ``ukharvest_index_pending`` in the dataset's own transaction; search_index.py indexes it
after the commit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ckanext.ukharvest.model import pending_index

Pending = dict[str, dt.datetime]  # package id → time of the write to index

_pending: ContextVar[Pending | None] = ContextVar("ukharvest_pending_index", default=None)


@contextmanager
def suspend_indexing() -> Iterator[Pending]:
    """Suspend CKAN's own indexing inside the block; yield the datasets to index after it."""
    pending: Pending = {}
    token = _pending.set(pending)
    try:
        yield pending
    finally:
        _pending.reset(token)


def is_indexing_suspended() -> bool:
    """Tell whether our writer is active."""
    return _pending.get() is not None


def mark_pending(*package_ids: str) -> None:
    """Mark datasets for indexing after the commit; only inside ``suspend_indexing``."""
    pending = _pending.get()
    if pending is None:
        raise RuntimeError("a dataset can be noted only while indexing is held back")
    new = [id_ for id_ in package_ids if id_ not in pending]
    if new:
        pending |= pending_index.add(new)
