"""``ckan ukharvest run`` and ``check``, ``approve``, ``identifiers`` and ``prune``."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.adoption import rules as source_adoption
from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.values.text import counted, name_unseen
from ckanext.ukharvest.harvest import accepted_problems, batches, claims, objects, stopping
from ckanext.ukharvest.harvest import prune as harvest_prune
from ckanext.ukharvest.harvest.model import Record, RecordProblem, utcnow
from ckanext.ukharvest.harvest.workers import Heart, Limits
from ckanext.ukharvest.lib.output import RefusedError, source_or_fail, write_table
from ckanext.ukharvest.previews.cli import dry_run
from ckanext.ukharvest.source_types.source_type import SourceType
from ckanext.ukharvest.sources.cli import FIGURES

FINE, ERRORS, UNUSABLE = 0, 1, 2
Work = Callable[[Sequence[str]], None]
LINE_EVERY = 5.0  # seconds between two lines of progress if there is no terminal
MOST_PROBLEMS = 20


@click.command()
@click.argument("source")
@click.option(
    "--mode",
    type=click.Choice([RunMode.NORMAL.value, RunMode.FORCE.value]),
    default=RunMode.NORMAL.value,
    help="force: import every record, changed or not, and list problems.",
)
@click.option("--dry-run", "is_dry", is_flag=True, help="Say what a run would do; write nothing.")
@click.option("--guid", default="", help="Import only the record with this identifier.")
def run(source: str, mode: str, guid: str, *, is_dry: bool) -> None:
    """Run a harvest source (name or id) in the foreground.

    Gather, fetch and import happen in this process; consumers are not needed. Exit code: 0 all
    went well, 1 records failed, 2 the source could not be read or may not run now.
    """
    harvest_source = source_or_fail(source)
    if harvest_source.type not in config.our_type_names() and (guid or is_dry):
        raise RefusedError(
            f"{source}: --guid and --dry-run need a source type of ckanext-ukharvest"
        )
    if is_dry and guid:
        raise RefusedError("--guid imports a record, --dry-run none: give one of them")
    sys.exit(dry_run(harvest_source) if is_dry else run_in_foreground(harvest_source, mode, guid))


def run_in_foreground(source: HarvestSource, mode: str, guid: str) -> int:
    """Run a source in this process; return the exit code.

    Args:
        guid: of the one record to import, "" for all.
    """
    harvester = queue.get_harvester(source.type)
    if harvester is None:
        hint = source_adoption.hint(source.type, model.Package.get(source.id).name)
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
            _stop(job_id)
            click.echo("Stopped: what was imported stays, the rest waits for the next run.")
            return 130
    tk.get_action("harvest_jobs_run")(_context(), {"source_id": source_id})
    return _report(job_id, mode, guid)


def _stop(job_id: str) -> None:
    """Stop the run of this process; no other process works on it."""
    job = HarvestJob.get(job_id)
    if job.source.type in config.our_type_names():
        stopping.stop(job, config.harvest_user(), Limits(0))
    else:
        tk.get_action("harvest_job_abort")(_context(), {"id": job_id})


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
    job = tk.get_action("harvest_job_create")(_context(), {"source_id": source.id, "run": False})
    return HarvestJob.get(job["id"])


def _begin(job: HarvestJob, mode: str, guid: str) -> None:
    job.status = "Running"
    job.gather_started = utcnow()
    if job.source.type in config.our_type_names():
        stopping.open_report(job.id, job.source_id, mode=mode)
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

    def batch(ids: Sequence[str]) -> None:
        if kind and (waiting := claims.claim_given(heart.id, source_id, ids)):
            batches.import_batch(kind, waiting, lambda _id: None)

    return batch if kind else one_by_one


def _import(work: Work, ids: Sequence[str], size: int) -> None:
    with _progress(len(ids)) as advance:
        for begin in range(0, len(ids), size):
            some = ids[begin : begin + size]
            work(some)
            compat.close_session()
            advance(len(some))


def _import_postponed(work: Work, job_id: str) -> None:
    """Import objects that were postponed because a service failed, after their pause."""
    while due := claims.next_due(job_id):
        pause = max(1.0, (due - utcnow()).total_seconds())
        click.echo(f"A service failed (see the log); trying again in {pause:,.0f} s", err=True)
        compat.close_session()
        time.sleep(pause)
        _import(work, claims.due_ids(job_id), 1)


@contextlib.contextmanager
def _progress(count: int) -> Iterator[Callable[[int], None]]:
    """Show how many records are imported: a bar, or a line now and then without a terminal."""
    if sys.stderr.isatty():
        with click.progressbar(length=count, label="Importing", file=sys.stderr) as bar:
            yield bar.update
        return
    done, last = 0, time.monotonic()

    def advance(number: int) -> None:
        nonlocal done, last
        done += number
        if time.monotonic() - last >= LINE_EVERY and done < count:
            last = time.monotonic()
            click.echo(f"{done:,} of {count:,} imported", err=True)

    yield advance


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


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def check(words: tuple[str, ...]) -> None:
    """Show what a URL or a saved file would bring, without writing anything.

    The same as the command "ukharvest check", which needs no CKAN: see its --help.
    """
    # Imported here, else every other ``ckan`` command would load the readers and parsers.
    from ckanext.ukharvest.check_command.command import main

    sys.exit(main(["check", *words]))


DELETION_COLUMNS = ("title", "dataset_name", "last_seen", "guid")
CHANGE_COLUMNS = ("title", "dataset_name", "guid", "new_guid")


def _call(action: str, source_id: str, **more: str) -> dict[str, Any]:
    """Call an action of ours about a source; a refusal ends the command."""
    context = {"ignore_auth": True, "user": config.harvest_user()}
    try:
        return dict(tk.get_action(f"ukharvest_{action}")(context, {"source_id": source_id, **more}))
    except tk.ValidationError as exc:
        raise click.ClickException(exc.error_dict["source_id"][0]) from exc


@click.command(short_help="Carry out deletions that a run held back.")
@click.argument("source")
@click.option("--yes", is_flag=True, help="Do not ask.")
def approve(source: str, yes: bool) -> None:
    """Show the deletions of SOURCE (name or id) that wait, and carry them out.

    A run that would delete a large part of a source's datasets waits for approval. Records that
    came back meanwhile are not listed.
    """
    source_id = str(source_or_fail(source).id)
    pending = _call("deletion_list", source_id)
    if not pending["deletions"]:
        click.echo("No deletion of this source waits for approval.")
        return
    write_table(pending["deletions"], DELETION_COLUMNS)
    click.echo(f"\n{pending['reason']} (waiting since {pending['since']} UTC)")
    if not yes:
        click.confirm(f"Delete {counted(len(pending['deletions']), 'dataset')}?", abort=True)
    done = _call("deletion_decide", source_id, decision="approve")
    click.echo(f"Deleted: {done['deleted']}. Left alone: {done['left']}.")


@click.command(short_help="Decide whether records with new identifiers are the same datasets.")
@click.argument("source")
@click.option("--same", "decision", flag_value="same", help="The same: keep pages and ids.")
@click.option(
    "--different", "decision", flag_value="different", help="Different: import them as new."
)
def identifiers(source: str, decision: str | None) -> None:
    """Show the datasets of SOURCE (name or id) whose records seem to have new identifiers.

    A run that misses records, and finds new ones with the same titles or files, waits for a
    decision: with --same pages, ids and history of the datasets stay; with --different the next
    run imports the new records as new datasets, and the old ones count as missing.
    """
    source_id = str(source_or_fail(source).id)
    pending = _call("identifier_change_list", source_id)
    if not pending["count"]:
        click.echo("No identifiers of this source wait for a decision.")
        return
    write_table(pending["changes"], CHANGE_COLUMNS)
    click.echo(f"\n{pending['count']} datasets wait for a decision since {pending['since']} UTC.")
    if decision is None:
        click.echo("Decide with --same or --different.")
        return
    done = _call("identifier_change_decide", source_id, decision=decision)
    if decision == "same":
        click.echo(f"Kept under their new identifiers: {done['datasets']}.")
    else:
        click.echo(f"The next run imports them as new datasets: {done['datasets']}.")


@click.command()
@click.option(
    "--keep-runs",
    type=click.IntRange(min=1),
    help="Runs of each source that stay whole; default: ckanext.ukharvest.prune.keep_runs.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--source", help="Name or id of one harvest source; default: all of our types.")
def prune(keep_runs: int | None, dry_run: bool, source: str | None) -> None:
    """Delete harvest objects, errors and jobs of older runs.

    The current object of each dataset stays, as do all objects and errors of the last runs, runs
    that have not ended, and whatever belongs to source types of other extensions. Runs that stay
    without their objects keep their figures.
    """
    types = config.our_type_names()
    one: HarvestSource | None = source_or_fail(source) if source else None
    if one is not None and one.type not in types:
        raise click.ClickException(
            f"{source}: its type {one.type!r} is not one of ckanext-ukharvest's; use "
            f"'ckan harvester source clear-history {source}'"
        )
    keep = keep_runs or config.prune_keep_runs()
    do = harvest_prune.count_prunable if dry_run else harvest_prune.prune_all
    went = do(types, keep_runs=keep, source_id=one.id if one else None)
    click.echo(
        f"{'Would remove' if dry_run else 'Removed'} {counted(went.objects, 'harvest object')}, "
        f"{counted(went.gather_errors, 'gather error')} and {counted(went.jobs, 'job')}; "
        f"{counted(keep, 'run')} of each source stay."
    )


COMMANDS = (approve, check, identifiers, prune, run)
