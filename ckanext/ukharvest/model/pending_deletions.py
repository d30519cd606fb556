"""Pending deletions: list, approve or keep them (decision 0006)."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.core.deletions import DeletionPlan
from ckanext.ukharvest.core.outcomes import RecordOutcome, RunMode, RunOutcome
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.values.text import one_line
from ckanext.ukharvest.model import (
    JobReport,
    Record,
    SourceState,
    locks,
    run_results,
    staged_objects,
    utcnow,
)
from ckanext.ukharvest.model.statements import execute

Session = model.Session


class Waiting(NamedTuple):
    """A pending deletion: its record is still missing, its dataset still active.

    Attributes:
        private_to: id of the organisation whose members may see the dataset, None if it is public.
    """

    guid: str
    package_id: str
    name: str
    title: str
    last_seen: datetime.datetime
    missed_runs: int
    private_to: str | None

    def is_for(self, organisations: Collection[str]) -> bool:
        """Tell whether members of these organisations may see the dataset."""
        return self.private_to is None or self.private_to in organisations


def update_held(
    before: Mapping[str, Any] | None, job_id: str, plan: DeletionPlan
) -> dict[str, Any]:
    """Return the new ``SourceState.held`` after a complete run; {} without pending deletions.

    Args:
        before: the previous value; a list that is still pending keeps its date.
    """
    if not plan.held:
        return {}
    since = (before or {}).get("since") or iso(utcnow())
    return {"job_id": job_id, "guids": list(plan.held), "reason": plan.reason, "since": since}


def waiting(source_id: str, guids: Sequence[str]) -> list[Waiting]:
    """Return the pending deletions that are still due, by title.

    A record that came back, even in an incomplete run, has no missed runs.
    """
    query = (
        Session.query(
            Record.guid,
            model.Package.id,
            model.Package.name,
            model.Package.title,
            Record.last_seen,
            Record.missed_runs,
            sa.case((model.Package.private, model.Package.owner_org)),
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


class Changed(Exception):  # noqa: N818 - nothing is wrong
    """The pending deletions are not those that the user saw; ``number``: how many there are now."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def version_of(due: Iterable[Waiting]) -> str:
    """Return a hash that is equal for lists of the same datasets."""
    ids = "\n".join(sorted(each.package_id for each in due))
    return hashlib.sha256(ids.encode("utf-8")).hexdigest()[:16]


def release(source_id: str, user: str, version: str = "") -> tuple[str | None, list[str], int]:
    """Turn the pending deletions that are still due into a job; commits. A second call finds none.

    The job's objects are WAITING like any others: if this process ends before it has worked
    them off, the next ``ckan harvester run`` sends them to the consumers.

    Args:
        user: name of the person who approved, for the job's reason.
        version: of the list that the user saw; "" skips the check.

    Returns:
        Job id (None if there is nothing to do), ids of its objects, and how many were listed
        but are not due any more.

    Raises:
        Changed: other datasets wait than those; nothing was done.
    """
    # While the source is cleared nothing waits any more, or soon nothing will.
    state, due = _locked(source_id, version) if locks.hold_off_clearing(source_id) else (None, [])
    if state is None:
        return None, [], 0
    listed, held_by = len(state.held["guids"]), state.held["job_id"]
    state.held = sa.null()
    if not due:
        run_results.settle(source_id)
        Session.commit()
        return None, [], listed
    now = utcnow()
    job = HarvestJob(source_id=source_id, status="Running")
    job.gather_started = job.gather_finished = now
    Session.add(job)
    Session.flush()
    what = f"{len(due)} deletion{'' if len(due) == 1 else 's'}"
    report = JobReport(job_id=job.id, source_id=source_id, mode=RunMode.APPROVAL, asked_by=user)
    report.reason = f"{user} approved {what}"
    report.outcome = RunOutcome.FINISHED
    report.started = report.heartbeat = report.finished = now
    Session.add(report)
    run_results.add_decision(held_by, report.reason)
    staged = [
        staged_objects.Staged(each.guid, "delete", package_id=each.package_id) for each in due
    ]
    staged_objects.add(staged, job.id, source_id)
    staged_objects.show(job.id)
    job_id = str(job.id)
    Session.commit()
    return job_id, [each.id for each in staged], listed - len(due)


def keep_datasets(source_id: str, user: str, version: str = "") -> int:
    """Keep the datasets whose deletion waits, no longer updated; return their number; commits.

    Their records no longer count as missing. A record that comes back is imported again.

    Raises:
        Changed: other datasets wait than those that the person saw; nothing was done.
    """
    state, due = _locked(source_id, version)
    if state is None:
        return 0
    held_by = state.held["job_id"]
    state.held = sa.null()
    kept = sa.update(Record).where(
        Record.source_id == source_id,
        Record.package_id.in_([each.package_id for each in due]),
        Record.missed_runs > 0,
    )
    execute(kept.values(outcome=RecordOutcome.KEPT))
    number = len(due)
    run_results.add_decision(held_by, f"{user} kept {number} dataset{'' if number == 1 else 's'}")
    Session.commit()
    return number


def held_by(source_id: str) -> str:
    """Return the id of the run with pending deletions, "" if there are none."""
    held = Session.scalar(sa.select(SourceState.held).filter_by(source_id=source_id))
    return str((held or {}).get("job_id", ""))


def is_approval(job_id: str) -> bool:
    """Tell whether a job carries out deletions that a person approved."""
    report = Session.query(JobReport.id).filter_by(job_id=job_id, mode=RunMode.APPROVAL)
    return report.first() is not None


def _locked(source_id: str, version: str) -> tuple[SourceState | None, list[Waiting]]:
    """Return the source's state, locked, and its due deletions; None without any."""
    state = locks.source_state(source_id)
    if state is None or not state.held:
        Session.rollback()
        return None, []
    due = waiting(source_id, state.held["guids"])
    if version and version != version_of(due):
        Session.rollback()
        raise Changed(len(due))
    return state, due


def around(source_id: str, due: Sequence[Waiting]) -> tuple[int, int]:
    """Return the number of the source's datasets, and of titles that came again.

    A title that is missing and came again under another identifier suggests changed identifiers.

    Returns:
        Active datasets, those in ``due`` included; titles of ``due`` that another one has.
    """
    titles = {one_line(each.title).casefold() for each in due}
    doomed = {each.package_id for each in due}
    query = (
        Session.query(model.Package.id, model.Package.title)
        .join(Record, Record.package_id == model.Package.id)
        .filter(Record.source_id == source_id, model.Package.state == "active")
        .filter(Record.outcome != RecordOutcome.KEPT)
    )
    rows = query.all()
    others = {one_line(title or "").casefold() for id_, title in rows if id_ not in doomed}
    return len(rows), len(titles & others)


def done(object_id: str) -> None:
    """Mark an object of such a job as finished; commits."""
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
