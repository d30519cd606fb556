"""Recover harvest objects that no consumer works on and no queue will deliver."""

from __future__ import annotations

import contextlib
import datetime
import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest import queue
from ckanext.harvest.model import (
    HarvestJob,
    HarvestObject,
    HarvestObjectError,
    HarvestObjectExtra,
    HarvestSource,
)

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.errors import RejectedByCkan
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.consumers import claims, failures, workers
from ckanext.ukharvest.harvest.consumers.claims import KILLS
from ckanext.ukharvest.harvest.consumers.workers import (
    FETCH,
    GATHER,
    RABBITMQ,
    load_limits,
    read_id,
)
from ckanext.ukharvest.harvest.database import execute, exists_statements
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import Claim, Retry
from ckanext.ukharvest.harvest.run import outcomes, stopping

Session = model.Session

DEAD_ARE_KEPT = dt.timedelta(days=1)  # the doctor shows consumers that died


@dataclass(frozen=True, slots=True)
class QueueState:
    """State of one queue and its consumers; load it before reading states from the database.

    Steps load it only where the database has work that could be lost, which is seldom. In this
    order work in transit never looks lost: a message is queued, then its consumer is busy
    with it, then the state changes. Work of ours needs no message: consumers look for it.

    Attributes:
        queued: ids of other harvesters' work that will be delivered; RabbitMQ's may be any as long
            as there are messages.
        busy: ids of jobs and objects that a live consumer works on.
        before: work that started earlier and is neither queued nor busy has lost its consumer.
        after: so has work that started later than this, which is ahead of now: the clock was put
            back since.
    """

    queued: frozenset[str]
    busy: frozenset[str]
    before: dt.datetime
    after: dt.datetime

    def is_lost(self, source_type: str, *ids: str) -> bool:
        """Tell whether none of the ids (an object's and its job's) is queued or worked on."""
        queued = () if source_type in config.our_type_names() else self.queued
        return not any(id_ in queued or id_ in self.busy for id_ in ids)

    def is_past(self, started: sa.ColumnElement[dt.datetime]) -> sa.ColumnElement[bool]:
        """Return the SQL condition that work started long enough ago to be lost."""
        return sa.or_(started < self.before, started > self.after)


def load_queue_state(kind: str) -> QueueState:
    """Load the state of this kind of queue."""
    timeout = config.worker_timeout()
    queued = _queued(kind) if _others_run() else frozenset()
    busy = frozenset(workers.busy_ids(load_limits()))
    now = model.Session.scalar(sa.select(tables.database_time()))
    patience = dt.timedelta(seconds=timeout)
    return QueueState(queued, busy, now - patience, now + patience)


def _others_run() -> bool:
    """Tell whether a run of another harvester goes on."""
    ours = sa.select(HarvestSource.id).where(HarvestSource.type.in_(config.our_type_names()))
    return exists_statements(
        HarvestJob.status.in_(objects.UNENDED), HarvestJob.source_id.notin_(ours)
    )


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


def send_messages(kind: str, ids: Sequence[str]) -> None:
    """Put messages on the queue; commit what they refer to first."""
    publisher = queue.get_gather_publisher() if kind == GATHER else queue.get_fetch_publisher()
    for id_ in ids:
        publisher.send({kind: id_})
    publisher.close()


def forget_dead_processes() -> list[str]:
    """Delete the heartbeats of processes that died more than a day ago."""
    number = workers.delete_dead_workers(DEAD_ARE_KEPT)
    return [f"forgot {counted(number, 'worker')} that ended more than a day ago"] if number else []


MAX_KILLS = 3
LOCK_NOT_AVAILABLE = "55P03"  # PostgreSQL's error code


class Lost(NamedTuple):
    """A harvest object that no process works on.

    Attributes:
        state: as it was left; "" for none.
        type: its source's, "" if that is gone.
        kills: number of processes that died while working on it.
    """

    id: str
    job_id: str
    state: str
    type: str = ""
    kills: int = 0


def recover_objects() -> list[str]:
    """Queue objects again whose consumer died; give up objects that killed MAX_KILLS consumers."""
    return [text for lost in find_orphans() if (text := _recover(lost))]


def _query(*more: Any) -> Any:
    """Return the query of harvest objects: id, job and state, as ``Lost`` begins, and more."""
    columns = (HarvestObject.id, HarvestObject.harvest_job_id, HarvestObject.state)
    return Session.query(*columns, *more).join(
        HarvestJob, HarvestJob.id == HarvestObject.harvest_job_id
    )


