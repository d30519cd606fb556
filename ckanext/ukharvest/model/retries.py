"""Harvest objects that wait again because a service failed while they were imported.

The failure is not the record's: the object goes back to WAITING, is sent again after a pause that
grows, and fails only when the service failed at every attempt.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import compat
from ckanext.ukharvest.model import Retry, database_time, open_work, stopping
from ckanext.ukharvest.model.service_faults import failing_service
from ckanext.ukharvest.model.statements import execute, upsert

log = logging.getLogger(__name__)
Session = model.Session

# Minutes until the next attempt, by number of failed attempts.
PAUSES = (1, 5, 15, 60, 180)
# Seconds between attempts to store that while the database is unavailable.
PATIENCE = (1, 2, 4, 8, 15, 30)


class GivenUp(Exception):
    """A service failed at every attempt; ``attempts`` is their number."""

    def __init__(self, attempts: int) -> None:
        super().__init__(attempts)
        self.attempts = attempts


def postpone(object_id: str, service: str, message: str) -> None:
    """Let an object wait for its next attempt; this call waits until the database answers.

    Begins and ends with a session of its own.

    Raises:
        GivenUp: it was its last attempt.
        sqlalchemy.exc.SQLAlchemyError: the database did not come back; nothing is stored.
    """
    patiently(lambda: _wait_again(object_id, service, message))
    log.warning("Harvest object %s waits again: the %s failed: %s", object_id, service, message)


def patiently(work: Callable[[], None]) -> None:
    """Call a function, again and again while the database fails; it must be safe to repeat.

    Begins and ends with a session of its own.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: the database did not come back; nothing is stored.
    """
    for pause in (*PATIENCE, None):
        compat.close_session()
        try:
            work()
        except sa.exc.SQLAlchemyError as exc:
            if pause is None or not failing_service(exc):
                raise
            log.warning("The database does not answer; trying again in %d s", pause)
            time.sleep(pause)
        else:
            return
        finally:
            compat.close_session()


def _wait_again(object_id: str, service: str, message: str) -> None:
    """Let an object wait, or end it if it was imported already; commits."""
    query = Session.query(HarvestObject).filter_by(id=object_id)
    obj = query.with_for_update().populate_existing().one_or_none()
    if obj is None or obj.state in open_work.ENDED:
        Session.commit()
        return
    if obj.report_status in stopping.IMPORTED:  # the fault came after the record's own commit
        obj.state = "COMPLETE"
        Session.commit()
        return
    retry = Session.get(Retry, object_id)
    attempts = (retry.attempts if retry else 0) + 1
    if attempts > len(PAUSES):
        Session.commit()
        raise GivenUp(attempts)
    due = database_time() + dt.timedelta(minutes=PAUSES[attempts - 1])
    row = {"harvest_object_id": object_id, "attempts": attempts, "due": due}
    row |= {"service": service, "message": message}
    execute(upsert(Retry, ["harvest_object_id"], [row]))
    # ckanext.harvest.queue ends an object at its fifth delivery, but these were not its fault.
    obj.state, obj.report_status, obj.retry_times = "WAITING", None, 0
    Session.commit()


def next_due(job_id: str) -> dt.datetime | None:
    """Return the time of the next attempt at an object of a job, None without waiting objects."""
    due: dt.datetime | None = _waiting(job_id, sa.func.min(Retry.due)).scalar()
    return due


def is_paused(due: Any) -> sa.ColumnElement[bool]:
    """Return the SQL condition that an object waits for its next attempt, due at this time.

    A time beyond the longest pause is none: the clock was put back since.
    """
    now = database_time()
    return sa.and_(due > now, due <= now + dt.timedelta(minutes=PAUSES[-1]))


def due_ids(job_id: str) -> list[str]:
    """Return the ids of a job's waiting objects whose pause is over."""
    due = _waiting(job_id, HarvestObject.id).filter(sa.not_(is_paused(Retry.due)))
    return [row[0] for row in due.order_by(Retry.due)]


def _waiting(job_id: str, column: Any) -> Any:
    return (
        Session.query(column)
        .select_from(HarvestObject)
        .join(Retry, Retry.harvest_object_id == HarvestObject.id)
        .filter(HarvestObject.harvest_job_id == job_id, HarvestObject.state == "WAITING")
    )


def forget_finished() -> None:
    """Delete the rows of finished objects; the caller commits."""
    finished = sa.select(HarvestObject.id).where(HarvestObject.state.in_(open_work.ENDED))
    execute(sa.delete(Retry).where(Retry.harvest_object_id.in_(finished)))
