"""Deletions that wait for a person's word (DESIGN 3.6)."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.core.deletions import DeletionPlan
from ckanext.ukharvest.model import JobReport, Record, SourceState, staging, utcnow

Session = model.Session

APPROVAL = "approval"  # mode of the job that carries out what a person approved


class Waiting(NamedTuple):
    """One deletion that waits: its record is still missing, its dataset still active."""

    guid: str
    package_id: str
    name: str
    title: str
    last_seen: datetime.datetime
    missed_runs: int


def note(before: Mapping[str, Any] | None, job_id: str, plan: DeletionPlan) -> dict[str, Any]:
    """Return what ``SourceState.held`` becomes after a complete run; {} if nothing waits.

    Args:
        before: what it was; a list that goes on waiting keeps its date.
    """
    if not plan.held:
        return {}
    since = (before or {}).get("since") or utcnow().isoformat(timespec="seconds")
    return {"job_id": job_id, "guids": list(plan.held), "reason": plan.reason, "since": since}


def waiting(source_id: str, guids: Sequence[str]) -> list[Waiting]:
    """Return those of the held deletions that are still due, by title.

    A record that came back, even in a run that proved nothing else, has no missed runs.
    """
    query = (
        Session.query(
            Record.guid,
            model.Package.id,
            model.Package.name,
            model.Package.title,
            Record.last_seen,
            Record.missed_runs,
        )
        .join(model.Package, model.Package.id == Record.package_id)
        .filter(
            Record.source_id == source_id,
            Record.missed_runs > 0,
            model.Package.state == "active",
        )
        .order_by(model.Package.title, Record.guid)
    )
    listed = frozenset(guids)  # not in the query: there can be more than parameters
    return [Waiting(*row) for row in query if row[0] in listed]


def release(source_id: str, user: str) -> tuple[str | None, list[str], int]:
    """Turn the held deletions that are still due into a job; commits. A second call finds none.

    The job's objects are WAITING like any others: if this process ends before it has worked
    them off, the next ``ckan harvester run`` sends them to the consumers.

    Args:
        user: name of the person who approved, for the job's reason.

    Returns:
        Job id (None if there is nothing to do), ids of its objects, and how many were listed
        but are not due any more.
    """
    state = (
        Session.query(SourceState)
        .filter_by(source_id=source_id)
        .with_for_update()
        .populate_existing()
        .one_or_none()
    )
    if state is None or not state.held:
        Session.rollback()
        return None, [], 0
    guids = state.held["guids"]
    due = waiting(source_id, guids)
    state.held = sa.null()
    if not due:
        Session.commit()
        return None, [], len(guids)
    now = utcnow()
    job = HarvestJob(source_id=source_id, status="Running")
    job.gather_started = job.gather_finished = now
    Session.add(job)
    Session.flush()
    reason = f"{user} approved {len(due)} deletion{'' if len(due) == 1 else 's'}"
    report = JobReport(job_id=job.id, source_id=source_id, mode=APPROVAL, reason=reason)
    report.outcome = "finished"
    report.started = report.heartbeat = report.finished = now
    Session.add(report)
    staged = [staging.Staged(each.guid, "delete", package_id=each.package_id) for each in due]
    staging.add(staged, job.id, source_id)
    staging.show(job.id)
    job_id = str(job.id)
    Session.commit()
    return job_id, [each.id for each in staged], len(guids) - len(due)


def done(object_id: str) -> None:
    """Note that an object of such a job is worked off; commits."""
    obj = HarvestObject.get(object_id)
    obj.state = "COMPLETE"
    obj.import_started = obj.import_started or utcnow()
    obj.import_finished = utcnow()
    Session.commit()


def close(job_id: str) -> None:
    """End such a job; commits."""
    job = HarvestJob.get(job_id)
    job.status = "Finished"
    job.finished = utcnow()
    Session.commit()


def is_being_read(source_id: str) -> bool:
    """Tell whether a run of the source is reading now: it may find what is missing."""
    query = Session.query(HarvestJob.id).filter(
        HarvestJob.source_id == source_id,
        HarvestJob.status == "Running",
        HarvestJob.gather_finished.is_(None),
    )
    return query.first() is not None
