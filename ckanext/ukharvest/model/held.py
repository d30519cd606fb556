"""Deletions that wait for a person's word (DESIGN 3.6)."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.core.deletions import DeletionPlan
from ckanext.ukharvest.core.moments import iso
from ckanext.ukharvest.core.text import one_line
from ckanext.ukharvest.model import JobReport, Record, SourceState, locks, staging, utcnow
from ckanext.ukharvest.model.known import KEPT

Session = model.Session

APPROVAL = "approval"  # mode of the job that carries out what a person approved


class Waiting(NamedTuple):
    """One deletion that waits: its record is still missing, its dataset still active.

    Attributes:
        private_to: id of the organisation of which one must be to see the dataset, None if it is
            public.
    """

    guid: str
    package_id: str
    name: str
    title: str
    last_seen: datetime.datetime
    missed_runs: int
    private_to: str | None

    def is_for(self, organisations: Collection[str]) -> bool:
        """Tell whether members of these may see the dataset."""
        return self.private_to is None or self.private_to in organisations


def note(before: Mapping[str, Any] | None, job_id: str, plan: DeletionPlan) -> dict[str, Any]:
    """Return what ``SourceState.held`` becomes after a complete run; {} if nothing waits.

    Args:
        before: what it was; a list that goes on waiting keeps its date.
    """
    if not plan.held:
        return {}
    since = (before or {}).get("since") or iso(utcnow())
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
    """What waits is not what the person saw who decided; ``number``: so many wait now."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def version_of(due: Iterable[Waiting]) -> str:
    """Return what tells whether two lists of waiting deletions are the same datasets."""
    ids = "\n".join(sorted(each.package_id for each in due))
    return hashlib.sha256(ids.encode("utf-8")).hexdigest()[:16]


def release(source_id: str, user: str, version: str = "") -> tuple[str | None, list[str], int]:
    """Turn the held deletions that are still due into a job; commits. A second call finds none.

    The job's objects are WAITING like any others: if this process ends before it has worked
    them off, the next ``ckan harvester run`` sends them to the consumers.

    Args:
        user: name of the person who approved, for the job's reason.
        version: of the list that the person saw; "" asks nothing.

    Returns:
        Job id (None if there is nothing to do), ids of its objects, and how many were listed
        but are not due any more.

    Raises:
        Changed: other datasets wait than those; nothing was done.
    """
    state, due = _locked(source_id, version)
    if state is None:
        return None, [], 0
    listed, held_by = len(state.held["guids"]), state.held["job_id"]
    state.held = sa.null()
    if not due:
        Session.commit()
        return None, [], listed
    now = utcnow()
    job = HarvestJob(source_id=source_id, status="Running")
    job.gather_started = job.gather_finished = now
    Session.add(job)
    Session.flush()
    what = f"{len(due)} deletion{'' if len(due) == 1 else 's'}"
    report = JobReport(job_id=job.id, source_id=source_id, mode=APPROVAL, asked_by=user)
    report.reason = f"{user} approved {what}"
    report.outcome = "finished"
    report.started = report.heartbeat = report.finished = now
    Session.add(report)
    _note_decision(held_by, report.reason)
    staged = [staging.Staged(each.guid, "delete", package_id=each.package_id) for each in due]
    staging.add(staged, job.id, source_id)
    staging.show(job.id)
    job_id = str(job.id)
    Session.commit()
    return job_id, [each.id for each in staged], listed - len(due)


def keep(source_id: str, user: str, version: str = "") -> int:
    """Keep the datasets whose deletion waits, no longer updated; return their number; commits.

    Their records count as missing no more. One that comes back is brought in again.

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
    Session.execute(kept.values(outcome=KEPT).execution_options(synchronize_session=False))
    number = len(due)
    _note_decision(held_by, f"{user} kept {number} dataset{'' if number == 1 else 's'}")
    Session.commit()
    return number


def held_by(source_id: str) -> str:
    """Return the id of the run whose deletions wait for a decision, "" where none do."""
    held = Session.scalar(sa.select(SourceState.held).filter_by(source_id=source_id))
    return str((held or {}).get("job_id", ""))


def is_approval(job_id: str) -> bool:
    """Tell whether a job carries out deletions that a person approved."""
    report = Session.query(JobReport.id).filter_by(job_id=job_id, mode=APPROVAL)
    return report.first() is not None


def _locked(source_id: str, version: str) -> tuple[SourceState | None, list[Waiting]]:
    """Return the source's state, locked, with what is due; None if nothing waits."""
    state = locks.source_state(source_id)
    if state is None or not state.held:
        Session.rollback()
        return None, []
    due = waiting(source_id, state.held["guids"])
    if version and version != version_of(due):
        Session.rollback()
        raise Changed(len(due))
    return state, due


def _note_decision(job_id: str, words: str) -> None:
    """Write who decided into the report of the run that held the deletions."""
    report = Session.query(JobReport).filter_by(job_id=job_id).one_or_none()
    if report is not None:
        report.reason = f"{report.reason}; {words}" if report.reason else words


def around(source_id: str, due: Sequence[Waiting]) -> tuple[int, int]:
    """Return how many datasets the source has here, and how many of the titles came again.

    A title that went and came under another identifier tells of identifiers that changed.

    Returns:
        Active datasets, those in ``due`` included; titles of ``due`` that another one has.
    """
    titles = {one_line(each.title).casefold() for each in due}
    doomed = {each.package_id for each in due}
    query = (
        Session.query(model.Package.id, model.Package.title)
        .join(Record, Record.package_id == model.Package.id)
        .filter(Record.source_id == source_id, model.Package.state == "active")
        .filter(Record.outcome != KEPT)
    )
    rows = query.all()
    others = {one_line(title or "").casefold() for id_, title in rows if id_ not in doomed}
    return len(rows), len(titles & others)


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
