"""Runs: those that have ended, and the state and progress of those that have not."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.status_rules import CurrentRun
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.gather.objects import UNENDED
from ckanext.ukharvest.harvest.model import JobReport, utcnow
from ckanext.ukharvest.harvest.run import outcomes
from ckanext.ukharvest.harvest.run.outcomes import RunResult
from ckanext.ukharvest.harvest.run.run_report import reports_of

Session = model.Session

COUNTS = (
    *("added", "updated", "unchanged", "skipped", "deleted", "missing", "held"),
    *("new_identifiers", "lost", "same", "with_problems"),
)
RunRow = Any  # of ``load_row``


def load_row(job_id: str) -> RunRow | None:
    """Return a run by its id, None if there is none; one statement.

    Columns:
        job: the columns of the harvest job.
        JobReport: its report, None without one.
        name: its source's.
        is_last: no later run of the source has ended.
    """
    later = sa.orm.aliased(HarvestJob)
    is_last = ~sa.exists().where(
        later.source_id == HarvestJob.source_id,
        later.created > HarvestJob.created,
        later.status.notin_(UNENDED),
    )
    row: RunRow | None = _query(is_last.label("is_last")).filter(HarvestJob.id == job_id).first()
    return row


def describe_run(row: RunRow) -> dict[str, Any]:
    """Return a run as ``list_runs`` does, with ``is_last``."""
    (run,) = _runs([row])
    return {**run, "is_last": row.is_last}


def list_runs(
    *, source_id: str | None, limit: int, offset: int = 0, failed: bool = False
) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of runs, of one source or of all, and one page of them, newest first.

    Args:
        failed: only those that failed.

    Returns:
        The number, and dicts with ``id``, ``source_id``, ``source`` (its name), ``source_title``,
        ``status`` (ckanext-harvest's), ``created``, ``started``, ``gathered`` (when it was read),
        ``finished`` (ISO 8601 with zone, None if not reached), ``seconds`` (None while it runs),
        ``mode`` ("normal", "force", "approval"), ``asked_by`` ("" for the schedule),
        ``stopped_by``, ``outcome`` (key of ``lib.texts.OUTCOMES``),
        ``reason``, ``error`` ({"code", "message", "passes"} of a run that failed, else None),
        ``complete`` (it read the whole source), ``seen`` (records that the source listed),
        ``progress`` (as in ``JobReport``), ``counts``: ``COUNTS`` (``same``: skipped because the
        dataset is here already, or was deleted here), ``shortfall`` ({"records", "of",
        "asks_after"} where so many records are missing that a later run will ask, else None), and
        ``stats`` as in ``harvest_job_show``.
    """
    query = _query(sa.func.count().over())
    if source_id is not None:
        query = query.filter(HarvestJob.source_id == source_id)
    if failed:
        query = query.filter(JobReport.outcome == RunOutcome.FAILED)
    newest = query.order_by(HarvestJob.created.desc(), HarvestJob.id)
    rows = newest.limit(limit).offset(offset).all()
    # Without rows, nothing says how many there are.
    return rows[0][-1] if rows else query.count(), _runs(rows)


def newest_run_of_each(source_ids: Collection[str]) -> dict[str, dict[str, Any]]:
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


def runs_by_id(job_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return job id → the run, as ``list_runs`` returns it."""
    return {run["id"]: run for run in _runs(_query().filter(HarvestJob.id.in_(job_ids)).all())}


def _query(*more: Any) -> Any:
    # Not the objects of the session: ckanext-harvest sets their times as texts.
    job = sa.orm.Bundle("job", *HarvestJob.__table__.c)
    return (
        Session.query(job, JobReport, model.Package.name, model.Package.title, *more)
        .select_from(HarvestJob)
        .outerjoin(JobReport, JobReport.job_id == HarvestJob.id)
        .outerjoin(model.Package, model.Package.id == HarvestJob.source_id)
    )


def _runs(rows: Collection[Any]) -> list[dict[str, Any]]:
    reports = {job.id: report for job, report, *_more in rows if report}
    statuses = {job.id: job_status(job.status, job.gather_started) for job, *_more in rows}
    results = outcomes.load_results(statuses, reports)
    return [
        {**_run(job, report, results[job.id]), "source": name, "source_title": title or name}
        for job, report, name, title, *_more in rows
    ]


def _run(job: Any, report: JobReport | None, result: RunResult) -> dict[str, Any]:
    counts: Mapping[str, Any] = (report.counts or {}) if report else {}
    started = job.gather_started or (report and report.started)
    finished = (job.finished or (report and report.finished)) if job.status not in UNENDED else None
    unknown = {"code": "", "message": result.reason, "passes": False}
    error = (report.error if report else None) or unknown
    return {
        "id": job.id,
        "source_id": job.source_id,
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
        "error": error if result.outcome == RunOutcome.FAILED else None,
        "complete": bool(report and report.complete),
        "seen": int(counts.get("seen", 0)),
        "counts": {key: result.figures[key] for key in COUNTS},
        "shortfall": counts.get("shortfall"),
        "progress": dict(report.progress) if report else {},
        "stats": _stock_figures(result.figures),
    }


def job_status(status: str, gather_started: Any) -> str:
    """Return a job's status; "New", as runs under way have it, until a consumer reads it."""
    return "New" if status == "Running" and not gather_started else status


def _stock_figures(figures: Mapping[str, int]) -> dict[str, int]:
    """Return a run's figures under ckanext-harvest's names, with "missing".

    Its errors are not only failed records.
    """
    return {
        **{key: figures[key] for key in ("added", "updated", "errored", "deleted")},
        "not modified": figures["unchanged"] + figures["skipped"],
        "missing": figures["missing"] + figures["held"],
    }


def add_to_stock(jobs: Iterable[dict[str, Any]]) -> None:
    """Add our figures to ckanext-harvest's job dicts, so that every page shows the same.

    Unchanged records have no harvest object: they go into ``stats["not modified"]``. New are
    ``stats["missing"]`` and ``job["ukharvest"]`` with mode, outcome, reason, complete and counts.
    """
    jobs = [job for job in jobs if job]
    reports = reports_of(job["id"] for job in jobs)
    jobs = [job for job in jobs if job["id"] in reports]
    statuses = {job["id"]: job_status(job["status"], job.get("gather_started")) for job in jobs}
    results = outcomes.load_results(statuses, reports)
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
            "counts": {key: number for key, number in counts if key != "shortfall"},
        }


