"""Records that a source lists under new identifiers: list them, and store what a person decides."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.core.base_urls import BaseMove
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.mapping.kept_fields import key_of
from ckanext.ukharvest.model import (
    Record,
    SourceState,
    locks,
    outcomes,
    record_state,
    run_results,
    utcnow,
)
from ckanext.ukharvest.model.source_moves import rename_records, resource_urls
from ckanext.ukharvest.reading.changed_identifiers import RecordFacts

Session = model.Session

CHUNK = 1000  # records


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
        number = len(self.guids)
        return (
            f"{number} of {self.missing} missing records have a new record with the same title or "
            "file, so that their identifiers may have changed; these wait for a decision"
        )


class Waiting(NamedTuple):
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


class Changed(Exception):  # noqa: N818 - nothing is wrong
    """The records that wait are not those that the user saw; ``number``: how many wait now."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def load_facts(record_ids: Sequence[int]) -> list[RecordFacts]:
    """Return by what the records of datasets can be recognised."""
    query = (
        Session.query(
            Record.guid, Record.title, model.Package.title, Record.resources, Record.package_id
        )
        .join(model.Package, model.Package.id == Record.package_id)
        .filter(Record.id == sa.any_(sa.literal(list(record_ids), ARRAY(sa.BigInteger))))
    )
    rows = query.all()
    found = []
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        urls = resource_urls([row[4] for row in chunk])
        for guid, title, dataset_title, written, package_id in chunk:
            keys, files = _files(written, urls.get(package_id, {}))
            found.append(RecordFacts(guid, title or dataset_title or "", files, keys))
    return found


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


def update(state: SourceState, job_id: str, change: Change | None) -> None:
    """Store what a complete run found, None for nothing; the caller commits."""
    if change is None:
        if state.changed_identifiers:
            state.changed_identifiers = None
        return
    before = state.changed_identifiers or {}
    state.changed_identifiers = {
        "job_id": job_id,
        "pairs": [list(pair) for pair in change.guids.items()],
        "moves": [list(move) for move in change.moves],
        "missing": change.missing,
        "since": before.get("since") or iso(utcnow()),
    }


def load(state: SourceState | None, seen: Collection[str] = ()) -> Change | None:
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


def waiting(source_id: str, change: Change | None) -> list[Waiting]:
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
        .filter(Record.guid == sa.any_(_texts(change.guids)))
        .order_by(package.title, Record.guid)
    )
    return [Waiting(row[0], change.guids[row[0]], *row[1:]) for row in query]


def version_of(due: Iterable[Waiting]) -> str:
    """Return a hash that is equal for lists of the same datasets and identifiers."""
    lines = sorted(f"{each.package_id} {each.guid}\n{each.new_guid}\n" for each in due)
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()[:16]


def accept(source_id: str, user: str, version: str = "") -> int:
    """Give the datasets' records their new identifiers; commits. A second call finds none.

    Pages, ids, names, resource ids and history stay; the next run imports the records.

    Returns:
        Number of datasets.

    Raises:
        Changed: others wait than the person saw; nothing was done.
    """
    state, due = _locked(source_id, version)
    change = load(state)
    if state is None or change is None:
        return 0
    pairs = [(each.guid, each.new_guid) for each in due]
    number = rename_records(source_id, pairs, change.moves)
    _decide(state, f"{user} decided that {_counted(number)} the same under new identifiers")
    return number


def refuse(source_id: str, user: str, version: str = "") -> int:
    """Let the new records be imported as new datasets, and count the old ones as missing; commits.

    Returns:
        Number of datasets.

    Raises:
        Changed: others wait than the person saw; nothing was done.
    """
    state, due = _locked(source_id, version)
    if state is None:
        return 0
    # The run that found them missed them once. It also tells them from those missed first.
    guids = _texts(each.guid for each in due)
    own = (Record.source_id == source_id, Record.guid == sa.any_(guids), Record.missed_runs == 0)
    ids = [row[0] for row in Session.query(Record.id).filter(*own)]
    record_state.mark_missed(ids)
    outcomes.save_missing(state.changed_identifiers["job_id"], ids)
    _decide(state, f"{user} decided that the new records of {_counted(len(due))} different")
    return len(due)


def _locked(source_id: str, version: str) -> tuple[SourceState | None, list[Waiting]]:
    """Return the source's state, locked, and what waits; None if nothing does."""
    state = locks.source_state(source_id) if locks.hold_off_clearing(source_id) else None
    due = waiting(source_id, load(state))
    if state is None or state.changed_identifiers is None:
        Session.rollback()
        return None, []
    if version and version != version_of(due):
        Session.rollback()
        raise Changed(len(due))
    return state, due


def _decide(state: SourceState, words: str) -> None:
    """Store that it is decided; commits."""
    job_id = state.changed_identifiers["job_id"]
    state.changed_identifiers = None
    run_results.add_decision(job_id, words)
    Session.commit()


def _counted(number: int) -> str:
    return "1 dataset is" if number == 1 else f"{number} datasets are"


def _texts(texts: Iterable[str]) -> Any:
    return sa.literal(list(texts), ARRAY(sa.UnicodeText))


def guids_of(state: SourceState | None) -> Iterator[str]:
    """Yield the new identifiers of the records that wait."""
    change = load(state)
    return iter(change.guids.values() if change else ())
