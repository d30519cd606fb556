"""What is under way: workers, runs that do not come on, cron."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest import config, sweeper
from ckanext.ukharvest.doctor.finding import ERROR, WARNING, Finding, examples
from ckanext.ukharvest.model import Worker, current_run, staging, utcnow

Session = model.Session

UNFINISHED = ("WAITING", "FETCH", "IMPORT")
# Without any progress for so long, a run is stuck.
STUCK = datetime.timedelta(hours=1)


def workers() -> Iterator[Finding]:
    """A consumer of each kind, alive."""
    oldest = utcnow() - datetime.timedelta(seconds=config.worker_timeout())
    alive = set(Session.scalars(sa.select(Worker.kind).where(Worker.heartbeat > oldest)))
    waiting = {"gather": _jobs_to_gather(), "fetch": _objects_to_fetch()}
    words = {"gather": "runs", "fetch": "harvest objects"}
    for kind, count in waiting.items():
        if kind in alive:
            continue
        yield Finding(
            ERROR if count else WARNING,
            "workers",
            f"No {kind} consumer is alive"
            + (f", and {count:,} {words[kind]} wait for one." if count else "."),
            f"Start 'ckan harvester {kind}-consumer' and let your process manager keep it alive.",
        )


def _jobs_to_gather() -> int:
    query = Session.query(sa.func.count(HarvestJob.id)).filter(
        HarvestJob.status == "Running", HarvestJob.gather_finished.is_(None)
    )
    return int(query.scalar() or 0)


def _objects_to_fetch() -> int:
    query = (
        Session.query(sa.func.count(HarvestObject.id))
        .join(HarvestJob, HarvestJob.id == HarvestObject.harvest_job_id)
        .filter(HarvestJob.status == "Running", HarvestObject.state.in_(UNFINISHED))
    )
    return int(query.scalar() or 0)


def stuck_jobs() -> Iterator[Finding]:
    """Runs without progress, each with the reason."""
    now = utcnow()
    for run in current_run.of():
        since = now - run.moved
        if run.state != "stuck" or since < STUCK:
            continue
        hours = f"{since.total_seconds() / 3600:.0f} h"
        if run.started is None:
            reason = f"it has waited for {hours}, and nobody has begun it"
        elif not run.is_read:
            reason = f"it has been gathering for {hours} without a sign of life"
        elif run.unfinished:
            reason = (
                f"{run.unfinished:,} harvest objects have waited for {hours} without a consumer"
            )
        else:
            reason = f"all is imported since {hours} and nobody has closed it"
        yield Finding(
            ERROR,
            "jobs",
            f"The run {run.id} of {run.name or run.source_id} is stuck: {reason}.",
            "See that both consumers run and cron calls 'ckan harvester run', which ends it; "
            f"or end it with 'ckan harvester job-abort {run.id}'.",
        )


def leftovers() -> Iterator[Finding]:
    """Objects of ended runs that nobody will ever work on."""
    rows = (
        Session.query(HarvestJob.id, sa.func.count())
        .join(HarvestObject, HarvestObject.harvest_job_id == HarvestJob.id)
        .filter(
            HarvestJob.status.in_(("Finished", "Aborted")),
            HarvestObject.state.in_((staging.GATHERED, *UNFINISHED)),
        )
        .group_by(HarvestJob.id)
        .all()
    )
    if rows:
        total = sum(count for _id, count in rows)
        yield Finding(
            WARNING,
            "leftovers",
            f"{total:,} harvest objects of ended runs were never imported: "
            f"{examples([job_id for job_id, _count in rows])}.",
            "Nothing is lost: the source's next run brings what is missing.",
        )


def cron() -> Iterator[Finding]:
    """When runs were last scheduled, closed and mended."""
    note = Session.scalar(
        sa.select(model.SystemInfo.value).where(model.SystemInfo.key == sweeper.NOTE)
    )
    advice = "Let cron call 'ckan harvester run' every few minutes."
    last = _moment(note)
    if last is None:
        yield Finding(WARNING, "cron", "'ckan harvester run' has never come by.", advice)
        return
    since = utcnow() - last
    if since > STUCK:
        hours = since.total_seconds() / 3600
        yield Finding(
            ERROR, "cron", f"'ckan harvester run' was last seen {hours:.0f} h ago.", advice
        )


def _moment(note: str | None) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(json.loads(note or "{}")["at"])
    except (ValueError, KeyError, TypeError):
        return None
