"""Recover jobs that no consumer gathers, end those with nothing left, start those that are due."""

from __future__ import annotations

import datetime as dt
import json
import logging

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest import background, daily_figures, database, lists
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.consumers import held_jobs, lost_work, workers
from ckanext.ukharvest.harvest.consumers.workers import GATHER
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.index import pending_index, search_index
from ckanext.ukharvest.harvest.lists import Step
from ckanext.ukharvest.harvest.model import JobReport, utcnow
from ckanext.ukharvest.harvest.records import record_rows
from ckanext.ukharvest.harvest.run import after_run, outcomes, prune, run_end, run_report, stopping

Session = model.Session
log = logging.getLogger(__name__)

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
        HarvestObject.state == objects.GATHERED,
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
    queue_state = lost_work.load_queue_state(GATHER)
    query = query.populate_existing()  # jobs that changed since the first query
    # Consumers look for runs of ours.
    jobs = [
        job
        for job in query
        if queue_state.is_lost(job.source.type, job.id)
        and (job.gather_started or job.source.type not in config.our_type_names())
    ]
    known = run_report.reports_of(job.id for job in jobs)
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
        report = run_report.open_report(job.id, job.source_id)
    lost = int((report.counts or {}).get(run_report.LOST_GATHERS, 0)) + 1
    if lost > MAX_RESENDS:
        why = f"its gather was ended {lost} times before it was done"
        return _end(job, report, why, KILLED, "ended-consumer")
    if not objects.resume_point_of(job.source_id, job.id):  # else it resumes
        objects.discard_staged(job.id)
    report.counts = {**(report.counts or {}), run_report.LOST_GATHERS: lost}
    return _send(job, "its gather consumer is gone")


def _mark_gathered(job: HarvestJob, report: JobReport | None) -> str:
    """Keep the result of a gather; what is staged yet is a second gather's, which died."""
    was_marked = job.gather_finished is not None
    finished = report.finished if report else None
    job.gather_finished = job.gather_finished or finished or tables.utcnow()
    objects.discard_staged(job.id)
    Session.commit()
    if was_marked:
        return f"removed harvest objects that a second gather of job {job.id} left"
    return f"job {job.id} was gathered, but not marked as gathered"


def _send(job: HarvestJob, why: str) -> str:
    job.status = "Running"
    job.gather_started = job.gather_finished = None
    workers.forget_work(job.id)
    Session.commit()
    if job.source.type not in config.our_type_names():
        lost_work.send_messages(GATHER, [job.id])
    return f"sent job {job.id} to the gather consumers again: {why}"


def _end(
    job: HarvestJob, report: JobReport | None, why: str, message: str = "", code: str = ""
) -> str:
    """End a job as failed; ckanext-harvest closes it and sends its mail."""
    message = message or (
        f"The run was ended: {why}. Nothing was imported; the next run starts afresh"
    )
    job_id = job.id
    if report is None:  # of another harvester: as ckanext-harvest does when a gather raises
        objects.discard_stock_objects(job_id)
    else:
        objects.discard_staged(job_id)
        objects.forget_point(job.source_id)
        report.outcome, report.reason, report.finished = RunOutcome.FAILED, message, tables.utcnow()
        report.error = {"code": code or "error", "message": message, "passes": not code}
    job.gather_finished = tables.utcnow()
    Session.add(HarvestGatherError(message=message, harvest_job_id=job_id))
    Session.commit()
    return f"ended job {job_id}: {why}"


def store_left_results() -> list[str]:
    """Store the results of runs that other code has ended by SQL, and of held runs."""
    number = outcomes.store_left()
    outcomes.settle_held_runs()
    return [f"stored the results of {counted(number, 'run')}"] if number else []


def send_new() -> list[str]:
    """Send jobs that were created but never sent: each blocks all runs of its source."""
    query = Session.query(HarvestJob).filter(HarvestJob.status == "New")
    if query.first() is None:
        return []
    queue_state = lost_work.load_queue_state(GATHER)
    query = query.filter(queue_state.is_past(HarvestJob.created)).populate_existing()
    return [_send_new(job) for job in query if queue_state.is_lost(job.source.type, job.id)]


def _send_new(job: HarvestJob) -> str:
    if job.source.active:
        return _send(job, "it had not been sent")
    job_id = job.id
    message = "The source was deleted before the run began"
    stopping.close_job(job)
    Session.add(HarvestGatherError(message=message, harvest_job_id=job_id))
    Session.commit()
    return f"ended job {job_id}: its source is deleted"


PRUNE_NOTE = "ukharvest.prune"  # key in system_info: when a tick last found nothing more to prune


def prune_old_runs() -> list[str]:
    """Prune what old runs and resources left behind; a long history takes several ticks.

    And store how many datasets each source has today.
    """
    if lost_work.pause_since(PRUNE_NOTE):
        return []
    went = prune.prune_all(
        config.our_type_names(),
        keep_runs=config.prune_keep_runs(),
        max_objects=prune.OBJECTS_A_TICK,
    )
    if went.objects < prune.OBJECTS_A_TICK:
        lost_work.begin_pause(PRUNE_NOTE)
    background.forget_old_days()
    daily_figures.store_datasets()
    daily_figures.forget_old_figures()
    runs = (
        f"Pruned {went.objects:,} harvest objects, {went.gather_errors:,} gather errors and "
        f"{went.jobs:,} jobs of older runs"
    )
    did = [runs] if went != prune.Pruned() else []
    return did + [words for step in lists.PRUNE for words in step()]


