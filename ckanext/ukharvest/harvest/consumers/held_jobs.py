"""Background jobs that plugins queue while datasets are written: rows of the same transaction.

After the commit they are sent to the queue, at least once: what a failing queue or a killed process
leaves is sent by the sweeper. A plugin knows its job by the id, which stays.
"""

from __future__ import annotations

import datetime as dt
import logging
import pickle
from collections.abc import Collection, Sequence
from functools import partial

import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest.consumers import failures
from ckanext.ukharvest.harvest.database import any_number, execute
from ckanext.ukharvest.harvest.model import HeldJob, database_time
from ckanext.ukharvest.write_batch import WriteBatch

Session = model.Session
log = logging.getLogger(__name__)

PATIENCE = dt.timedelta(minutes=1)  # in which a process sends what it stored
MOST = 1000  # that a tick sends


def store_held_jobs(batch: WriteBatch) -> list[int]:
    """Store the jobs of a batch; return their rows' ids; no commit."""
    rows = [
        {
            "queue": jobs.remove_queue_name_prefix(held.queue),
            "job_id": held.job.id,
            "call": held.call,
            "title": (held.job.meta or {}).get("title"),
        }
        for held in batch.jobs
    ]
    if not rows:
        return []
    return list(Session.scalars(sa.insert(HeldJob).values(rows).returning(HeldJob.id)))


def send_held_jobs(ids: Collection[int]) -> None:
    """Send jobs that were stored and committed, and forget them; commits; never raises."""
    if not ids:
        return
    try:
        failures.try_to_queue(partial(_send, list(ids)))
    except Exception:
        log.exception("Background jobs of harvested datasets wait for the sweeper")
        compat.rollback()


def send_left_jobs() -> list[str]:
    """Send what was left, the oldest first: a step of the sweeper."""
    is_left = HeldJob.created < database_time() - PATIENCE
    query = sa.select(HeldJob.id).where(is_left).order_by(HeldJob.id).limit(MOST)
    ids = list(Session.scalars(query))
    number = failures.try_to_queue(partial(_send, ids)) if ids else 0
    return [f"queued {counted(number, 'background job')} of plugins"] if number else []


def _send(ids: Sequence[int]) -> int:
    """Send jobs in their order until the queue fails; commit; return their number.

    One that cannot be sent, such as with a class of a plugin that is gone, is logged and dropped.
    """
    query = sa.select(HeldJob).where(HeldJob.id == any_number(ids)).order_by(HeldJob.id)
    sent, dropped = list[int](), list[int]()
    try:
        for row in Session.scalars(query):
            try:
                _enqueue(row)
                sent.append(row.id)
            except Exception as exc:
                if failures.is_queue_fault(exc):
                    raise
                log.exception("Background job %s (%s) is dropped", row.job_id, row.title)
                dropped.append(row.id)
    finally:
        execute(sa.delete(HeldJob).where(HeldJob.id == any_number([*sent, *dropped])))
        Session.commit()
    return len(sent)


def _enqueue(row: HeldJob) -> None:
    func, args, kwargs, more = pickle.loads(row.call)  # noqa: S301 - packed by HeldQueue
    own = {"job_id": row.job_id, "meta": {"title": row.title}}
    jobs.get_queue(row.queue).enqueue_call(func, args, kwargs, **{**more, **own})
