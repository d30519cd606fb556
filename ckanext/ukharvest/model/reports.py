"""What runs saw, merged into ckanext-harvest's own figures, so that every place shows the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import (
    HarvestGatherError,
    HarvestJob,
    HarvestObject,
    HarvestObjectError,
)

from ckanext.ukharvest.model import JobReport

Session = model.Session

# In a report's counts: figures of harvest objects that were pruned since.
FROZEN = "frozen"
STATS = ("added", "updated", "not modified", "errored", "deleted")


def reports_of(job_ids: Iterable[str]) -> dict[str, JobReport]:
    """Return job id → report for those of the jobs that are ours, in one query."""
    query = model.Session.query(JobReport).filter(JobReport.job_id.in_(list(job_ids)))
    return {report.job_id: report for report in query}


def merge(jobs: Iterable[dict[str, Any]]) -> None:
    """Add what harvest objects do not tell to job dicts as ckanext-harvest makes them.

    Unchanged records have no harvest object: they go into ``stats["not modified"]``. New are
    ``stats["missing"]`` and ``job["ukharvest"]`` with mode, outcome, reason, complete and counts.
    The figures of pruned objects are those that were kept of them.
    """
    jobs = [job for job in jobs if job]
    reports = reports_of(job["id"] for job in jobs)
    for job in jobs:
        report = reports.get(job["id"])
        if report:
            _merge(job, report)


def _merge(job: dict[str, Any], report: JobReport) -> None:
    counts: Mapping[str, Any] = report.counts or {}
    if "stats" in job:
        stats = job["stats"]
        stats.update(counts.get(FROZEN) or {})
        silent = sum(counts.get(key, 0) for key in ("unchanged", "skipped", "kept_deleted"))
        stats["not modified"] = stats.get("not modified", 0) + silent
        stats["missing"] = counts.get("missing", 0) + counts.get("held", 0)
    job["ukharvest"] = {
        "mode": report.mode,
        "outcome": report.outcome,
        "reason": report.reason,
        "complete": report.complete,
        "counts": {key: number for key, number in counts.items() if key != FROZEN},
    }


def stats_of(job_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return job id → figures as ``harvest_job_show`` counts them, in three queries.

    Only what harvest objects and errors tell: ``merge`` adds the rest.
    """
    ids = list(job_ids)
    found: dict[str, dict[str, Any]] = {id_: dict.fromkeys(STATS, 0) for id_ in ids}
    statuses = Session.query(
        HarvestObject.harvest_job_id, HarvestObject.report_status, sa.func.count()
    ).filter(HarvestObject.harvest_job_id.in_(ids))
    for id_, status, number in statuses.group_by(
        HarvestObject.harvest_job_id, HarvestObject.report_status
    ):
        if status:
            found[id_][status] = number
    # As ckanext-harvest: objects with an error, not those that ended as errored.
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


def freeze(job_ids: Iterable[str]) -> None:
    """Keep the figures of ended jobs, whose objects are about to go; the caller commits.

    A job that was frozen before keeps what it has: some of its objects are gone by now.
    """
    ids = list(job_ids)
    if not ids:
        return
    reports = reports_of(ids)
    for job in Session.query(HarvestJob).filter(HarvestJob.id.in_(ids)):
        if job.id not in reports:  # of another harvester, before the source was ours
            reports[job.id] = JobReport(
                job_id=job.id,
                source_id=job.source_id,
                outcome="finished",
                started=job.gather_started,
                finished=job.finished,
                counts={},
            )
            Session.add(reports[job.id])
    for id_, stats in stats_of(ids).items():
        report = reports.get(id_)
        if report and FROZEN not in (report.counts or {}):
            report.counts = {**(report.counts or {}), FROZEN: stats}
