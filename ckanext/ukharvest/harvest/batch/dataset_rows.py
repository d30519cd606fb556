"""Datasets in bulk, and what is stored beside them: tags, coupling, stars, themes."""

from __future__ import annotations

import functools
import json
import logging
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestSource
from sqlalchemy.orm import aliased

from ckanext.ukharvest import write_batch
from ckanext.ukharvest.core.deletions import is_globally_unique
from ckanext.ukharvest.core.relations import HAS_PART, IS_PART_OF, OPERATES_ON
from ckanext.ukharvest.harvest import lists
from ckanext.ukharvest.harvest.database import TAGS, execute, group_pairs
from ckanext.ukharvest.harvest.model import Coupling, Record, utcnow
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import BESIDE

Session = model.Session
log = logging.getLogger(__name__)

_package = model.package_table
_resource = model.resource_table

# Active datasets of all types, but not harvest sources, which CKAN stores as datasets.
IS_DATASET = sa.and_(_package.c.state == "active", _package.c.type != "harvest")
IS_PUBLIC = sa.and_(IS_DATASET, _package.c.private.isnot(True))
# Joins a group that is the organisation of a dataset.
OF_ORGANISATION = sa.and_(
    model.Group.id == _package.c.owner_org,
    model.Group.is_organization.is_(True),
    model.Group.state == "active",
)
_IS_EXPORTED = sa.and_(IS_PUBLIC, _package.c.type == "dataset")

CHUNK = 500

_COLUMNS = ("id", "name", "title", "notes", "type", "license_id", "url", "owner_org", "private")
# CKAN 2.12 has a column of them, 2.11 a table.
_EXTRAS = (_package.c.extras,) if "extras" in _package.c else ()
_RESOURCE_COLUMNS = ("id", "package_id", "url", "format", "mimetype", "name", "description") + (
    "resource_type",
    "size",
    "hash",
    "url_type",
)

# Numbers of datasets, also to stand in FROM. A dataset with two objects counts once.
OF_SOURCES = """
    SELECT object.harvest_source_id AS source_id, count(DISTINCT object.package_id) AS datasets
      FROM harvest_object AS object
      JOIN package ON package.id = object.package_id
     WHERE object.current AND package.state = 'active'
       AND NOT (:public AND COALESCE(package.private, false))
       AND (CAST(:ids AS text[]) IS NULL
            OR object.harvest_source_id = ANY (CAST(:ids AS text[])))
     GROUP BY object.harvest_source_id
"""


def count_exported() -> int:
    """Return the number of ids in ``exported_ids``."""
    query = sa.select(sa.func.count()).select_from(_package).where(_IS_EXPORTED)
    return int(Session.scalar(query) or 0)


def exported_ids(last: str, limit: int) -> list[str]:
    """Return the next ids, in their order, of public active datasets of the type "dataset".

    Args:
        last: the id before the first, "" for the first page.
    """
    query = sa.select(_package.c.id).where(_IS_EXPORTED, _package.c.id > last)
    return list(Session.scalars(query.order_by(_package.c.id).limit(limit)))


