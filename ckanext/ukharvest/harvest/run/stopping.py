"""Stop a run: nothing new starts, imported records stay, and nothing is lost.

Waiting objects end as "stopped", neither imported nor failed nor missing; their rows keep their
fingerprints, so that the next run imports the rest. Document validators ("not modified") are
deleted, or that run would not read the documents.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.core.outcomes import DecisionKind, RecordOutcome, RunOutcome
from ckanext.ukharvest.harvest.consumers import workers
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import JobReport, SourceState, utcnow
from ckanext.ukharvest.harvest.run.run_report import is_asked_for, open_report
from ckanext.ukharvest.harvest.sources import decision_log

Session = model.Session

STOPPED = RunOutcome.STOPPED  # also the report status of objects that were not imported
IMPORTED = ("added", "updated", "not modified", "deleted")
WAITING = (objects.WAITING, objects.GATHERED)


def note_request(job: HarvestJob, user: str) -> JobReport:
    """Save who wants a run stopped, as a decision the first time; the caller commits."""
    if not is_asked_for(job.id):
        decision_log.add_decision(job.source_id, user, DecisionKind.RUN_STOPPED, job_id=job.id)
    return open_report(job.id, job.source_id, stopped_by=user)


def stop_run(
    job: HarvestJob, user: str, limits: workers.Limits, plugins: dict[str, int] | None
) -> bool:
    """Stop a run; True if that ended it; commits.

    A running gather and records being imported end by themselves: their workers check for it.

    Args:
        limits: when a worker counts as gone, or hung.
        plugins: to tell once it has ended, as ``after_run.plugins_to_tell``.
    """
    # Lock the job's row: a gather that starts now has changed it already, or waits.
    Session.execute(sa.select(HarvestJob.id).where(HarvestJob.id == job.id).with_for_update())
    Session.refresh(job)
    is_read = Session.query(JobReport.outcome).filter_by(job_id=job.id).scalar()
    if job.status not in objects.UNENDED or (is_read and not objects.has_open_objects(job.id)):
        Session.rollback()  # everything is done already; its outcome stays
        return True
    report = note_request(job, user)
    before = utcnow() - dt.timedelta(seconds=limits.heartbeat)
    busy = workers.busy_ids(limits)
    signs = [sign for sign in (job.created, job.gather_started, report.heartbeat) if sign]
    is_reading = (
        job.gather_started is not None
        and job.gather_finished is None
        and not report.outcome
        and (job.id in busy or max(signs) > before)
    )
    if is_reading:
        Session.commit()
        return False
    if not report.outcome:
        # No gather continues: delete staged objects, as the gather's own end does.
        objects.discard_staged(job.id)
        objects.forget_point(job.source_id)
    _end_objects(job.id, busy, before)
    forget_documents(job.source_id, job.id)
    end_report(report)
    is_over = not objects.has_open_objects(job.id)
    if is_over:
        close_job(job)
        report.plugins_due = plugins
    Session.commit()
    return is_over


def end_gather(job: HarvestJob) -> str:
    """End a run that is stopped while it reads, as if it had not begun; commits.

    Nothing is imported, deleted or counted missing.

    Returns:
        The report's reason.
    """
    objects.discard_staged(job.id)
    objects.forget_point(job.source_id)
    report = open_report(job.id, job.source_id)
    end_report(report)
    why = str(report.reason)
    close_job(job)
    Session.commit()
    return why


def note_end(job: HarvestJob) -> None:
    """Save the outcome of a run with a report that ckanext-harvest ended; commits."""
    nameless = (HarvestObject.state == "ERROR") & HarvestObject.report_status.is_(None)
    statement = sa.update(HarvestObject).where(HarvestObject.harvest_job_id == job.id, nameless)
    statement = statement.values(report_status=STOPPED)
    execute(statement)
    report = open_report(job.id, job.source_id)
    report.outcome, report.reason = STOPPED, f"stopped by {report.stopped_by}"
    report.finished = utcnow()
    close_job(job)
    Session.commit()


def end_report(report: JobReport) -> None:
    """Write into a report that its run was stopped; the caller commits."""
    why = "" if report.outcome else "nothing was imported, the next run starts afresh"
    reasons = (f"stopped by {report.stopped_by}", why, report.reason)
    report.reason = "; ".join(text for text in reasons if text)
    report.outcome = STOPPED
    report.finished = report.finished or utcnow()


def close_job(job: HarvestJob) -> None:
    """End a job without unfinished objects; the caller commits."""
    now = utcnow()
    job.gather_started = job.gather_started or now
    job.gather_finished = job.gather_finished or now
    job.status = "Finished"
    job.finished = now


def end_object(obj: HarvestObject) -> None:
    """End an object that a consumer received after the stop; commits."""
    obj.report_status = STOPPED
    obj.state = "ERROR"
    Session.commit()


def forget_documents(source_id: str, job_id: str) -> None:
    """Let the next run read all documents again, without validators."""
    state = Session.get(SourceState, source_id)
    saved = (state.sync_state or {}) if state else {}
    if state is not None and saved.get("job_id") == job_id:
        state.sync_state = {**saved, "job_id": None, "documents": {}, "mark": ""}


def _end_objects(job_id: str, busy: Collection[str], before: dt.datetime) -> None:
    """End waiting objects, and those whose worker has ended."""
    orphaned = sa.and_(
        objects.is_under_way(),
        objects.last_sign() < before,
        HarvestObject.id.notin_(list(busy)),
        sa.literal(job_id).notin_(list(busy)),
    )
    execute(
        sa.update(HarvestObject)
        .where(HarvestObject.harvest_job_id == job_id)
        .where(sa.or_(HarvestObject.state.in_(WAITING), orphaned))
        .values(
            state=_end_state(),
            report_status=sa.func.coalesce(HarvestObject.report_status, STOPPED),
        )
    )


def _end_state() -> sa.ColumnElement[str]:
    """Return the state of an object that is ended from outside.

    Its worker may have ended between the record's last commit and the queue's.
    """
    return sa.case((HarvestObject.report_status.in_(IMPORTED), "COMPLETE"), else_="ERROR")


def end_left(object_ids: Collection[str]) -> list[str]:
    """End open objects of ended runs; return those that are errored now; the caller commits."""
    stopped = (
        sa.select(JobReport.job_id)
        .where(JobReport.job_id == HarvestObject.harvest_job_id, JobReport.stopped_by != "")
        .exists()
    )
    outcome = sa.case((stopped, STOPPED), else_=RecordOutcome.ERRORED)
    rows = execute(
        sa.update(HarvestObject)
        .where(HarvestObject.id.in_(object_ids), objects.is_open_object())
        .values(
            state=_end_state(),
            report_status=sa.func.coalesce(HarvestObject.report_status, outcome),
        )
        .returning(HarvestObject.id, HarvestObject.report_status)
    )
    return [id_ for id_, status in rows if status == RecordOutcome.ERRORED]


REASON = "another harvester began this run; the next run reads its records again"


def end_stock_object(obj: HarvestObject) -> None:
    """End an object of another harvester that is delivered to ours, and log it; commits."""
    if not obj.report_status:  # else ``ckan harvester import`` of an imported object
        report = open_report(obj.harvest_job_id, obj.harvest_source_id)
        if not report.outcome:
            report.outcome, report.reason = STOPPED, REASON
            report.finished = utcnow()
        end_object(obj)
