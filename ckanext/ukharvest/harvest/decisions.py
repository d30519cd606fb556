"""What waits for a person: pending deletions, and records under new identifiers."""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.core.base_urls import BaseMove
from ckanext.ukharvest.core.deletions import DeletionPlan
from ckanext.ukharvest.core.outcomes import DecisionKind, RecordOutcome, RunMode, RunOutcome
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.values.text import one_line
from ckanext.ukharvest.harvest import database, decision_log, objects, outcomes, records
from ckanext.ukharvest.harvest.database import any_number, any_text, execute, exists_statements
from ckanext.ukharvest.harvest.model import JobReport, Record, SourceState, utcnow
from ckanext.ukharvest.harvest.source_moves import rename_records, resource_urls
from ckanext.ukharvest.mapping.kept_fields import key_of
from ckanext.ukharvest.reading.changed_identifiers import RecordFacts

Session = model.Session


class WaitingDeletions(NamedTuple):
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


def waiting_deletions(source_id: str, guids: Sequence[str]) -> list[WaitingDeletions]:
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
    return [WaitingDeletions(*row) for row in query if row[0] in listed]


class DeletionsChanged(Exception):  # noqa: N818 - nothing is wrong
    """Pending deletions or new identifiers have changed since the user saw them."""


def version_of_deletions(due: Iterable[WaitingDeletions]) -> str:
    """Return a hash that is equal for lists of the same datasets."""
    ids = "\n".join(sorted(dataset.package_id for dataset in due))
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
    state, due = (
        _locked_deletions(source_id, version)
        if database.hold_off_clearing(source_id)
        else (None, [])
    )
    if state is None:
        return None, [], 0
    listed, held_by = len(state.held["guids"]), state.held["job_id"]
    state.held = sa.null()
    if not due:
        outcomes.settle(source_id)
        Session.commit()
        return None, [], listed
    now = utcnow()
    read = {"gather_started": now, "gather_finished": now}
    job = HarvestJob(source_id=source_id, status="Running", **read)
    Session.add(job)
    Session.flush()
    what = f"{len(due)} deletion{'' if len(due) == 1 else 's'}"
    report = JobReport(
        job_id=job.id,
        source_id=source_id,
        mode=RunMode.APPROVAL,
        asked_by=user,
        reason=f"{user} approved {what}",
        outcome=RunOutcome.FINISHED,
        started=now,
        heartbeat=now,
        finished=now,
    )
    Session.add(report)
    _decide(source_id, held_by, user, DecisionKind.DELETIONS_APPROVED, len(due))
    staged = [
        objects.Staged(dataset.guid, "delete", package_id=dataset.package_id) for dataset in due
    ]
    objects.stage(staged, job.id, source_id)
    objects.show_staged(job.id)
    job_id = str(job.id)
    Session.commit()
    return job_id, [obj.id for obj in staged], listed - len(due)


def keep_datasets(
    source_id: str, user: str, version: str = "", guids: Collection[str] | None = None
) -> int:
    """Keep the datasets whose deletion waits, no longer updated; return their number; commits.

    Their records no longer count as missing. A record that comes back is imported again.

    Args:
        guids: of the records to keep; the others go on waiting. None: all are kept.

    Raises:
        Changed: other datasets wait than those that the person saw; nothing was done.
    """
    state, due = _locked_deletions(source_id, version)
    if state is None:
        return 0
    held = state.held
    chosen = [dataset for dataset in due if guids is None or dataset.guid in guids]
    left = [dataset.guid for dataset in due if guids is not None and dataset.guid not in guids]
    state.held = {**held, "guids": left} if left else sa.null()
    own = sa.update(Record).where(
        Record.source_id == source_id,
        Record.package_id.in_([dataset.package_id for dataset in chosen]),
        Record.missed_runs > 0,
    )
    execute(own.values(outcome=RecordOutcome.KEPT))
    if chosen:
        kind = DecisionKind.DELETIONS_REFUSED
        _decide(source_id, held["job_id"], user, kind, len(chosen))
    Session.commit()
    return len(chosen)


def _decide(source_id: str, job_id: str, user: str, kind: DecisionKind, number: int) -> None:
    """Store a decision, and that the run which asked for it is decided; the caller commits."""
    decision_log.add(source_id, user, kind, job_id=job_id, number=number)
    outcomes.settle(source_id)


