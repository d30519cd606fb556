"""The last few contents of a record that differ, and what changed between two of them."""

from __future__ import annotations

import datetime
import difflib
import json
import zlib
from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa
from ckan import model
from lxml import etree
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.model import Record, RecordVersion, utcnow

Session = model.Session

KEPT = 5

# One statement: its parts all see the table as it was before, so the rows that are added are
# neither counted nor deleted.
_KEEP = sa.text(
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


def save(new: Iterable[tuple[int, str, str]]) -> None:
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
        Session.execute(_KEEP, {**values, "now": utcnow(), "others": KEPT - 1})


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
