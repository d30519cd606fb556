"""Rows of records: known ones before a run, updates while datasets are written, names."""

from __future__ import annotations

import datetime
import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.core.messages import wording_of
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.tags import slug
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.database import any_number, execute
from ckanext.ukharvest.harvest.identity import routes
from ckanext.ukharvest.harvest.model import Record, RecordProblem, utcnow
from ckanext.ukharvest.harvest.sources import accepted_problems
from ckanext.ukharvest.reading.record_classifier import KnownRecord

Session = model.Session

LONGEST_TITLE = 500  # characters


@dataclass(frozen=True, slots=True)
class Stamp:
    """Values by which a later run recognises an unchanged record.

    Attributes:
        fingerprint: of its content and of the rules it was imported under.
        import_rules_hash: of those rules alone, for records that are not read again.
        url: where it was read.
        etag, last_modified: of its RawRecord.
    """

    fingerprint: str
    import_rules_hash: str
    url: str
    etag: str = ""
    last_modified: str = ""


Key = tuple[str, str]  # source id, guid


def new_row(key: Key, job_id: str) -> Record:
    """Return a row for a record that has none; the caller adds it to the session."""
    first = {"first_seen": utcnow(), "first_seen_job_id": job_id}
    return Record(source_id=key[0], guid=key[1], **first)


def lock_rows(keys: Iterable[Key]) -> dict[Key, Record]:
    """Lock records until the transaction ends; return the rows that exist, in their state now."""
    wanted = set(keys)
    database.hold_locks(wanted)
    query = Session.query(Record).filter(sa.tuple_(Record.source_id, Record.guid).in_(wanted))
    return {(row.source_id, row.guid): row for row in query.populate_existing()}


def lock_all_of(package_id: str) -> None:
    """Lock the records of a dataset until the transaction ends."""
    query = sa.select(Record.source_id, Record.guid).where(Record.package_id == package_id)
    database.hold_locks(map(tuple, Session.execute(query)))


def put_stamp(row: Record, stamp: Stamp) -> None:
    """Save the stamp of an import; all its values are of the same import."""
    for name, value in asdict(stamp).items():
        setattr(row, name, value)


def forget_stamps(package_ids: Sequence[str]) -> None:
    """Let the next runs import the records of these datasets again."""
    # The rules too: records that are only listed, or copies, are recognised without a fingerprint.
    own = sa.update(Record).where(Record.package_id.in_(package_ids))
    execute(own.values(fingerprint="", import_rules_hash="", package_hash=""))


def forget_content(ids: Iterable[int]) -> None:
    """Let the next runs import these records (row ids) again, but write only what differs."""
    _update(ids, fingerprint="", import_rules_hash="")


def write_again(source_id: str, guid: str) -> None:
    """Let the next import of a record write its dataset even if nothing comes out differently."""
    own = sa.update(Record).where(Record.source_id == source_id, Record.guid == guid)
    execute(own.values(package_hash=""))


def put_title(row: Record, title: str) -> None:
    """Save a record's title."""
    row.title = " ".join(title.split())[:LONGEST_TITLE]


def note_written(package_id: str, before: str) -> None:
    """Save that we have just changed a dataset again, unless a person changed it before.

    Args:
        before: its ``metadata_modified`` before that, as in package_show.
    """
    ours = sa.and_(
        Record.package_id == package_id, Record.written >= datetime.datetime.fromisoformat(before)
    )
    execute(sa.update(Record).where(ours).values(written=utcnow()))


def end_problems(rows: Collection[Record]) -> list[Any]:
    """Make the problems of records past, and delete those of their last run.

    Returns:
        ``record_id``, ``code``, ``field`` and ``lost`` of those that were current.
    """
    if not rows:
        return []
    of_records = Session.query(RecordProblem).filter(
        RecordProblem.record_id.in_([row.id for row in rows])
    )
    jobs = {row.last_seen_job_id for row in rows}
    of_records.filter(RecordProblem.job_id.in_(jobs)).delete(synchronize_session=False)
    return _make_past(RecordProblem.record_id.in_([row.id for row in rows]))


def add_problems(found: Mapping[Record, tuple[Iterable[Problem], bool]]) -> None:
    """Save the problems that the last run found in records; the rows have their ids already.

    Args:
        found: row → problems, and whether the run did not import the record because of them.
    """
    rows = [
        {
            "record_id": row.id,
            "code": problem.code,
            "field": problem.field,
            "message": problem.message,
            "wording": wording_of(problem.message),
            "line": problem.line,
            "job_id": row.last_seen_job_id,
            "lost": lost,
        }
        for row, (problems, lost) in found.items()
        for problem in problems
    ]
    if rows:
        Session.execute(sa.insert(RecordProblem), rows)
        accepted_problems.mark_accepted({row["record_id"] for row in rows})


