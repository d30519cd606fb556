"""Adopt datasets that a source has from another harvester or under another id.

Which datasets are adopted: docs/decisions/0006-deletions.md. Nothing here commits.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource
from sqlalchemy.dialects import postgresql

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.outcomes import NOT_READ, AdoptedBy
from ckanext.ukharvest.harvest.database import execute, exists_statements
from ckanext.ukharvest.harvest.model import DatasetBefore, JobReport, Record
from ckanext.ukharvest.reading.record_classifier import KnownRecord

Session = model.Session

Package = model.Package

STATES = ("active", "deleted")
CHUNK = 5000  # rows a statement; six parameters each stay below PostgreSQL's 65,535


class FoundDataset(NamedTuple):
    """A dataset that the source may claim.

    Attributes:
        evidence: why: "harvest object", "harvest_source_id", "guid" or, for rows of
            a deleted source, "deleted source".
    """

    guid: str
    package_id: str
    name: str
    evidence: str

    @property
    def adopted(self) -> AdoptedBy:
        """What its row says."""
        return AdoptedBy.GUID if self.evidence == "guid" else AdoptedBy.SOURCE

    def as_known_record(self) -> KnownRecord:
        """Return the known record that adopting the dataset would create."""
        return KnownRecord(
            id=0,
            guid=self.guid,
            package_id=self.package_id,
            fingerprint="",
            import_rules_hash="",
            url="",
            etag="",
            last_modified="",
            outcome="",
            adopted=self.adopted,
            kept=False,
            missed_runs=0,
            removed=False,
            package_state="active",
            has_current=True,
        )


def adopt_datasets(
    source: HarvestSource, *, by_guid: bool = False, listed: Collection[str] | None = None
) -> list[FoundDataset]:
    """Make rows for the datasets that the source has already, and return these datasets.

    Adopted rows have no fingerprint, so that the next run imports each record once.

    Args:
        by_guid, listed: as for ``find_adoptable``.
    """
    twins = _deleted_twins(source)
    datasets = find_adoptable(source, by_guid=by_guid, listed=listed)
    moved = [dataset[:2] for dataset in datasets if dataset.evidence == "deleted source"]
    for twin in twins:
        for start in range(0, len(moved), CHUNK):
            _move_rows(twin.id, source.id, moved[start : start + CHUNK])
    made = [dataset for dataset in datasets if dataset.evidence != "deleted source"]
    # find() lets through only rows of sources that are deleted: two rows would name one dataset.
    by_guid_ids = [dataset.package_id for dataset in made if dataset.evidence == "guid"]
    execute(sa.delete(Record).where(Record.package_id.in_(by_guid_ids)))
    for start in range(0, len(made), CHUNK):
        _insert(source.id, made[start : start + CHUNK])
    Session.expire_all()
    return datasets


def find_other_sources(source_id: str, package_ids: Collection[str]) -> dict[str, str]:
    """Return the datasets that another active source has: id → that source's name."""
    columns = (
        (Record.package_id, Record.source_id, sa.true()),
        (HarvestObject.package_id, HarvestObject.harvest_source_id, HarvestObject.current),
    )
    others: dict[str, str] = {}
    for dataset_id, other_id, condition in columns:
        query = (
            Session.query(dataset_id, Package.name)
            .join(HarvestSource, HarvestSource.id == other_id)
            .join(Package, Package.id == other_id)
            .filter(
                dataset_id.in_(package_ids),
                other_id != source_id,
                HarvestSource.active.is_(True),
                condition,
            )
        )
        others |= dict(query.all())
    return others


def attach_datasets(source_id: str, pairs: Collection[tuple[str, str, str]]) -> None:
    """Make rows for datasets that a person assigned to records.

    The next complete run imports the records into them, and releases those that it does not list.

    Args:
        pairs: (guid, id, name) of datasets that no active source has.
    """
    datasets = [FoundDataset(*pair, "guid") for pair in pairs]
    for start in range(0, len(datasets), CHUNK):
        chunk = datasets[start : start + CHUNK]
        # Rows of sources that are switched off: two rows would name one dataset.
        ids = [dataset.package_id for dataset in chunk]
        execute(sa.delete(Record).where(Record.package_id.in_(ids)))
        _insert(source_id, chunk)
    Session.expire_all()


def is_adoption_due(source_id: str) -> bool:
    """Tell whether no run of ours has read the source completely: it may have datasets to adopt.

    Failed and stopped runs may have added rows before.
    """
    return not Session.query(was_read(source_id)).scalar()


def does_run_adopt(source_id: str, known: Collection[str]) -> bool:
    """Tell whether the next run looks for datasets to adopt.

    Also after undo, which keeps the records of those datasets alone that CKAN refused to restore.

    Args:
        known: identifiers of the source's records.
    """
    if not known or is_adoption_due(source_id):
        return True
    is_imported = Record.package_id.isnot(None), Record.fingerprint != ""
    return exists_statements(DatasetBefore.source_id == source_id) and not exists_statements(
        Record.source_id == source_id, *is_imported
    )


