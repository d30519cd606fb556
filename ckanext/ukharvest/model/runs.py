"""Runs for every page and action: one statement for any number that have ended, one more for those
that have not."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
import sqlalchemy.orm
from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.model import JobReport, datasets, run_results
from ckanext.ukharvest.model.open_work import UNENDED
from ckanext.ukharvest.model.run_results import RunResult, reports_of

Session = model.Session

COUNTS = (
    *("added", "updated", "unchanged", "skipped", "deleted", "missing", "held"),
    *("new_identifiers", "lost", "same", "with_problems"),
)
# What a report's counts have besides numbers.
_NO_NUMBERS = ("shortfall", run_results.DECIDED)


class RunRow(NamedTuple):
    """A run with its report, if it has one, and its source's name.

    Attributes:
        job: the columns of the harvest job.
        is_last: no later run of the source has ended.
    """

    job: Any
    report: JobReport | None
    source: str | None
    is_last: bool


def load_row(job_id: str) -> RunRow | None:
    """Return a run by its id, None if there is none; one statement."""
    later = sa.orm.aliased(HarvestJob)
    is_last = ~sa.exists().where(
        later.source_id == HarvestJob.source_id,
        later.created > HarvestJob.created,
        later.status.notin_(UNENDED),
    )
    row = _query(is_last).filter(HarvestJob.id == job_id).first()
    return RunRow(*row) if row else None


def describe(row: RunRow) -> dict[str, Any]:
    """Return a run as ``list_runs`` does, with ``is_last``."""
    (run,) = _runs([row])
    return {**run, "is_last": row.is_last}


def list_runs(
    *, source_id: str | None, limit: int, offset: int = 0
) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of runs, of one source or of all, and one page of them, newest first.

    Returns:
        The number, and dicts with ``id``, ``source_id``, ``source`` (its name), ``status``
        (ckanext-harvest's), ``created``, ``started``, ``gathered`` (the source was read),
        ``finished`` (ISO 8601 with zone, None if not reached), ``seconds`` (None while it runs),
        ``mode`` ("normal", "force", "approval"), ``asked_by`` ("" for the schedule),
        ``stopped_by``, ``outcome`` (key of ``presentation.messages.status_labels.OUTCOMES``),
        ``reason``, ``error`` ({"code", "message", "passes"} of a run that failed, else None),
        ``complete`` (it read the whole source), ``seen`` (records that the source listed),
        ``counts``: ``COUNTS`` (``same``: skipped because the dataset is here already, or was
        deleted here), ``shortfall`` ({"records", "of", "asks_after"} where so many records are
        missing that a later run will ask, else None), and ``stats`` as in ``harvest_job_show``.
    """
    query = _query(sa.func.count().over())
    if source_id is not None:
        query = query.filter(HarvestJob.source_id == source_id)
    newest = query.order_by(HarvestJob.created.desc(), HarvestJob.id)
    rows = newest.limit(limit).offset(offset).all()
    # Without rows, nothing says how many there are.
    return rows[0][-1] if rows else query.count(), _runs(rows)


