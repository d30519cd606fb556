"""What is on the queues, and who works on what."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import ckan.plugins.toolkit as tk
from ckanext.harvest import queue

from ckanext.ukharvest import config
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.callbacks import id_in
from ckanext.ukharvest.model import worker

GATHER, FETCH = "harvest_job_id", "harvest_object_id"  # the messages' keys
DEAD_ARE_KEPT = dt.timedelta(days=1)  # doctor shows who ended without a word


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a queue and the workers; take it before asking the database for states.

    In this order nothing looks lost that is only on its way: a message is on the queue, then its
    worker is busy with it, then the state has changed.

    Attributes:
        queued: ids that somebody will deliver.
        busy: ids of jobs and objects that a live worker works on.
        before: what began earlier than this and is neither queued nor busy has lost its worker.
    """

    queued: frozenset[str]
    busy: frozenset[str]
    before: dt.datetime

    def is_lost(self, *ids: str) -> bool:
        """None of the ids (an object's and its job's) is waited for or worked on."""
        return not any(id_ in self.queued or id_ in self.busy for id_ in ids)


def look(kind: str) -> Look:
    """Look at the queue of this kind of message."""
    timeout = config.worker_timeout()
    queued = frozenset(_queued(kind))
    busy = frozenset(worker.busy(timeout))
    return Look(queued, busy, tables.utcnow() - dt.timedelta(seconds=timeout))


def is_watched() -> bool:
    """The consumers show signs of life: those of RabbitMQ do not, so their work is left alone."""
    return str(tk.config.get("ckan.harvest.mq.type") or "redis") == "redis"


def _key(kind: str) -> str:
    key = queue.get_gather_routing_key if kind == GATHER else queue.get_fetch_routing_key
    return str(key())


def _queued(kind: str) -> Iterable[str]:
    messages = queue.get_connection().lrange(_key(kind), 0, -1)
    return (id_in(message, kind) for message in messages)


def send(kind: str, ids: Sequence[str]) -> None:
    """Put messages on the queue; what they are about has to be committed before."""
    publisher = queue.get_gather_publisher() if kind == GATHER else queue.get_fetch_publisher()
    for id_ in ids:
        publisher.send({kind: id_})
    publisher.close()


def forget_dead() -> list[str]:
    """Drop what is known of processes that ended without a word a day ago."""
    number = worker.forget_dead(DEAD_ARE_KEPT)
    return [f"forgot {number} workers that ended more than a day ago"] if number else []
