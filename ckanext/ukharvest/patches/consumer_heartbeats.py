"""Heartbeats of consumers; only the sweeper sends work again.

ckanext-harvest sends an import again that a consumer took more than 180 seconds ago, by Redis keys,
whether or not it still runs, and compares with ``.seconds``, which drops whole days; its search for
waiting objects compares list with list and finds objects of unfinished gathers (its issues 420 and
446).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ckan import model
from ckanext.harvest import queue

from ckanext.ukharvest import compat
from ckanext.ukharvest.compat import Patch
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


def _patch_consume() -> None:
    queue.RedisConsumer.consume = beating(queue.RedisConsumer.consume)


def _leave_to_the_sweeper() -> None:
    """Send nothing again: the sweeper does, by the database and the heartbeats."""


def _patch_resubmit() -> None:
    from ckanext.harvest.logic.action import update

    for module in (queue, update):  # the action imported them by name
        module.resubmit_jobs = _leave_to_the_sweeper
        module.resubmit_objects = _leave_to_the_sweeper


_QUEUE = "ckanext.harvest.queue"
FAULTS = (
    Patch(
        "one-sweeper (ckanext-harvest#420, #446)",
        {f"{_QUEUE}:resubmit_jobs": "3fadd3ff8336", f"{_QUEUE}:resubmit_objects": "5b78091e5e15"},
        _patch_resubmit,
    ),
)
HOOKS = (
    Patch(
        "worker-heartbeats (for the sweeper)",
        {f"{_QUEUE}:RedisConsumer.consume": "4c7161ad3a53"},
        _patch_consume,
    ),
)
