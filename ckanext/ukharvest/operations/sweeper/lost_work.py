"""Queued work, and which consumers are busy with what."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model
from ckanext.harvest import queue

from ckanext.ukharvest import config
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.engine.queue_messages import RABBITMQ, read_id
from ckanext.ukharvest.model import workers
from ckanext.ukharvest.model.workers import limits

GATHER, FETCH = "harvest_job_id", "harvest_object_id"  # the messages' keys
DEAD_ARE_KEPT = dt.timedelta(days=1)  # the doctor shows consumers that died


@dataclass(frozen=True, slots=True)
class QueueState:
    """State of one queue and its consumers; load it before reading states from the database.

    Steps load it only where the database has work that could be lost, which is seldom. In this
    order work in transit never looks lost: a message is queued, then its consumer is busy
    with it, then the state changes.

    Attributes:
        queued: ids that will be delivered; RabbitMQ's may be any as long as there are messages.
        busy: ids of jobs and objects that a live consumer works on.
        before: work that started earlier and is neither queued nor busy has lost its consumer.
        after: so has work that started later than this, which is ahead of now: the clock was put
            back since.
    """

    queued: frozenset[str]
    busy: frozenset[str]
    before: dt.datetime
    after: dt.datetime

    def is_lost(self, *ids: str) -> bool:
        """Tell whether none of the ids (an object's and its job's) is queued or worked on."""
        return not any(id_ in self.queued or id_ in self.busy for id_ in ids)

    def is_past(self, started: sa.ColumnElement[dt.datetime]) -> sa.ColumnElement[bool]:
        """Return the SQL condition that work started long enough ago to be lost."""
        return sa.or_(started < self.before, started > self.after)


def load_queue_state(kind: str) -> QueueState:
    """Load the state of this kind of queue."""
    timeout = config.worker_timeout()
    queued = _queued(kind)
    busy = frozenset(workers.busy(limits()))
    now = model.Session.scalar(sa.select(tables.database_time()))
    patience = dt.timedelta(seconds=timeout)
    return QueueState(queued, busy, now - patience, now + patience)


class _AnyId(frozenset[str]):
    """The ids on a queue that has messages, but does not show them: it may hold any."""

    def __contains__(self, _id: object) -> bool:
        return True


def _queued(kind: str) -> frozenset[str]:
    if tk.config.get("ckan.harvest.mq.type") in RABBITMQ:
        return _AnyId(["?"]) if _count_in_rabbitmq(kind) else frozenset()
    key = queue.get_gather_routing_key if kind == GATHER else queue.get_fetch_routing_key
    messages = queue.get_connection().lrange(key(), 0, -1)
    return frozenset(read_id(message, kind) for message in messages)


def _count_in_rabbitmq(kind: str) -> int:
    """Return how many messages wait; without those that a consumer works on."""
    name = queue.get_gather_queue_name if kind == GATHER else queue.get_fetch_queue_name
    with contextlib.closing(queue.get_connection()) as connection:
        declared = connection.channel().queue_declare(queue=name(), durable=True)
        return int(declared.method.message_count)


def send(kind: str, ids: Sequence[str]) -> None:
    """Put messages on the queue; commit what they refer to first."""
    publisher = queue.get_gather_publisher() if kind == GATHER else queue.get_fetch_publisher()
    for id_ in ids:
        publisher.send({kind: id_})
    publisher.close()


def forget_dead() -> list[str]:
    """Delete the heartbeats of processes that died more than a day ago."""
    number = workers.forget_dead(DEAD_ARE_KEPT)
    return [f"forgot {counted(number, 'worker')} that ended more than a day ago"] if number else []
