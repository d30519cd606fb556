"""Figures of runs, for every page and action: one statement for any number of runs that have ended,
one more for those that have not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.model import JobReport, reports, run_results
from ckanext.ukharvest.model.open_work import UNENDED
from ckanext.ukharvest.model.run_results import RunResult

COUNTS = (
    *("added", "updated", "unchanged", "skipped", "deleted", "missing", "held"),
    *("new_identifiers", "lost"),
)


def load_figures(
    jobs: Collection[HarvestJob], known: Mapping[str, JobReport] | None = None
) -> list[dict[str, Any]]:
    """Return the figures of these runs, in their order.

    Args:
        known: job id → its report; None: they are loaded.

    Returns:
        Dicts with ``id``, ``source_id``, ``status`` (ckanext-harvest's), ``created``, ``started``,
        ``gathered`` (the source was read), ``finished`` (ISO 8601 with zone, None if not
        reached), ``seconds`` (None while it runs), ``mode`` ("normal", "force",
        "approval"), ``asked_by`` ("" for the schedule), ``stopped_by``, ``outcome`` (key of
        ``presentation.messages.status_labels.OUTCOMES``), ``reason``, ``error`` ({"code",
        "message", "passes"} of a run that failed, else None), ``complete`` (it read the whole
        source), ``seen`` (records that the source listed), ``counts``: ``COUNTS``,
        ``same`` (skipped because the dataset is here already, or was deleted here) and
        ``with_problems``, ``shortfall`` ({"records", "of", "asks_after"} where so many records are
        missing that a later run will ask, else None), and ``stats`` as in ``harvest_job_show``.
    """
    if known is None:
        known = reports.reports_of(job.id for job in jobs)
    results = run_results.load(jobs, known)
    return [_row(job, known.get(job.id), results[job.id]) for job in jobs]


def _row(job: HarvestJob, report: JobReport | None, result: RunResult) -> dict[str, Any]:
    noted: Mapping[str, Any] = (report.counts or {}) if report else {}
    started = job.gather_started or (report and report.started)
    finished = (job.finished or (report and report.finished)) if job.status not in UNENDED else None
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
        "error": _error(report, result) if result.outcome == RunOutcome.FAILED else None,
        "complete": bool(report and report.complete),
        "seen": int(noted.get("seen", 0)),
        "counts": {key: result.figures[key] for key in (*COUNTS, "same", "with_problems")},
        "shortfall": noted.get("shortfall"),
        "stats": reports.stock_figures(result.figures),
    }


def _error(report: JobReport | None, result: RunResult) -> dict[str, Any]:
    error: dict[str, Any] | None = report.error if report else None
    return error or {"code": "", "message": result.reason, "passes": False}
