"""Consumers show that they live, and nothing but the sweeper re-sends work.

ckanext-harvest re-sends an import that a consumer took up more than 180 seconds ago, by Redis
keys, whether or not it still runs, and compares with ``.seconds``, which forgets whole days; its
look-up of waiting objects compares list with list and meets half-made gathers (its issues 420
and 446).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

from ckanext.harvest import queue

from ckanext.ukharvest.callbacks import id_in
from ckanext.ukharvest.model.worker import Heart

Consume = Callable[[Any, str], Iterator[tuple[Any, Any, str]]]


def _beating(stock: Consume) -> Consume:
    def consume(self: queue.RedisConsumer, queue: str) -> Iterator[tuple[Any, Any, str]]:
        """As before; with a heartbeat, and a note of what is being worked on."""
        kind = "gather" if self.message_key == "harvest_job_id" else "fetch"
        with Heart(kind) as heart:
            for method, header, body in stock(self, queue):
                heart.work_on(id_in(body, self.message_key))
                yield method, header, body
                heart.work_on("")

    return consume


def _always() -> bool:
    # No fault of a release: what the sweeper needs, whichever ``consume`` is in force.
    return True


def _patch_consume() -> None:
    queue.RedisConsumer.consume = _beating(queue.RedisConsumer.consume)


class _TrialRedis:
    """A stand-in with one import that a consumer took up 200 seconds ago."""

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
    """Re-send nothing: the sweeper does, by the database and the heartbeats."""


def _patch_resubmit() -> None:
    from ckanext.harvest.logic.action import update

    for module in (queue, update):  # the action imported them by name
        module.resubmit_jobs = _leave_to_the_sweeper
        module.resubmit_objects = _leave_to_the_sweeper


PATCHES = (
    ("one-sweeper (ckanext-harvest#420, #446)", _resends_what_runs, _patch_resubmit),
    ("worker-heartbeats (for the sweeper)", _always, _patch_consume),
)
