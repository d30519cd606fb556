"""Read data and schemas for a check, from URLs and files.

What a schema is, is found out from its content and not from its name; so are the character
encodings of both.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from lxml import etree

from ckanext.ukharvest.core import json_limits
from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.errors import FetchError, ParseError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Validators
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.schema_check.report import Collector, Limits, Unchecked

_HEAD = 4096
_PIECE = 1 << 20
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8 with a byte order mark"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)


@dataclass(frozen=True, slots=True)
class Encoding:
    """An encoding: Python's name, and the usual one, "" for plain UTF-8."""

    codec: str
    label: str


UTF8 = Encoding("utf-8", "")


def detect(data: IO[bytes], size: int) -> Encoding:
    """Return the encoding of a text file, from its first ``size`` bytes; it is then at position 0.

    UTF-16 is known by its byte order mark or by every other byte being zero, as in Latin text.
    What is not UTF-8 is read as Windows-1252, in which every byte is a character.
    """
    data.seek(0)
    head = data.read(_HEAD)
    encoding = _of_head(head)
    if not encoding:
        data.seek(0)
        encoding = UTF8 if _is_utf8(data, size) else Encoding("cp1252", "Windows-1252")
    data.seek(0)
    return encoding


def _of_head(head: bytes) -> Encoding | None:
    for mark, codec, label in _BOMS:
        if head.startswith(mark):
            return Encoding(codec, label)
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if half and odd > 0.6 * half and even < 0.1 * half:
        return Encoding("utf-16-le", "UTF-16 without a byte order mark")
    if half and even > 0.6 * half and odd < 0.1 * half:
        return Encoding("utf-16-be", "UTF-16 without a byte order mark")
    return None


def _is_utf8(data: IO[bytes], size: int) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while size > 0 and (piece := data.read(min(_PIECE, size))):
            decoder.decode(piece)
            size -= len(piece)
    except UnicodeDecodeError:
        return False
    return True


def open_text(data: IO[bytes], encoding: Encoding, size: int) -> tuple[io.TextIOWrapper, Beginning]:
    """Return the first ``size`` bytes of a file as text with the line ends that it has."""
    beginning = Beginning(data, size)
    buffered = io.BufferedReader(beginning, _PIECE)
    return io.TextIOWrapper(buffered, encoding.codec, "replace", newline=""), beginning


class Beginning(io.RawIOBase):
    """The first bytes of a file; ``is_cut`` once a reader wanted more."""

    def __init__(self, data: IO[bytes], size: int) -> None:
        self._data = data
        self._left = size
        self.is_cut = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = self._data.read(min(len(buffer), self._left))
        self._left -= len(piece)
        if not piece and not self._left:
            self.is_cut = self.is_cut or bool(self._data.read(1))
        buffer[: len(piece)] = piece
        return len(piece)


def decode_json(content: bytes) -> tuple[str, str]:
    """Decode JSON text; return it and the label of an encoding that is not plain UTF-8.

    RFC 8259 wants UTF-8. The LGA's schemas are UTF-16 without a byte order mark.
    """
    encoding = _of_head(content[:_HEAD])
    if encoding is None:
        codec = json.detect_encoding(content[:4])
        label = "" if codec == "utf-8" else codec.upper()
        try:
            return content.decode(codec), label
        except UnicodeDecodeError:
            return content.decode("cp1252", "replace"), "Windows-1252"
    return content.decode(encoding.codec, "replace"), encoding.label


# The types, named as in ``core.values.formats.SCHEMA_TYPES``.
CSVLINT, TABLE_SCHEMA, JSON_SCHEMA, XSD = "csvlint", "tableschema", "json-schema", "xsd"
TITLES = {
    CSVLINT: "a schema of the LGA (csvlint)",
    TABLE_SCHEMA: "a Table Schema",
    JSON_SCHEMA: "a JSON Schema",
    XSD: "an XML schema (XSD)",
    "geojson": "the rules of GeoJSON",
}
_KNOWN = "expected a Table Schema, a schema of the LGA, a JSON Schema or an XML schema"