def held_by(source_id: str) -> str:
    """Return the id of the run with pending deletions, "" if there are none."""
    held = Session.scalar(sa.select(SourceState.held).filter_by(source_id=source_id))
    return str((held or {}).get("job_id", ""))


def _locked_deletions(
    source_id: str, version: str
) -> tuple[SourceState | None, list[WaitingDeletions]]:
    """Return the source's state, locked, and its due deletions; None without any."""
    state = database.source_state(source_id)
    if state is None or not state.held:
        Session.rollback()
        return None, []
    due = waiting_deletions(source_id, state.held["guids"])
    if version and version != version_of_deletions(due):
        Session.rollback()
        raise DeletionsChanged
    return state, due


def around(source_id: str, due: Sequence[WaitingDeletions]) -> tuple[int, int]:
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
        .filter(Record.outcome != RecordOutcome.KEPT)
        .all()
    )
    others = {one_line(title or "").casefold() for id_, title in rows if id_ not in doomed}
    return len(rows), len(titles & others)


def close_deletions(job_id: str) -> Counter[str]:
    """End such a job, unless an object of it waits again; commits.

    Returns:
        Report status → number of its objects.
    """
    job = HarvestJob.get(job_id)
    if not exists_statements(HarvestObject.harvest_job_id == job_id, objects.is_open()):
        job.status = "Finished"
        job.finished = utcnow()
    Session.commit()
    query = sa.select(HarvestObject.report_status).where(HarvestObject.harvest_job_id == job_id)
    return Counter(Session.scalars(query))


def is_being_read(source_id: str) -> bool:
    """Tell whether a run of the source is reading now: it may find what is missing."""
    return exists_statements(
        HarvestJob.source_id == source_id,
        HarvestJob.status == "Running",
        HarvestJob.gather_finished.is_(None),
    )


@dataclass(frozen=True, slots=True)
class Change:
    """Records that a run found under new identifiers.

    Until it is decided none of them is imported, deleted or counted as missing.

    Attributes:
        guids: old identifier → new one.
        moves: how the URLs of resources changed, the likeliest first.
        missing: number of records that the run missed for the first time.
    """

    guids: Mapping[str, str]
    moves: Sequence[BaseMove] = ()
    missing: int = 0

    @property
    def reason(self) -> str:
        """Why these records wait, as a sentence for the run's report."""
        return (
            f"{len(self.guids)} of {self.missing} missing records have a new record with the same "
            "title or file, so that their identifiers may have changed; these wait for a decision"
        )


class WaitingIdentifiers(NamedTuple):
    """A dataset whose record has probably got a new identifier.

    Attributes:
        private_to: id of the organisation whose members may see the dataset, None if it is public.
    """

    guid: str
    new_guid: str
    package_id: str
    name: str
    title: str
    private_to: str | None

    def is_for(self, organisations: Collection[str]) -> bool:
        """Tell whether members of these organisations may see the dataset."""
        return self.private_to is None or self.private_to in organisations


def load_facts(record_ids: Sequence[int]) -> list[RecordFacts]:
    """Return by what the records of datasets can be recognised."""
    rows = (
        Session.query(
            Record.guid, Record.title, model.Package.title, Record.resources, Record.package_id
        )
        .join(model.Package, model.Package.id == Record.package_id)
        .filter(Record.id == any_number(record_ids))
        .all()
    )
    urls = resource_urls([row[4] for row in rows])
    facts = []
    for guid, title, dataset_title, written, package_id in rows:
        keys, files = _files(written, urls.get(package_id, {}))
        facts.append(RecordFacts(guid, title or dataset_title or "", files, keys))
    return facts


