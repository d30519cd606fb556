"""Heartbeats of harvesting processes, and the messages of their queues."""

from __future__ import annotations

import datetime as dt
import json
import logging
import os
import platform
import threading
import time
from dataclasses import dataclass

import sqlalchemy as sa
from ckan import model as ckan_model

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.database import UNHURRIED, execute, upsert_statement

log = logging.getLogger(__name__)


class Heart:
    """Saves every few seconds that this process lives and what it works on; never raises.

    Args:
        kind: "gather" or "fetch" for a consumer, "command" for a run in the foreground.
        interval: seconds between two beats.
    """

    def __init__(self, kind: str, interval: float = 10.0) -> None:
        self.kind = kind
        self.interval = interval
        self.started = tables.utcnow()
        self.id = f"{platform.node()}:{os.getpid()}:{self.started.isoformat()}"
        self._busy_with = ""
        self._busy_since = 0.0  # of the monotonic clock
        self._is_saved = False  # that it works
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ukharvest-heart", daemon=True)

    def __enter__(self) -> Heart:
        self._beat()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(timeout=5)
        self._execute(sa.delete(tables.Worker).where(tables.Worker.id == self.id))

    def work_on(self, id_: str) -> None:
        """Save the id of the job or harvest object before the work begins; "" when it has ended."""
        self.note(id_)
        self._is_saved = bool(id_)
        self._beat()

    def note(self, id_: str) -> None:
        """Note which harvest object of a batch is worked on; the next beat saves it."""
        self._busy_with = id_
        self._busy_since = time.monotonic()

    def rest(self) -> None:
        """Note that the work has ended; saved at once only if ``work_on`` saved that it began."""
        if self._is_saved:
            self.work_on("")
        else:
            self.note("")

    def _run(self) -> None:
        while not self._end.wait(self.interval):
            self._beat()

    def _beat(self) -> None:
        with self._lock:  # a beat that waited for the database must not overwrite a newer one
            busy_for = dt.timedelta(seconds=time.monotonic() - self._busy_since)
            now = {
                "heartbeat": tables.database_time(),
                "busy_with": self._busy_with,
                "busy_since": tables.database_time() - busy_for if self._busy_with else None,
            }
            row = {"id": self.id, "kind": self.kind, "started": self.started, **now}
            self._execute(upsert_statement(tables.Worker, ["id"], [row]))

    def _execute(self, statement: sa.sql.Executable) -> None:
        try:
            with ckan_model.meta.engine.begin() as connection:
                connection.execute(UNHURRIED)
                connection.execute(statement)
        except Exception as exc:  # noqa: BLE001 - the work matters more than its sign of life
            log.warning("No heartbeat of %s could be written: %s", self.id, exc)


@dataclass(frozen=True, slots=True)
class Limits:
    """After how many seconds a process counts as gone or hung.

    Attributes:
        heartbeat: after its last heartbeat, when it is gone.
        fetch: after it began with one harvest object, when it hangs.
        gather: after the last progress of its gather, when it hangs.
    """

    heartbeat: float
    fetch: float = float("inf")
    gather: float = float("inf")


def load_limits() -> Limits:
    """Return the limits from the settings."""
    return Limits(config.worker_timeout(), config.object_timeout(), config.gather_timeout())


def busy_ids(limits: Limits) -> set[str]:
    """Return the ids of the jobs and harvest objects that a live process works on.

    Without processes that hang, although they have heartbeats.
    """
    # An idle one has nothing in hand: the end of its batch could not be stored.
    is_at_it = sa.and_(_works(limits), tables.Worker.busy_with != "")
    own = sa.select(tables.Worker.busy_with).where(is_at_it)
    claimed = (
        sa.select(tables.Claim.harvest_object_id)
        .join(tables.Worker, tables.Worker.id == tables.Claim.worker_id)
        .where(is_at_it)
    )
    return set(ckan_model.Session.scalars(own.union(claimed)))


def _works(limits: Limits) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a process lives and does not hang."""
    alive = tables.database_time() - dt.timedelta(seconds=limits.heartbeat)
    return sa.and_(tables.Worker.heartbeat > alive, sa.not_(is_hung(limits)))


def is_at_work(job_id: str, *, before: str, limits: Limits) -> bool:
    """Tell whether another live process works on this job, and began before this one.

    Args:
        before: id of this process, "" if it has no heartbeat.
    """
    query = (
        sa.select(tables.Worker.id)
        .where(tables.Worker.busy_with == job_id, _works(limits))
        .order_by(tables.Worker.busy_since, tables.Worker.id)
        .limit(1)
    )
    return ckan_model.Session.scalar(query) not in (None, before)


def has_consumer(kind: str, limits: Limits) -> bool:
    """Tell whether a consumer of this kind, "gather" or "fetch", lives."""
    query = sa.select(tables.Worker.id).where(tables.Worker.kind == kind, _works(limits))
    return ckan_model.Session.scalar(query.limit(1)) is not None


def is_hung(limits: Limits) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a row of ``Worker`` is of a consumer that hangs.

    A run in the foreground ("command") is watched by the person who started it.
    """
    worker, report = tables.Worker, tables.JobReport
    progress = (
        sa.select(report.heartbeat)
        .where(report.job_id == worker.busy_with)
        .correlate(worker)
        .scalar_subquery()
    )
    since = sa.func.coalesce(sa.func.greatest(worker.busy_since, progress), worker.busy_since)
    now = tables.database_time()
    too_long = [
        sa.and_(worker.kind == kind, since < now - dt.timedelta(seconds=seconds))
        for kind, seconds in (("fetch", limits.fetch), ("gather", limits.gather))
        if seconds != float("inf")
    ]
    is_busy = sa.and_(worker.busy_with != "", worker.busy_since.isnot(None))
    return sa.and_(is_busy, sa.or_(sa.false(), *too_long))


def forget_work(job_id: str) -> None:
    """Note that no process works on this job any more: another will; the caller commits."""
    own = sa.update(tables.Worker).where(tables.Worker.busy_with == job_id)
    execute(own.values(busy_with="", busy_since=None))


def delete_dead_workers(age: dt.timedelta) -> int:
    """Delete rows of processes whose last heartbeat is older; the caller commits."""
    result = execute(
        sa.delete(tables.Worker).where(tables.Worker.heartbeat < tables.database_time() - age)
    )
    return int(result.rowcount)


GATHER, FETCH = "harvest_job_id", "harvest_object_id"  # the keys of the queues' messages
# RabbitMQ, as ckanext-harvest spells it in ckan.harvest.mq.type.
RABBITMQ = ("amqp", "ampq")


def read_id(body: str, key: str) -> str:
    """Return the id of a message's job or harvest object, "" if the message has none.

    Args:
        body: the message, JSON.
        key: GATHER or FETCH.
    """
    try:
        id_ = json.loads(body)[key]
    except (ValueError, KeyError, TypeError):
        return ""
    return str(id_)
