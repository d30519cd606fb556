"""Heartbeats of consumers; only the sweeper sends work again.

ckanext-harvest sends an import again that a consumer took more than 180 seconds ago, by Redis keys,
whether or not it still runs, and compares with ``.seconds``, which drops whole days; its search for
waiting objects compares list with list and finds objects of unfinished gathers (its issues 420 and
446).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

from ckan import model
from ckanext.harvest import queue

from ckanext.ukharvest import compat
from ckanext.ukharvest.engine.queue_messages import read_id
from ckanext.ukharvest.model.workers import Heart
from ckanext.ukharvest.patches import fetch_batches

Session = model.Session

Consume = Callable[[Any, str], Iterator[tuple[Any, Any, str]]]


def beating(stock: Consume) -> Consume:
    def consume(self: queue.RedisConsumer, queue: str) -> Iterator[tuple[Any, Any, str]]:
        """Consume as before, with a heartbeat that says what is being worked on."""
        kind = "gather" if self.message_key == "harvest_job_id" else "fetch"
        with Heart(kind) as heart, fetch_batches.use_heart(heart):
            for method, header, body in stock(self, queue):
                if kind == "gather":  # a fetch consumer says so when it knows what it works on
                    heart.work_on(read_id(body, self.message_key))
                yield method, header, body
                # Of the work; else it would stay open for as long as no message comes.
                compat.close_session()
                heart.rest()

    return consume


def _always() -> bool:
    # Not a fault of a release: the sweeper needs it, whichever ``consume`` is in force.
    return True


def _patch_consume() -> None:
    queue.RedisConsumer.consume = beating(queue.RedisConsumer.consume)


class _TrialRedis:
    """A stand-in with one import that a consumer took 200 seconds ago."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def keys(self, pattern: str) -> list[str]:
        return [pattern] if "harvest_object_id" in pattern else []

    def get(self, _key: str) -> str:
        taken_up = dt.datetime.now() - dt.timedelta(seconds=200)  # noqa: DTZ005 - as stock does
        return taken_up.isoformat(sep=" ", timespec="microseconds")

    def rpush(self, _key: str, value: str) -> None:
        self.sent.append(value)

    def delete(self, _key: str) -> None:
        """Forget the key."""


def _resends_what_runs() -> bool:
    trial = _TrialRedis()
    before = queue.config, queue.get_connection, queue.log.disabled
    queue.log.disabled = True
    queue.config = {"ckan.harvest.mq.type": "redis"}
    queue.get_connection = lambda: trial
    try:
        queue.resubmit_jobs()
    finally:
        queue.config, queue.get_connection, queue.log.disabled = before
    return bool(trial.sent)


def _leave_to_the_sweeper() -> None:
    """Send nothing again: the sweeper does, by the database and the heartbeats."""


def _patch_resubmit() -> None:
    from ckanext.harvest.logic.action import update

    for module in (queue, update):  # the action imported them by name
        module.resubmit_jobs = _leave_to_the_sweeper
        module.resubmit_objects = _leave_to_the_sweeper


PATCHES = (
    ("one-sweeper (ckanext-harvest#420, #446)", _resends_what_runs, _patch_resubmit),
    ("worker-heartbeats (for the sweeper)", _always, _patch_consume),
)