def _recover(lost: Lost) -> str:
    """Return what was done; each object has its own transaction."""
    # A consumer hung in a transaction may hold the record's lock: the next tick tries again.
    Session.execute(sa.text("SET LOCAL lock_timeout = '5s'"))
    try:
        if lost.kills >= MAX_KILLS:
            _give_up(lost)
            return f"gave up harvest object {lost.id}: it ended {MAX_KILLS} consumers"
        if not _take_back(lost):
            return ""
        Session.commit()
    except sa.exc.OperationalError as exc:
        if getattr(exc.orig, "pgcode", "") != LOCK_NOT_AVAILABLE:
            raise
        compat.rollback()
        return f"left harvest object {lost.id}: its consumer hangs and holds it; end that process"
    if lost.type not in config.our_type_names():
        send_messages(FETCH, [lost.id])
    return f"sent harvest object {lost.id} again: its consumer is gone or hangs"


def find_orphans() -> list[Lost]:
    """Return the objects of runs that go on whose process is gone, whatever their state."""
    is_taken = sa.or_(objects.is_under_way(), HarvestObject.state.is_(None))
    if not exists_statements(is_taken):
        return []
    queue_state = load_queue_state(FETCH)
    kills = (
        sa.select(HarvestObjectExtra.value)
        .where(HarvestObjectExtra.harvest_object_id == HarvestObject.id)
        .where(HarvestObjectExtra.key == KILLS)
        .limit(1)
        .scalar_subquery()
    )
    query = (
        _query(HarvestSource.type, kills, Claim.worker_id.isnot(None))
        .outerjoin(HarvestSource, HarvestSource.id == HarvestObject.harvest_source_id)
        .outerjoin(Claim, Claim.harvest_object_id == HarvestObject.id)
        .filter(is_taken, ~objects.is_over(), queue_state.is_past(objects.last_sign()))
    )
    return [
        Lost(id_, job_id, state or "", type_ or "", int(number or 0) + 1)
        for id_, job_id, state, type_, number, is_claimed in query
        # No message brings back one that is claimed.
        if not {id_, job_id} & queue_state.busy
        and (is_claimed or queue_state.is_lost(type_ or "", id_, job_id))
    ]


def _take_back(lost: Lost) -> bool:
    """Reset an object to waiting, and its deliveries to 0: they were not its own fault.

    Returns:
        False if it ended in the meantime.
    """
    result = execute(
        sa.update(HarvestObject)
        .where(HarvestObject.id == lost.id)
        .where(sa.func.coalesce(HarvestObject.state, "") == lost.state)
        .values(state="WAITING", retry_times=0)
    )
    if not result.rowcount:
        return False
    claims.delete_claims([lost.id])
    execute(
        sa.delete(HarvestObjectExtra).where(
            HarvestObjectExtra.harvest_object_id == lost.id, HarvestObjectExtra.key == KILLS
        )
    )
    Session.add(HarvestObjectExtra(harvest_object_id=lost.id, key=KILLS, value=str(lost.kills)))
    return True


def _give_up(lost: Lost) -> None:
    message = "The record ended the consumer three times; its dataset stays as it is"
    if lost.type in config.our_type_names():
        import_stage.fail_object(lost.id, RejectedByCkan(message, code="ended-consumer"), "Import")
    else:
        objects.end_as_failed(lost.id, message)
        Session.commit()


def end_leftovers() -> list[str]:
    """End what ended runs left: delete what they never released, and end the rest.

    ckanext-harvest ends a run that takes too long without its objects.
    """
    lost = find_leftovers()
    staged = [obj.id for obj in lost if obj.state == objects.GATHERED]
    others = [obj.id for obj in lost if obj.state != objects.GATHERED]
    execute(
        sa.delete(HarvestObject).where(
            HarvestObject.id.in_(staged), HarvestObject.state == objects.GATHERED
        )
    )
    for id_ in stopping.end_left(others):
        _explain(id_, "The run ended before this record was imported")
    outcomes.save_outcomes_of_batch(others)
    claims.delete_claims(others)
    removed = f"removed {len(staged)} harvest objects that ended runs never released"
    ended = f"ended {len(others)} harvest objects of ended runs"
    return [text for ids, text in ((staged, removed), (others, ended)) if ids]


