"""Checks of what is under way: consumers, runs without progress, claims, cron."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from operator import itemgetter
from typing import Any

import redis
import rq
import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs as background_jobs
from ckan.lib.redis import connect_to_redis
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.consumers import lost_work
from ckanext.ukharvest.harvest.consumers.workers import is_hung, load_limits
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import Claim, Worker, database_time, utcnow
from ckanext.ukharvest.harvest.run import runs, sweeper
from ckanext.ukharvest.lib.checks import ERROR, LEFTOVERS, STUCK, WARNING, Finding, check, examples

Session = model.Session

# A run without any progress for this long is stuck.
LONG = datetime.timedelta(hours=1)
# A run that waits longer for a gather consumer is late.
LATE = datetime.timedelta(minutes=15)

BACKGROUND = "background"  # kind of jobs workers
MOST_WORKERS = 50


@check("workers", "There are enough gather and fetch consumers.", is_quick=True)
def workers() -> Iterator[Finding]:
    """Check that a consumer of each kind is alive, and that there are enough to gather."""
    oldest = database_time() - datetime.timedelta(seconds=config.worker_timeout())
    of_use = sa.and_(Worker.heartbeat > oldest, sa.not_(is_hung(load_limits())))
    alive = set(Session.scalars(sa.select(Worker.kind).where(of_use)))
    jobs_to_gather = Session.query(HarvestJob).filter(
        HarvestJob.status == "Running", HarvestJob.gather_finished.is_(None)
    )
    objects_to_fetch = (
        Session.query(HarvestObject)
        .join(HarvestJob, HarvestJob.id == HarvestObject.harvest_job_id)
        .filter(HarvestJob.status == "Running", objects.is_open_object())
        .filter(HarvestObject.state != objects.GATHERED)
    )
    waiting = (("gather", jobs_to_gather, "runs"), ("fetch", objects_to_fetch, "harvest objects"))
    for kind, query, noun in waiting:
        if kind in alive:
            continue
        count = query.count()
        yield Finding(
            ERROR if count else WARNING,
            "workers",
            f"No {kind} consumer is alive"
            + (f", and {count:,} {noun} wait for one." if count else "."),
            f"Start 'ckan harvester {kind}-consumer' and have your process manager keep it "
            f"running.",
        )
    if "gather" in alive:
        yield from _late_gathers()


@check("jobs-worker", "A jobs worker is alive.")
def jobs_workers() -> Iterator[Finding]:
    """Check that a jobs worker is alive."""
    try:
        waiting = len(background_jobs.get_queue())
        # Without those that Redis forgot.
        workers = rq.Worker.all(queue=background_jobs.get_queue())
    except redis.RedisError:
        return  # the check of Redis reports it
    if not workers:
        yield Finding(
            ERROR if waiting else WARNING,
            "jobs-worker",
            "No jobs worker is alive"
            + (f", and {counted(waiting, 'background job')} wait for one." if waiting else ".")
            + " Tests of sources and checks of links need one.",
            "Start 'ckan jobs worker' and have your process manager keep it running.",
        )


def _late_gathers() -> Iterator[Finding]:
    """Find runs that wait because all gather consumers are busy with other sources."""
    query = Session.query(sa.func.count(HarvestJob.id), sa.func.min(HarvestJob.created)).filter(
        HarvestJob.status == "Running",
        HarvestJob.gather_started.is_(None),
        HarvestJob.created < utcnow() - LATE,
    )
    count, first = query.one()
    busy = [
        consumer["source"] or "an unknown source"
        for consumer in consumers()
        if consumer["kind"] == "gather" and consumer["alive"] and consumer["busy_with"]
    ]
    if count and busy:
        minutes = (utcnow() - first).total_seconds() / 60
        yield Finding(
            WARNING,
            "workers",
            f"{counted(count, 'run')} without a gather consumer, the first for {minutes:.0f} "
            f"minutes. All are busy with other sources: {examples(busy)}.",
            "Start another 'ckan harvester gather-consumer', so that one slow source does not keep "
            "others waiting.",
        )


@check("hung", "No consumer hangs.", is_quick=True)
def hung_consumers() -> Iterator[Finding]:
    """Find consumers that send heartbeats, but make no progress with their work."""
    for consumer in filter(itemgetter("hung"), consumers()):
        what = "run" if consumer["kind"] == "gather" else "harvest object"
        host, pid = consumer["host"], consumer["pid"]
        yield Finding(
            ERROR,
            "hung",
            f"The {consumer['kind']} consumer on {host} (process {pid}) hangs: "
            f"it has been at {what} {consumer['busy_with']} of "
            f"{consumer['source'] or 'an unknown source'} since {consumer['busy_since']}.",
            f"End it on {host}: 'kill -9 {pid}'. Your process manager starts "
            "another. Its work is given to other consumers, three times at most.",
        )


@check("jobs", "No run is stuck.")
def stuck_jobs() -> Iterator[Finding]:
    """Find runs without progress, each with the reason."""
    now = utcnow()
    lost = _lost_work()
    for run in runs.load_current_runs():
        since = now - run.moved
        if run.state != "stuck" or since < LONG:
            if run.id in lost:
                yield Finding(
                    WARNING,
                    "jobs",
                    f"No process works on a part of the run {run.id} of "
                    f"{run.name or run.source_id}: {lost[run.id]}.",
                    "'ckan harvester run', from cron, gives it to other consumers or ends it; so "
                    "does 'ckan ukharvest doctor --fix'.",
                    STUCK,
                )
            continue
        hours = f"{since.total_seconds() / 3600:.0f} h"
        if run.gather_started is None:
            reason = f"it has waited for {hours}, and has not started"
        elif not run.is_read:
            reason = f"it has been gathering for {hours} without a sign of life"
        elif run.unfinished:
            reason = (
                f"{run.unfinished:,} harvest objects have waited for {hours} without a consumer"
            )
        else:
            reason = f"all is imported since {hours} and has not been closed"
        yield Finding(
            ERROR,
            "jobs",
            f"The run {run.id} of {run.name or run.source_id} is stuck: {reason}.",
            "See that both consumers run and cron calls 'ckan harvester run', which ends it; "
            f"or end it with 'ckan harvester job-abort {run.id}'.",
            STUCK,
        )


def _lost_work() -> dict[str, str]:
    """Return job id → what the sweeper will recover of it at its next tick."""
    gathers = {job.id: "its gather, which has no result" for job, _ in sweeper.find_lost_gathers()}
    states: dict[str, Counter[str]] = {}
    for work in (*lost_work.find_orphans(), *lost_work.find_unsent()):
        states.setdefault(work.job_id, Counter())[work.state or "no state"] += 1
    lost = {
        id_: ", ".join(
            f"{counted(number, 'harvest object')} ({state})" for state, number in numbers.items()
        )
        for id_, numbers in states.items()
    }
    return {**lost, **gathers}


@check("leftovers", "No ended run has left objects behind.")
def leftovers() -> Iterator[Finding]:
    """Find objects of ended runs that no consumer will process."""
    numbers = Counter(left.job_id for left in lost_work.find_leftovers())
    if numbers:
        yield Finding(
            WARNING,
            "leftovers",
            f"{numbers.total():,} harvest objects of ended runs were never imported: "
            f"{examples(list(numbers))}.",
            "Nothing is lost: the source's next run imports what is missing.",
            LEFTOVERS,
        )


@check("cron", "'ckan harvester run' comes regularly.", is_quick=True)
def cron() -> Iterator[Finding]:
    """Report when runs were last scheduled, closed and recovered."""
    advice = "Make cron call 'ckan harvester run' every few minutes."
    try:
        note = json.loads(database.load_note(sweeper.NOTE) or "{}")
        since = utcnow() - datetime.datetime.fromisoformat(note["at"])
    except (ValueError, KeyError, TypeError):
        yield Finding(WARNING, "cron", "'ckan harvester run' has never come by.", advice)
        return
    if since > LONG:
        hours = since.total_seconds() / 3600
        yield Finding(
            ERROR, "cron", f"'ckan harvester run' was last seen {hours:.0f} h ago.", advice
        )


def consumers() -> list[dict[str, Any]]:
    """Return the consumers with a heartbeat within the last day; one statement.

    Returns:
        Dicts with ``kind``, ``host``, ``pid``, ``last_seen``, ``alive``, ``busy_with`` (id of a job
            or harvest object, "" if idle), ``source`` (title of its source), ``busy_since`` and
            ``hung`` (alive, but makes no progress with it).
    """
    source_id = sa.func.coalesce(HarvestJob.source_id, HarvestObject.harvest_source_id)
    query = (
        Session.query(Worker, model.Package.title, is_hung(load_limits()))
        .outerjoin(HarvestJob, HarvestJob.id == Worker.busy_with)
        .outerjoin(HarvestObject, HarvestObject.id == Worker.busy_with)
        .outerjoin(model.Package, model.Package.id == source_id)
        .order_by(Worker.kind.desc(), Worker.heartbeat.desc())
        .limit(MOST_WORKERS)
    )
    now = Session.scalar(sa.select(database_time()))
    oldest = now - datetime.timedelta(seconds=config.worker_timeout())
    rows = []
    for worker, title, hangs in query:
        host, pid, _started = (*worker.id.split(":", 2), "", "")[:3]
        rows.append(
            {
                "kind": worker.kind,
                "host": host,
                "pid": pid,
                "last_seen": iso(worker.heartbeat),
                "alive": worker.heartbeat > oldest,
                "hung": bool(hangs) and worker.heartbeat > oldest,
                "busy_with": worker.busy_with,
                "source": title or "",
                "busy_since": iso(worker.busy_since),
            }
        )
    return rows


def background_workers() -> list[dict[str, Any]]:
    """Return this portal's jobs workers (``ckan jobs worker``), as ``consumers``."""
    ours = background_jobs.get_queue().name
    with suppress(redis.RedisError):  # the checks report that Redis is down
        workers = rq.Worker.all(connection=connect_to_redis())[:MOST_WORKERS]
        return [_background_row(worker) for worker in workers if ours in worker.queue_names()]
    return []