def put_problem(package_id: str, problem: Problem) -> None:
    """Save a problem that came after the last import of a dataset; it belongs to no run.

    It replaces an earlier one of its code, and the next import makes it past.
    """
    ids = list(Session.scalars(sa.select(Record.id).filter_by(package_id=package_id)))
    ours = Session.query(RecordProblem).filter(RecordProblem.record_id.in_(ids))
    ours.filter_by(code=problem.code, current=True).delete(synchronize_session=False)
    fields = {"code": problem.code, "field": problem.field, "message": problem.message}
    wording = wording_of(problem.message)
    Session.add_all(RecordProblem(record_id=id_, wording=wording, **fields) for id_ in ids)
    Session.flush()
    accepted_problems.mark_accepted(ids)


def forget_rejections(rows: Collection[Record]) -> None:
    """Make the problems of records' last rejections past, with the rejected versions."""
    if rows:
        of_records = RecordProblem.record_id.in_([row.id for row in rows])
        _make_past(of_records, RecordProblem.lost)


def _make_past(*which: Any) -> list[Any]:
    table = RecordProblem
    past = sa.update(table).where(*which, table.current).values(current=False)
    known = (table.record_id, table.code, table.field, table.lost)
    return list(execute(past.returning(*known)))


def retire_objects(current: Mapping[str, str]) -> None:
    """Make all other objects of datasets, of any source, no longer current.

    Args:
        current: dataset id → id of its current harvest object.
    """
    if not current:
        return
    execute(
        sa.update(HarvestObject)
        .where(
            HarvestObject.package_id.in_(current),
            HarvestObject.current.is_(True),
            HarvestObject.id.notin_(current.values()),
        )
        .values(current=False)
    )


def known_records(source_id: str) -> dict[str, KnownRecord]:
    """Return guid → KnownRecord for every record of the source."""
    current = (
        sa.select(sa.literal(1))
        .where(
            HarvestObject.package_id == Record.package_id,
            HarvestObject.harvest_source_id == Record.source_id,
            HarvestObject.current.is_(True),
        )
        .exists()
    )
    failed = Record.error["stamp"]
    fails_alike = sa.and_(Record.outcome == RecordOutcome.ERRORED, failed.isnot(None))
    stamp = [
        sa.case((fails_alike, failed[field.name].astext), else_=getattr(Record, field.name))
        for field in fields(Stamp)
    ]
    query = (
        Session.query(
            Record.id,
            Record.guid,
            Record.package_id,
            *stamp,
            Record.outcome,
            Record.adopted,
            Record.kept,
            Record.missed_runs,
            Record.removed,
            sa.func.coalesce(model.Package.state, ""),
            current,
            Record.owner_org,
            sa.and_(
                Record.outcome == RecordOutcome.SKIPPED,
                Record.origin_guid != "",
                sa.or_(
                    Record.same_as.is_(None),
                    Record.id == any_number(routes.find_takeable(source_id)),
                ),
            ),
            fails_alike,
            HAS_OWN_ORGANISATION,
        )
        .outerjoin(model.Package, model.Package.id == Record.package_id)
        .filter(Record.source_id == source_id)
    )
    return {row[1]: KnownRecord(*row) for row in query}


def end_failed(ids: Iterable[int]) -> None:
    """End failed records (row ids) that left their source, like deleted ones; no commit.

    A dataset that a person deleted stays deleted.
    """
    is_removed = sa.or_(Record.removed, Record.package_id.is_(None))
    _update(ids, outcome=RecordOutcome.DELETED, error=sa.null(), removed=is_removed)


def mark_all_seen(ids: Iterable[int], job_id: str) -> None:
    """Mark these records (row ids) as seen by the job; the caller commits."""
    _update(ids, last_seen_job_id=job_id, last_seen=utcnow(), missed_runs=0, kept=False)


def seen_by(source_id: str, job_id: str) -> set[str]:
    """Return the guids of the records that the job has marked as seen."""
    query = Session.query(Record.guid).filter_by(source_id=source_id, last_seen_job_id=job_id)
    return {row[0] for row in query}


def mark_missed(ids: Iterable[int]) -> None:
    """Count one more complete run that did not see these records; the caller commits."""
    _update(ids, missed_runs=Record.missed_runs + 1)


def mark_back(ids: Iterable[int]) -> None:
    """Reset the number of missed runs of these records, which a run saw; the caller commits."""
    _update(ids, missed_runs=0)


def rename_row(row_id: int, source_id: str, guid: str) -> None:
    """Change a row's guid, replacing an empty row with that guid; no commit."""
    execute(
        sa.delete(Record).where(
            Record.source_id == source_id, Record.guid == guid, Record.package_id.is_(None)
        )
    )
    _update([row_id], guid=guid)


def take_over(row: Record, adopted: Record) -> None:
    """Give a record the dataset that was adopted under another guid of its; no commit."""
    row.package_id, row.adopted, row.resources = (
        adopted.package_id,
        adopted.adopted,
        adopted.resources,
    )
    Session.delete(adopted)
    Session.flush()