def short_status(source_id: str) -> dict[str, Any]:
    """Return the public part of a source's status, with the stock keys.

    Its last run is the last that did not fail.
    """
    number = Session.scalar(sa.select(sa.func.count()).where(HarvestJob.source_id == source_id))
    finished = last_good_end(source_id)
    datasets = dataset_rows.count_datasets_of_sources([source_id], public=True)
    return {
        "job_count": number,
        "last_job": {"finished": str(finished)} if finished else None,
        "total_datasets": datasets.get(source_id, 0),
    }


def last_good_end(source_id: str) -> dt.datetime | None:
    """Return when the source's last run ended that did not fail and was not stopped."""
    moment: dt.datetime | None = Session.scalar(
        sa.select(sa.func.coalesce(HarvestJob.finished, JobReport.finished, HarvestJob.created))
        .join(JobReport, JobReport.job_id == HarvestJob.id)
        .where(
            HarvestJob.source_id == source_id,
            JobReport.figures.isnot(None),
            JobReport.mode != RunMode.APPROVAL,
            JobReport.outcome.notin_((RunOutcome.FAILED, RunOutcome.STOPPED)),
        )
        .order_by(HarvestJob.created.desc(), HarvestJob.id)
        .limit(1)
    )
    return moment


def load_current_runs(source_ids: Collection[str] | None = None) -> list[CurrentRun]:
    """Return the runs of these sources, or of all, that have not ended; the oldest first.

    One statement, none without sources.
    """
    if source_ids is not None and not source_ids:
        return []
    ids = None if source_ids is None else list(source_ids)
    now = utcnow()
    rows = Session.execute(_CURRENT, {"ids": ids})
    return [CurrentRun(**row._mapping, now=now) for row in rows]


_CURRENT = sa.text(
    """
    SELECT job.id, job.source_id, job.status, job.created, job.gather_started,
           job.gather_finished, report.heartbeat, COALESCE(report.asked_by, '') AS asked_by,
           COALESCE(report.stopped_by, '') AS stopped_by,
           COALESCE(report.mode, 'normal') AS mode,
           COALESCE(CAST(report.counts ->> 'seen' AS integer), 0) AS seen,
           COALESCE(package.name, '') AS name, COALESCE(package.title, '') AS title,
           COALESCE(source.url, '') AS url, worker.gathers, worker.fetches,
           object.total, object.done, object.waiting, object.lost, object.import_began,
           object.sign,
           (SELECT count(*) FROM harvest_job AS other
             WHERE other.status IN ('New', 'Running') AND other.gather_started IS NULL
               AND other.created < job.created) AS before
      FROM harvest_job AS job
      LEFT JOIN harvest_source AS source ON source.id = job.source_id
      LEFT JOIN package ON package.id = job.source_id
      LEFT JOIN ukharvest_job AS report ON report.job_id = job.id
      CROSS JOIN LATERAL (
           SELECT count(*) AS total,
                  count(*) FILTER (WHERE state IN ('COMPLETE', 'ERROR')) AS done,
                  count(*) FILTER (WHERE state = 'WAITING') AS waiting,
                  count(*) FILTER (WHERE report_status = 'errored') AS lost,
                  min(fetch_started) AS import_began,
                  max(GREATEST(fetch_started, import_finished)) AS sign
             FROM harvest_object WHERE harvest_job_id = job.id) AS object
      CROSS JOIN (
           SELECT max(heartbeat) FILTER (WHERE kind = 'gather') AS gathers,
                  max(heartbeat) FILTER (WHERE kind = 'fetch') AS fetches
             FROM ukharvest_worker WHERE busy_with <> '') AS worker
     WHERE job.status IN ('New', 'Running')
       AND (CAST(:ids AS text[]) IS NULL OR job.source_id = ANY (CAST(:ids AS text[])))
     ORDER BY job.created, job.id
    """
)
