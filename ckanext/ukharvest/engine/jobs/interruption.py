"""End background work early when a job that a person watches is queued.

A portal usually has one ``ckan jobs worker``, which runs one job after the other. Each of our
background jobs runs inside ``watch`` and ends within three seconds when a person's job (a test, a
check, a dry run) waits in its queue; then it queues itself again, behind that job.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from ckan.lib import jobs
from ckan.model import Session
from redis.exceptions import RedisError
from rq import Queue

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.errors import Aborted

log = logging.getLogger(__name__)

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
