"""Harvest objects that nobody works on or will deliver."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import (
    HarvestJob,
    HarvestObject,
    HarvestObjectError,
    HarvestObjectExtra,
    HarvestSource,
)

from ckanext.ukharvest import config, store
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.errors import RejectedByCkan
from ckanext.ukharvest.sweeper import workers

Session = model.Session

KILLS = "ended_workers"  # extra of a harvest object: how many workers ended while they had it
MAX_KILLS = 3
UNDER_WAY = ("FETCH", "IMPORT")


class _Lost(NamedTuple):
    id: str
    job_id: str
    type: str
    kills: int


def recover() -> list[str]:
    """Send objects again whose worker is gone; give up those that ended three of them."""
    if not workers.is_watched():
        return []
    lost = _orphans(workers.look(workers.FETCH))
    fatal = [each for each in lost if each.kills >= MAX_KILLS]
    for each in fatal:
        _give_up(each)
    again = [each for each in lost if each.kills < MAX_KILLS and _take_back(each)]
    Session.commit()
    workers.send(workers.FETCH, [each.id for each in again])
    did = [f"gave up harvest object {each.id}: it ended {MAX_KILLS} consumers" for each in fatal]
    return did + [f"sent harvest object {each.id} again: its consumer is gone" for each in again]


def _orphans(look: workers.Look) -> list[_Lost]:
    started = sa.func.greatest(HarvestObject.fetch_started, HarvestObject.import_started)
    kills = (
        sa.select(HarvestObjectExtra.value)
        .where(HarvestObjectExtra.harvest_object_id == HarvestObject.id)
        .where(HarvestObjectExtra.key == KILLS)
        .limit(1)
        .scalar_subquery()
    )
    query = (
        Session.query(HarvestObject.id, HarvestObject.harvest_job_id, HarvestSource.type, kills)
        .outerjoin(HarvestSource, HarvestSource.id == HarvestObject.harvest_source_id)
        .filter(HarvestObject.state.in_(UNDER_WAY), started < look.before)
    )
    found = (_Lost(id_, job, type_ or "", int(n or 0) + 1) for id_, job, type_, n in query)
    return [each for each in found if look.is_lost(each.id, each.job_id)]


def _take_back(lost: _Lost) -> bool:
    """Make the object wait again, with its deliveries forgotten: they were no fault of its own.

    Returns:
        False if it ended in the meantime.
    """
    statement = (
        sa.update(HarvestObject)
        .where(HarvestObject.id == lost.id, HarvestObject.state.in_(UNDER_WAY))
        .values(state="WAITING", retry_times=0)
    )
    result = Session.execute(statement.execution_options(synchronize_session=False))
    if not result.rowcount:
        return False
    noted = sa.delete(HarvestObjectExtra).where(
        HarvestObjectExtra.harvest_object_id == lost.id, HarvestObjectExtra.key == KILLS
    )
    Session.execute(noted.execution_options(synchronize_session=False))
    Session.add(HarvestObjectExtra(harvest_object_id=lost.id, key=KILLS, value=str(lost.kills)))
    return True


def _give_up(lost: _Lost) -> None:
    # A worker that hangs in a transaction may hold the record's lock: the next tick tries again.
    Session.execute(sa.text("SET LOCAL lock_timeout = '5s'"))
    message = "The record ended the consumer three times; its dataset stays as it is"
    if lost.type in config.our_type_names():
        store.fail(lost.id, RejectedByCkan(message, code="ended-consumer"), "Import")
    else:
        error = HarvestObjectError(harvest_object_id=lost.id, message=message, stage="Import")
        Session.add(error)
    _end(lost.id)
    Session.commit()


def _end(object_id: str) -> None:
    statement = (
        sa.update(HarvestObject)
        .where(HarvestObject.id == object_id)
        .values(state="ERROR", report_status="errored", import_finished=tables.utcnow())
    )
    Session.execute(statement.execution_options(synchronize_session=False))


def resend_waiting() -> list[str]:
    """Send waiting objects that are not on the queue: Redis lost them, or a crash came first.

    Not while their gather is at work, which sends them itself (ckanext-harvest issue 446).
    """
    if not workers.is_watched():
        return []
    look = workers.look(workers.FETCH)
    query = (
        Session.query(HarvestObject.id, HarvestObject.harvest_job_id)
        .join(HarvestJob, HarvestJob.id == HarvestObject.harvest_job_id)
        .filter(HarvestObject.state == "WAITING")
        .filter(sa.or_(HarvestJob.gather_finished.isnot(None), HarvestJob.status == "Finished"))
        .order_by(HarvestObject.gathered)
    )
    ids = [id_ for id_, job_id in query if look.is_lost(id_, job_id)]
    Session.commit()
    workers.send(workers.FETCH, ids)
    return [f"sent {len(ids)} waiting harvest objects that were not on the queue"] if ids else []


def report_given_up() -> list[str]:
    """Count objects as errored that the queue gave up without a word (state, but no status)."""
    if not workers.is_watched():
        return []
    look = workers.look(workers.FETCH)
    query = (
        Session.query(HarvestObject.id, HarvestObject.harvest_job_id)
        .join(HarvestJob, HarvestJob.id == HarvestObject.harvest_job_id)
        .filter(HarvestJob.status == "Running", HarvestObject.state == "ERROR")
        .filter(HarvestObject.report_status.is_(None))
    )
    ids = [id_ for id_, job_id in query if not {id_, job_id} & look.busy]
    explained = Session.query(HarvestObjectError.harvest_object_id).filter(
        HarvestObjectError.harvest_object_id.in_(ids)
    )
    known = {row[0] for row in explained}
    for id_ in ids:
        _end(id_)
        if id_ not in known:
            message = "Given up: each attempt to import the record ended without a result"
            Session.add(HarvestObjectError(harvest_object_id=id_, message=message, stage="Import"))
    return [f"counted {len(ids)} harvest objects as errored that were given up"] if ids else []
