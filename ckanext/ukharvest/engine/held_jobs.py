"""Hold back background jobs until the transaction that they belong to is committed.

Plugins such as xloader or validation enqueue a job when a dataset is saved. Inside a batch its
dataset is not committed yet, and may be rolled back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

_held: ContextVar[HeldJobs | None] = ContextVar("ukharvest_held_jobs", default=None)


@dataclass
class HeldJobs:
    """Jobs that are made, but not on their queue yet."""

    jobs: list[tuple[Any, Any]] = field(default_factory=list)

    def send(self) -> None:
        """Put the jobs on their queues."""
        while self.jobs:
            queue, job = self.jobs.pop(0)
            queue.enqueue_job(job)

    def drop(self, number: int) -> None:
        """Delete all jobs but the first ``number``."""
        while len(self.jobs) > number:
            _queue, job = self.jobs.pop()
            job.delete()


@contextmanager
def hold() -> Iterator[HeldJobs]:
    """Hold back jobs inside the block; ``send`` them after it. If it raises, they are deleted."""
    held = HeldJobs()
    token = _held.set(held)
    try:
        yield held
    except BaseException:
        held.drop(0)
        raise
    finally:
        _held.reset(token)


class HeldQueue:
    """A queue of RQ whose jobs are held back."""

    def __init__(self, queue: Any, held: HeldJobs) -> None:
        self._queue = queue
        self._held = held

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def enqueue_call(self, func: Any, *args: Any, **more: Any) -> Any:
        """Make a job as RQ does, and keep it."""
        more.pop("at_front", None)
        job = self._queue.create_job(func, *args, **more)
        self._held.jobs.append((self._queue, job))
        return job


def wrap(queue: Any) -> Any:
    """Return the queue, or one that holds back jobs inside ``hold``."""
    held = _held.get()
    return queue if held is None else HeldQueue(queue, held)


def mark() -> int:
    """Return the number of jobs held so far."""
    held = _held.get()
    return len(held.jobs) if held else 0


def back_to(number: int) -> None:
    """Delete the jobs held since ``mark``."""
    held = _held.get()
    if held:
        held.drop(number)