def newest(source_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return source id → its newest run, ended or not, as ``list_runs`` returns it."""
    if not source_ids:
        return {}
    query = (
        _query()
        .filter(HarvestJob.source_id.in_(source_ids))
        .distinct(HarvestJob.source_id)
        .order_by(HarvestJob.source_id, HarvestJob.created.desc(), HarvestJob.id)
    )
    return {run["source_id"]: run for run in _runs(query.all())}


def by_id(job_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return job id → the run, as ``list_runs`` returns it."""
    query = _query().filter(HarvestJob.id.in_(job_ids))
    return {run["id"]: run for run in _runs(query.all())}


def _query(*more: Any) -> Any:
    # Not the objects of the session: ckanext-harvest sets their times as texts.
    job = sa.orm.Bundle("job", *HarvestJob.__table__.c)
    return (
        Session.query(job, JobReport, model.Package.name, *more)
        .select_from(HarvestJob)
        .outerjoin(JobReport, JobReport.job_id == HarvestJob.id)
        .outerjoin(model.Package, model.Package.id == HarvestJob.source_id)
    )


def _runs(rows: Collection[Any]) -> list[dict[str, Any]]:
    reports = {job.id: report for job, report, *_more in rows if report}
    results = run_results.load([row[0] for row in rows], reports)
    return [_run(job, report, name, results[job.id]) for job, report, name, *_more in rows]


def _run(
    job: Any, report: JobReport | None, source: str | None, result: RunResult
) -> dict[str, Any]:
    counts: Mapping[str, Any] = (report.counts or {}) if report else {}
    started = job.gather_started or (report and report.started)
    finished = (job.finished or (report and report.finished)) if job.status not in UNENDED else None
    return {
        "id": job.id,
        "source_id": job.source_id,
        "source": source,
        "status": job.status,
        "created": iso(job.created),
        "started": iso(started),
        "gathered": iso(job.gather_finished),
        "finished": iso(finished),
        "seconds": (finished - started).total_seconds() if finished and started else None,
        "mode": report.mode if report else RunMode.NORMAL,
        "asked_by": report.asked_by if report else "",
        "stopped_by": report.stopped_by if report else "",
        "outcome": result.outcome,
        "reason": result.reason,
        "error": _error(report, result) if result.outcome == RunOutcome.FAILED else None,
        "complete": bool(report and report.complete),
        "seen": int(counts.get("seen", 0)),
        "counts": {key: result.figures[key] for key in COUNTS},
        "shortfall": counts.get("shortfall"),
        "stats": _stock_figures(result.figures),
    }


def _error(report: JobReport | None, result: RunResult) -> dict[str, Any]:
    error: dict[str, Any] | None = report.error if report else None
    return error or {"code": "", "message": result.reason, "passes": False}


def _stock_figures(figures: Mapping[str, int]) -> dict[str, int]:
    """Return a run's figures under ckanext-harvest's names, with "missing".

    Its errors are not only failed records.
    """
    return {
        **{key: figures[key] for key in ("added", "updated", "errored", "deleted")},
        "not modified": figures["unchanged"] + figures["skipped"],
        "missing": figures["missing"] + figures["held"],
    }


class _Job(NamedTuple):
    id: str
    status: str


def add_to_stock(jobs: Iterable[dict[str, Any]]) -> None:
    """Add our figures to ckanext-harvest's job dicts, so that every page shows the same.

    Unchanged records have no harvest object: they go into ``stats["not modified"]``. New are
    ``stats["missing"]`` and ``job["ukharvest"]`` with mode, outcome, reason, complete and counts.
    """
    jobs = [job for job in jobs if job]
    reports = reports_of(job["id"] for job in jobs)
    jobs = [job for job in jobs if job["id"] in reports]
    results = run_results.load([_Job(job["id"], job["status"]) for job in jobs], reports)
    for job in jobs:
        report, result = reports[job["id"]], results[job["id"]]
        if "stats" in job:
            job["stats"].update(_stock_figures(result.figures))
        counts = (report.counts or {}).items()
        job["ukharvest"] = {
            "mode": report.mode,
            "outcome": result.outcome,
            "reason": result.reason,
            "complete": report.complete,
            "counts": {key: number for key, number in counts if key not in _NO_NUMBERS},
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
    ended = sa.func.coalesce(HarvestJob.finished, JobReport.finished, HarvestJob.created)
    query = (
        sa.select(ended)
        .join(JobReport, JobReport.job_id == HarvestJob.id)
        .where(
            HarvestJob.source_id == source_id,
            JobReport.figures.isnot(None),
            JobReport.mode != RunMode.APPROVAL,
            JobReport.outcome.notin_((RunOutcome.FAILED, RunOutcome.STOPPED)),
        )
        .order_by(HarvestJob.created.desc(), HarvestJob.id)
    )
    moment: dt.datetime | None = Session.scalar(query.limit(1))
    return moment
