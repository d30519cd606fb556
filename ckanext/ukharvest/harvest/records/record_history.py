"""What is stored of a record: dataset, problems, what runs did, versions, and its text."""

from __future__ import annotations

import datetime
import difflib
import json
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestObjectExtra
from lxml import etree
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.core.document_kind import HEAD, size_of
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.harvest.model import (
    JobReport,
    Outcome,
    Record,
    RecordProblem,
    RecordVersion,
    SourceState,
    utcnow,
)

Session = model.Session

MOST = 20  # runs in the history


class FoundRecord(NamedTuple):
    """A record with its dataset."""

    row: Record
    dataset: model.Package | None


class Pass(NamedTuple):
    """What one run did with a record; ``state`` as ``RecordState``."""

    job_id: str
    when: datetime.datetime
    state: str
    message: str
    wording: Any


def load_record(record_id: int) -> FoundRecord | None:
    """Return a record, None if there is none of this id."""
    row = Session.execute(
        sa.select(Record, model.Package)
        .outerjoin(model.Package, model.Package.id == Record.package_id)
        .where(Record.id == record_id)
    ).first()
    return FoundRecord(*row) if row else None


def problems_of_record(record_id: int) -> list[RecordProblem]:
    """Return the current problems of a record, in the order of its lines."""
    query = sa.select(RecordProblem).filter_by(record_id=record_id, current=True)
    return list(Session.scalars(query.order_by(RecordProblem.line, RecordProblem.id)))


def passes_of_record(row: Record) -> list[Pass]:
    """Return what the last runs did with a record, as far as they are still stored."""
    query = (
        sa.select(
            *(JobReport.job_id, Outcome.created, Outcome.state),
            *(Outcome.message, Outcome.wording, Outcome.more),
        )
        .join(JobReport, JobReport.id == Outcome.run_id)
        .where(
            Outcome.record_id == row.id,
            Outcome.object_id.isnot(None),
            JobReport.job_id.isnot(None),
        )
        .order_by(Outcome.created.desc())
        .limit(MOST)
    )
    return [
        Pass(
            job_id,
            when,
            state,
            "\n".join([message or "", *(error["message"] for error in more or ())]),
            wording,
        )
        for job_id, when, state, message, wording, more in Session.execute(query)
    ]


def text_of_record(record_id: int) -> str:
    """Return the text that the record's problems are about, "" if it is not stored.

    Of a failed record that is the failed version, else the one that the dataset was made from.
    """
    content = Session.scalar(_text(record_id, HarvestObject.content))
    return str(content) if content else _version_of(record_id)


def glance_at_record(record_id: int) -> Glance | None:
    """Return the beginning and size of the text; a record may have megabytes."""
    head = sa.func.left(HarvestObject.content, HEAD)
    size = sa.func.octet_length(HarvestObject.content)
    row = Session.execute(_text(record_id, head, size)).first()
    if row and row[0]:
        return Glance(*row)
    content = _version_of(record_id)
    return Glance(content[:HEAD], size_of(content)) if content else None


def _text(record_id: int, *columns: Any) -> sa.Select[Any]:
    is_its = sa.and_(
        HarvestObject.guid == Record.guid, HarvestObject.harvest_source_id == Record.source_id
    )
    return (
        sa.select(*columns)
        .select_from(Record)
        .join(HarvestObject, is_its)
        .where(
            Record.id == record_id,
            HarvestObject.content.isnot(None),
            sa.or_(Record.outcome == RecordOutcome.ERRORED, HarvestObject.current.is_(True)),
        )
        .order_by(HarvestObject.gathered.desc())
        .limit(1)
    )


def _version_of(record_id: int) -> str:
    query = sa.select(RecordVersion.content).where(RecordVersion.record_id == record_id)
    content = Session.scalar(query.order_by(RecordVersion.id.desc()).limit(1))
    return unpack_content(content) if content else ""


def forget_stamp(row: Record) -> None:
    """Let the next run read the whole source and import this record; the caller commits."""
    row.fingerprint = row.import_rules_hash = row.package_hash = row.etag = row.last_modified = ""
    row.error = {key: value for key, value in (row.error or {}).items() if key != "stamp"} or None
    state = Session.get(SourceState, row.source_id)
    if state is not None and state.sync_state:
        state.sync_state = {**state.sync_state, "job_id": None}


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
        Version(number, created, job_id, unpack_content(content))
        for number, (created, job_id, content) in enumerate(query, 1)
    ]


def contents_of(source_id: str, guids: Iterable[str]) -> dict[str, list[bytes]]:
    """Return guid → contents of its versions, the newest first, for ``unpack_content``."""
    contents: dict[str, list[bytes]] = {guid: [] for guid in guids}
    for guid, content in (
        Session.query(Record.guid, RecordVersion.content)
        .join(RecordVersion, Record.id == RecordVersion.record_id)
        .filter(Record.source_id == source_id, Record.guid.in_(list(contents)))
        .order_by(RecordVersion.id.desc())
    ):
        contents[guid].append(content)
    return contents


def unpack_content(content: bytes) -> str:
    """Return the text stored in the column ``content``."""
    return zlib.decompress(content).decode("utf-8")


def diff_versions(old: Version, new: Version) -> list[str]:
    """Return a unified diff of two versions, line by line; [] if only their layout differs."""
    return list(
        difflib.unified_diff(
            content_lines(old.content),
            content_lines(new.content),
            _heading(old),
            _heading(new),
            lineterm="",
        )
    )


def _heading(version: Version) -> str:
    job = f"job {version.job_id}" if version.job_id else "job no longer kept"
    return f"version {version.number}, {version.created:%Y-%m-%d %H:%M} UTC, {job}"


def content_lines(content: str) -> list[str]:
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


def glance_at_document(package_id: str) -> Glance | None:
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
    return Document(unpack_content(row[0]), row[1], row[2]) if row else None