def _files(
    written: Iterable[Sequence[str]] | None, urls: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the match keys of a record's resources, and their URLs.

    Args:
        written: ``Record.resources``; None: all of its dataset's.
        urls: of its dataset's resources, by id.
    """
    known = [(id_, "") for id_ in urls] if written is None else [(id_, key) for id_, key in written]
    keys = [key or key_of("", urls.get(id_, "")) for id_, key in known]
    files = [urls[id_] for id_, _key in known if urls.get(id_)]
    # Those of the last import, where a person has changed the resource's URL.
    files += [key.removeprefix("url:") for key in keys if key.startswith("url:")]
    return tuple(keys), tuple(files)


def update_changed_identifiers(state: SourceState, job_id: str, change: Change | None) -> None:
    """Store what a complete run found, None for nothing; the caller commits."""
    if change is None:
        if state.changed_identifiers:
            state.changed_identifiers = None
        return
    state.changed_identifiers = {
        "job_id": job_id,
        "pairs": [list(pair) for pair in change.guids.items()],
        "moves": [list(move) for move in change.moves],
        "missing": change.missing,
        "since": (state.changed_identifiers or {}).get("since") or iso(utcnow()),
    }


def load_changed_identifiers(
    state: SourceState | None, seen: Collection[str] = ()
) -> Change | None:
    """Return the change that waits for a decision, without records that were seen again."""
    stored = (state.changed_identifiers if state else None) or {}
    guids = {old: new for old, new in stored.get("pairs", ()) if old not in seen}
    if not guids:
        return None
    return Change(guids, [BaseMove(*move) for move in stored["moves"]], stored["missing"])


def job_of(source_id: str) -> str:
    """Return the id of the run whose records wait, "" if none do."""
    query = sa.select(SourceState.changed_identifiers).filter_by(source_id=source_id)
    return str((Session.scalar(query) or {}).get("job_id", ""))


def waiting_identifiers(source_id: str, change: Change | None) -> list[WaitingIdentifiers]:
    """Return the datasets of a change that still exist, by title."""
    if change is None:
        return []
    package = model.Package
    query = (
        Session.query(
            Record.guid,
            package.id,
            package.name,
            package.title,
            sa.case((package.private, package.owner_org)),
        )
        .join(package, package.id == Record.package_id)
        .filter(Record.source_id == source_id, package.state == "active")
        .filter(Record.guid == any_text(change.guids))
        .order_by(package.title, Record.guid)
    )
    return [WaitingIdentifiers(row[0], change.guids[row[0]], *row[1:]) for row in query]


def version_of_identifiers(due: Iterable[WaitingIdentifiers]) -> str:
    """Return a hash that is equal for lists of the same datasets and identifiers."""
    lines = sorted(f"{dataset.package_id} {dataset.guid}\n{dataset.new_guid}\n" for dataset in due)
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()[:16]


def accept(source_id: str, user: str, version: str = "") -> int:
    """Give the datasets' records their new identifiers; commits. A second call finds none.

    Pages, ids, names, resource ids and history stay; the next run imports the records.

    Returns:
        Number of datasets.

    Raises:
        Changed: others wait than the person saw; nothing was done.
    """
    state, due = _locked_identifiers(source_id, version)
    change = load_changed_identifiers(state)
    if state is None or change is None:
        return 0
    number = rename_records(
        source_id, [(dataset.guid, dataset.new_guid) for dataset in due], change.moves
    )
    _decide_identifiers(state, user, DecisionKind.SAME_DATASETS, number)
    return number


def refuse(source_id: str, user: str, version: str = "") -> int:
    """Let the new records be imported as new datasets, and count the old ones as missing; commits.

    Returns:
        Number of datasets.

    Raises:
        Changed: others wait than the person saw; nothing was done.
    """
    state, due = _locked_identifiers(source_id, version)
    if state is None:
        return 0
    # The run that found them missed them once. It also tells them from those missed first.
    missed = sa.select(Record.id).where(
        Record.source_id == source_id,
        Record.guid == any_text(dataset.guid for dataset in due),
        Record.missed_runs == 0,
    )
    ids = list(Session.scalars(missed))
    records.mark_missed(ids)
    outcomes.save_missing(state.changed_identifiers["job_id"], ids)
    _decide_identifiers(state, user, DecisionKind.OTHER_DATASETS, len(due))
    return len(due)


def _locked_identifiers(
    source_id: str, version: str
) -> tuple[SourceState | None, list[WaitingIdentifiers]]:
    """Return the source's state, locked, and what waits; None if nothing does."""
    state = database.source_state(source_id) if database.hold_off_clearing(source_id) else None
    due = waiting_identifiers(source_id, load_changed_identifiers(state))
    if state is None or state.changed_identifiers is None:
        Session.rollback()
        return None, []
    if version and version != version_of_identifiers(due):
        Session.rollback()
        raise DeletionsChanged
    return state, due


def _decide_identifiers(state: SourceState, user: str, kind: DecisionKind, number: int) -> None:
    """Store that it is decided; commits."""
    job_id = state.changed_identifiers["job_id"]
    state.changed_identifiers = None
    _decide(state.source_id, job_id, user, kind, number)
    Session.commit()


def guids_of(state: SourceState | None) -> Iterator[str]:
    """Yield the new identifiers of the records that wait."""
    change = load_changed_identifiers(state)
    return iter(change.guids.values() if change else ())