INDEX_NOTE = "ukharvest.index"  # key in system_info: when the whole index was compared
# An organisation of which all datasets are indexed again must not hold up the other steps.
MOST_SECONDS = 300.0
DAY = dt.timedelta(hours=23)  # a tick that is a little early must not shift the night's comparison


def index_pending() -> list[str]:
    """Index the datasets that wait; what is left after five minutes waits for the next tick.

    Their index request failed, the process was killed, or the type of their organisation changed.
    """
    try:
        number, refused = search_index.catch_up(MOST_SECONDS)
    except compat.IndexFailed as exc:
        waiting = pending_index.measure_backlog(utcnow()).number
        return [f"{waiting:,} datasets wait for the search index, which does not answer: {exc}"]
    did = [f"indexed {counted(number, 'dataset')} missing or out of date"] if number else []
    return did + [
        f"the search index refused dataset {package_id}: {why}"
        for package_id, why in refused.items()
    ]


def compare_all() -> list[str]:
    """Once a day, compare all sources and their datasets in the index with the database.

    A run does so for its own source, but after a backup was restored there can be sources that do
    not run, and datasets of sources that are gone.
    """
    if lost_work.pause_since(INDEX_NOTE, DAY):
        return []
    number = mend_all()
    lost_work.begin_pause(INDEX_NOTE)
    return [f"mended {counted(number, 'search result')} that differed from the database"] * bool(
        number
    )


def mend_all() -> int:
    """Compare the index with the database and repair it; return how many results were wrong.

    Raises:
        SearchIndexError, pysolr's and the connection's errors: the index does not answer.
    """
    number = search_index.mend_sources()
    ours = sa.select(HarvestSource.id).where(HarvestSource.type.in_(config.our_type_names()))
    for source_id in list(model.Session.scalars(ours)):
        number += search_index.mend_source(source_id, record_rows.known_records(source_id).values())
    return number


LINKS_NOTE = "ukharvest.links"  # key in system_info: when a tick last found nothing to check


def enqueue_due() -> list[str]:
    """Queue the background job if links or data are due, the budget allows it and none is running.

    After a tick without anything to check, that is looked up again an hour later, or when a run
    ends.
    """
    if not config.checks_links():
        return []
    quiet = lost_work.pause_since(LINKS_NOTE)
    ended = sa.select(HarvestJob.id).where(HarvestJob.finished >= sa.literal(quiet)).limit(1)
    if quiet and model.Session.scalar(ended) is None:
        return []
    is_due = any(work.is_due() for work in lists.WORK)
    if not is_due:
        lost_work.begin_pause(LINKS_NOTE)
    # A dataset that the portal refuses is tried again only once per pause.
    is_asked = (
        is_due or any(work.has_rest() for work in lists.WORK)
    ) and background.enqueue_background()
    return ["asked a background worker ('ckan jobs worker') to check links"] * bool(is_asked)


STEPS: tuple[Step, ...] = (
    recover_gathers,
    send_new,
    lost_work.recover_objects,
    lost_work.end_leftovers,
    lost_work.resend_waiting,
    lost_work.report_given_up,
    run_end.end_done,
    held_jobs.send_left_jobs,
    store_left_results,
    index_pending,
    compare_all,
    lost_work.forget_dead_processes,
    prune_old_runs,
    enqueue_due,
    after_run.enqueue_left_calls,
)

NOTE = "ukharvest.sweeper"  # key in system_info: {"at": ISO time in UTC} of the last sweep


def sweep() -> list[str]:
    """Run every step, and return sentences that say what was done; raise nothing.

    Of two sweeps at the same time the second does nothing.
    """
    did: list[str] = []
    with database.hold_alone(database.SWEEPER) as is_alone:
        if not is_alone:
            log.info("Another sweep is at work; this one leaves it alone")
            return did
        for step in (*STEPS, *lists.TICK):
            did += run_step(step)
        _note()
    return did


def run_step(step: Step) -> list[str]:
    """Run a step, and return and log what it did; raise nothing."""
    try:
        did = step()
        model.Session.commit()
    except Exception:  # noqa: BLE001 - the other steps, and the tick, have to go on
        log.exception("Sweeper: %s failed", step.__name__)
        compat.rollback()
        return [f"{step.__name__} failed; the portal's log says why"]
    for words in did:
        log.info("Sweeper: %s", words)
    return did


def _note() -> None:
    now = tables.utcnow().isoformat(timespec="seconds")
    try:
        database.set_note(NOTE, json.dumps({"at": now}))
    except Exception:  # noqa: BLE001 - only a note
        log.exception("Sweeper: its note could not be stored")
        compat.rollback()
