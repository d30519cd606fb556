"""End a run before it is done: nothing new starts, what is in stays, and nothing is lost by it.

What waits to be imported is ended as "stopped", neither imported nor lost nor missing; its rows
keep their fingerprints, so that the next run finds what is left. What the source said of its
documents ("not modified since") is forgotten, or that run would not read them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject
from sqlalchemy.dialects.postgresql import insert

from ckanext.ukharvest.model import JobReport, SourceState, staging, utcnow, worker

Session = model.Session

STOPPED = "stopped"  # outcome of a run, and report status of the objects that it did not reach
IMPORTED = ("added", "updated", "not modified", "deleted")
WAITING, UNDER_WAY = ("WAITING", staging.GATHERED), ("FETCH", "IMPORT")


def open_report(job_id: str, source_id: str, **fields: Any) -> JobReport:
    """Return a run's report, made if it is not there yet, with these fields; commits nothing."""
    statement = insert(JobReport).values(job_id=job_id, source_id=source_id, **fields)
    if fields:
        statement = statement.on_conflict_do_update(index_elements=["job_id"], set_=fields)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=["job_id"])
    Session.execute(statement)
    return Session.query(JobReport).filter_by(job_id=job_id).populate_existing().one()


def is_asked_for(job_id: str, *, lock: bool = False) -> str:
    """Return who asked to stop a run, "" if nobody did.

    Args:
        lock: nobody can ask from now on until the transaction ends.
    """
    query = Session.query(JobReport.stopped_by).filter_by(job_id=job_id)
    row = (query.with_for_update() if lock else query).first()
    return str(row[0]) if row else ""


def show_life(job_id: str, seen: int) -> str:
    """Note that a gather lives and what it has seen; return who asked to stop it; commits."""
    seen_so_far = sa.func.jsonb_build_object("seen", seen)
    statement = (
        sa.update(JobReport)
        .where(JobReport.job_id == job_id)
        .values(heartbeat=utcnow(), counts=JobReport.counts.op("||")(seen_so_far))
        .returning(JobReport.stopped_by)
    )
    asked = Session.scalar(statement.execution_options(synchronize_session=False))
    Session.commit()
    return asked or ""


def stop(job: HarvestJob, user: str, timeout: float) -> bool:
    """Let nothing more of a run begin; True if it has ended by that; commits.

    A gather, and what is being imported now, end by themselves: whoever works on them looks here.

    Args:
        timeout: seconds without a sign of life after which a worker is taken for gone.
    """
    # The job's row: a gather that begins at this moment has changed it, or waits.
    Session.execute(sa.select(HarvestJob.id).where(HarvestJob.id == job.id).with_for_update())
    Session.refresh(job)
    is_read = Session.query(JobReport.outcome).filter_by(job_id=job.id).scalar()
    if job.status not in ("New", "Running") or (is_read and not _unfinished(job.id)):
        Session.rollback()  # all is done already, and stays as it came out
        return True
    report = open_report(job.id, job.source_id, stopped_by=user)
    before = utcnow() - dt.timedelta(seconds=timeout)
    busy = worker.busy(timeout)
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
    if not report.outcome:  # nobody reads on: what was staged goes, as at the gather's own end
        staging.discard(job.id)
        staging.forget_point(job.source_id)
    _end_objects(job.id, busy, before)
    forget_documents(job.source_id, job.id)
    end_report(report)
    is_over = not _unfinished(job.id)
    if is_over:
        close(job)
    Session.commit()
    return is_over


def end_gather(job: HarvestJob) -> str:
    """End a run that is stopped while it reads, as if it had not begun; commits.

    Nothing is imported, deleted or counted missing.

    Returns:
        Why, as the report says.
    """
    staging.discard(job.id)
    staging.forget_point(job.source_id)
    report = open_report(job.id, job.source_id)
    end_report(report)
    why = str(report.reason)
    close(job)
    Session.commit()
    return why


def note_end(job: HarvestJob) -> None:
    """Note that ckanext-harvest ended a run, of which a report tells who asked for it; commits."""
    nameless = (HarvestObject.state == "ERROR") & HarvestObject.report_status.is_(None)
    statement = sa.update(HarvestObject).where(HarvestObject.harvest_job_id == job.id, nameless)
    statement = statement.values(report_status=STOPPED)
    Session.execute(statement.execution_options(synchronize_session=False))
    report = open_report(job.id, job.source_id)
    report.outcome, report.reason = STOPPED, f"stopped by {report.stopped_by}"
    report.finished = utcnow()
    close(job)
    Session.commit()


def end_report(report: JobReport) -> None:
    """Write into a report that its run was stopped; the caller commits."""
    why = "" if report.outcome else "nothing was imported, the next run starts afresh"
    reasons = (f"stopped by {report.stopped_by}", why, report.reason)
    report.reason = "; ".join(each for each in reasons if each)
    report.outcome = STOPPED
    report.finished = report.finished or utcnow()


def close(job: HarvestJob) -> None:
    """End a job of which nothing is left to do; the caller commits."""
    now = utcnow()
    job.gather_started = job.gather_started or now
    job.gather_finished = job.gather_finished or now
    job.status = "Finished"
    job.finished = now


def end_object(obj: HarvestObject) -> None:
    """End an object that a consumer took up after all; commits."""
    obj.report_status = STOPPED
    obj.state = "ERROR"
    Session.commit()


def forget_documents(source_id: str, job_id: str) -> None:
    """Have the next run read all that this one was told not to ask for again."""
    state = Session.get(SourceState, source_id)
    kept = (state.validators or {}) if state else {}
    if state is not None and kept.get("job_id") == job_id:
        state.validators = {**kept, "job_id": None, "documents": {}, "mark": ""}


def _end_objects(job_id: str, busy: Collection[str], before: dt.datetime) -> None:
    """End what waits, and what a worker took up that is gone."""
    began = sa.func.greatest(HarvestObject.fetch_started, HarvestObject.import_started)
    orphaned = sa.and_(
        HarvestObject.state.in_(UNDER_WAY),
        began < before,
        HarvestObject.id.notin_(list(busy)),
        sa.literal(job_id).notin_(list(busy)),
    )
    statement = (
        sa.update(HarvestObject)
        .where(HarvestObject.harvest_job_id == job_id)
        .where(sa.or_(HarvestObject.state.in_(WAITING), orphaned))
        .values(
            # The worker may have gone between the record's last commit and the queue's.
            state=sa.case((HarvestObject.report_status.in_(IMPORTED), "COMPLETE"), else_="ERROR"),
            report_status=sa.func.coalesce(HarvestObject.report_status, STOPPED),
        )
    )
    Session.execute(statement.execution_options(synchronize_session=False))


def _unfinished(job_id: str) -> bool:
    query = Session.query(HarvestObject.id).filter(
        HarvestObject.harvest_job_id == job_id, HarvestObject.state.notin_(("COMPLETE", "ERROR"))
    )
    return query.first() is not None
