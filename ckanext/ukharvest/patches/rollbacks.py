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
from ckanext.ukharvest.compat import Patch


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


# Methods of SQLAlchemy, which its version 1.4 generates.
HOOKS = (
    Patch("rollback-to-savepoint (for our own writes)", {}, _patch_rollback),
    Patch("commit-after-savepoint (for our own writes)", {}, _patch_commit),
    Patch(
        "jobs-after-commit (for our own writes)",
        {"ckan.lib.jobs:get_queue": "aa2481c8d702 fa58ab2c0b5f"},  # CKAN 2.12, 2.11
        _patch_queue,
    ),
)
