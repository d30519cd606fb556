"""Leave rollbacks and commits to the savepoint around them, and background jobs to the commit.

CKAN's actions roll back the whole transaction when they refuse one dataset (write_batch.py), CKAN
2.11's package_owner_org_update commits when a dataset leaves an organisation, and jobs that plugins
enqueue meanwhile would run before the commit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckan import model
from ckan.lib import jobs

from ckanext.ukharvest import write_batch


def _always() -> bool:
    # Not a fault of a release: our batches need it.
    return True


def _patch_rollback() -> None:
    stock: Callable[[], None] = model.Session.rollback

    def rollback() -> None:
        batch = write_batch.current()
        if not (batch and batch.is_in_savepoint):
            stock()

    model.Session.rollback = rollback


def _patch_commit() -> None:
    stock: Callable[[], None] = model.Session.commit

    def commit() -> None:
        batch = write_batch.current()
        if batch and batch.is_in_savepoint:
            model.Session.flush()
        else:
            stock()

    model.Session.commit = commit


def _patch_queue() -> None:
    stock: Callable[..., Any] = jobs.get_queue

    def get_queue(*args: Any, **more: Any) -> Any:
        batch = write_batch.written()
        queue = stock(*args, **more)
        return write_batch.HeldQueue(queue, batch) if batch else queue

    jobs.get_queue = get_queue


PATCHES = (
    ("rollback-to-savepoint (for our own writes)", _always, _patch_rollback),
    ("commit-after-savepoint (for our own writes)", _always, _patch_commit),
    ("jobs-after-commit (for our own writes)", _always, _patch_queue),
)
