"""Claims: which consumer works on which harvest objects, and which run it reads."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestObjectExtra, HarvestSource
from sqlalchemy.orm import aliased

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.consumers.failures import is_paused
from ckanext.ukharvest.harvest.database import UNHURRIED, execute, upsert_statement
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import Claim, Retry, SourceState, Worker
from ckanext.ukharvest.harvest.run import stopping

Session = model.Session
log = logging.getLogger(__name__)


KILLS = "ended_workers"  # extra of a harvest object: how many consumers died while working on it


class Claimed(NamedTuple):
    """A batch: objects of one run of one source, in the order in which they were gathered."""

    source_type: str
    job_id: str
    object_ids: list[str]


def claim_batch(worker_id: str, types: Collection[str], limit: int) -> Claimed | None:
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
    give_back(worker_id)
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


def is_object_waiting(types: Collection[str]) -> bool:
    """Tell whether an object can be claimed now; one statement."""
    return Session.execute(_runs(types).limit(1)).first() is not None


def claim_run(worker_id: str, types: Collection[str]) -> str:
    """Claim the run that waits longest for a gather consumer; commits; return its id or ""."""
    job_id = Session.scalar(_unread(types).with_for_update(of=HarvestJob, skip_locked=True))
    if job_id:
        now = tables.database_time()
        own = sa.update(HarvestJob).where(HarvestJob.id == job_id).values(gather_started=now)
        worker = sa.update(Worker).where(Worker.id == worker_id)
        execute(own.execution_options(synchronize_session=False))
        execute(worker.values(heartbeat=now, busy_with=job_id, busy_since=now))
    Session.commit()
    return job_id or ""


def is_run_waiting(types: Collection[str]) -> bool:
    """Tell whether a run waits for a gather consumer; one statement."""
    return Session.scalar(_unread(types)) is not None


def _unread(types: Collection[str]) -> sa.Select[Any]:
    """Select the run that nobody reads and that waits longest."""
    return (
        sa.select(HarvestJob.id)
        .join(HarvestSource, HarvestSource.id == HarvestJob.source_id)
        .where(
            HarvestJob.status == "Running",
            HarvestJob.gather_started.is_(None),
            HarvestSource.type.in_(types),
            ~_is_worked_on(),
        )
        .order_by(HarvestJob.created)
        .limit(1)
    )


def delete_claims(object_ids: Collection[str]) -> None:
    """Delete claims; the caller commits."""
    Session.execute(claims_deletion(object_ids))


def end_objects(object_ids: Collection[str]) -> None:
    """End objects that have had a result, and delete their claims; the caller commits.

    Objects that wait again, that have no result or that had ended before keep their state.
    """
    table = HarvestObject.__table__.c
    is_error = table.report_status.in_(("errored", stopping.STOPPED))
    Session.execute(
        sa.update(HarvestObject.__table__)
        .where(table.id.in_(object_ids), table.report_status.isnot(None))
        .where(table.state.notin_((objects.WAITING, *objects.ENDED)))
        .values(state=sa.case((is_error, "ERROR"), else_="COMPLETE"))
        .add_cte(claims_deletion(object_ids).cte("released"))
    )


def claims_deletion(object_ids: Collection[str]) -> sa.Delete:
    """Return the statement that deletes claims."""
    claims = Claim.__table__
    return sa.delete(claims).where(claims.c.harvest_object_id.in_(object_ids))


def give_back(worker_id: str) -> None:
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
    return (
        sa.select(HarvestSource.id, HarvestSource.type, HarvestJob.id)
        .join(HarvestJob, HarvestJob.source_id == HarvestSource.id)
        .outerjoin(SourceState, SourceState.source_id == HarvestSource.id)
        .where(HarvestJob.status == "Running", HarvestSource.type.in_(types))
        # ``ckan ukharvest run`` imports the objects of its run itself.
        .where(waits, ~_is_worked_on("command"))
        .order_by(SourceState.claimed.asc().nulls_first(), HarvestJob.created)
    )


def _is_worked_on(*kinds: str) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a live process of these kinds, or of any, has this run."""
    alive = tables.database_time() - dt.timedelta(seconds=config.worker_timeout())
    busy = sa.exists().where(Worker.busy_with == HarvestJob.id, Worker.heartbeat > alive)
    return busy.where(Worker.kind.in_(kinds)) if kinds else busy


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
    now = tables.database_time()
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
    taken = upsert_statement(Claim, ["harvest_object_id"], rows)
    turn = upsert_statement(SourceState, ["source_id"], [{"source_id": source_id, "claimed": now}])
    # All in one statement, which is felt where records are taken one by one.
    together = sa.select(sa.true())
    parts = {"own": own.values(busy), "started": started, "taken": taken, "turn": turn}
    for name, part in parts.items():
        together = together.add_cte(part.cte(name))
    Session.execute(UNHURRIED)
    Session.execute(together)
