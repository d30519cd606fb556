"""Move a source's records to another base URL: guids, URLs and the keys of resources.

Nothing here commits: the caller saves the source's new URL in the same transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestSource
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.base_urls import BaseMove
from ckanext.ukharvest.core.outcomes import PreviewKind
from ckanext.ukharvest.harvest.database import any_number, any_text, execute, exists_statements
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.index import pending_index
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.harvest.sources import dataset_adoption
from ckanext.ukharvest.mapping.kept_fields import key_of, move_key
from ckanext.ukharvest.reading.changed_identifiers import RecordFacts
from ckanext.ukharvest.reading.preview_result import MoveResult

Session = model.Session

CHUNK = 1000  # rows
SAMPLE = 5000  # records whose resources show where resources moved to

# A replaced text of a record, its guid or its URL: a row (record_id, package_id, old, new).
Renamed = Any


def some_resource_keys(source_id: str) -> dict[str, list[str]]:
    """Return guid → match keys of the resources that the last import wrote, for some records."""
    query = Session.query(Record.guid, Record.resources).filter(
        Record.source_id == source_id, Record.resources.isnot(None), Record.package_id.isnot(None)
    )
    rows = query.order_by(Record.id).limit(SAMPLE)
    return {guid: [key for _id, key in written if key] for guid, written in rows}


def has_datasets(source_id: str) -> bool:
    """Tell whether records of a source have datasets here."""
    return exists_statements(Record.source_id == source_id, Record.package_id.isnot(None))


def is_move(preview: SourcePreview) -> bool:
    """Tell whether a dry run is of another URL or type than the source has."""
    source = HarvestSource.get(preview.source_id)
    return source is not None and (source.type, source.url) != (preview.source_type, preview.url)


def preview_kind(preview: SourcePreview) -> PreviewKind:
    """Return what a preview is of."""
    if preview.source_id is None:
        return PreviewKind.TEST
    return PreviewKind.MOVE if is_move(preview) else PreviewKind.DRY_RUN


def stored_option_names(text: str | None) -> set[str]:
    """Return the names of the options that are stored with a source."""
    return set(json.loads(text)) if text and text.strip() else set()


def records_by_id(source_id: str, ids: Sequence[int]) -> list[dict[str, str]]:
    """Return ``guid``, ``title`` and ``name`` (of the dataset) of records, by title."""
    query = (
        Session.query(Record.guid, model.Package.title, model.Package.name)
        .join(model.Package, model.Package.id == Record.package_id)
        .filter(Record.source_id == source_id, Record.id == any_number(ids))
        .order_by(model.Package.title, Record.guid)
    )
    return [{"guid": row[0], "title": row[1] or row[2], "name": row[2]} for row in query]


def move_records(source_id: str, move: MoveResult) -> None:
    """Give a source's records the identity that they have at its new URL.

    Replaced guids: in the record's row, its harvest objects, its dataset's extras and the
    references to it. Those records are imported again by the next run. No record counts as missing
    any more: the next runs look for it at the new URL.
    """
    moves = [BaseMove(*pair) for pair in move["resources"]]
    urls = _move_urls(source_id, moves)
    guids = [
        record
        for old, new, ids in move["records"]
        for record in _move_guids(source_id, BaseMove(old, new), ids)
    ]
    _move_resources(source_id, moves)
    _rename(source_id, guids, urls)


def rename_records(
    source_id: str, pairs: Sequence[tuple[str, str]], moves: Sequence[BaseMove]
) -> int:
    """Give records of a source new identifiers, as ``move_records`` does.

    Args:
        pairs: [(old identifier, new one), …]; one that another dataset has already is left out.
        moves: how the URLs of their resources changed, the likeliest first.

    Returns:
        Number of records.
    """
    guids = [record for chunk in _chunks(pairs) for record in _replace_guids(source_id, chunk)]
    _move_resources(source_id, moves, [record.record_id for record in guids])
    _rename(source_id, guids, ())
    return len(guids)


def _replace_guids(source_id: str, pairs: Sequence[tuple[str, str]]) -> list[Renamed]:
    values = _values(source_id, pairs)
    Session.execute(_FORGET_EMPTY, values)
    return list(Session.execute(_REPLACE_GUIDS, values))


def _values(source_id: str, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {"source": source_id, "old": [old for old, _ in pairs], "new": [new for _, new in pairs]}


_LISTS = (
    sa.bindparam("old", type_=ARRAY(sa.UnicodeText)),
    sa.bindparam("new", type_=ARRAY(sa.UnicodeText)),
)
# A run may have failed to import a record under its new identifier: its row has no dataset.
_FORGET_EMPTY = sa.text(
    """
    DELETE FROM ukharvest_record
     WHERE source_id = :source AND guid = ANY (:new) AND package_id IS NULL
    """
).bindparams(_LISTS[1])
# Without a stamp the next run reads and writes the dataset again, with all that holds the guid.
_REPLACE_GUIDS = sa.text(
    """
    UPDATE ukharvest_record AS record
       SET guid = given.new, fingerprint = '', import_rules_hash = '', package_hash = '',
           etag = '', last_modified = '', missed_runs = 0
      FROM unnest(:old, :new) AS given (old, new)
     WHERE record.source_id = :source AND record.guid = given.old
       AND NOT EXISTS (SELECT FROM ukharvest_record AS other
                        WHERE other.source_id = :source AND other.guid = given.new)
 RETURNING record.id AS record_id, record.package_id, given.old, given.new
    """
).bindparams(*_LISTS)


def _rename(source_id: str, guids: Sequence[Renamed], urls: Sequence[Renamed]) -> None:
    """Replace identifiers and URLs of records wherever they are stored beside their rows."""
    for statement, renamed in ((_OBJECTS, guids), (_REFERENCES, [*guids, *urls])):
        for chunk in _chunks([(record.old, record.new) for record in renamed]):
            Session.execute(statement, _values(source_id, chunk))
    changed = compat.replace_dataset_extra("guid", _of_datasets(guids))
    changed |= compat.replace_dataset_extra(
        "harvest_source_reference", _of_datasets([*guids, *urls])
    )
    for chunk in _chunks(sorted(changed)):
        pending_index.add_pending(chunk)


def _move_guids(source_id: str, move: BaseMove, ids: Sequence[int]) -> list[Renamed]:
    """Replace the guids of records, unless another record has the new one."""
    other = sa.orm.aliased(Record)
    new = _moved(Record.guid, move)
    query = Session.query(*_columns(Record.guid, new)).filter(
        Record.source_id == source_id,
        Record.id == any_number(ids),
        _is_below(Record.guid, move.old),
        ~sa.exists().where(other.source_id == source_id, other.guid == new),
    )
    renamed = query.all()
    # Without a stamp the next run writes the dataset again, with all that holds the guid.
    _update([record.record_id for record in renamed], guid=new, fingerprint="", package_hash="")
    return renamed


def _move_urls(source_id: str, moves: Sequence[BaseMove]) -> list[Renamed]:
    """Replace the URLs that records were read from; forget the old server's validators.

    Returns:
        The records' URLs before and after.
    """
    own = Record.source_id == source_id
    renamed = []
    if moves:
        cases = [(_is_below(Record.url, move.old), _moved(Record.url, move)) for move in moves]
        new = sa.case(*cases, else_=Record.url)
        query = Session.query(*_columns(Record.url, new))
        renamed = query.filter(own, Record.url != new).all()
        _update([record.record_id for record in renamed], url=new)
    execute(sa.update(Record).where(own).values(etag="", last_modified=""))
    # What a person kept stays kept, unless the next run finds it at the new URL.
    missing = sa.update(Record).where(own, Record.kept.is_(False))
    execute(missing.values(missed_runs=0))
    return renamed


def _columns(old: Any, new: Any) -> tuple[Any, ...]:
    return Record.id.label("record_id"), Record.package_id, old.label("old"), new.label("new")


def _move_resources(
    source_id: str, moves: Sequence[BaseMove], record_ids: Sequence[int] | None = None
) -> None:
    """Replace the base URL in the match keys of resources, so that they keep their CKAN ids.

    Args:
        record_ids: of the records; None for all of the source.
    """
    query = Session.query(Record.id, Record.package_id, Record.resources).filter(
        Record.source_id == source_id, Record.package_id.isnot(None)
    )
    if record_ids is not None:
        query = query.filter(Record.id == any_number(record_ids))
    for rows in _chunks(query.order_by(Record.id).all()):
        addresses = resource_urls([row.package_id for row in rows])
        changed = []
        for id_, package_id, written in rows:
            moved = _moved_keys(package_id, written, addresses.get(package_id, {}), moves)
            if moved is not None and moved != written:
                changed.append({"id": id_, "resources": moved})
        if changed:
            Session.bulk_update_mappings(Record, changed)


def _moved_keys(
    package_id: str,
    written: Iterable[Sequence[str]] | None,
    addresses: Mapping[str, str],
    moves: Sequence[BaseMove],
) -> list[list[str]] | None:
    """Return ``Record.resources`` with the base URL replaced; None: as it is.

    Adopted datasets that were not imported since have no keys: they get those of their URLs.
    """
    if written is None:
        known = [{"id": id_, "url": url} for id_, url in addresses.items()]
        written = dataset_adoption.resources_written(package_id, known) or [
            (id_, "") for id_ in addresses
        ]
    moved = []
    for id_, key in written:
        before = key or (key_of("", addresses[id_]) if id_ in addresses else "")
        moved.append([id_, next(filter(None, (move_key(move, before) for move in moves)), before)])
    return moved


def resource_urls(package_ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return dataset id → resource id → URL, in the order of the resources."""
    resource = model.Resource
    query = (
        Session.query(resource.package_id, resource.id, resource.url)
        .filter(resource.package_id == any_text(package_ids), resource.state == "active")
        .order_by(resource.package_id, resource.position)
    )
    urls: dict[str, dict[str, str]] = {}
    for package_id, id_, url in query:
        urls.setdefault(package_id, {})[id_] = url or ""
    return urls