def was_read(source_id: Any) -> Any:
    """Return the SQL condition that a run of ours has read a source completely.

    Args:
        source_id: an id, or a column of ids.
    """
    return sa.exists().where(
        JobReport.source_id == source_id,
        JobReport.heartbeat.isnot(None),
        JobReport.outcome.notin_(NOT_READ),
    )


def find_adoptable(
    source: HarvestSource, *, by_guid: bool = False, listed: Collection[str] | None = None
) -> list[FoundDataset]:
    """Return the datasets that ``adopt_datasets`` would adopt: one per guid, and one guid each.

    Args:
        by_guid: also by the extra ``guid`` alone, within the source's own organisation.
        listed: ids of the datasets that the source lists: no others; None for all.
    """
    twins = _deleted_twins(source)
    is_named = compat.dataset_extra("harvest_source_id") == source.id
    candidates = [
        _rows_of(twins),
        _by_objects([source, *twins]),
        _by_extras(source, "harvest_source_id", is_named),
    ]
    if by_guid:
        candidates.append(_by_extras(source, "guid"))
    own = Session.query(Record.guid, Record.package_id).filter(
        Record.source_id == source.id, Record.package_id.isnot(None)
    )
    used = {key for row in own for key in enumerate(row)}  # guids and datasets
    datasets = []
    for dataset in itertools.chain.from_iterable(candidates):
        keys = set(enumerate(dataset[:2]))
        if dataset.guid and not keys & used:
            used |= keys
            datasets.append(dataset)
    return [dataset for dataset in datasets if listed is None or dataset.package_id in listed]


def has_unconfirmed(source_id: str) -> bool:
    """Tell whether the source has adopted datasets that no run has imported yet."""
    return exists_statements(*_unconfirmed(source_id))


def undo_adoption(source_id: str) -> int:
    """Undo the adoption of datasets that no run has imported yet; return their number.

    Rows that moved here from a deleted source move back: they know the datasets' resources.
    """
    other = (
        sa.select(HarvestObject.harvest_source_id)
        .join(HarvestSource, HarvestSource.id == HarvestObject.harvest_source_id)
        .where(
            HarvestObject.package_id == Record.package_id,
            HarvestObject.current.is_(True),
            HarvestSource.id != source_id,
            HarvestSource.active.is_(False),
        )
        .limit(1)
        .correlate(Record)
        .scalar_subquery()
    )
    back = (
        sa.update(Record)
        .where(*_unconfirmed(source_id), Record.resources.isnot(None), other.isnot(None))
        .values(source_id=other)
    )
    rows = sa.delete(Record).where(*_unconfirmed(source_id))
    return int(execute(back).rowcount + execute(rows).rowcount)


def _unconfirmed(source_id: str) -> tuple[Any, ...]:
    return (
        Record.source_id == source_id,
        Record.adopted != "",
        Record.package_id.isnot(None),
    )


def resources_written(
    package_id: str, resources: Iterable[Mapping[str, Any]]
) -> list[tuple[str, str]] | None:
    """Return the resources of an adopted dataset that its source wrote; None if unknown.

    What the harvest object of the earlier harvester names was the source's, the rest a person's:
    the addresses are looked for as text, because every harvester stored another kind of content.

    Returns:
        [(CKAN id, "")]: there are no match keys yet.
    """
    query = Session.query(HarvestObject.content).filter(
        HarvestObject.package_id == package_id,
        HarvestObject.current.is_(True),
        HarvestObject.content.isnot(None),
    )
    row = query.order_by(HarvestObject.gathered.desc()).first()
    if row is None:
        return None
    content = html.unescape(row[0]).replace("\\/", "/").replace("\\u0026", "&")
    return [
        (file["id"], "") for file in resources if file.get("url") and _names(content, file["url"])
    ] or None


def _names(content: str, url: str) -> bool:
    """Tell whether a text has this URL, and not only longer ones that begin with it."""
    return bool(re.search(re.escape(url) + r"(?![\w/?#&=%~+-]|[.:]\w)", content))


def _deleted_twins(source: HarvestSource) -> list[HarvestSource]:
    """Find deleted sources of the same URL and organisation, the newest first."""
    owner = sa.func.coalesce(Package.owner_org, HarvestSource.publisher_id)
    query = (
        Session.query(HarvestSource)
        .outerjoin(Package, Package.id == HarvestSource.id)
        .filter(
            HarvestSource.active.is_(False),
            HarvestSource.id != source.id,
            owner == _organisation(source),
        )
        .order_by(HarvestSource.created.desc())
    )
    return [twin for twin in query if _address(twin.url) == _address(source.url)]


def _organisation(source: HarvestSource) -> str:
    package = Session.get(Package, source.id)
    return str((package.owner_org if package else None) or source.publisher_id or "")


