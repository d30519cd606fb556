"""Merge our figures of runs into ckanext-harvest's, so that every page shows the same."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.model import JobReport, datasets, health, run_results

Session = model.Session

DECIDED = "decided"  # key in a report's counts: a person decided about what waited in it
NO_NUMBERS = ("shortfall", DECIDED)


def reports_of(job_ids: Iterable[str]) -> dict[str, JobReport]:
    """Return job id → report, for jobs with one, in one query."""
    query = model.Session.query(JobReport).filter(JobReport.job_id.in_(list(job_ids)))
    return {report.job_id: report for report in query}


def add_decision(job_id: str, words: str) -> None:
    """Add to a run's report what a person decided about it, and settle it; the caller commits."""
    report = reports_of([job_id]).get(job_id)
    if report is not None:
        report.reason = f"{report.reason}; {words}" if report.reason else words
        report.counts = {**(report.counts or {}), DECIDED: True}
        run_results.settle(report.source_id)


def merge(jobs: Iterable[dict[str, Any]]) -> None:
    """Add our figures to ckanext-harvest's job dicts.

    Unchanged records have no harvest object: they go into ``stats["not modified"]``. New are
    ``stats["missing"]`` and ``job["ukharvest"]`` with mode, outcome, reason, complete and counts.
    """
    jobs = [job for job in jobs if job]
    reports = reports_of(job["id"] for job in jobs)
    known = [_Job(job["id"], job["status"]) for job in jobs if job["id"] in reports]
    results = run_results.load(known, reports)
    for job in jobs:
        if report := reports.get(job["id"]):
            _merge(job, report, results[job["id"]].figures)


class _Job(NamedTuple):
    id: str
    status: str


def _merge(job: dict[str, Any], report: JobReport, figures: Mapping[str, int]) -> None:
    if "stats" in job:
        job["stats"].update(stock_figures(figures))
    counts = report.counts or {}
    job["ukharvest"] = {
        "mode": report.mode,
        "outcome": report.outcome,
        "reason": report.reason,
        "complete": report.complete,
        "counts": {key: number for key, number in counts.items() if key not in NO_NUMBERS},
    }


def stock_figures(figures: Mapping[str, int]) -> dict[str, int]:
    """Return a run's figures under ckanext-harvest's names, with "missing".

    Its errors are not only failed records.
    """
    return {
        **{key: figures[key] for key in ("added", "updated", "errored", "deleted")},
        "not modified": figures["unchanged"] + figures["skipped"],
        "missing": figures["missing"] + figures["held"],
    }


def short_status(source_id: str) -> dict[str, Any]:
    """Return the public part of a source's status, with the stock keys.

    Its last run is the last that did not fail.
    """
    number = Session.scalar(sa.select(sa.func.count()).where(HarvestJob.source_id == source_id))
    finished = last_good_end(source_id)
    return {
        "job_count": number,
        "last_job": {"finished": str(finished)} if finished else None,
        "total_datasets": datasets.of_sources([source_id], public=True).get(source_id, 0),
    }


def last_good_end(source_id: str) -> dt.datetime | None:
    """Return when the source's last run ended that did not fail and was not stopped."""
    found: dt.datetime | None = Session.scalar(_LAST_GOOD, {"source_id": source_id})
    return found


_LAST_GOOD = sa.text(
    f"""
    SELECT ended FROM {health.ENDED} AS run
     WHERE outcome NOT IN ('failed', 'stopped') {health.NEWEST}
    """  # noqa: S608 - no value is put into it
)
