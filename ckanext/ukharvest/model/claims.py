"""Claims: which fetch consumer works on which harvest objects.

A message on the fetch queue only wakes a consumer up. It claims up to a batch of waiting objects of
one source in a short transaction of its own, so that no object is worked on twice, and no message
that is lost or late does harm. The claims of a consumer whose heartbeats stopped are taken back by
the sweeper.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestObjectExtra, HarvestSource
from sqlalchemy.orm import aliased

from ckanext.ukharvest import config
from ckanext.ukharvest.model import UNHURRIED, Claim, Retry, SourceState, Worker, database_time
from ckanext.ukharvest.model.retries import is_paused
from ckanext.ukharvest.model.statements import execute, upsert

Session = model.Session

KILLS = "ended_workers"  # extra of a harvest object: how many consumers died while working on it


class Claimed(NamedTuple):
    """A batch: objects of one run of one source, in the order in which they were gathered."""

    source_type: str
    job_id: str
    object_ids: list[str]


def claim(worker_id: str, types: Collection[str], limit: int) -> Claimed | None:
    """Claim waiting objects, of the source that was claimed longest ago; commits.

    An object whose consumer died, or whose batch failed with a service, is claimed alone, after all
    others: if it is the cause, such as a record that exceeds the database's statement timeout, it
    costs itself.

    Args:
        worker_id: of ``Worker``, which has heartbeats.
        types: names of source types.
        limit: objects at most.

    Returns:
        None if nothing waits.
    """
    _give_back(worker_id)
    for source_id, source_type, job_id in Session.execute(_runs(types)).all():
        ids = _lock(job_id, limit) or _lock(job_id, 1, failed_before=True)
        if ids:
            _take(worker_id, source_id, ids)
            Session.commit()
            return Claimed(source_type, job_id, ids)
    Session.commit()
    return None


def claim_given(worker_id: str, source_id: str, object_ids: Collection[str]) -> list[str]:
    """Claim those of these objects that wait, for a run in the foreground; commits.

    Returns:
        Their ids, in the given order.
    """
    query = sa.select(HarvestObject.id).where(
        HarvestObject.id.in_(object_ids), HarvestObject.state == "WAITING"
    )
    waiting = set(Session.scalars(query.with_for_update(skip_locked=True)))
    ids = [id_ for id_ in object_ids if id_ in waiting]
    if ids:
        _take(worker_id, source_id, ids)
    Session.commit()
    return ids


def claim_one(worker_id: str, object_id: str) -> Claimed | None:
    """Claim an object if it waits, for a consumer that takes one at a time; commits."""
    _give_back(worker_id)
    row = Session.execute(
        sa.select(HarvestSource.id, HarvestSource.type, HarvestObject.harvest_job_id)
        .join(HarvestObject, HarvestObject.harvest_source_id == HarvestSource.id)
        .where(HarvestObject.id == object_id, HarvestObject.state == "WAITING")
        .with_for_update(of=HarvestObject, skip_locked=True)
    ).first()
    if row is not None:
        _take(worker_id, row[0], [object_id])
    Session.commit()
    return Claimed(row[1], row[2], [object_id]) if row else None


def waiting_object(types: Collection[str]) -> str:
    """Return the id of an object that can be claimed now, "" if there is none."""
    for _source_id, _type, job_id in Session.execute(_runs(types)):
        if object_id := Session.scalar(_waiting(job_id, HarvestObject.id).limit(1)):
            return str(object_id)
    return ""


def release(object_ids: Collection[str]) -> None:
    """Delete claims; the caller commits."""
    Session.execute(released(object_ids))


def released(object_ids: Collection[str]) -> sa.Delete:
    """Return the statement that deletes claims."""
    claims = Claim.__table__
    return sa.delete(claims).where(claims.c.harvest_object_id.in_(object_ids))


def _give_back(worker_id: str) -> None:
    """Let objects wait again that are left of a batch whose end could not be stored."""
    mine = sa.delete(Claim).where(Claim.worker_id == worker_id).returning(Claim.harvest_object_id)
    ids = list(execute(mine).scalars())
    if ids:
        execute(
            sa.update(HarvestObject)
            .where(HarvestObject.id.in_(ids), HarvestObject.state.in_(("FETCH", "IMPORT")))
            .values(state="WAITING")
        )


def _runs(types: Collection[str]) -> sa.Select[Any]:
    """Return source id, source type and job id of runs with waiting objects, in their turn."""
    waits = _waiting(HarvestJob.id, HarvestObject.id).correlate(HarvestJob).exists()
    alive = database_time() - dt.timedelta(seconds=config.worker_timeout())
    # ``ckan ukharvest run`` imports the objects of its run itself.
    in_foreground = sa.exists().where(
        Worker.kind == "command", Worker.busy_with == HarvestJob.id, Worker.heartbeat > alive
    )
    return (
        sa.select(HarvestSource.id, HarvestSource.type, HarvestJob.id)
        .join(HarvestJob, HarvestJob.source_id == HarvestSource.id)
        .outerjoin(SourceState, SourceState.source_id == HarvestSource.id)
        .where(HarvestJob.status == "Running", HarvestSource.type.in_(types))
        .where(waits, ~in_foreground)
        .order_by(SourceState.claimed.asc().nulls_first(), HarvestJob.created)
    )


def _waiting(job_id: Any, column: Any) -> sa.Select[Any]:
    """Select from a run's waiting objects, without those that pause after a service failed."""
    other = aliased(Retry)
    pauses = sa.exists().where(other.harvest_object_id == HarvestObject.id, is_paused(other.due))
    return sa.select(column).where(
        HarvestObject.harvest_job_id == job_id, HarvestObject.state == "WAITING", ~pauses
    )


