"""Heartbeats of consumers; only the sweeper sends work again.

ckanext-harvest sends an import again that a consumer took more than 180 seconds ago, by Redis keys,
whether or not it still runs, and compares with ``.seconds``, which drops whole days; its search for
waiting objects compares list with list and finds objects of unfinished gathers (its issues 420 and
446).
"""

from __future__ import annotations

import datetime as dt
import functools
import logging
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from ckan import model
from ckanext.harvest import queue

from ckanext.ukharvest import compat
from ckanext.ukharvest.engine.queue_messages import read_id
from ckanext.ukharvest.model import schema_version
from ckanext.ukharvest.model.schema_version import State
from ckanext.ukharvest.model.workers import Heart
from ckanext.ukharvest.patches import fetch_batches
from ckanext.ukharvest.patches.queue_callbacks import Callback

log = logging.getLogger(__name__)
Session = model.Session

Consume = Callable[[Any, str], Iterator[tuple[Any, Any, str]]]

# Seconds before a consumer whose version differs from the tables' ends, so that a process manager
# that restarts it at once does not keep the machine busy.
PAUSE = 10.0
AHEAD_TEXT = "The database has been upgraded since this consumer started: start it again."

_tables = schema_version.Watch(is_for_good=False)


def is_outdated() -> bool:
    """Tell whether the tables' version differs from this process's; called every 5 seconds."""
    return _tables.state() not in (State.CURRENT, State.UNKNOWN)


def end_if_outdated() -> None:
    """End a consumer whose code and tables differ in version, before it takes work.

    Raises:
        SystemExit: after a pause, with status 1.
    """
    if not is_outdated():
        return
    state = _tables.state()
    text = AHEAD_TEXT if state is State.AHEAD else schema_version.advice(state)
    log.error("%s It stops now; no message is lost.", text)
    time.sleep(PAUSE)
    sys.exit(1)


def _of_this_version(stock: Callback) -> Callback:
    """End an outdated consumer before it works on a message; the sweeper sends it again."""

    @functools.wraps(stock)
    def callback(channel: Any, method: Any, header: Any, body: str) -> Any:
        end_if_outdated()
        return stock(channel, method, header, body)

    return callback


def _patch_callbacks() -> None:
    queue.gather_callback = _of_this_version(queue.gather_callback)
    queue.fetch_callback = _of_this_version(queue.fetch_callback)


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
    ("consumers-of-this-version (for upgrades)", _always, _patch_callbacks),
)