def _background_row(worker: Any) -> dict[str, Any]:
    seen = worker.last_heartbeat
    if seen is not None and seen.tzinfo is not None:
        seen = seen.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return {
        "kind": BACKGROUND,
        "host": worker.hostname or "",
        "pid": str(worker.pid or ""),
        "last_seen": iso(seen),
        "hung": False,
        "alive": True,  # Redis forgets workers without a heartbeat
        "busy_with": "",
        "source": "",
        "busy_since": None,
    }


def waiting_in_background() -> int:
    """Return how many background jobs wait; 0 if Redis cannot be asked."""
    with suppress(redis.RedisError):
        return len(background_jobs.get_queue())
    return 0


def unowned() -> Any:
    """Return a query of claims whose consumer has no heartbeat any more."""
    alive = database_time() - datetime.timedelta(seconds=config.worker_timeout())
    owner = sa.exists().where(Worker.id == Claim.worker_id, Worker.heartbeat > alive)
    return Session.query(Claim).filter(~owner, Claim.since < alive)


@check("claims", "No consumer that ended holds work.")
def held_by_none() -> Iterator[Finding]:
    """Find claims that a consumer left when it ended."""
    if number := unowned().count():
        yield Finding(
            WARNING,
            "claims",
            f"{counted(number, 'harvest object')} held by consumers that have ended.",
            "'ckan harvester run', from cron, gives them to other consumers; so does "
            "'ckan ukharvest doctor --fix'.",
            STUCK,
        )


def release_ended() -> int:
    """Delete unowned claims of harvest objects that have ended; return their number; no commit."""
    ended = sa.exists().where(
        HarvestObject.id == Claim.harvest_object_id,
        HarvestObject.state.notin_(("FETCH", "IMPORT")),
    )
    return int(unowned().filter(ended).delete(synchronize_session=False))
