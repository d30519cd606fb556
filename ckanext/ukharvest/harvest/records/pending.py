"""What waits for a person: pending deletions, records under new identifiers, and sources."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.core.base_urls import BaseMove
from ckanext.ukharvest.core.outcomes import PendingKind
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.harvest.database import execute, group_pairs
from ckanext.ukharvest.harvest.model import JobReport, Pending, utcnow

Session = model.Session

# What is still due, to stand in FROM: its dataset is here, and a record that was missing has not
# come back.
DUE = f"""
    ukharvest_pending AS pending
      JOIN ukharvest_record AS record
        ON record.source_id = pending.source_id AND record.guid = pending.guid
      JOIN package AS dataset ON dataset.id = record.package_id AND dataset.state = 'active'
       AND (pending.kind = '{PendingKind.IDENTIFIER}' OR record.missed_runs > 0)
"""


class Waiting(NamedTuple):
    """A record that waits, with its dataset.

    Attributes:
        new_guid: under which the source lists it now; "" of a pending deletion.
        job_id: the last run that found it so, None if that is deleted.
        since: when the first run found it so, UTC.
        private_to: id of the organisation whose members may see the dataset, None if it is public.
    """

    guid: str
    new_guid: str
    job_id: str | None
    since: datetime.datetime
    package_id: str
    name: str
    title: str
    last_seen: datetime.datetime
    missed_runs: int
    private_to: str | None

    def is_for(self, organisations: Collection[str]) -> bool:
        """Tell whether members of these organisations may see the dataset."""
        return self.private_to is None or self.private_to in organisations


def load_waiting(source_id: str, kind: PendingKind) -> list[Waiting]:
    """Return what of this kind waits and is still due, by title."""
    rows = Session.execute(_WAITING, {"source_id": source_id, "kind": kind})
    return [Waiting(*row) for row in rows]


def version_of(waiting: Iterable[Waiting]) -> str:
    """Return a hash that is equal for lists of the same datasets and identifiers."""
    lines = sorted(
        f"{dataset.package_id} {dataset.guid}\n{dataset.new_guid}\n" for dataset in waiting
    )
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()[:16]


def count_pending(job_ids: Collection[str]) -> dict[str, dict[str, int]]:
    """Return run id → kind → number of records that wait since it and are still due."""
    numbers: dict[str, dict[str, int]] = {}
    for job_id, kind, number in Session.execute(_COUNT, {"ids": list(job_ids)}):
        numbers.setdefault(job_id, {})[kind] = number
    return numbers


def load_since(source_ids: Collection[str]) -> dict[str, dict[str, str]]:
    """Return source id → kind → since when something waits, as ISO 8601."""
    query = (
        sa.select(Pending.source_id, Pending.kind, sa.func.min(Pending.since))
        .where(Pending.source_id.in_(source_ids))
        .group_by(Pending.source_id, Pending.kind)
    )
    since_of: dict[str, dict[str, str]] = {}
    for source_id, kind, since in Session.execute(query):
        since_of.setdefault(source_id, {})[kind] = iso(since) or ""
    return since_of


@dataclass(frozen=True, slots=True)
class IdentifierChange:
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


class Waits(NamedTuple):
    """Why records of a run wait, as ``JobReport.waits``.

    Attributes:
        reason: of pending deletions, a sentence.
        moves, missing: as of ``IdentifierChange``.
    """

    reason: str = ""
    moves: Sequence[BaseMove] = ()
    missing: int = 0

    def as_stored(self) -> dict[str, Any]:
        """Return it for the run's report."""
        return {**self._asdict(), "moves": [list(move) for move in self.moves]}


def load_waits(job_id: str | None) -> Waits:
    """Return why records of a run wait; empty without one."""
    return waits_of(Session.query(JobReport).filter_by(job_id=job_id).first() if job_id else None)


def waits_of(report: JobReport | None) -> Waits:
    """Return why records of a run wait, by its report; empty without one."""
    stored = (report.waits if report else None) or {}
    return Waits(**{**stored, "moves": [BaseMove(*move) for move in stored.get("moves", ())]})


