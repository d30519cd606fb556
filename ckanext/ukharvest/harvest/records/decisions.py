"""Decisions about datasets that wait: delete them, keep them, or say whether records are theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.core.outcomes import DecisionKind, PendingKind, RunMode, RunOutcome
from ckanext.ukharvest.core.values.text import counted, one_line
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.database import any_text, execute, exists_statements
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import JobReport, Pending, Record, utcnow
from ckanext.ukharvest.harvest.records import pending, record_rows
from ckanext.ukharvest.harvest.records.pending import Waiting
from ckanext.ukharvest.harvest.run import outcomes
from ckanext.ukharvest.harvest.sources import decision_log
from ckanext.ukharvest.harvest.sources.source_moves import rename_records

Session = model.Session


class ListChanged(Exception):  # noqa: N818 - nothing is wrong
    """The list of datasets that wait is not the one that the person saw."""


class Decided(NamedTuple):
    """What a decision did.

    Attributes:
        number: of datasets that it was about.
        left: number of listed records that were not due any more.
        job_id: of the run that deletes, None if there is nothing to delete.
        object_ids: of its harvest objects.
    """

    number: int = 0
    left: int = 0
    job_id: str | None = None
    object_ids: Sequence[str] = ()


def decide_pending(
    source_id: str,
    kind: DecisionKind,
    user: str,
    version: str = "",
    guids: Collection[str] | None = None,
) -> Decided:
    """Carry out what a person decided about all that waits at a source; commits.

    A second call finds nothing. Deletions that are approved become a run: if this process ends
    before it has worked that off, the fetch consumers do.

    Args:
        kind: one of ``_EFFECTS``.
        user: name of the person.
        version: of the list that the person saw; "" skips the check.
        guids: only these records are decided, the others go on waiting; None: all are.

    Raises:
        ListChanged: other datasets wait than those; nothing was done.
    """
    of = _ABOUT[kind]
    # While the source is cleared nothing waits any more, or soon nothing will.
    if not database.hold_off_clearing(source_id) or database.source_state(source_id) is None:
        Session.rollback()
        return Decided()
    due = pending.load_waiting(source_id, of)
    if version and version != pending.version_of(due):
        Session.rollback()
        raise ListChanged
    decided = [dataset for dataset in due if guids is None or dataset.guid in guids]
    own = sa.delete(Pending).where(Pending.source_id == source_id, Pending.kind == of)
    if guids is not None:
        own = own.where(Pending.guid == any_text(dataset.guid for dataset in decided))
    listed = int(execute(own).rowcount)
    done = Decided()
    if decided:
        done = _EFFECTS[kind](source_id, decided, user)
        decision_log.add_decision(
            source_id, user, kind, job_id=decided[0].job_id, number=done.number
        )
    outcomes.settle_held_runs(source_id)
    Session.commit()
    return done._replace(left=listed - len(decided))


def _delete(source_id: str, due: Sequence[Waiting], user: str) -> Decided:
    """Make a run whose objects delete the datasets, WAITING like any others."""
    now = utcnow()
    read = {"gather_started": now, "gather_finished": now}
    job = HarvestJob(source_id=source_id, status="Running", **read)
    Session.add(job)
    Session.flush()
    report = JobReport(
        job_id=job.id,
        source_id=source_id,
        mode=RunMode.APPROVAL,
        asked_by=user,
        reason=f"{user} approved {counted(len(due), 'deletion')}",
        outcome=RunOutcome.FINISHED,
        started=now,
        heartbeat=now,
        finished=now,
    )
    Session.add(report)
    staged = [
        objects.StagedObject(dataset.guid, "delete", package_id=dataset.package_id)
        for dataset in due
    ]
    objects.add_staged(staged, job.id, source_id)
    objects.show_staged(job.id)
    return Decided(len(due), job_id=str(job.id), object_ids=[obj.id for obj in staged])


def _keep(source_id: str, due: Sequence[Waiting], _user: str) -> Decided:
    """Keep the datasets, no longer updated; a record that comes back is imported again."""
    own = sa.update(Record).where(
        Record.source_id == source_id, Record.guid == any_text(dataset.guid for dataset in due)
    )
    execute(own.values(kept=True))
    return Decided(len(due))


def _rename(source_id: str, due: Sequence[Waiting], _user: str) -> Decided:
    """Give the records their new identifiers; the next run imports them.

    Pages, ids, names, resource ids and history stay.
    """
    moves = pending.load_waits(due[0].job_id).moves
    pairs = [(dataset.guid, dataset.new_guid) for dataset in due]
    return Decided(rename_records(source_id, pairs, moves))


def _miss(source_id: str, due: Sequence[Waiting], _user: str) -> Decided:
    """Let the new records be imported as new datasets, and count the old ones as missing."""
    # The run that found them missed them once. It also tells them from those missed first.
    missed = sa.select(Record.id).where(
        Record.source_id == source_id,
        Record.guid == any_text(dataset.guid for dataset in due),
        Record.missed_runs == 0,
    )
    ids = list(Session.scalars(missed))
    record_rows.mark_missed(ids)
    if due[0].job_id:
        outcomes.save_missing(due[0].job_id, ids)
    return Decided(len(due))


_EFFECTS: Mapping[DecisionKind, Callable[[str, Sequence[Waiting], str], Decided]] = {
    DecisionKind.DELETIONS_APPROVED: _delete,
    DecisionKind.DELETIONS_REFUSED: _keep,
    DecisionKind.SAME_DATASETS: _rename,
    DecisionKind.OTHER_DATASETS: _miss,
}
_ABOUT = {
    DecisionKind.DELETIONS_APPROVED: PendingKind.DELETION,
    DecisionKind.DELETIONS_REFUSED: PendingKind.DELETION,
    DecisionKind.SAME_DATASETS: PendingKind.IDENTIFIER,
    DecisionKind.OTHER_DATASETS: PendingKind.IDENTIFIER,
}


def count_around(source_id: str, due: Sequence[Waiting]) -> tuple[int, int]:
    """Return the number of the source's datasets, and of titles that came again.

    A title that is missing and came again under another identifier suggests changed identifiers.

    Returns:
        Active datasets, those in ``due`` included; titles of ``due`` that another one has.
    """
    titles = {one_line(dataset.title).casefold() for dataset in due}
    doomed = {dataset.package_id for dataset in due}
    rows = (
        Session.query(model.Package.id, model.Package.title)
        .join(Record, Record.package_id == model.Package.id)
        .filter(Record.source_id == source_id, model.Package.state == "active")
        .filter(Record.kept.is_(False))
        .all()
    )
    others = {one_line(title or "").casefold() for id_, title in rows if id_ not in doomed}
    return len(rows), len(titles & others)


def count_results(job_id: str) -> Counter[str]:
    """Return report status → number of a job's objects."""
    query = sa.select(HarvestObject.report_status).where(HarvestObject.harvest_job_id == job_id)
    return Counter(Session.scalars(query))


def is_being_read(source_id: str) -> bool:
    """Tell whether a run of the source is reading now: it may find what is missing."""
    return exists_statements(
        HarvestJob.source_id == source_id,
        HarvestJob.status == "Running",
        HarvestJob.gather_finished.is_(None),
    )
