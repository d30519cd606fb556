"""Merge our figures of runs into ckanext-harvest's, so that every page shows the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestObject, HarvestObjectError

from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.model import JobReport, SourceState, datasets, health

Session = model.Session

# Key in a report's counts: figures of pruned harvest objects.
FROZEN = "frozen"
DECIDED = "decided"  # a person decided about what waited in it
NO_NUMBERS = (FROZEN, "shortfall", DECIDED)
STATS = ("added", "updated", "not modified", "errored", "deleted")
LOST = "lost"


def reports_of(job_ids: Iterable[str]) -> dict[str, JobReport]:
    """Return job id → report, for jobs with one, in one query."""
    query = model.Session.query(JobReport).filter(JobReport.job_id.in_(list(job_ids)))
    return {report.job_id: report for report in query}


def add_decision(job_id: str, words: str) -> None:
    """Add to a run's report what a person decided about it; the caller commits."""
    report = reports_of([job_id]).get(job_id)
    if report is not None:
        report.reason = f"{report.reason}; {words}" if report.reason else words
        report.counts = {**(report.counts or {}), DECIDED: True}


def outcomes_of_held(reports: Iterable[JobReport]) -> dict[str, str]:
    """Return job id → outcome of the runs in which something waited: whether it still does.

    One query, none without such runs.
    """
    held = [each for each in reports if each.outcome == RunOutcome.HELD]
    if not held:
        return {}
    waits = sa.select(
        SourceState.held["job_id"].astext, SourceState.changed_identifiers["job_id"].astext
    ).where(SourceState.source_id.in_({each.source_id for each in held}))
    waiting = {job_id for row in Session.execute(waits) for job_id in row}
    return {
        each.job_id: RunOutcome.HELD if each.job_id in waiting else health.settled(each.counts)
        for each in held
    }


def merge(jobs: Iterable[dict[str, Any]]) -> None:
    """Add our figures to ckanext-harvest's job dicts.

    Unchanged records have no harvest object: they go into ``stats["not modified"]``. New are
    ``stats["missing"]`` and ``job["ukharvest"]`` with mode, outcome, reason, complete and counts.
    Figures of pruned objects are the saved ones.
    """
    jobs = [job for job in jobs if job]
    reports = reports_of(job["id"] for job in jobs)
    held = outcomes_of_held(reports.values())
    for job in jobs:
        report = reports.get(job["id"])
        if report:
            _merge(job, report, held.get(job["id"], report.outcome))


def _merge(job: dict[str, Any], report: JobReport, outcome: str) -> None:
    counts: Mapping[str, Any] = report.counts or {}
    if "stats" in job:
        stats = job["stats"]
        frozen = counts.get(FROZEN) or {}
        stats.update({key: frozen[key] for key in STATS if key in frozen})
        silent = sum(counts.get(key, 0) for key in ("unchanged", "skipped", "kept_deleted"))
        stats["not modified"] = stats.get("not modified", 0) + silent
        stats["missing"] = counts.get("missing", 0) + counts.get("held", 0)
    job["ukharvest"] = {
        "mode": report.mode,
        "outcome": outcome,
        "reason": report.reason,
        "complete": report.complete,
        "counts": {key: number for key, number in counts.items() if key not in NO_NUMBERS},
    }


def short_status(source_id: str) -> dict[str, Any]:
    """Return the public part of a source's status, with the stock keys.

    Its last run is the last that did not fail.
    """
    number, finished = Session.execute(_SHORT, {"source_id": source_id}).one()
    return {
        "job_count": number,
        "last_job": {"finished": str(finished)} if finished else None,
        "total_datasets": datasets.of_sources([source_id], public=True).get(source_id, 0),
    }


_SHORT = sa.text(
    f"""
    SELECT (SELECT count(*) FROM harvest_job WHERE source_id = :source_id),
           (SELECT ended FROM {health.ENDED} AS run
             WHERE outcome IN ('finished', 'held') {health.NEWEST})
    """  # noqa: S608 - no value is put into it
)


def stats_of(job_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return job id → figures as ``harvest_job_show`` counts them, in three queries.

    Only from harvest objects and errors: ``merge`` adds the rest. "lost" is added: records that
    were not imported. Other harvesters also store errors of imported records.
    """
    ids = list(job_ids)
    found: dict[str, dict[str, Any]] = {id_: dict.fromkeys((*STATS, LOST), 0) for id_ in ids}
    statuses = Session.query(
        HarvestObject.harvest_job_id, HarvestObject.report_status, sa.func.count()
    ).filter(HarvestObject.harvest_job_id.in_(ids))
    for id_, status, number in statuses.group_by(
        HarvestObject.harvest_job_id, HarvestObject.report_status
    ):
        if status:
            found[id_][LOST if status == "errored" else status] = number
    # As ckanext-harvest counts: objects with an error, not those with the status errored.
    errors = (
        Session.query(
            HarvestObject.harvest_job_id,
            sa.func.count(sa.distinct(HarvestObjectError.harvest_object_id)),
        )
        .join(HarvestObjectError, HarvestObjectError.harvest_object_id == HarvestObject.id)
        .filter(HarvestObject.harvest_job_id.in_(ids))
        .group_by(HarvestObject.harvest_job_id)
    )
    for id_, number in errors:
        found[id_]["errored"] = number
    failures = Session.query(HarvestGatherError.harvest_job_id, sa.func.count()).filter(
        HarvestGatherError.harvest_job_id.in_(ids)
    )
    for id_, number in failures.group_by(HarvestGatherError.harvest_job_id):
        found[id_]["errored"] += number
    return found