def find_leftovers() -> list[Lost]:
    """Return the open objects of ended runs that no process works on."""
    if not exists_statements(objects.is_open_object()):
        return []
    queue_state = load_queue_state(FETCH)
    is_past = queue_state.is_past(objects.last_sign())
    query = _query().filter(objects.is_open_object(), objects.is_over(), is_past)
    return [Lost(*row) for row in query if not {*row[:2]} & queue_state.busy]


def resend_waiting() -> list[str]:
    """Send waiting objects of other harvesters: Redis lost them, or a crash came first.

    Not during their gather, which sends them itself (ckanext-harvest issue 446), and not before the
    end of their pause after a service failed (harvest/consumers/claims.py).
    """
    failures.forget_finished()
    if not exists_statements(HarvestObject.state == objects.WAITING):
        return []
    ids = [obj.id for obj in _unsent(load_queue_state(FETCH))]
    Session.commit()
    send_messages(FETCH, ids)
    return [f"sent {len(ids)} waiting harvest objects that were not on the queue"] if ids else []


def find_unsent() -> list[Lost]:
    """Return waiting objects that no message and no consumer will bring on."""
    if not exists_statements(HarvestObject.state == objects.WAITING):
        return []
    queue_state = load_queue_state(FETCH)
    is_past = HarvestJob.gather_finished < queue_state.before
    unsent = _unsent(queue_state, is_past)
    if not workers.has_consumer("fetch", load_limits()):
        unsent += [Lost(*row) for row in _waiting(is_past).filter(_is_ours()).limit(1)]
    return unsent


def _is_ours() -> sa.ColumnElement[bool]:
    return sa.func.coalesce(HarvestSource.type, "").in_(config.our_type_names())


def _waiting(*conditions: sa.ColumnElement[bool]) -> Any:
    return (
        _query(HarvestSource.type)
        .outerjoin(HarvestSource, HarvestSource.id == HarvestJob.source_id)
        .outerjoin(Retry, Retry.harvest_object_id == HarvestObject.id)
        .filter(HarvestObject.state == objects.WAITING, ~objects.is_over(), *conditions)
        .filter(sa.or_(Retry.due.is_(None), sa.not_(failures.is_paused(Retry.due))))
        .filter(HarvestJob.gather_finished.isnot(None))
    )


def _unsent(queue_state: QueueState, *conditions: sa.ColumnElement[bool]) -> list[Lost]:
    query = _waiting(*conditions).filter(~_is_ours()).order_by(HarvestObject.gathered)
    return [Lost(*row) for row in query if queue_state.is_lost("", row[0], row[1])]


def report_given_up() -> list[str]:
    """Count objects as errored that the queue gave up on silently (state, but no status)."""
    query = _query().filter(
        HarvestJob.status == "Running",
        HarvestObject.state == "ERROR",
        HarvestObject.report_status.is_(None),
    )
    if query.first() is None:
        return []
    queue_state = load_queue_state(FETCH)
    ids = [id_ for id_, job_id, _state in query if not {id_, job_id} & queue_state.busy]
    execute(
        sa.update(HarvestObject)
        .where(HarvestObject.id.in_(ids))
        .values(report_status=RecordOutcome.ERRORED, import_finished=tables.utcnow())
    )
    for id_ in ids:
        _explain(id_, "Given up: each attempt to import the record ended without a result")
    return [f"counted {len(ids)} harvest objects as errored that were given up"] if ids else []


def _explain(object_id: str, message: str) -> None:
    """Store why an object ended as errored, if it has no error yet; no commit."""
    if not exists_statements(HarvestObjectError.harvest_object_id == object_id):
        Session.add(
            HarvestObjectError(harvest_object_id=object_id, message=message, stage="Import")
        )


PAUSE = datetime.timedelta(hours=1)


def pause_since(note: str, pause: datetime.timedelta | None = None) -> datetime.datetime | None:
    """Return the start of a step's pause, None if the step is not paused.

    A time ahead of now is no pause: the clock was put back since.

    Args:
        note: its key in system_info.
        pause: how long it lasts; None for PAUSE.
    """
    try:
        began = datetime.datetime.fromisoformat(database.load_note(note))
    except ValueError:
        return None
    age = tables.utcnow() - began
    return began if datetime.timedelta() <= age < (PAUSE if pause is None else pause) else None


def begin_pause(note: str) -> None:
    """Start a step's pause; commit."""
    database.set_note(note, tables.utcnow().isoformat())