class StoredPending:
    """All that waits at a source, as runs stored it: also what is not due any more."""

    def __init__(self, source_id: str) -> None:
        self._source_id = source_id
        query = sa.select(Pending).filter_by(source_id=source_id).order_by(Pending.id)
        self.rows: Mapping[str, list[Pending]] = group_pairs(
            (row.kind, row) for row in Session.scalars(query)
        )

    def guids(self, kind: PendingKind) -> dict[str, str]:
        """Return the identifiers of the records, dataset with its new one ("" for none)."""
        return {row.guid: row.new_guid for row in self.rows.get(kind, ())}

    def change(self, seen: Collection[str] = ()) -> IdentifierChange | None:
        """Return the change of identifiers that waits, without records that were seen again."""
        guids = self.guids(PendingKind.IDENTIFIER)
        left = {old: new for old, new in guids.items() if old not in seen}
        if not left:
            return None
        waits = load_waits(self.rows[PendingKind.IDENTIFIER][0].job_id)
        return IdentifierChange(left, waits.moves, waits.missing)

    def replace(self, kind: PendingKind, job_id: str, guids: Mapping[str, str]) -> None:
        """Let exactly these records wait since a run; the caller commits.

        A list that goes on waiting keeps its date.

        Args:
            guids: identifier → the new one, "" for none.
        """
        rows = self.rows.get(kind, ())
        if not (rows or guids):
            return
        own = sa.and_(Pending.source_id == self._source_id, Pending.kind == kind)
        execute(sa.delete(Pending).where(own))
        if guids:
            since = rows[0].since if rows else utcnow()
            waits = {"source_id": self._source_id, "kind": kind, "job_id": job_id, "since": since}
            Session.execute(_ADD, {**waits, "guids": list(guids), "new": list(guids.values())})


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """A URL and type of a source that a sysadmin has not accepted.

    Attributes:
        config: the options that go with them, as JSON; None: those of the source.
        is_new: the source has them, and nothing may read it yet; else it has others, which were
            accepted.
        asked_by: name of the person, "" for code without a user.
        refused: why a sysadmin refused them; None: they wait.
        since: when the person asked, UTC.
    """

    url: str
    source_type: str
    config: str | None
    asked_by: str
    is_new: bool = False
    refused: str | None = None
    since: datetime.datetime | None = None


def load_request(source_id: str) -> SourceRequest | None:
    """Return what of a source is not accepted, None if all is.

    Who changes it or decides about it has locked the source (``database.lock_source``).
    """
    query = (
        sa.select(Pending).where(*_of_source(source_id)).execution_options(populate_existing=True)
    )
    row = Session.scalar(query)
    return SourceRequest(**row.asked, since=row.since) if row else None


def load_requested_urls() -> dict[str, str]:
    """Return source id → URL of the requests that wait."""
    url, refused = (Pending.asked[key].astext for key in ("url", "refused"))
    query = sa.select(Pending.source_id, url).where(
        Pending.kind == PendingKind.SOURCE, refused.is_(None)
    )
    return dict(Session.execute(query).all())


def save_request(source_id: str, request: SourceRequest | None) -> None:
    """Store a request in place of the source's earlier one, or remove it; the caller commits."""
    execute(sa.delete(Pending).where(*_of_source(source_id)))
    if request:
        asked = asdict(request)
        since = asked.pop("since") or utcnow()
        Session.add(
            Pending(source_id=source_id, kind=PendingKind.SOURCE, guid="", since=since, asked=asked)
        )
        Session.flush()


def _of_source(source_id: str) -> tuple[Any, ...]:
    return Pending.source_id == source_id, Pending.kind == PendingKind.SOURCE


_WAITING = sa.text(
    f"""
    SELECT pending.guid, pending.new_guid, pending.job_id, pending.since, dataset.id,
           dataset.name, dataset.title, record.last_seen, record.missed_runs,
           CASE WHEN dataset.private THEN dataset.owner_org END
      FROM {DUE}
     WHERE pending.source_id = :source_id AND pending.kind = :kind
     ORDER BY dataset.title, pending.guid
    """  # noqa: S608 - a text of our own
)
_COUNT = sa.text(
    f"""
    SELECT pending.job_id, pending.kind, count(*)
      FROM {DUE}
     WHERE pending.job_id = ANY (:ids)
     GROUP BY pending.job_id, pending.kind
    """  # noqa: S608 - a text of our own
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.UnicodeText)))
_ADD = sa.text(
    """
    INSERT INTO ukharvest_pending (source_id, kind, job_id, since, guid, new_guid)
    SELECT :source_id, :kind, :job_id, :since, given.guid, given.new_guid
      FROM unnest(:guids, :new) AS given (guid, new_guid)
    """
).bindparams(
    sa.bindparam("guids", type_=ARRAY(sa.UnicodeText)),
    sa.bindparam("new", type_=ARRAY(sa.UnicodeText)),
)
