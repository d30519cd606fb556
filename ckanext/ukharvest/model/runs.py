"""Lists of runs, with a fixed number of statements."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.model import run_figures

Session = model.Session


def list_runs(
    *, source_id: str | None, limit: int, offset: int = 0
) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of runs, of one source or of all, and one page of them, newest first.

    Returns:
        The number, and dicts as ``run_figures.load_figures`` returns them, with ``source`` (its
        name).
    """
    query = Session.query(HarvestJob, model.Package.name).outerjoin(
        model.Package, model.Package.id == HarvestJob.source_id
    )
    if source_id is not None:
        query = query.filter(HarvestJob.source_id == source_id)
    newest = query.order_by(HarvestJob.created.desc(), HarvestJob.id)
    found = newest.limit(limit).offset(offset).all()
    return query.count(), _rows(found)


def newest(source_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return source id → its newest run, ended or not, as ``listed`` returns it."""
    if not source_ids:
        return {}
    query = (
        Session.query(HarvestJob, model.Package.name)
        .outerjoin(model.Package, model.Package.id == HarvestJob.source_id)
        .filter(HarvestJob.source_id.in_(source_ids))
        .distinct(HarvestJob.source_id)
        .order_by(HarvestJob.source_id, HarvestJob.created.desc(), HarvestJob.id)
    )
    return {row["source_id"]: row for row in _rows(query.all())}


def _rows(found: Collection[Any]) -> list[dict[str, Any]]:
    names = {job.id: name for job, name in found}
    rows = run_figures.load_figures([job for job, _name in found])
    return [{**row, "source": names[row["id"]]} for row in rows]
