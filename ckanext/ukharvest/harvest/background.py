"""Background jobs: those that a person watches go first; the daily budget of link checks."""

from __future__ import annotations

import datetime as dt
import logging
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypedDict

import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs
from redis.exceptions import RedisError
from rq import Queue, Worker
from rq.exceptions import NoSuchJobError
from rq.job import Job

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.errors import Aborted
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.model import LinkDay

log = logging.getLogger(__name__)
Session = model.Session

PERSON = "ukharvest-trial-"  # prefix of the ids of jobs that a person watches
LINKS = "ukharvest-links-"  # prefix of the ids of jobs that check links and data
LONGEST = "ukharvest_longest"  # in a job's meta: seconds that it takes while a person waits
EVERY = 0.5  # seconds between two looks at the queue
WITHIN = 3  # seconds in which background work ends


class Interruption:
    """Whether background work has to end now; one that nobody sets never ends it."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._actions: list[Callable[[], None]] = []

    def is_set(self) -> bool:
        return self._event.is_set()

    def sleep(self, seconds: float) -> None:
        """Sleep, but no longer than until the work has to end."""
        self._event.wait(seconds)

    def then(self, action: Callable[[], None]) -> None:
        """Call ``action``, once, in another thread, as soon as the work has to end."""
        with self._lock:
            self._actions.append(action)
            if self._event.is_set():
                action()

    def set(self) -> None:
        with self._lock:
            self._event.set()
            for action in self._actions:
                action()

    @contextmanager
    def cancels_query(self) -> Iterator[None]:
        """Let the block, which only reads the database, end with the work.

        On a large portal it takes many seconds to find what is due.

        Raises:
            Aborted: the query was cancelled.
        """
        cancel = Session.connection().connection.dbapi_connection.cancel
        self.then(cancel)
        try:
            yield
        except sa.exc.OperationalError as exc:
            if not self.is_set():
                raise
            compat.rollback()
            raise Aborted from exc
        finally:
            with self._lock:
                self._actions.remove(cancel)


def is_person_waiting(queue: Queue | None = None) -> bool:
    """Tell whether a job that a person watches waits in the queue.

    Raises:
        RedisError: Redis does not answer.
    """
    return any(id_.startswith(PERSON) for id_ in (queue or jobs.get_queue()).job_ids)


@contextmanager
def watch() -> Iterator[Interruption]:
    """Look at the queue while the block runs; set the interruption when a person waits."""
    interruption, is_over, queue = Interruption(), threading.Event(), jobs.get_queue()

    def look() -> None:
        while not is_over.wait(EVERY):
            try:
                if is_person_waiting(queue):
                    log.info("A person's job waits; the background work ends and goes on later")
                    interruption.set()
                    return
            except RedisError as exc:
                log.warning("Redis does not tell whether a person waits: %s", exc)

    thread = threading.Thread(target=look, name="ukharvest-interruption", daemon=True)
    thread.start()
    try:
        yield interruption
    finally:
        is_over.set()
        thread.join()


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


KEPT = 60  # days
# Text, since SQLAlchemy 2.0 compiles an "insert … on conflict" each time: 3 ms for each link.
_SPEND = sa.text(
    """
    INSERT INTO ukharvest_link_day AS noted (day, requests, received, links)
    VALUES (:day, :requests, :received, :links)
    ON CONFLICT (day) DO UPDATE SET
        requests = noted.requests + excluded.requests,
        received = noted.received + excluded.received,
        links = noted.links + excluded.links
    """
)


@dataclass(frozen=True, slots=True)
class Budget:
    """What link checks may cost a day; 0 is no limit.

    Attributes:
        requests: with redirects.
        received: bytes, unpacked.
    """

    requests: int
    received: int

    def allows(self, spent: Spent, requests: int) -> bool:
        """Tell whether so many more requests may be sent today."""
        has_requests = not self.requests or spent.requests + requests <= self.requests
        return has_requests and (not self.received or spent.received < self.received)


@dataclass(frozen=True, slots=True)
class Spent:
    """What link checks have cost on one day."""

    requests: int = 0
    received: int = 0
    links: int = 0


def spent_today() -> Spent:
    """Return what was spent since midnight."""
    row = Session.get(LinkDay, tables.utcnow().date(), populate_existing=True)
    return Spent(row.requests, row.received, row.links) if row else Spent()


def spend(requests: int, received: int, links: int = 1) -> None:
    """Note the check of a link; of data or a schema if ``links`` is 0."""
    Session.execute(
        _SPEND,
        {
            "day": tables.utcnow().date(),
            "requests": requests,
            "received": received,
            "links": links,
        },
    )


def forget_old_days() -> None:
    """Delete days that are older than KEPT."""
    oldest = tables.utcnow().date() - dt.timedelta(days=KEPT)
    execute(sa.delete(LinkDay).where(LinkDay.day < oldest))
