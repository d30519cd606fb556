"""What runs saw, merged into ckanext-harvest's own figures, so that every place shows the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ckan import model

from ckanext.ukharvest.model import JobReport


def reports_of(job_ids: Iterable[str]) -> dict[str, JobReport]:
    """Return job id → report for those of the jobs that are ours, in one query."""
    query = model.Session.query(JobReport).filter(JobReport.job_id.in_(list(job_ids)))
    return {report.job_id: report for report in query}


def merge(jobs: Iterable[dict[str, Any]]) -> None:
    """Add what harvest objects do not tell to job dicts as ckanext-harvest makes them.

    Unchanged records have no harvest object: they go into ``stats["not modified"]``. New are
    ``stats["missing"]`` and ``job["ukharvest"]`` with mode, outcome, reason, complete and counts.
    """
    jobs = [job for job in jobs if job]
    reports = reports_of(job["id"] for job in jobs)
    for job in jobs:
        report = reports.get(job["id"])
        if report:
            _merge(job, report)


def _merge(job: dict[str, Any], report: JobReport) -> None:
    counts: Mapping[str, int] = report.counts or {}
    if "stats" in job:
        stats = job["stats"]
        silent = sum(counts.get(key, 0) for key in ("unchanged", "skipped", "kept_deleted"))
        stats["not modified"] = stats.get("not modified", 0) + silent
        stats["missing"] = counts.get("missing", 0) + counts.get("held", 0)
    job["ukharvest"] = {
        "mode": report.mode,
        "outcome": report.outcome,
        "reason": report.reason,
        "complete": report.complete,
        "counts": dict(counts),
    }
