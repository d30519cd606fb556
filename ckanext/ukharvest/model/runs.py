"""Lists of runs, with a fixed number of statements."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.model import JobReport, run_figures

Session = model.Session


def list_runs(
    *, source_id: str | None, limit: int, offset: int = 0
) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of runs, of one source or of all, and one page of them, newest first.

    Returns:
        The number, and dicts as ``run_figures.load_figures`` returns them, with ``source`` (its
        name).
    """
    query = _query(sa.func.count().over())
    if source_id is not None:
        query = query.filter(HarvestJob.source_id == source_id)
    newest = query.order_by(HarvestJob.created.desc(), HarvestJob.id)
    found = newest.limit(limit).offset(offset).all()
    # Without rows, nothing says how many there are.
    return found[0][-1] if found else query.count(), _rows(found)


def newest(source_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return source id → its newest run, ended or not, as ``listed`` returns it."""
    if not source_ids:
        return {}
    query = (
        _query()
        .filter(HarvestJob.source_id.in_(source_ids))
        .distinct(HarvestJob.source_id)
        .order_by(HarvestJob.source_id, HarvestJob.created.desc(), HarvestJob.id)
    )
    return {row["source_id"]: row for row in _rows(query.all())}


def by_id(job_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return job id → the run, as ``listed`` returns it."""
    query = _query().filter(HarvestJob.id.in_(job_ids))
    return {row["id"]: row for row in _rows(query.all())}


def _query(*more: Any) -> Any:
    return (
        Session.query(HarvestJob, JobReport, model.Package.name, *more)
        .outerjoin(JobReport, JobReport.job_id == HarvestJob.id)
        .outerjoin(model.Package, model.Package.id == HarvestJob.source_id)
    )


def _rows(found: Collection[Any]) -> list[dict[str, Any]]:
    known = {job.id: report for job, report, *_more in found if report}
    names = {job.id: name for job, _report, name, *_more in found}
    rows = run_figures.load_figures([row[0] for row in found], known)
    return [{**row, "source": names[row["id"]]} for row in rows]