def find_own_guids(wanted: Collection[Key]) -> dict[str, str]:
    """Return own guid → guid of the records of a source that have one of these and a dataset.

    Args:
        wanted: source id and own guid, of one source.
    """
    if not wanted:
        return {}
    hashes = [sa.func.md5(own_guid) for _source_id, own_guid in wanted]
    query = (
        Session.query(Record.own_guid, Record.guid)
        .join(model.Package, model.Package.id == Record.package_id)
        .filter(Record.own_guid != "", sa.func.md5(Record.own_guid).in_(hashes))
        .filter(sa.tuple_(Record.source_id, Record.own_guid).in_(list(wanted)))
        .filter(model.Package.state == "active")
    )
    return dict(query.all())


def forget_records(ids: Iterable[int]) -> None:
    """Delete rows (by id) that turned out not to belong to the source; the caller commits."""
    if gone := list(ids):
        execute(sa.delete(Record).where(Record.id == any_number(gone)))


def _update(ids: Iterable[int], **values: object) -> None:
    if changed := list(ids):
        execute(sa.update(Record).where(Record.id == any_number(changed)).values(**values))


NO_ORGANIZATION = "none"
# Its values, not its source, decided a record's organisation.
_OWN = """CAST('$.organisation.* ? (@ > "")' AS jsonpath)"""
HAS_OWN_ORGANISATION = sa.func.coalesce(
    sa.func.jsonb_path_exists(Record.source_values, sa.literal_column(_OWN)), sa.false()
)


def stored_organization(organization_id: str | None) -> str:
    """Return the value of ``Record.owner_org`` for an organisation's id, "" or None for none."""
    return organization_id or NO_ORGANIZATION


def count_moving_datasets(source_id: str, chosen: str | None) -> int:
    """Return how many datasets the next run moves if a source belongs to an organisation.

    Without those of records that have an organisation of their own.

    Args:
        chosen: the organisation, as ``stored_organization`` returns it; None: any other than now.
    """
    package = model.Package
    query = (
        Session.query(Record.id)
        .join(package, package.id == Record.package_id)
        .filter(Record.source_id == source_id, package.state == "active", Record.owner_org != "")
        .filter(~HAS_OWN_ORGANISATION)
    )
    if chosen is not None:
        query = query.filter(
            Record.owner_org != chosen,
            sa.func.coalesce(package.owner_org, NO_ORGANIZATION) != chosen,
        )
    return int(query.count())


_TEXTS = ARRAY(sa.UnicodeText)


class NameChooser:
    """Chooses names that no dataset has, deleted ones included, for the datasets of a batch.

    While ``locks`` are held, another batch with the same titles chooses after this one.

    Args:
        wanted: title, and text to make the name from instead ("" for none), of each dataset.

    Attributes:
        locks: for ``database.hold_locks`` until the transaction ends, before ``load``.
        chosen: the names that it gave.
    """

    def __init__(self, wanted: Iterable[tuple[str, str]]) -> None:
        self._bases = Counter(_base(title, name) for title, name in wanted)
        self.locks = [(database.NAMES, base) for base in self._bases]
        self._taken: set[str] = set()
        self.chosen: set[str] = set()

    def load(self) -> None:
        """Load which names are taken, as far as these datasets are likely to need them."""
        if self._bases:
            several = {base for base, number in self._bases.items() if number > 1}
            self._taken = _taken(self._bases, several)

    def look_again(self) -> None:
        """Load all names that are taken: a person may have taken one meanwhile."""
        self._taken |= _taken(self._bases, set(self._bases))

    def choose(self, title: str, wanted: str = "") -> str:
        """Return a free name, which is taken from now on."""
        base = _base(title, wanted)
        if base not in self._bases:  # of a plugin's hook
            self._bases[base] = 1
            self._taken |= _taken([base])
        name = _free(base, self._taken)
        self._taken.add(name)
        self.chosen.add(name)
        return name


def free_name(title: str, wanted: str = "") -> str:
    """Return a dataset name that no dataset has, deleted ones included.

    Args:
        wanted: text to make the name from instead of the title; unchanged if CKAN allows it.
    """
    base = _base(title, wanted)
    return _free(base, _taken([base]))


def _base(title: str, wanted: str) -> str:
    plain = wanted.replace("_", "-")
    return wanted if wanted and slug(plain) == plain else slug(wanted or title)


def _taken(bases: Iterable[str], several: Collection[str] = ()) -> set[str]:
    """Return the names that are taken: of these, and numbered ones where those are needed.

    Args:
        several: bases that more than one dataset will be named by.
    """
    name = model.Package.name
    query = model.Session.query(name)
    taken = {row[0] for row in query.filter(name.in_(list(bases)))}
    numbered = taken.union(several)
    if numbered:
        # Without an index for it, so only where a name is taken.
        patterns = [base.replace("_", r"\_") + "%" for base in numbered]
        taken |= {row[0] for row in query.filter(name.like(sa.any_(sa.cast(patterns, _TEXTS))))}
    return taken


def _free(base: str, taken: set[str]) -> str:
    if base not in taken:
        return base
    numbered = (f"{base}-{number}" for number in range(2, 1000))
    return next((name for name in numbered if name not in taken), f"{base}-{secrets.token_hex(4)}")