def _lock(job_id: str, limit: int, *, failed_before: bool = False) -> list[str]:
    killed = sa.exists().where(
        HarvestObjectExtra.harvest_object_id == HarvestObject.id, HarvestObjectExtra.key == KILLS
    )
    suspected = killed | Retry.attempts.isnot(None)
    query = (
        _waiting(job_id, HarvestObject.id)
        .outerjoin(Retry, Retry.harvest_object_id == HarvestObject.id)
        .where(suspected if failed_before else ~suspected)
        # Of those that failed, the one that failed least often.
        .order_by(Retry.attempts, HarvestObject.gathered, HarvestObject.id)
        .limit(limit)
        .with_for_update(of=HarvestObject, skip_locked=True)
    )
    return list(Session.scalars(query))


def _take(worker_id: str, source_id: str, ids: Sequence[str]) -> None:
    now = database_time()
    busy = {"heartbeat": now, "busy_with": ids[0], "busy_since": now}
    # A run in the foreground is busy with the run as a whole.
    worker, harvest_object = Worker.__table__, HarvestObject.__table__
    own = sa.update(worker).where(worker.c.id == worker_id, worker.c.kind == "fetch")
    started = (
        sa.update(harvest_object)
        .where(harvest_object.c.id.in_(ids))
        .values(state="FETCH", fetch_started=now, retry_times=harvest_object.c.retry_times + 1)
    )
    rows = [{"harvest_object_id": id_, "worker_id": worker_id, "since": now} for id_ in ids]
    # A row may be left of a consumer that died.
    taken = upsert(Claim, ["harvest_object_id"], rows)
    turn = upsert(SourceState, ["source_id"], [{"source_id": source_id, "claimed": now}])
    # All in one statement, which is felt where records are taken one by one.
    together = sa.select(sa.true())
    parts = {"own": own.values(busy), "started": started, "taken": taken, "turn": turn}
    for name, part in parts.items():
        together = together.add_cte(part.cte(name))
    Session.execute(UNHURRIED)
    Session.execute(together)
