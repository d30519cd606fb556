"""End a run as soon as nothing of it is left, and send ckanext-harvest's emails about it.

The consumer that settles a run's last record ends the run, after the commit of that record. Cron's
``ckan harvester run`` ends those whose consumer died between the two, and sends the emails: a mail
server that does not answer holds no consumer up.
"""

from __future__ import annotations

import logging

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.logic.action import update as stock
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.harvest import daily_figures, lists
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import JobReport
from ckanext.ukharvest.harvest.run import after_run

Session = model.Session
log = logging.getLogger(__name__)


def end_if_done(job_id: str, *, is_read: bool = True) -> bool:
    """End a run of ours without anything left to import; commits, never raises.

    Of several processes that find nothing left, one ends it: the others wait for its lock.

    Args:
        is_read: only if its gather has a result; else also if it failed without one.

    Returns:
        Whether this call ended it.
    """
    try:
        if objects.has_open_objects(job_id):
            return False
        source_id, report_id = _end(job_id, is_read)
        if report_id:
            after_run.enqueue_calls([report_id])
        if source_id:
            # So that lists and searches of sources have the figures.
            tk.get_action("harvest_source_reindex")({"ignore_auth": True}, {"id": source_id})
            for follow in lists.RUN_ENDED:
                follow(source_id)
    except Exception:  # noqa: BLE001 - the consumer has to survive; the next tick ends the run
        log.exception("Run %s could not be ended", job_id)
        compat.rollback()
        return False
    return bool(source_id)


def end_done(source_id: str = "") -> list[str]:
    """End the runs of ours whose last consumer died before it could.

    Args:
        source_id: only runs of this source; "" for all.
    """
    jobs = (
        sa.select(HarvestJob.id, model.Package.name)
        .join(HarvestSource, HarvestSource.id == HarvestJob.source_id)
        .join(model.Package, model.Package.id == HarvestSource.id)
        .where(HarvestJob.status == "Running", HarvestJob.gather_finished.isnot(None))
        .where(HarvestSource.type.in_(config.our_type_names()))
    )
    if source_id:
        jobs = jobs.where(HarvestSource.id == source_id)
    rows = Session.execute(jobs).all()
    return [f"closed the run of {name}" for id_, name in rows if end_if_done(id_, is_read=False)]


def _end(job_id: str, is_read: bool) -> tuple[str, int | None]:
    """End the run if nothing of it is left; commits.

    Returns:
        The id of its source, "" if it goes on; and of its report, if plugins are to be told.
    """
    job = (
        Session.query(HarvestJob)
        .filter_by(id=job_id, status="Running")
        .with_for_update()
        .populate_existing()
        .one_or_none()
    )
    outcome = Session.query(JobReport.outcome).filter_by(job_id=job_id).scalar()
    is_gathered = job is not None and job.gather_finished and (outcome or not is_read)
    if not is_gathered or objects.has_open_objects(job_id):
        Session.commit()
        return "", None
    imported = sa.select(sa.func.max(HarvestObject.import_finished))
    last = Session.scalar(imported.where(HarvestObject.harvest_job_id == job_id))
    job.status, job.finished = "Finished", last or job.gather_finished
    Session.flush()  # stores figures and outcome, in a report if there was none (outcomes.py)
    report = Session.query(JobReport).filter_by(job_id=job_id).populate_existing().one_or_none()
    if report is not None:
        # What failed before with the same content is no news.
        errors = int((report.figures or {}).get("errored", 0))
        is_news = errors > int((report.counts or {}).get("failed_again", 0))
        report.status_mail_due = _mails("all") or (is_news and _mails("errored"))
        report.plugins_due = after_run.plugins_to_tell()
    source_id = str(job.source_id)
    daily_figures.store_datasets([source_id])
    report_id = report.id if report and report.plugins_due else None
    Session.commit()
    return source_id, report_id


def _mails(which: str) -> bool:
    """Tell whether ckanext-harvest sends emails about all runs, or about those with errors."""
    return bool(tk.asbool(tk.config.get(f"ckan.harvest.status_mail.{which}")))


def send_status_mails() -> list[str]:
    """Send the emails of ckanext-harvest about runs that ended themselves; commits.

    Each is marked as sent before: one that is lost is better than one at each tick.
    """
    sent = []
    while claimed := _claim_mail():
        job_id, source_id = claimed
        try:
            _send_status_mail(job_id, source_id)
        except Exception:  # such as a time-out, which CKAN's mailer lets through
            log.exception("The email about run %s could not be sent", job_id)
            compat.rollback()
        else:
            sent.append(f"sent the email about run {job_id}")
    return sent


def _claim_mail() -> tuple[str, str] | None:
    """Mark the oldest email that is due as sent; return the ids of its run and source; commits."""
    due = sa.select(JobReport.id).where(JobReport.status_mail_due).order_by(JobReport.id).limit(1)
    row = execute(
        sa.update(JobReport)
        .where(JobReport.id == due.with_for_update(skip_locked=True).scalar_subquery())
        .values(status_mail_due=False)
        .returning(JobReport.job_id, JobReport.source_id)
    ).first()
    Session.commit()
    return tuple(row) if row else None


def _send_status_mail(job_id: str, source_id: str) -> None:
    context = {"ignore_auth": True, "model": model, "session": Session, "user": ""}
    status = tk.get_action("harvest_source_show_status")(dict(context), {"id": source_id})
    status["last_job"] = tk.get_action("harvest_job_show")(dict(context), {"id": job_id})
    is_wrong = status["last_job"]["stats"].get("errored", 0) > 0
    send = stock.send_error_email if is_wrong else stock.send_summary_email
    send(context, source_id, status)
