"""Background jobs: those that a person watches go first; the job of checks and its daily budget."""

from __future__ import annotations

import datetime as dt
import logging
import math
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypedDict

import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs
from ckan.plugins import toolkit as tk
from redis.exceptions import RedisError
from rq import Queue, Worker
from rq.exceptions import NoSuchJobError
from rq.job import Job

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.errors import Aborted
from ckanext.ukharvest.harvest import database, lists
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.database import execute

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
def watch_queue() -> Iterator[Interruption]:
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
        workers: number of jobs workers; 0 too if Redis does not answer.
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
    try:
        return _queue_position(job_id)
    except RedisError as exc:
        log.warning("Redis does not tell what job %s waits for: %s", job_id, exc)
        return {"workers": 0, "before": 0, "running": "", "seconds": None}


def _queue_position(job_id: str) -> QueuePosition:
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


LENGTH = 180.0  # seconds of one job
TIMEOUT = 1200  # seconds after which RQ ends a job that hangs


@dataclass(frozen=True, slots=True)
class Shift:
    """What one pass over the work that is due has to keep to.

    Attributes:
        until: ``time.monotonic()`` at which to stop; None: do all.
        source_id: only links and data of this source's datasets.
        tell: called with the URL of a link, of data or of a schema, and what was found there: a
            ``LinkResult`` or a text.
        interruption: ends the work; what is under way stays due.
    """

    until: float | None = None
    source_id: str | None = None
    tell: Callable[[str, Any], None] = lambda _url, _found: None
    interruption: Interruption = field(default_factory=Interruption)

    def is_late(self) -> bool:
        """Tell whether the time is up, or the work has to end now."""
        is_time_up = self.until is not None and time.monotonic() >= self.until
        return is_time_up or self.interruption.is_set()


class Work(NamedTuple):
    """A part of the background job.

    Attributes:
        do: does what is due; returns whether the shift ended before all was done.
        is_due: whether anything is due that the day's budget allows.
        has_rest: whether anything is left that costs no request.
        ask: makes a dataset's checks that depend on those of its links due now, by its id.
    """

    do: Callable[[Shift], bool]
    is_due: Callable[[], bool]
    has_rest: Callable[[], object] = lambda: False
    ask: Callable[[str], object] = lambda _package_id: None


def enqueue_background() -> bool:
    """Queue the job; return False if one is queued or running already."""
    queue = jobs.get_queue()
    known = [*queue.job_ids, *queue.started_job_registry.get_job_ids()]
    if any(id_.startswith(LINKS) for id_ in known):
        return False
    _send()
    return True


def _send() -> None:
    own = {"job_id": f"{LINKS}{uuid.uuid4()}", "timeout": TIMEOUT, "meta": {LONGEST: WITHIN}}
    tk.enqueue_job(work_for_minutes, title="Check links of harvested resources", rq_kwargs=own)


def work_for_minutes() -> None:
    """Do what is due for some minutes: the background job. Never raises.

    If the database or Redis is down, it logs that and ends; the sweeper's next tick queues another.
    """
    is_more = False
    try:
        if is_person_waiting():
            _send()  # behind the person's job
            return
        with database.hold_alone(database.LINKS) as is_alone:
            if not is_alone:
                log.info("Another process is checking links; this one does nothing")
            elif config.checks_links():
                with watch_queue() as interruption:
                    until = time.monotonic() + LENGTH
                    is_more = do_due_work(Shift(until=until, interruption=interruption))
        if is_more:  # after the lock is released: an idle jobs worker starts it at once
            _send()
    except Exception:  # noqa: BLE001 - see above
        log.exception("Looking at links ended before it was done")
        compat.rollback()


def do_due_work(shift: Shift) -> bool:
    """Do what is due, with the lock of link checks; return whether anything remains."""
    try:
        return any(part.do(shift) for part in lists.WORK)
    except Aborted:
        return True


class LinkDay(tk.BaseModel):  # type: ignore[misc, name-defined]
    """What link checks cost on one day, UTC.

    Attributes:
        requests: with redirects; received: bytes, unpacked.
        links: number of links that were checked.
    """

    __tablename__ = "ukharvest_link_day"

    day = sa.Column(sa.Date, primary_key=True)
    requests = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")
    received = sa.Column(sa.BigInteger, nullable=False, default=0, server_default="0")
    links = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")


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
    RETURNING requests, received, links
    """
)


@dataclass(frozen=True, slots=True)
class Spent:
    """What link checks have cost on one day: the columns of ``LinkDay``."""

    requests: int = 0
    received: int = 0
    links: int = 0

    def allows(self, requests: int) -> bool:
        """Tell whether so many more requests may be sent that day: the portal's ini has limits."""
        most, most_bytes = config.links_requests(), config.links_megabytes() * MEGABYTE
        has_requests = not most or self.requests + requests <= most
        return has_requests and (not most_bytes or self.received < most_bytes)


MEGABYTE = 1_000_000


def spent_today() -> Spent:
    """Return what was spent since midnight."""
    row = Session.get(LinkDay, tables.utcnow().date(), populate_existing=True)
    return Spent(row.requests, row.received, row.links) if row else Spent()


def note_spent(requests: int, received: int, links: int = 1) -> Spent:
    """Note what checks cost, 0 links for one of data or a schema; return what today's have cost."""
    own = {"requests": requests, "received": received, "links": links}
    return Spent(*Session.execute(_SPEND, {"day": tables.utcnow().date(), **own}).one())


def forget_old_days() -> None:
    """Delete days that are older than KEPT."""
    oldest = tables.utcnow().date() - dt.timedelta(days=KEPT)
    execute(sa.delete(LinkDay).where(LinkDay.day < oldest))