_XSD_ROOT = "{http://www.w3.org/2001/XMLSchema}schema"
_OTHER_ROOTS = {
    "SchemaRestDefinition": "DataShare's description of a schema",
    "grammar": "a RELAX NG schema",
}
_OF_TABLE_SCHEMA = ("missingValues", "primaryKey", "foreignKeys", "uniqueKeys", "fieldsMatch")
_OF_JSON_SCHEMA = frozenset(
    ("properties", "$ref", "allOf", "anyOf", "oneOf", "not", "if", "items", "prefixItems")
    + ("required", "$defs", "definitions", "enum", "const", "additionalProperties")
    + ("patternProperties", "type")
)


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema: its type, and the parsed document (an object, a boolean or an element)."""

    type: str
    document: Any


def read(content: bytes, collector: Collector) -> Schema:
    """Parse a schema and recognise its type.

    Raises:
        Unchecked: it is empty, invalid, or of a type that is not supported.
    """
    if not content.strip(b"\x00 \t\r\n"):
        raise Unchecked("The schema is empty.")
    refuse_web_page(content, "The schema's address leads to", _KNOWN)
    if len(content) > collector.limits.schema_bytes:
        raise Unchecked(too_large(collector.limits.schema_bytes))
    schema = _read_xml(content) if _is_xml(content) else _read_json(content, collector)
    collector.emit("schema_type", schema.type)
    return schema


def refuse_web_page(content: bytes, what: str, expected: str) -> None:
    """Raise Unchecked with a sentence of these two parts if this is the beginning of a web page."""
    title = html_title(content)
    if title is not None:
        named = f", “{title}”" if title else ""
        raise Unchecked(f"{what} a web page{named}; {expected}.")


def too_large(size: int) -> str:
    """Return the reason for a schema of more than ``size`` bytes."""
    return Message(
        "The schema is larger than {size:.4g} MB, the most that is read.", size=size / 1024 / 1024
    )


def _is_xml(content: bytes) -> bool:
    head = content[:64].replace(b"\x00", b"")
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")


def _read_xml(content: bytes) -> Schema:
    try:
        root = xml.parse(content)
    except ParseError as exc:
        line = f" (line {exc.line})" if exc.line else ""
        raise Unchecked(f"The schema is invalid: {exc.message}{line}.") from exc
    if root.tag == _XSD_ROOT:
        return Schema(XSD, root)
    name = xml.local_name(root)
    kind = _OTHER_ROOTS.get(name, f"an XML document with the root {shorten(name, 60)}")
    if etree.QName(root).namespace == "http://purl.oclc.org/dsdl/schematron":
        kind = "a Schematron schema"
    raise Unchecked(f"The schema is {kind}, which is not supported; {_KNOWN}.")


def _read_json(content: bytes, collector: Collector) -> Schema:
    text, label = decode_json(content)
    if label:
        collector.note(f"The schema is {label}; expected UTF-8.")
    try:
        json_limits.check(text.encode("utf-8", "replace"))
        document = json.loads(text)
    except json_limits.BeyondLimit as exc:
        raise Unchecked(f"The schema {exc.message} and is not read.") from exc
    except json.JSONDecodeError as exc:
        where = f"line {exc.lineno}, column {exc.colno}"
        raise Unchecked(f"The schema is not valid JSON ({where}: {exc.msg}).") from exc
    return Schema(_type_of(document), document)


def _type_of(document: Any) -> str:
    """Return the type of a JSON document that is a schema.

    Raises:
        Unchecked: it is none, or of a type that is not supported.
    """
    if not isinstance(document, Mapping):
        raise Unchecked(f"The schema is JSON but not an object; {_KNOWN}.")
    fields = document.get("fields")
    if isinstance(fields, list) and fields and all(isinstance(one, Mapping) for one in fields):
        return CSVLINT if _is_csvlint(document, fields) else TABLE_SCHEMA
    if "csvw" in json.dumps(document.get("@context", "")) or "tableSchema" in document:
        raise Unchecked(f"The schema is CSV on the Web, which is not supported; {_KNOWN}.")
    if isinstance(document.get("resources"), list):
        raise Unchecked("The schema is a data package; expected one of the schemas that it lists.")
    if "fields" in document:
        raise Unchecked("The schema has no fields; expected a list of objects with a name each.")
    if "json-schema.org" in str(document.get("$schema", "")) or _OF_JSON_SCHEMA & set(document):
        return JSON_SCHEMA
    raise Unchecked(f"The schema is JSON of an unknown type; {_KNOWN}.")


def _is_csvlint(document: Mapping[str, Any], fields: list[Mapping[str, Any]]) -> bool:
    """Tell csvlint's dialect, with types in ``constraints``, from Table Schema."""
    if any(key in document for key in _OF_TABLE_SCHEMA) or "$schema" in document:
        return False
    constraints = [field.get("constraints") for field in fields]
    own = [one for one in constraints if isinstance(one, Mapping)]
    if any("type" in rule or "datePattern" in rule for rule in own):
        return True
    return not any("type" in field or "format" in field for field in fields)


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """A schema as it was read; keep it to read it again without a download.

    Attributes:
        location: its URL or path.
        content: its bytes.
        validators: its ETag and date of change; empty for a file.
    """

    location: str
    content: bytes
    validators: Validators = Validators()


def read_schema(
    location: str, http: HttpClient, limits: Limits, kept: SchemaFile | None = None
) -> SchemaFile:
    """Read a schema.

    Args:
        location: a URL, or the path of a file.
        kept: what an earlier read returned; returned again if the schema has not changed.

    Raises:
        SourceError: it cannot be read or is too large; the message is a sentence.
    """
    most = limits.schema_bytes
    if not _is_url(location):
        with _open(location) as file:
            content = file.read(most + 1)
        validators = Validators()
    else:
        ask = kept.validators if kept else None
        # No more than that is read of a larger one.
        with http.get(location, validators=ask, first=most + 1) as reply:
            if reply.not_modified and kept:
                return kept
            content, validators = reply.content, reply.validators
    if len(content) > most:
        raise FetchError(too_large(most), code="too-large", url=location)
    return SchemaFile(location, content, validators)


def open_data(location: str, http: HttpClient) -> IO[bytes]:
    """Open data, seekable; the caller closes them.

    Args:
        location: a URL, or the path of a file; "-" reads standard input.

    Raises:
        SourceError: they cannot be read; the message is a sentence.
    """
    if _is_url(location):
        return http.get(location).body
    file: IO[bytes] = sys.stdin.buffer if location == "-" else _open(location)
    if file.seekable():
        return file
    with file:
        copy = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        shutil.copyfileobj(file, copy)
    copy.seek(0)
    return copy


def _is_url(location: str) -> bool:
    return "://" in location


def _open(location: str) -> io.BufferedReader:
    try:
        return Path(location).open("rb")
    except (OSError, ValueError) as exc:
        why = (
            os.strerror(exc.errno)
            if isinstance(exc, OSError) and exc.errno
            else Message("not a file")
        )
        raise SourceError(
            Message("{location}: {why}", location=location, why=why),
            code="unreadable",
            url=location,
        ) from exc
