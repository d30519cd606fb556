"""Sources and runs as lists, with a bounded number of statements however many there are."""

from __future__ import annotations

import datetime
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest.model import SourceState, reports

Session = model.Session
Row = dict[str, Any]


def list_sources(*, limit: int, offset: int, include_inactive: bool) -> tuple[int, list[Row]]:
    """Return the number of sources and one page of them, by name."""
    query = (
        Session.query(HarvestSource, model.Package, model.Group, SourceState)
        .join(model.Package, model.Package.id == HarvestSource.id)
        .outerjoin(model.Group, model.Group.id == model.Package.owner_org)
        .outerjoin(SourceState, SourceState.source_id == HarvestSource.id)
    )
    if not include_inactive:
        query = query.filter(HarvestSource.active.is_(True), model.Package.state == "active")
    found = query.order_by(model.Package.name).limit(limit).offset(offset).all()
    ids = [source.id for source, *_others in found]
    jobs = _last_jobs(ids)
    datasets = _count_datasets(ids)
    rows = [
        {
            **_source_row(source, package, group),
            "held_deletions": len(((state and state.held) or {}).get("guids") or ()),
            "datasets": datasets.get(source.id, 0),
            "state": _state(source, package, jobs.get(source.id)),
            "last_run": jobs.get(source.id),
        }
        for source, package, group, state in found
    ]
    return query.count(), rows


def _source_row(source: HarvestSource, package: model.Package, group: model.Group | None) -> Row:
    return {
        "id": source.id,
        "name": package.name,
        "title": source.title or package.title,
        "type": source.type,
        "organization": group.name if group else None,
        "url": source.url,
        "frequency": source.frequency,
        "next_run": _time(source.next_run),
    }


def _state(source: HarvestSource, package: model.Package, job: Row | None) -> str:
    if not source.active or package.state != "active":
        return "inactive"
    if job and job["status"] == "Running":
        return "running"
    return "queued" if job and job["status"] == "New" else "active"


def _last_jobs(source_ids: Collection[str]) -> dict[str, Row]:
    query = (
        Session.query(HarvestJob)
        .filter(HarvestJob.source_id.in_(source_ids))
        .distinct(HarvestJob.source_id)
        .order_by(HarvestJob.source_id, HarvestJob.created.desc())
    )
    return {row["source_id"]: row for row in _job_rows(query.all())}


def _count_datasets(source_ids: Collection[str]) -> dict[str, int]:
    query = (
        Session.query(
            HarvestObject.harvest_source_id,
            sa.func.count(sa.distinct(HarvestObject.package_id)),
        )
        .join(model.Package, model.Package.id == HarvestObject.package_id)
        .filter(
            HarvestObject.harvest_source_id.in_(source_ids),
            HarvestObject.current.is_(True),
            model.Package.state == "active",
        )
    )
    return dict(query.group_by(HarvestObject.harvest_source_id).all())


def list_jobs(*, source_id: str | None, limit: int, offset: int) -> tuple[int, list[Row]]:
    """Return the number of runs, of one source or of all, and one page of them, newest first."""
    query = Session.query(HarvestJob, model.Package.name).outerjoin(
        model.Package, model.Package.id == HarvestJob.source_id
    )
    if source_id is not None:
        query = query.filter(HarvestJob.source_id == source_id)
    newest = query.order_by(HarvestJob.created.desc(), HarvestJob.id)
    found = newest.limit(limit).offset(offset).all()
    names = {job.id: name for job, name in found}
    rows = _job_rows([job for job, _name in found])
    return query.count(), [{**row, "source": names[row["id"]]} for row in rows]


def _job_rows(jobs: Collection[HarvestJob]) -> list[Row]:
    stats = reports.stats_of(job.id for job in jobs)
    rows: list[Row] = [
        {
            "id": job.id,
            "source_id": job.source_id,
            "status": job.status,
            "created": _time(job.created),
            "gather_started": _time(job.gather_started),
            "gather_finished": _time(job.gather_finished),
            "finished": _time(job.finished),
            "stats": stats[job.id],
        }
        for job in jobs
    ]
    reports.merge(rows)
    for row in rows:
        ours = row.pop("ukharvest", {})
        row["stats"].setdefault("missing", 0)
        row["mode"] = ours.get("mode", "")
        row["outcome"] = ours.get("outcome", "")
        row["reason"] = ours.get("reason", "")
    return rows


def _time(moment: datetime.datetime | None) -> str | None:
    """ISO 8601 with its time zone: the database's times are UTC without one."""
    if moment is None:
        return None
    return moment.replace(tzinfo=datetime.timezone.utc, microsecond=0).isoformat()