def _address(url: str) -> tuple[str, ...]:
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return (url,)
    return (parts.scheme.lower(), parts.netloc.lower(), parts.path.rstrip("/"), parts.query)


def _rows_of(twins: list[HarvestSource]) -> Iterator[FoundDataset]:
    query = (
        Session.query(Record.guid, Package.id, Package.name)
        .join(Package, Package.id == Record.package_id)
        .filter(Record.source_id.in_([twin.id for twin in twins]))
    )
    return (FoundDataset._make((*row, "deleted source")) for row in query)


def _by_objects(sources: list[HarvestSource]) -> Iterator[FoundDataset]:
    """Find datasets whose newest current object is of these sources; active and newest first.

    Stock harvesters look guids up without regard to the source, so that two sources can have a
    current object of one dataset: it belongs to the one that wrote it last.
    """
    ids = [source.id for source in sources]
    mine = sa.select(HarvestObject.package_id).where(
        HarvestObject.harvest_source_id.in_(ids), HarvestObject.current.is_(True)
    )
    newest = (
        sa.select(
            HarvestObject.guid,
            HarvestObject.package_id,
            HarvestObject.harvest_source_id,
            HarvestObject.gathered,
        )
        .where(HarvestObject.current.is_(True), HarvestObject.package_id.in_(mine))
        .distinct(HarvestObject.package_id)
        .order_by(HarvestObject.package_id, HarvestObject.gathered.desc())
        .subquery()
    )
    query = (
        Session.query(newest.c.guid, Package.id, Package.name)
        .join(Package, Package.id == newest.c.package_id)
        .filter(
            newest.c.harvest_source_id.in_(ids),
            Package.state.in_(STATES),
            ~_is_in_rows(Record.source_id.notin_(ids)),
        )
        .order_by(Package.state, newest.c.gathered.desc())
    )
    return (FoundDataset._make((*row, "harvest object")) for row in query)


def _by_extras(source: HarvestSource, evidence: str, *conditions: Any) -> Iterator[FoundDataset]:
    """Find datasets of the source's organisation that belong to no other active source."""
    living = sa.select(HarvestSource.id).where(
        HarvestSource.active.is_(True), HarvestSource.id != source.id
    )
    has_object = sa.exists().where(
        HarvestObject.package_id == Package.id,
        HarvestObject.current.is_(True),
        HarvestObject.harvest_source_id.in_(living),
    )
    guid = compat.dataset_extra("guid")
    query = (
        Session.query(guid, Package.id, Package.name)
        .filter(
            Package.type == "dataset",
            Package.state.in_(STATES),
            Package.owner_org == _organisation(source),
            guid.isnot(None),
            ~_is_in_rows(Record.source_id.in_(living)),
            ~has_object,
            *conditions,
        )
        .order_by(Package.state, Package.metadata_created)
    )
    return (FoundDataset._make((*row, evidence)) for row in query)


def _is_in_rows(condition: Any) -> Any:
    return sa.select(sa.literal(1)).where(Record.package_id == Package.id, condition).exists()


def _move_rows(old_id: str, new_id: str, keys: Sequence[tuple[str, str]]) -> None:
    """Give rows of a deleted source, with their resources and versions, to the new source.

    Args:
        keys: (guid, package id) of each row.
    """
    own = sa.and_(Record.source_id == old_id, sa.tuple_(Record.guid, Record.package_id).in_(keys))
    # A run of the new source may have failed to import these records: its rows have no dataset.
    execute(
        sa.delete(Record).where(
            Record.source_id == new_id,
            Record.package_id.is_(None),
            Record.guid.in_([guid for guid, _package_id in keys]),
        )
    )
    execute(
        sa.update(Record)
        .where(own, Record.guid.notin_(sa.select(Record.guid).where(Record.source_id == new_id)))
        .values(
            source_id=new_id,
            fingerprint="",
            import_rules_hash="",
            package_hash="",
            last_modified="",
            etag="",
            missed_runs=0,
            outcome="",
            adopted=AdoptedBy.SOURCE,
            kept=False,
            error=None,
        )
    )


def _insert(source_id: str, datasets: list[FoundDataset]) -> None:
    rows = [
        {
            "source_id": source_id,
            "guid": dataset.guid,
            "package_id": dataset.package_id,
            "adopted": dataset.adopted,
        }
        for dataset in datasets
    ]
    insert = postgresql.insert(Record).values(rows)
    # A record that failed because of its guid has a row without a dataset.
    statement = insert.on_conflict_do_update(
        index_elements=["source_id", "guid"],
        set_={
            "package_id": insert.excluded.package_id,
            "outcome": "",
            "adopted": insert.excluded.adopted,
            "fingerprint": "",
            "supplied_fields": sa.null(),
            "error": sa.null(),
        },
        where=Record.package_id.is_(None),
    )
    Session.execute(statement)
