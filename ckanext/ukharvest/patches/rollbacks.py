"""Leave rollbacks and commits to the savepoint around them, and background jobs to the commit.

CKAN's actions roll back the whole transaction when they refuse one dataset (engine/savepoints.py),
CKAN 2.11's package_owner_org_update commits when a dataset leaves an organisation, and jobs that
plugins enqueue meanwhile would run before the commit (engine/held_jobs.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckan import model
from ckan.lib import jobs

from ckanext.ukharvest.engine import held_jobs, savepoints


def _always() -> bool:
    # Not a fault of a release: our batches need it.
    return True


def _patch_rollback() -> None:
    stock: Callable[[], None] = model.Session.rollback

    def rollback() -> None:
        if not savepoints.is_rollback_held():
            stock()

    model.Session.rollback = rollback


def _patch_commit() -> None:
    stock: Callable[[], None] = model.Session.commit

    def commit() -> None:
        if savepoints.is_rollback_held():
            model.Session.flush()
        else:
            stock()

    model.Session.commit = commit


def _patch_queue() -> None:
    stock: Callable[..., Any] = jobs.get_queue

    def get_queue(*args: Any, **more: Any) -> Any:
        return held_jobs.wrap(stock(*args, **more))

    jobs.get_queue = get_queue


PATCHES = (
    ("rollback-to-savepoint (for our own writes)", _always, _patch_rollback),
    ("commit-after-savepoint (for our own writes)", _always, _patch_commit),
    ("jobs-after-commit (for our own writes)", _always, _patch_queue),
)