def load_datasets(ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return datasets by their ids, whatever their state."""
    Session.flush()
    return _with_resources(Session.execute(_query().where(_package.c.id.in_(ids))).all())


def count_active_datasets(*conditions: Any) -> int:
    """Return the number of datasets in ``dataset_chunks``, or of those that meet conditions."""
    query = sa.select(sa.func.count()).select_from(_package).where(IS_DATASET, *conditions)
    return int(Session.scalar(query) or 0)


def count_datasets_of_sources(
    source_ids: Collection[str] | None = None, *, public: bool = False
) -> dict[str, int]:
    """Return source id → number of its active datasets; one statement.

    Args:
        source_ids: None for all sources.
        public: count only public datasets.
    """
    values = {"ids": None if source_ids is None else list(source_ids), "public": public}
    return dict(Session.execute(sa.text(OF_SOURCES), values).all())


def dataset_chunks() -> Iterator[list[dict[str, Any]]]:
    """Iterate over all active datasets in chunks of some hundred; the caller commits after each.

    The datasets of a chunk are locked until that commit. Datasets that are locked by another
    process are left out: waiting for them could end in a deadlock.
    """
    last = ""
    query = sa.select(_package.c.id).where(IS_DATASET).order_by(_package.c.id).limit(CHUNK)
    while ids := list(Session.scalars(query.where(_package.c.id > last))):
        yield lock_datasets(ids)
        last = ids[-1]


def lock_datasets(ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return active datasets, locked until the commit, without those that others have locked."""
    query = _query().where(_package.c.id.in_(ids), IS_DATASET)
    # In one order, so that two passes at once wait for each other, and not in a circle.
    query = query.order_by(_package.c.id)
    query = query.with_for_update(read=True, skip_locked=True, of=_package)
    return _with_resources(Session.execute(query).all())


def _query() -> sa.Select[Any]:
    return sa.select(*(_package.c[name] for name in _COLUMNS), *_EXTRAS)


def _extras(rows: Sequence[Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return extras by dataset.

    In one statement where they have a table: asked for dataset by dataset, they took 40 s of a pass
    over 10,000.
    """
    if _EXTRAS:
        return {row.id: row.extras or {} for row in rows}
    extra = model.PackageExtra
    query = sa.select(extra.package_id, extra.key, extra.value).where(
        extra.package_id.in_([row.id for row in rows]), extra.state == "active"
    )
    extras: dict[str, dict[str, Any]] = {}
    for package_id, key, value in Session.execute(query):
        extras.setdefault(package_id, {})[key] = value
    return extras


def _with_resources(rows: Sequence[Any]) -> list[dict[str, Any]]:
    extras = _extras(rows)
    packages = {
        row.id: {
            **{name: getattr(row, name) for name in _COLUMNS},
            "extras": [
                {"key": key, "value": value} for key, value in extras.get(row.id, {}).items()
            ],
            "resources": [],
        }
        for row in rows
    }
    for row in Session.execute(
        sa.select(*[_resource.c[name] for name in _RESOURCE_COLUMNS], _resource.c.extras)
        .where(_resource.c.package_id.in_(list(packages)), _resource.c.state == "active")
        .order_by(_resource.c.package_id, _resource.c.position)
    ):
        own = {name: getattr(row, name) for name in _RESOURCE_COLUMNS}
        packages[row.package_id]["resources"].append({**(row.extras or {}), **own})
    return list(packages.values())


def create_missing_tags(names: Iterable[str]) -> None:
    """Create the free tags of these names that do not exist; commits if there are any."""
    wanted = sorted(set(names))
    if not wanted or not _missing(wanted):
        return
    Session.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": TAGS})
    rows = [{"id": str(uuid.uuid4()), "name": name} for name in _missing(wanted)]
    if rows:
        Session.execute(sa.insert(model.Tag.__table__), rows)
    Session.commit()


def _missing(wanted: list[str]) -> list[str]:
    query = Session.query(model.Tag.name).filter(
        model.Tag.name.in_(wanted), model.Tag.vocabulary_id.is_(None)
    )
    there = {row[0] for row in query}
    return [name for name in wanted if name not in there]


def replace_relations(relations: Mapping[int, Collection[tuple[str, str]]]) -> None:
    """Save the relations of records, replacing all earlier ones.

    Args:
        relations: id of a record's row → as ``find_relations`` returns them.
    """
    if not relations:
        return
    execute(sa.delete(Coupling).where(Coupling.record_id.in_(relations)))
    rows = [
        {"record_id": id_, "relation": relation, "reference": reference}
        for id_, named in relations.items()
        for relation, reference in named
    ]
    if rows:
        Session.execute(sa.insert(Coupling), rows)


# Role of other datasets to one → relations that say so, and whether the one's record names them.
DATASETS, SERVICES, WHOLES, PARTS = "datasets", "services", "part_of", "parts"
_ROLES: Mapping[str, tuple[tuple[str, bool], ...]] = {
    DATASETS: ((OPERATES_ON, True),),
    SERVICES: ((OPERATES_ON, False),),
    WHOLES: ((IS_PART_OF, True), (HAS_PART, False)),
    PARTS: ((HAS_PART, True), (IS_PART_OF, False)),
}
_OTHER = aliased(model.Package)


def find_related(package_ids: Iterable[str], role: str) -> dict[str, dict[str, set[str]]]:
    """Return the active datasets that have a role to others, from any source; one statement.

    Args:
        role: DATASETS that a service operates on, SERVICES of a dataset, WHOLES or PARTS.

    Returns:
        Dataset id → id of the other → the references by which one names the other, in their order.
    """
    if not (package_ids := list(package_ids)):
        return {}
    queries = [
        query.add_columns(of.package_id).where(of.package_id.in_(package_ids))
        for query, of in _queries(role)
    ]
    related: dict[str, dict[str, set[str]]] = {}
    for other, name, at_home, id_ in Session.execute(sa.union_all(*queries)):
        if _is_named(name, at_home):
            related.setdefault(id_, {}).setdefault(other, set()).add(name)
    return {id_: dict(sorted(others.items())) for id_, others in related.items()}


def exported_relations(ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return dataset id → reference by which it names a whole or a part → id of that dataset.

    Of public datasets, as ``exported_ids``; not of a reference that two of them have.
    """
    named: dict[str, dict[str, set[str]]] = {}
    for role in (WHOLES, PARTS):
        for id_, others in find_related(ids, role).items():
            for other, references in others.items():
                for reference in references:
                    named.setdefault(id_, {}).setdefault(reference, set()).add(other)
    all_others = {id_ for own in named.values() for others in own.values() for id_ in others}
    query = sa.select(_package.c.id).where(_package.c.id.in_(all_others), _IS_EXPORTED)
    public = set(Session.scalars(query)) if all_others else set()
    return {
        id_: {
            name: min(others)
            for name, others in own.items()
            if len(others) == 1 and others <= public
        }
        for id_, own in named.items()
    }


def related_column(role: str) -> Any:
    """Return SQL, for a statement over ``model.Package``, that ``related_ids`` reads."""
    parts = [
        sa.select(
            sa.func.coalesce(
                sa.func.jsonb_agg(sa.func.jsonb_build_array(*query.selected_columns)),
                sa.text("'[]'::jsonb"),
            )
        )
        .select_from(*query.get_final_froms())
        .where(query.whereclause, of.package_id == model.Package.id)
        .correlate(model.Package)
        .scalar_subquery()
        for query, of in _queries(role)
    ]
    return functools.reduce(lambda one, other: one.op("||")(other), parts)


def related_ids(pairs: Iterable[tuple[str, str, bool]] | None) -> tuple[str, ...]:
    """Return the ids of other datasets, sorted, from a value of ``related_column``."""
    return tuple(sorted({id_ for id_, name, home in pairs or () if _is_named(name, home)}))


def _is_named(reference: str, at_home: bool) -> bool:
    # "1" means the first dataset of the same source, not of others.
    return at_home or is_globally_unique(reference)


def _queries(role: str) -> Iterator[tuple[sa.Select[Any], Any]]:
    """Yield statements of other dataset, reference, and whether both are of one source.

    Beside each the record of the dataset that they are asked for.
    """
    for relation, is_naming in _ROLES[role]:
        naming, named = aliased(Record), aliased(Record)
        of, other = (naming, named) if is_naming else (named, naming)
        name = Coupling.reference
        # Types whose source URL is that of one record, not of a catalogue.
        has_own_address = sa.or_(
            named.url != HarvestSource.url,
            HarvestSource.type.in_(
                [
                    f"{prefix}{kind.name}"
                    for kind in TYPES.values()
                    for prefix in ("", BESIDE)
                    if kind.reference_is_address
                ]
            ),
        )
        query = (
            sa.select(other.package_id, name, naming.source_id == named.source_id)
            .select_from(Coupling)
            .join(naming, naming.id == Coupling.record_id)
            .join(named, sa.or_(_equal(named.guid, name), _equal(named.url, name)))
            .join(HarvestSource, HarvestSource.id == named.source_id)
            .join(_OTHER, _OTHER.id == other.package_id)
            .where(
                Coupling.relation == relation,
                other.package_id != of.package_id,
                _OTHER.state == "active",
                sa.or_(named.guid == name, has_own_address),
            )
        )
        yield query, of


def _equal(column: Any, named: Any) -> Any:
    # By digest, which has an index; a digest alone would be no proof.
    return sa.and_(sa.func.md5(column) == sa.func.md5(named), column == named)


def lock_dataset(package_id: str) -> None:
    """Lock a dataset whose row here is written before the dataset itself.

    Every writer locks the dataset first; the other order would deadlock with
    the pass over all datasets.
    """
    query = sa.select(model.Package.id).where(model.Package.id == package_id)
    Session.execute(query.with_for_update(key_share=True))


def save_own_rows(table: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Save rows of a feature, in one statement; in a batch with those of all its datasets.

    Args:
        table: class of the table.
        rows: "package_id" and new values of columns, the same columns in each row; others stay.
            Unchanged rows are not written.
    """
    if batch := write_batch.written():
        batch.own_rows.extend((table, row) for row in rows)
    else:
        _store(table, rows)


def assess_dataset(context: Mapping[str, Any], package: Mapping[str, Any]) -> None:
    """Save what features store with a dataset, in the transaction that writes it.

    Args:
        context: of the action that wrote it.
        package: as the action has it after validation.
    """
    if package.get("type") == "harvest":  # a harvest source, which CKAN keeps as a dataset
        return
    try:
        rows = [(own.table, own.columns(context, package)) for own in lists.WITH_WRITE]
    except sa.exc.SQLAlchemyError:  # the transaction fails anyway
        raise
    except Exception:
        log.exception("What belongs to dataset %s could not be worked out", package["id"])
        return
    for table, columns in rows:
        save_own_rows(table, [{"package_id": package["id"], **columns}])


def save_collected(rows: Sequence[tuple[Any, Mapping[str, Any]]]) -> None:
    """Save the rows of a batch; of a dataset that was written twice the last one counts."""
    last = {(table, row["package_id"]): row for table, row in rows}
    alike = group_pairs(((table, tuple(row)), row) for (table, _id), row in last.items())
    for (table, _columns), same_columns in alike.items():
        _store(table, same_columns)


def _store(table: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        return
    names = tuple(name for name in rows[0] if name != "package_id")
    now = utcnow().isoformat()
    text = json.dumps([{**row, "assessed": now} for row in rows])
    Session.execute(_statement(table.__tablename__, names), {"rows": text})


@functools.cache
def _statement(table: str, names: tuple[str, ...]) -> sa.TextClause:
    """Return the statement that writes these columns of any number of rows.

    A text, since SQLAlchemy 2.0 compiles "ON CONFLICT" again each time: 2 ms of each import.
    """
    columns = ", ".join(names)
    new = ", ".join(f"excluded.{name}" for name in names)
    before = ", ".join(f"old.{name}" for name in names)
    return sa.text(f"""INSERT INTO {table} AS old (package_id, {columns}, assessed)
        SELECT package_id, {columns}, assessed
        FROM jsonb_populate_recordset(CAST(NULL AS {table}), CAST(:rows AS jsonb))
        ON CONFLICT (package_id) DO UPDATE
        SET ({columns}, assessed) = ROW ({new}, excluded.assessed)
        WHERE ({before}) IS DISTINCT FROM ({new})""")  # noqa: S608 - names of our own table


def load_own_rows(package_id: str) -> Any:
    """Return what features store for a dataset, as one row with their columns; one statement.

    None where no feature stores anything. Columns without a row are None.
    """
    tables = [own.table for own in lists.WITH_WRITE]
    columns = [
        column
        for table in tables
        for column in table.__table__.c
        if column.name not in ("package_id", "assessed")
    ]
    if not columns:
        return None
    query = sa.select(*columns).select_from(_package).where(_package.c.id == package_id)
    for table in tables:
        query = query.outerjoin(table, table.package_id == _package.c.id)
    return Session.execute(query).first()
