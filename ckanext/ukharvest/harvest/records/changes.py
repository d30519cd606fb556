"""What imports changed in datasets, the versions of records, and their stored documents."""

from __future__ import annotations

import datetime
import difflib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestObjectExtra
from lxml import etree
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from ckanext.ukharvest.core import dataset_changes
from ckanext.ukharvest.core.dataset_changes import FieldChange
from ckanext.ukharvest.core.document_kind import HEAD, size_of
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.harvest.model import Change, Record, RecordVersion, utcnow
from ckanext.ukharvest.rendering import extent_map, values
from ckanext.ukharvest.rendering.fields import TECHNICAL, find_field

Session = model.Session

KEPT_CHANGES = 20
ADDED, UPDATED, DELETED = RecordOutcome.ADDED, RecordOutcome.UPDATED, RecordOutcome.DELETED

# One statement: its parts all see the table as it was before, so the rows that are added are
# neither counted nor deleted.
_KEEP_CHANGES = sa.text(
    """
    WITH given AS (
        SELECT * FROM jsonb_to_recordset(CAST(:rows AS jsonb))
        AS given (record_id bigint, job_id text, kind text, fields jsonb)),
    added AS (
        INSERT INTO ukharvest_change (record_id, job_id, created, kind, fields)
        SELECT given.record_id, given.job_id, :now, given.kind, given.fields || CASE
            WHEN package.private AND given.fields <> '[]'
            THEN CAST(:private AS jsonb) ELSE '[]' END
        FROM given
        JOIN ukharvest_record AS record ON record.id = given.record_id
        LEFT JOIN package ON package.id = record.package_id),
    ranked AS (
        SELECT id, row_number() OVER (PARTITION BY record_id ORDER BY id DESC) AS number
        FROM ukharvest_change WHERE record_id IN (SELECT record_id FROM given))
    DELETE FROM ukharvest_change AS old USING ranked
    WHERE old.id = ranked.id AND ranked.number > :others
    """
).bindparams(sa.bindparam("rows", type_=JSONB), sa.bindparam("private", type_=JSONB))

# Marks changes of a dataset while it was private.
_PRIVATE = [{"private": True}]


class NewChange(NamedTuple):
    """What an import did to the dataset of a record, whose row has this id."""

    record_id: int
    job_id: str | None
    kind: str
    changed: Sequence[FieldChange] = ()


def save_changes(new: Iterable[NewChange]) -> None:
    """Save what imports changed; without changes an update is not saved; the caller commits."""
    rows = [
        {
            "record_id": change.record_id,
            "job_id": change.job_id,
            "kind": change.kind,
            "fields": _fields(change.changed),
        }
        for change in new
        if change.kind != UPDATED or change.changed
    ]
    if rows:
        values = {"rows": rows, "now": utcnow(), "others": KEPT_CHANGES - 1, "private": _PRIVATE}
        Session.execute(_KEEP_CHANGES, values)


def _fields(changed: Sequence[FieldChange]) -> list[dict[str, Any]]:
    fields: list[dict[str, Any]] = [change._asdict() for change in changed[: dataset_changes.MOST]]
    if len(changed) > dataset_changes.MOST:
        fields.append({"more": len(changed) - dataset_changes.MOST})
    # PostgreSQL cannot store the character 0.
    return [
        {
            key: value.replace("\0", "") if isinstance(value, str) else value
            for key, value in field.items()
        }
        for field in fields
    ]


def of_record(record_id: int) -> Sequence[Any]:
    """Return the changes of one record, the latest first; rows as of ``of_dataset``."""
    return Session.execute(_query().where(Change.record_id == record_id)).all()


def changes_of_dataset(
    package_id: str, limit: int, offset: int, *, with_private: bool
) -> tuple[int, Sequence[Any]]:
    """Return how many changes of a dataset are kept, and some of them, the latest first.

    Args:
        with_private: also those from when the dataset was private.

    Returns:
        The number, and rows (created, job_id, kind, fields): the time in UTC, the run that made it
        (None if its history was cleared), and the rest as in ``Change``.
    """
    wanted = [Change.record_id.in_(sa.select(Record.id).where(Record.package_id == package_id))]
    if not with_private:
        wanted.append(~Change.fields.contains(_PRIVATE))
    count = sa.select(sa.func.count()).where(*wanted)
    page = _query().where(*wanted).limit(limit).offset(offset)
    return int(Session.scalar(count) or 0), Session.execute(page).all()


