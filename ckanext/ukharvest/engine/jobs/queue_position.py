"""What a job that a person watches waits for, and how long at most."""

from __future__ import annotations

import datetime as dt
import math
from typing import TypedDict

from ckan.lib import jobs
from rq import Worker
from rq.exceptions import NoSuchJobError
from rq.job import Job

from ckanext.ukharvest.engine.jobs.interruption import LINKS, LONGEST, PERSON

SOON = 5  # seconds in which a job begins that nothing is ahead of


class QueuePosition(TypedDict):
    """The place of a waiting job in its queue.

    Attributes:
        workers: number of jobs workers.
        before: number of jobs before this one in the queue.
        running: what the workers are busy with: "links", "person" (a test of another person),
            "other", or "" with nothing.
        seconds: in which the job begins at the latest, rounded up; None if not known.
    """

    workers: int
    before: int
    running: str
    seconds: int | None


def queue_position(job_id: str) -> QueuePosition:
    """Return what a job of the default queue waits for."""
    queue = jobs.get_queue()
    ids = queue.job_ids
    before = ids[: ids.index(job_id)] if job_id in ids else []
    workers = Worker.all(queue=queue)
    current = [worker.get_current_job_id() for worker in workers]
    # A free worker would have taken the job; Redis knows one that was killed for minutes.
    running = sorted((_seconds_left(id_), id_) for id_ in current if id_ and id_ != job_id)
    seconds = sum(map(_seconds_left, before)) + (running[0][0] if running else 0)
    return {
        "workers": len(workers),
        "before": len(before),
        "running": _kind(running[0][1]) if running else "",
        "seconds": _rounded(seconds) if workers else None,
    }


def _kind(job_id: str) -> str:
    if job_id.startswith(LINKS):
        return "links"
    return "person" if job_id.startswith(PERSON) else "other"


def _seconds_left(job_id: str) -> float:
    """Return how long a job takes at most from now, infinity without a limit."""
    queue = jobs.get_queue()
    try:
        job = Job.fetch(job_id, connection=queue.connection)
    except NoSuchJobError:  # it has ended
        return 0.0
    own = (job.meta or {}).get(LONGEST)
    longest = float(own or job.timeout or 0)
    if longest <= 0:
        return math.inf
    if own and job_id.startswith(LINKS) or job.started_at is None:
        return longest
    return max(0.0, longest - _age(job.started_at))


def _age(since: dt.datetime) -> float:
    """Return the seconds since a time, which RQ has with or without its zone (UTC)."""
    aware = since if since.tzinfo else since.replace(tzinfo=dt.timezone.utc)
    return (dt.datetime.now(dt.timezone.utc) - aware).total_seconds()


def _rounded(seconds: float) -> int | None:
    if math.isinf(seconds):
        return None
    if seconds <= SOON:
        return SOON
    step = 10 if seconds <= 60 else 60
    return math.ceil(seconds / step) * step
