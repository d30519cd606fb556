"""Jobs that nobody gathers; those with nothing left to do are closed by ckanext-harvest."""

from __future__ import annotations

import datetime as dt

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob, HarvestObject

from ckanext.ukharvest import config
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.model import JobReport, reports, staging, stopping
from ckanext.ukharvest.sweeper import workers

Session = model.Session

LOST_GATHERS = "lost_gathers"  # in JobReport.counts
MAX_RESENDS = 2


def recover_gathers() -> list[str]:
    """Send jobs again whose gather is gone, end those that lost it too often."""
    if not workers.is_watched():
        return []
    look = workers.look(workers.GATHER)
    query = Session.query(HarvestJob).filter(
        HarvestJob.status == "Running", HarvestJob.gather_finished.is_(None)
    )
    jobs = [job for job in query if look.is_lost(job.id)]
    known = reports.reports_of(job.id for job in jobs)
    did = []
    for job in jobs:
        report = known.get(job.id)
        if _last_sign(job, report) < look.before:
            did.append(_recover(job, report))
    return did


def _last_sign(job: HarvestJob, report: JobReport | None) -> dt.datetime:
    signs = (job.created, job.gather_started, report.heartbeat if report else None)
    return max(sign for sign in signs if sign)


def _recover(job: HarvestJob, report: JobReport | None) -> str:
    if report is not None and report.stopped_by:
        # Its gather went before it could do that itself.
        return f"ended job {job.id}: {stopping.end_gather(job)}"
    if job.gather_started is None:
        return _send(job, "its message was lost")
    if job.source.type not in config.our_type_names():
        # Another harvester's gather may have left half a source behind and cannot tell.
        return _end(job, report, "its gather ended before it was done")
    if report is not None and report.outcome:
        job.gather_finished = report.finished or tables.utcnow()
        Session.commit()
        return f"job {job.id} was gathered, and nobody had noted it"
    if report is None:
        report = stopping.open_report(job.id, job.source_id)
    lost = int((report.counts or {}).get(LOST_GATHERS, 0)) + 1
    if lost > MAX_RESENDS:
        return _end(job, report, f"its gather was ended {lost} times before it was done")
    if not staging.point_of(job.source_id, job.id):  # else it goes on where it broke off
        staging.discard(job.id)
    report.counts = {**(report.counts or {}), LOST_GATHERS: lost}
    return _send(job, "its gather consumer is gone")


def _send(job: HarvestJob, why: str) -> str:
    job.status = "Running"
    job.gather_started = None
    Session.commit()
    workers.send(workers.GATHER, [job.id])
    return f"sent job {job.id} to the gather queue again: {why}"


def _end(job: HarvestJob, report: JobReport | None, why: str) -> str:
    """End a job as failed; ckanext-harvest closes it and sends its mail."""
    message = f"The run was ended: {why}. Nothing was imported; the next run starts afresh"
    job_id = job.id
    if report is None:
        _discard_all(job_id)
    else:
        staging.discard(job_id)
        staging.forget_point(job.source_id)
        report.outcome, report.reason, report.finished = "failed", message, tables.utcnow()
        report.error = {"code": "error", "message": message, "passes": True}
    job.gather_finished = tables.utcnow()
    Session.add(HarvestGatherError(message=message, harvest_job_id=job_id))
    Session.commit()
    return f"ended job {job_id}: {why}"


def _discard_all(job_id: str) -> None:
    """Remove what another harvester's gather left, as ckanext-harvest does when one raises."""
    statement = sa.delete(HarvestObject).where(
        HarvestObject.harvest_job_id == job_id, HarvestObject.state.notin_(("COMPLETE", "ERROR"))
    )
    Session.execute(statement.execution_options(synchronize_session=False))


def send_new() -> list[str]:
    """Send jobs that were made and never sent: each keeps its source from running at all."""
    if not workers.is_watched():
        return []
    look = workers.look(workers.GATHER)
    query = Session.query(HarvestJob).filter(
        HarvestJob.status == "New", HarvestJob.created < look.before
    )
    return [_send_new(job) for job in query if look.is_lost(job.id)]


def _send_new(job: HarvestJob) -> str:
    if job.source.active:
        return _send(job, "nobody had sent it")
    job_id = job.id
    message = "The source was deleted before the run began"
    job.status = "Finished"
    job.gather_started = job.gather_finished = job.finished = tables.utcnow()
    Session.add(HarvestGatherError(message=message, harvest_job_id=job_id))
    Session.commit()
    return f"ended job {job_id}: its source is deleted"
