"""Run a source in the process of a command, without consumers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import click
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.values.text import name_unseen
from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.consumers import claims, failures
from ckanext.ukharvest.harvest.consumers.workers import Heart, Limits
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import Record, RecordProblem, utcnow
from ckanext.ukharvest.harvest.run import after_run, run_report, stopping
from ckanext.ukharvest.harvest.sources import accepted_problems
from ckanext.ukharvest.lib.output import RefusedError, validation_errors
from ckanext.ukharvest.source_types.source_type import SourceType
from ckanext.ukharvest.sources import rules as source_rules
from ckanext.ukharvest.sources.cli import FIGURES

FINE, ERRORS, UNUSABLE = 0, 1, 2
Work = Callable[[Sequence[str]], None]
LINE_EVERY = 5.0  # seconds between two lines of progress
MOST_PROBLEMS = 20


def run_in_foreground(source: HarvestSource, mode: str, guid: str) -> int:
    """Run a source in this process; return the exit code.

    Args:
        guid: of the one record to import, "" for all.
    """
    harvester = queue.get_harvester(source.type)
    if harvester is None:
        hint = source_rules.adoption_hint(source.type, model.Package.get(source.id).name)
        missing = f"no plugin harvests sources of type {source.type!r}; add it to ckan.plugins"
        raise RefusedError(hint or missing)
    job = _job(source)
    source_id, job_id = source.id, job.id
    with Heart("command") as heart:
        heart.work_on(job_id)
        try:
            _begin(job, mode, guid)
            click.echo(f"Reading {source.url} …", err=True)
            ids = queue.gather_stage(harvester, job)
            work = _work_of(harvester, source_id, heart)
            _import(work, ids if isinstance(ids, list) else [], config.batch_size())
            _import_postponed(work, job_id)
        except KeyboardInterrupt:
            model.Session.rollback()
            job = HarvestJob.get(job_id)
            if job.source.type in config.our_type_names():  # no other process works on it
                plugins = after_run.plugins_to_tell()
                stopping.stop_run(job, config.harvest_user(), Limits(0), plugins)
            else:
                tk.get_action("harvest_job_abort")(_context(), {"id": job_id})
            click.echo("Stopped: what was imported stays, the rest waits for the next run.")
            return 130
    tk.get_action("harvest_jobs_run")(_context(), {"source_id": source_id})
    return _report(job_id, mode, guid)


def _context() -> dict[str, Any]:
    return {
        "model": model,
        "session": model.Session,
        "user": config.harvest_user(),
        "ignore_auth": True,
    }


def _job(source: HarvestSource) -> HarvestJob:
    unfinished = model.Session.query(HarvestJob).filter(
        HarvestJob.source_id == source.id, HarvestJob.status.in_(objects.UNENDED)
    )
    if other := unfinished.first():
        raise RefusedError(
            f"job {other.id} of this source has not ended; wait for it, or end it with "
            f"'ckan harvester job-abort {other.id}'"
        )
    if not source.active:
        raise RefusedError("the source is deleted; restore it before it can run")
    with validation_errors():
        job = tk.get_action("harvest_job_create")(
            _context(), {"source_id": source.id, "run": False}
        )
    return HarvestJob.get(job["id"])


def _begin(job: HarvestJob, mode: str, guid: str) -> None:
    job.status = "Running"
    job.gather_started = utcnow()
    if job.source.type in config.our_type_names():
        run_report.open_report(job.id, job.source_id, mode=mode)
    model.Session.commit()
    if mode == RunMode.FORCE:
        job.force_import = True
    if guid:
        job.only_guid = guid


def _work_of(harvester: Any, source_id: str, heart: Heart) -> Work:
    """Return the function that fetches and imports waiting objects."""
    kind: SourceType | None = getattr(harvester, "source_type", None)

    def one_by_one(ids: Sequence[str]) -> None:
        for object_id in ids:
            obj = HarvestObject.get(object_id)
            # The sweeper may have sent it to a consumer, or a person may have stopped the job.
            if obj is not None and obj.state == "WAITING":
                queue.fetch_and_import_stages(harvester, obj)

    def in_batches(ids: Sequence[str]) -> None:
        if kind and (waiting := claims.claim_given(heart.id, source_id, ids)):
            import_stage.import_batch(kind, waiting, lambda _id: None)

    return in_batches if kind else one_by_one


def _import(work: Work, ids: Sequence[str], size: int) -> None:
    """Import objects, and show now and then how many are done."""
    last = time.monotonic()
    for done in range(0, len(ids), size):
        if done and time.monotonic() - last >= LINE_EVERY:
            last = time.monotonic()
            click.echo(f"{done:,} of {len(ids):,} imported", err=True)
        work(ids[done : done + size])
        compat.close_session()


def _import_postponed(work: Work, job_id: str) -> None:
    """Import objects that were postponed because a service failed, after their pause."""
    while due := failures.next_due(job_id):
        pause = max(1.0, (due - utcnow()).total_seconds())
        click.echo(f"A service failed (see the log); trying again in {pause:,.0f} s", err=True)
        compat.close_session()
        time.sleep(pause)
        _import(work, failures.due_ids(job_id), 1)


def _report(job_id: str, mode: str, guid: str) -> int:
    job = tk.get_action("harvest_job_show")(_context(), {"id": job_id})
    stats = job["stats"]
    for name in FIGURES:
        click.echo(f"{name:<14}{stats.get(name, 0):>9,}")
    ours = job.get("ukharvest") or {}
    if reason := ours.get("reason"):
        click.echo(reason)
    for error in (*job["gather_error_summary"], *job["object_error_summary"]):
        click.echo(name_unseen(f"Error: {error['message']}"), err=True)
    if mode == RunMode.FORCE:
        _list_problems(job_id)
    if ours.get("outcome") == RunOutcome.FAILED or not (ours or not job["gather_error_summary"]):
        return UNUSABLE
    is_missing = bool(guid) and not ours.get("counts", {}).get("seen")
    return ERRORS if is_missing or stats.get("errored") else FINE


def _list_problems(job_id: str) -> None:
    query = (
        model.Session.query(Record.guid, RecordProblem.message)
        .join(Record, Record.id == RecordProblem.record_id)
        .filter(RecordProblem.job_id == job_id, accepted_problems.is_to_fix())
    )
    count = query.count()
    click.echo(f"{'problems':<14}{count:>9,}")
    for guid, message in query.order_by(RecordProblem.id).limit(MOST_PROBLEMS):
        click.echo(name_unseen(f"  {guid}: {message}"))
    if count > MOST_PROBLEMS:
        click.echo(f"  … and {count - MOST_PROBLEMS:,} more")
