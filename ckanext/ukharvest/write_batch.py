"""The records that are being written, where CKAN's hooks and our patches find them.

CKAN calls those, so that nothing can be handed to them but in a context variable.
"""

from __future__ import annotations

import datetime as dt
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.link_states import Evidence

Pending = dict[str, dt.datetime]  # package id → time of the write to index


class HeldCall(NamedTuple):
    """A background job that waits for the commit.

    Attributes:
        queue: RQ's name of its queue.
        job: RQ's, not stored yet.
        call: pickled: function or its name, args, kwargs, and RQ's options by name.
    """

    queue: str
    job: Any
    call: bytes


@dataclass(slots=True)
class WriteBatch:
    """What belongs to one transaction of the writer, or to one request to the search index.

    Attributes:
        pending: the datasets to index after the commit.
        jobs: background jobs that plugins made, to store before the commit and to send after it
            (harvest/consumers/held_jobs.py): the datasets that they are about may be rolled back.
        own_rows: tables and rows of features to save before the commit, one statement a table.
        resource_ids: dataset id → ids of the resources of a new dataset, in their order.
        links: URL → what its link check found.
        free_names: names of new datasets, which no dataset has.
        found: organisations and users that were asked for (patches/validation.py).
        is_in_savepoint: rollbacks and commits of the session are left to ``savepoint``.
        is_trial: the transaction will be rolled back, whatever is written.
        compares: of a trial: changed datasets are saved, so that it shows what changes in them.
        hook_savepoint: of a trial: the innermost one while a plugin's hook runs, else None.
        has_committed: the hook tried to commit it.
        documents: collects what would be sent to the index; None while datasets are written.
        index_values: dataset id → ``IndexValues`` of datasets that are indexed.
        rows: their rows (``bulk_rows``); None: CKAN reads them.
    """

    pending: Pending = field(default_factory=dict)
    jobs: list[HeldCall] = field(default_factory=list)
    own_rows: list[tuple[Any, Mapping[str, Any]]] = field(default_factory=list)
    resource_ids: dict[str, list[str]] = field(default_factory=dict)
    links: dict[str, Evidence] = field(default_factory=dict)
    free_names: set[str] = field(default_factory=set)
    found: dict[Any, Any] = field(default_factory=dict)
    is_in_savepoint: bool = False
    is_trial: bool = False
    compares: bool = False
    hook_savepoint: Any = None
    has_committed: bool = False
    documents: list[dict[str, Any]] | None = None
    index_values: Mapping[str, Any] = field(default_factory=dict)
    rows: Any = None

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what the block wrote if it raises; the rest of the transaction stays. May be nested.

        Undone too: what CKAN notes for its listeners, background jobs and rows of features.

        ``package_create`` and ``package_update`` call ``Session.rollback()`` when validation fails.
        On SQLAlchemy 2 that ends the outermost transaction, savepoints included, so it is held back
        inside the block (patches): the savepoint is rolled back instead. A commit in
        the block only flushes: the batch commits.
        """
        session = model.Session()
        rows, jobs = len(self.own_rows), len(self.jobs)
        is_within_another = self.is_in_savepoint
        nested = session.begin_nested()
        noted = {key: set(value) for key, value in getattr(session, "_object_cache", {}).items()}
        self.is_in_savepoint = True
        try:
            yield
            nested.commit()
        except BaseException:
            # Not after a commit that a trial has refused; but after a flush that failed.
            inner = session.get_nested_transaction()
            while inner is not None and inner is not nested:  # CKAN 2.12's update leaves one open
                inner = inner.parent
            if inner is not None:
                inner.rollback()
            if noted:  # CKAN deletes it after a rollback
                session._object_cache = noted
            elif hasattr(session, "_object_cache"):
                del session._object_cache
            del self.own_rows[rows:], self.jobs[jobs:]
            raise
        finally:
            self.is_in_savepoint = is_within_another


_current: ContextVar[WriteBatch | None] = ContextVar("ukharvest_write_batch", default=None)


@contextmanager
def collect(*, is_trial: bool = False, compares: bool = False) -> Iterator[WriteBatch]:
    """Write datasets inside the block, which commits. CKAN's own indexing is off meanwhile.

    Args:
        is_trial: what the block writes is rolled back at its end.
        compares: of a trial: see ``WriteBatch``.
    """
    batch = WriteBatch(is_trial=is_trial, compares=compares)
    with use(batch):
        if not is_trial:
            yield batch
            return
        session = model.Session()
        sa.event.listen(session, "before_commit", _refuse_commit)
        try:
            yield batch
        finally:
            sa.event.remove(session, "before_commit", _refuse_commit)
            session.rollback()


class Validated(Exception):  # noqa: N818 - no error: it ends an action that has done its part
    """The portal's validators have accepted a dataset in a trial: what comes after is left out."""


class CommitRefused(UkharvestError):
    """Something tried to commit in a trial, which saves nothing."""

    def __init__(self) -> None:
        super().__init__("it commits, which a test must not: a test saves nothing")


def _refuse_commit(session: Any) -> None:
    """Keep plugins from ending the transaction of a trial, or the savepoint around their hook.

    The latter is all that a commit ends on SQLAlchemy 1.4.
    """
    batch, nested = _current.get(), session.get_nested_transaction()
    if nested is None or (batch and nested is batch.hook_savepoint):
        if batch:
            batch.has_committed = True
        raise CommitRefused


@contextmanager
def use(batch: WriteBatch) -> Iterator[None]:
    """Let hooks and patches find this batch inside the block."""
    token = _current.set(batch)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> WriteBatch | None:
    """Return the batch that is being written or indexed."""
    return _current.get()


def written() -> WriteBatch | None:
    """Return the batch whose datasets are being written, and not indexed yet."""
    batch = _current.get()
    return batch if batch and batch.documents is None else None


class HeldQueue:
    """A queue of RQ whose jobs wait for the commit of the batch; nothing asks Redis before."""

    def __init__(self, queue: Any, batch: WriteBatch) -> None:
        self._queue = queue
        self._batch = batch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def enqueue_call(self, func: Any, args: Any = None, kwargs: Any = None, **more: Any) -> Any:
        """Make a job as RQ does, and keep it; CKAN gives it a title afterwards."""
        own = {key: value for key, value in more.items() if key != "at_front"}
        job = self._queue.create_job(func, args, kwargs, **own)
        job.save = lambda *_args, **_kwargs: None
        if others := more.get("depends_on"):
            several = others if isinstance(others, (list, tuple)) else [others]
            more["depends_on"] = [getattr(other, "id", other) for other in several]
        more = {key: value for key, value in more.items() if key not in ("job_id", "meta")}
        name = func if job.instance is not None else job.func_name
        # As RQ stores it: what cannot be pickled is the plugin's error, here and now.
        call = pickle.dumps((name, args, kwargs, more))
        self._batch.jobs.append(HeldCall(self._queue.name, job, call))
        return job
