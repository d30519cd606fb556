"""Recover jobs that no consumer gathers; ckanext-harvest closes those with nothing left to do."""

from __future__ import annotations

import datetime as dt

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.model import (
    JobReport,
    open_work,
    run_results,
    staged_objects,
    stopping,
    workers,
)
from ckanext.ukharvest.model.statements import execute
from ckanext.ukharvest.model.stopping import LOST_GATHERS
from ckanext.ukharvest.operations.sweeper import lost_work

Session = model.Session

MAX_RESENDS = 2
KILLED = (
    "Reading this source ended the gather consumer three times, often for lack of memory. Nothing "
    "was imported"
)


def recover_gathers() -> list[str]:
    """Queue jobs again whose gather process died; end jobs whose gather died too often.

    And remove what a second gather of a job left that was gathered by another.
    """
    return [_recover(job, report) for job, report in find_lost_gathers()]


def find_lost_gathers() -> list[tuple[HarvestJob, JobReport | None]]:
    """Return jobs, with their reports, that are not gathered, or have staged objects left.

    ckanext-harvest notes the end of a gather whatever its result: only our report tells it.
    """
    staged = sa.exists().where(
        HarvestObject.harvest_job_id == HarvestJob.id,
        HarvestObject.state == staged_objects.GATHERED,
    )
    without_result = sa.exists().where(
        JobReport.job_id == HarvestJob.id,
        JobReport.outcome == "",
        HarvestSource.id == HarvestJob.source_id,
        HarvestSource.type.in_(config.our_type_names()),
    )
    query = Session.query(HarvestJob).filter(
        HarvestJob.status == "Running",
        sa.or_(HarvestJob.gather_finished.is_(None), staged, without_result),
    )
    if query.first() is None:
        return []
    queue_state = lost_work.load_queue_state(lost_work.GATHER)
    query = query.populate_existing()  # jobs that changed since the first query
    jobs = [job for job in query if queue_state.is_lost(job.id)]
    known = run_results.reports_of(job.id for job in jobs)
    lost = []
    for job in jobs:
        report = known.get(job.id)
        sign = _last_sign(job, report, queue_state.after)
        if sign is None or sign < queue_state.before:
            lost.append((job, report))
    return lost


def _last_sign(job: HarvestJob, report: JobReport | None, after: dt.datetime) -> dt.datetime | None:
    """Return the time of the last sign of life, None without any.

    One that lies ahead of now is none: the clock was put back since.
    """
    heartbeat = report.heartbeat if report else None
    signs = (job.created, job.gather_started, job.gather_finished, heartbeat)
    return max((sign for sign in signs if sign and sign < after), default=None)


def _recover(job: HarvestJob, report: JobReport | None) -> str:
    is_ours = job.source.type in config.our_type_names()
    has_result = bool(report and report.outcome) if is_ours else job.gather_finished is not None
    if has_result:
        return _mark_gathered(job, report)
    if report is not None and report.stopped_by:
        # Its gather process died before it could do so.
        return f"ended job {job.id}: {stopping.end_gather(job)}"
    if job.gather_started is None:
        return _send(job, "its message was lost")
    if not is_ours:
        # Another harvester's gather may have staged only part of a source and cannot say which.
        return _end(job, report, "its gather ended before it was done")
    if report is None:
        report = stopping.open_report(job.id, job.source_id)
    lost = int((report.counts or {}).get(LOST_GATHERS, 0)) + 1
    if lost > MAX_RESENDS:
        why = f"its gather was ended {lost} times before it was done"
        return _end(job, report, why, KILLED, "ended-consumer")
    if not staged_objects.point_of(job.source_id, job.id):  # else it resumes
        staged_objects.discard(job.id)
    report.counts = {**(report.counts or {}), LOST_GATHERS: lost}
    return _send(job, "its gather consumer is gone")


def _mark_gathered(job: HarvestJob, report: JobReport | None) -> str:
    """Keep the result of a gather; what is staged yet is a second gather's, which died."""
    was_marked = job.gather_finished is not None
    finished = report.finished if report else None
    job.gather_finished = job.gather_finished or finished or tables.utcnow()
    staged_objects.discard(job.id)
    Session.commit()
    if was_marked:
        return f"removed harvest objects that a second gather of job {job.id} left"
    return f"job {job.id} was gathered, but not marked as gathered"


def _send(job: HarvestJob, why: str) -> str:
    job.status = "Running"
    job.gather_started = job.gather_finished = None
    workers.forget_work(job.id)
    Session.commit()
    lost_work.send(lost_work.GATHER, [job.id])
    return f"sent job {job.id} to the gather queue again: {why}"


def _end(
    job: HarvestJob, report: JobReport | None, why: str, message: str = "", code: str = ""
) -> str:
    """End a job as failed; ckanext-harvest closes it and sends its mail."""
    message = message or (
        f"The run was ended: {why}. Nothing was imported; the next run starts afresh"
    )
    job_id = job.id
    own = HarvestObject.harvest_job_id == job_id
    if report is None:  # of another harvester: as ckanext-harvest does when a gather raises
        execute(sa.delete(HarvestObject).where(own, open_work.is_open()))
    else:
        staged_objects.discard(job_id)
        staged_objects.forget_point(job.source_id)
        report.outcome, report.reason, report.finished = RunOutcome.FAILED, message, tables.utcnow()
        report.error = {"code": code or "error", "message": message, "passes": not code}
    job.gather_finished = tables.utcnow()
    Session.add(HarvestGatherError(message=message, harvest_job_id=job_id))
    Session.commit()
    return f"ended job {job_id}: {why}"


def store_results() -> list[str]:
    """Store the results of runs that other code has ended by SQL, and of held runs."""
    number = run_results.store_left()
    run_results.settle()
    return [f"stored the results of {counted(number, 'run')}"] if number else []


def send_new() -> list[str]:
    """Send jobs that were created but never sent: each blocks all runs of its source."""
    query = Session.query(HarvestJob).filter(HarvestJob.status == "New")
    if query.first() is None:
        return []
    queue_state = lost_work.load_queue_state(lost_work.GATHER)
    query = query.filter(queue_state.is_past(HarvestJob.created)).populate_existing()
    return [_send_new(job) for job in query if queue_state.is_lost(job.id)]


def _send_new(job: HarvestJob) -> str:
    if job.source.active:
        return _send(job, "it had not been sent")
    job_id = job.id
    message = "The source was deleted before the run began"
    job.status = "Finished"
    job.gather_started = job.gather_finished = job.finished = tables.utcnow()
    Session.add(HarvestGatherError(message=message, harvest_job_id=job_id))
    Session.commit()
    return f"ended job {job_id}: its source is deleted"