def _query() -> sa.Select[Any]:
    columns = (Change.created, Change.job_id, Change.kind, Change.fields)
    return sa.select(*columns).order_by(Change.id.desc())


KEPT_VERSIONS = 5

# One statement: its parts all see the table as it was before, so the rows that are added are
# neither counted nor deleted.
_KEEP_VERSIONS = sa.text(
    """
    WITH given AS (
        SELECT * FROM unnest(:records, :jobs, :contents) AS given (record_id, job_id, content)),
    latest AS (
        SELECT DISTINCT ON (record_id) record_id, content FROM ukharvest_version
        WHERE record_id = ANY (:records) ORDER BY record_id, id DESC),
    added AS (
        INSERT INTO ukharvest_version (record_id, job_id, created, content)
        SELECT given.record_id, given.job_id, :now, given.content
        FROM given LEFT JOIN latest USING (record_id)
        WHERE given.content IS DISTINCT FROM latest.content
        RETURNING record_id),
    ranked AS (
        SELECT id, row_number() OVER (PARTITION BY record_id ORDER BY id DESC) AS number
        FROM ukharvest_version WHERE record_id IN (SELECT record_id FROM added))
    DELETE FROM ukharvest_version AS old USING ranked
    WHERE old.id = ranked.id AND ranked.number > :others
    """
).bindparams(
    sa.bindparam("records", type_=ARRAY(sa.BigInteger)),
    sa.bindparam("jobs", type_=ARRAY(sa.UnicodeText)),
    sa.bindparam("contents", type_=ARRAY(sa.LargeBinary)),
)


class Version(NamedTuple):
    """One version of a record.

    Attributes:
        number: 1 for the oldest stored one; moves down by one when an older one is pruned.
        job_id: of the run that imported it, None if its history was cleared.
    """

    number: int
    created: datetime.datetime
    job_id: str | None
    content: str


def save_versions(new: Iterable[tuple[int, str, str]]) -> None:
    """Save records' contents that differ from their latest version; the caller commits.

    Args:
        new: id of the record's row, the run that imported it, and the text.
    """
    if versions := list(new):
        values = {
            "records": [row_id for row_id, _job_id, _text in versions],
            "jobs": [job_id for _row_id, job_id, _text in versions],
            "contents": [
                zlib.compress(text.encode("utf-8")) for _row_id, _job_id, text in versions
            ],
        }
        Session.execute(_KEEP_VERSIONS, {**values, "now": utcnow(), "others": KEPT_VERSIONS - 1})


def versions_of(source_id: str, guid: str) -> list[Version]:
    """Return the versions of a source's record, the oldest first; [] if there are none."""
    query = (
        Session.query(RecordVersion.created, RecordVersion.job_id, RecordVersion.content)
        .join(Record, Record.id == RecordVersion.record_id)
        .filter(Record.source_id == source_id, Record.guid == guid)
        .order_by(RecordVersion.id)
    )
    return [
        Version(number, created, job_id, unpack(content))
        for number, (created, job_id, content) in enumerate(query, 1)
    ]


def contents_of(source_id: str, guids: Iterable[str]) -> dict[str, list[bytes]]:
    """Return guid → contents of its versions, the newest first, for ``unpack``."""
    contents: dict[str, list[bytes]] = {guid: [] for guid in guids}
    for guid, content in (
        Session.query(Record.guid, RecordVersion.content)
        .join(RecordVersion, Record.id == RecordVersion.record_id)
        .filter(Record.source_id == source_id, Record.guid.in_(list(contents)))
        .order_by(RecordVersion.id.desc())
    ):
        contents[guid].append(content)
    return contents


def unpack(content: bytes) -> str:
    """Return the text stored in the column ``content``."""
    return zlib.decompress(content).decode("utf-8")


def diff(old: Version, new: Version) -> list[str]:
    """Return a unified diff of two versions, line by line; [] if only their layout differs."""
    return list(
        difflib.unified_diff(
            readable(old.content),
            readable(new.content),
            _heading(old),
            _heading(new),
            lineterm="",
        )
    )


