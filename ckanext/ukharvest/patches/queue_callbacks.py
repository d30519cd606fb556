"""Wrap ckanext-harvest's queue callbacks: catch every exception and record it on job or object.

``ckanext.harvest.queue`` lets every exception of a stage end the process, for all harvesters of the
portal (ckanext-harvest issue 112), processes a message twice if it is delivered twice (issue 446),
and gives up on an object after five deliveries without a message.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import redis
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob, HarvestObject, HarvestObjectError

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.harvest.consumers import failures
from ckanext.ukharvest.harvest.consumers.failures import QUEUES, failing_service
from ckanext.ukharvest.harvest.consumers.workers import FETCH, GATHER, read_id
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import JobReport, utcnow
from ckanext.ukharvest.harvest.run import outcomes, stopping
from ckanext.ukharvest.patches import polling

log = logging.getLogger(__name__)
Session = model.Session

Callback = Callable[[Any, Any, Any, str], Any]

MAX_DELIVERIES = 5  # ckanext.harvest.queue gives up at the fifth


class _Once:
    """A channel that acknowledges a message once: RabbitMQ closes it at the second time.

    The stock functions acknowledge some failures before they raise, and others not.
    """

    def __init__(self, channel: Any) -> None:
        self._channel = channel
        self._done = False

    def basic_ack(self, delivery_tag: Any) -> None:
        if not self._done:
            self._done = True
            self._channel.basic_ack(delivery_tag)


def _acknowledge(channel: _Once, method: Any) -> None:
    try:
        channel.basic_ack(method.delivery_tag)
    except Exception:  # noqa: BLE001 - it is delivered again, which does no harm
        log.warning("A message could not be acknowledged", exc_info=True)


def guarded_gather(stock: Callback) -> Callback:
    """Return ``gather_callback`` that no exception ends."""

    def gather_callback(channel: Any, method: Any, header: Any, body: str) -> Any:
        job_id = read_id(body, GATHER)
        once = _Once(channel)
        try:
            if polling.is_about_ours(channel, GATHER, body):
                _acknowledge(once, method)
                polling.look(GATHER)
                return False
            status = Session.query(HarvestJob.status).filter(HarvestJob.id == job_id).scalar()
            if status == "Finished":  # stopped while it waited
                _acknowledge(once, method)
                return False
            polling.work_alone(job_id)
            if polling.is_gathered_elsewhere(job_id):
                log.info("Job %s was delivered again; another process gathers it", job_id)
                _acknowledge(once, method)
                return False
            with polling.with_one_message(job_id):
                answer = stock(once, method, header, body)
            polling.end_gathered(job_id)
            return answer
        except Exception as exc:  # noqa: BLE001 - the consumer has to survive
            log.exception("Gather of job %s failed", job_id)
            if isinstance(exc, redis.RedisError) or failing_service(exc) in QUEUES:
                # Objects that are not on the queue yet wait in the database and are sent again.
                compat.close_session()
                return False
            end = _hand_over_job if failing_service(exc) else _fail_job
            if _after_failure(end, job_id, _internal(exc)):
                _acknowledge(once, method)
        return False

    return gather_callback


def guarded_fetch(stock: Callback) -> Callback:
    """Return ``fetch_callback`` that takes batches, and that no exception ends."""

    def fetch_callback(channel: Any, method: Any, header: Any, body: str) -> Any:
        object_id = read_id(body, FETCH)
        once = _Once(channel)
        try:
            if polling.is_about_ours(channel, FETCH, body):
                _acknowledge(once, method)
                polling.look(FETCH)
                return None
            polling.work_alone(object_id)
            if _is_finished(object_id):
                log.info("Harvest object %s was delivered again; it is finished", object_id)
                _acknowledge(once, method)
                return False
            answer = stock(once, method, header, body)
            if answer is False:
                _explain(object_id)
        except Exception as exc:  # noqa: BLE001 - the consumer has to survive
            log.exception("Import of harvest object %s failed", object_id)
            service = failing_service(exc)
            end = partial(_postpone_object, service) if service else _fail_object
            if _after_failure(end, object_id, _internal(exc)):
                _acknowledge(once, method)
            return False
        return answer

    return fetch_callback


def _after_failure(store: Callable[[str, str], None], id_: str, message: str) -> bool:
    """Store an error; return False if that fails too and the message has to be redelivered."""
    try:
        compat.close_session()
        store(id_, message)
    except Exception:  # noqa: BLE001 - no database: the log has to do
        log.exception("A failure could not be stored")
        return False
    finally:
        compat.close_session()
    return True


def _internal(exc: Exception) -> str:
    return (
        f"Internal error ({type(exc).__name__}) in the harvester of this source; "
        "the portal's log has details"
    )


def _fail_job(job_id: str, message: str) -> None:
    """End a gather that raised: no object of it waits any more, and the job can be closed."""
    job = Session.get(HarvestJob, job_id) if job_id else None
    if job is None:
        return
    objects.discard_stock_objects(job_id)
    job.gather_started = job.gather_started or utcnow()
    job.gather_finished = utcnow()
    Session.add(HarvestGatherError(message=message, harvest_job_id=job_id))
    Session.commit()


def _hand_over_job(job_id: str, _message: str) -> None:
    """Leave a job whose gather ended with a failed service to the sweeper."""
    job = Session.get(HarvestJob, job_id) if job_id else None
    if job is None or job.status == "Finished":
        return
    if Session.query(JobReport.outcome).filter_by(job_id=job_id).scalar():  # its objects wait
        job.gather_finished = utcnow()
    else:  # it is sent again, as if its message had been lost
        job.gather_started = job.gather_finished = None
    Session.commit()


def _postpone_object(service: str, object_id: str, message: str) -> None:
    try:
        failures.postpone_attempt(object_id, service, message)
    except failures.GivenUp:
        _fail_object(object_id, message)


def _fail_object(object_id: str, message: str) -> None:
    obj = Session.get(HarvestObject, object_id) if object_id else None
    if obj is None or obj.state == "COMPLETE":
        return
    obj.state = "ERROR"
    obj.report_status = RecordOutcome.ERRORED
    stage = "Import" if obj.import_started else "Fetch"
    Session.add(HarvestObjectError(harvest_object_id=object_id, message=message, stage=stage))
    outcomes.save_outcomes_of_batch([object_id])
    Session.commit()


def _is_finished(object_id: str) -> bool:
    """Tell whether an object needs no more work; end it here if its run was stopped."""
    row = (
        Session.query(HarvestObject.state, HarvestObject.report_status, JobReport.stopped_by)
        .outerjoin(JobReport, JobReport.job_id == HarvestObject.harvest_job_id)
        .filter(HarvestObject.id == object_id)
        .first()
    )
    if row and row.state == "WAITING" and row.stopped_by:
        stopping.end_object(HarvestObject.get(object_id))
        return True
    return bool(row and row.state in objects.ENDED and row.report_status)


def _explain(object_id: str) -> None:
    """Record why the queue gave up on an object."""
    obj = Session.get(HarvestObject, object_id)
    if obj is None or obj.state != "ERROR":
        return
    has_error = Session.query(HarvestObjectError.id).filter_by(harvest_object_id=object_id).first()
    if obj.report_status and has_error:
        return
    if obj.retry_times >= MAX_DELIVERIES:
        message = f"Given up after {obj.retry_times} attempts: each ended without a result"
    else:
        message = "The run was stopped before this record was imported"
    _fail_object(object_id, message)
    compat.close_session()