# Also those of past runs: pages find them by guid.
_OBJECTS = sa.text(
    """
    UPDATE harvest_object AS object SET guid = given.new
      FROM unnest(:old, :new) AS given (old, new)
     WHERE object.harvest_source_id = :source AND object.guid = given.old
    """
).bindparams(*_LISTS)
# The names by which services of the same source name their datasets.
_REFERENCES = sa.text(
    """
    UPDATE ukharvest_coupling AS coupling SET reference = given.new
      FROM (SELECT DISTINCT old, new FROM unnest(:old, :new) AS pairs (old, new)) AS given,
           ukharvest_record AS record
     WHERE record.id = coupling.record_id AND record.source_id = :source
       AND coupling.reference = given.old
    """
).bindparams(*_LISTS)


def _of_datasets(renamed: Iterable[Renamed]) -> list[tuple[str, str, str]]:
    return [(record.package_id, *record[2:]) for record in renamed if record.package_id]


def _is_below(column: Any, base: str) -> Any:
    """Return the SQL of ``core.base_urls.is_below``."""
    length = len(base)
    after = sa.func.substr(column, length + 1, 1)
    return sa.and_(sa.func.left(column, length) == base, after.in_(("", "/", "?", "#")))


def _moved(column: Any, move: BaseMove) -> Any:
    """Return the SQL of ``BaseMove.apply``."""
    return sa.literal(move.new) + sa.func.substr(column, len(move.old) + 1)


def _update(ids: Sequence[int], **values: Any) -> None:
    execute(sa.update(Record).where(Record.id == any_number(ids)).values(**values))


def _chunks(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (items[start : start + CHUNK] for start in range(0, len(items), CHUNK))


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