def _heading(version: Version) -> str:
    job = f"job {version.job_id}" if version.job_id else "job no longer kept"
    return f"version {version.number}, {version.created:%Y-%m-%d %H:%M} UTC, {job}"


def readable(content: str) -> list[str]:
    """Return a record's text as lines, laid out so that equal content gives equal lines."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return _readable_xml(content)
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).splitlines()


def _readable_xml(content: str) -> list[str]:
    try:
        root = xml.parse(content)
    except ParseError:
        return content.splitlines()
    for element in root.iter(etree.Element):
        if len(element) and not (element.text or "").strip():
            element.text = None
        if not (element.tail or "").strip():
            element.tail = None
    etree.indent(root)
    return str(etree.tostring(root, encoding="unicode")).splitlines()


ORIGINAL = "original_document"  # extra of ckanext-spatial's objects: what it translated


class Document(NamedTuple):
    """A dataset's record as last imported.

    Attributes:
        harvested: when, UTC.
        source_id: of the harvest source.
    """

    content: str
    harvested: datetime.datetime
    source_id: str


class Glance(NamedTuple):
    """Beginning and size of a record, for a dataset's page.

    Attributes:
        head: the record's first characters, from which its form is known.
        size: bytes of UTF-8.
    """

    head: str
    size: int


def document_of_dataset(package_id: str) -> Document | None:
    """Return the record that a dataset was made from, None if none is stored.

    It is in the current harvest object, which is never pruned; if other code removed that, in the
    latest stored version.
    """
    harvested = sa.func.coalesce(HarvestObject.import_finished, HarvestObject.gathered)
    row = _current(package_id, _CONTENT, harvested, HarvestObject.harvest_source_id).first()
    return Document(*row) if row and row[0] else _kept(package_id)


def glance_at(package_id: str) -> Glance | None:
    """Return the beginning and size of a dataset's record, None if there is none.

    Called by every dataset's page, and a record may have megabytes.
    """
    row = _current(package_id, sa.func.left(_CONTENT, HEAD), sa.func.octet_length(_CONTENT)).first()
    if row and row[0]:
        return Glance(*row)
    version = _kept(package_id)
    return Glance(version.content[:HEAD], size_of(version.content)) if version else None


# Objects of ckanext-spatial may have the publisher's document beside a content of none.
_CONTENT = sa.func.coalesce(sa.func.nullif(HarvestObject.content, ""), HarvestObjectExtra.value)


def _current(package_id: str, *columns: Any) -> Any:
    """The columns of a dataset's current harvest object; the last one where there are several."""
    is_original = sa.and_(
        HarvestObjectExtra.harvest_object_id == HarvestObject.id,
        HarvestObjectExtra.key == ORIGINAL,
    )
    return (
        Session.query(*columns)
        .select_from(HarvestObject)
        .outerjoin(HarvestObjectExtra, is_original)
        .filter(HarvestObject.package_id == package_id, HarvestObject.current.is_(True))
        .order_by(HarvestObject.import_finished.desc().nulls_last())
    )


def _kept(package_id: str) -> Document | None:
    row = (
        Session.query(RecordVersion.content, RecordVersion.created, Record.source_id)
        .join(Record, Record.id == RecordVersion.record_id)
        .filter(Record.package_id == package_id)
        .order_by(RecordVersion.id.desc())
        .first()
    )
    return Document(unpack(row[0]), row[1], row[2]) if row else None


_ENGLISH = values.Portal()


def find_changed_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldChange]:
    """Return a dataset's changed fields, from its package_show dicts before and after an import.

    Leaves out technical fields, and fields that another changed field describes better.
    """
    changed = dataset_changes.list_changes(before, after, format_field)
    keys = {field.field for field in changed}
    return [
        field
        for field in changed
        if field.field not in TECHNICAL and find_field(field.field).unless not in keys
    ]


def format_field(key: str, text: str) -> str:
    """Return a field's stored text for people: no JSON, labels instead of URIs."""
    if key == "spatial":
        return extent_map.describe_extent(text) or text
    render = find_field(key).render
    if not text or not (render or text[:1] in ("[", "{")):
        return text
    markup = render(text, _ENGLISH) if render else values.render_extra(text)
    return str(markup.replace("</li>", "; </li>").striptags()).strip("; ") or text
