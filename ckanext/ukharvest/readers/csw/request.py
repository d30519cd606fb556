"""Requests to a CSW: GetRecords and GetRecordById, as XML for POST or as a query.

OGC 07-006r1 (CSW 2.0.2), sections 10.8 and 10.9; Filter Encoding 1.1 (OGC 04-095); queryable names
from OGC 07-045, the ISO application profile, which writes them with a capital:
pycsw 2.6 refuses apiso:identifier and takes apiso:Identifier.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from lxml import etree

from ckanext.ukharvest.core.http.urls import with_query

CSW = "http://www.opengis.net/cat/csw/2.0.2"
GMD = "http://www.isotc211.org/2005/gmd"
OGC = "http://www.opengis.net/ogc"
_PREFIXES = {
    "csw": CSW,
    "ogc": OGC,
    "gmd": GMD,
    "apiso": "http://www.opengis.net/cat/csw/apiso/1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dct": "http://purl.org/dc/terms/",
}

# Parameters that requests set themselves; others in a source's URL belong to the server.
_OURS = re.compile(
    r"service|request|version|accept(?:versions|formats)|sections|updatesequence|resulttype"
    r"|output(?:format|schema)|namespace|typenames?|element(?:set)?name|sortby|startposition"
    r"|constraint(?:language|_language_version)?|maxrecords|distributedsearch|hopcount",
    re.IGNORECASE,
)

DATE_FORMATS = {
    "YYYY-MM-DD": "%Y-%m-%d",
    "YYYY-MM-DDThh:mm:ssZ": "%Y-%m-%dT00:00:00Z",
    "MM-DD-YYYY": "%m-%d-%Y",
}
# Brackets are only added around OR, since pycsw does not support them.
_OR = re.compile(r"\bor\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Model:
    """A type of record to request, with the names of its queryable properties."""

    type_name: str
    identifier: str
    kind: str
    modified: str


ISO = Model("gmd:MD_Metadata", "apiso:Identifier", "apiso:Type", "apiso:Modified")
DUBLIN_CORE = Model("csw:Record", "dc:identifier", "dc:type", "dct:modified")


@dataclass(frozen=True, slots=True)
class Way:
    """One way to request records; servers differ in those they support.

    Attributes:
        method: POST or GET.
        is_sorted: requests the records in the order of identifiers, so that pages neither
            overlap nor leave anything out.
        is_full: whole records; else summaries in Dublin Core, for their identifiers and stamps.
    """

    method: str
    model: Model
    is_sorted: bool = True
    is_full: bool = True

    def __str__(self) -> str:
        sort = f"sorted by {self.model.identifier}" if self.is_sorted else "unsorted"
        return (
            f"{self.method} {self.model.type_name} {sort} {'full' if self.is_full else 'summary'}"
        )


def ways(method: str, known: str = "") -> list[Way]:
    """Return all ways, the best first, but before them the one that worked last time.

    A catalogue that returned whole records is never asked for a list, nor the reverse: its list may
    have other identifiers, and every dataset would be imported twice.

    Args:
        method: the option: auto, post or get.
        known: the text of a way.
    """
    found = [
        Way(each, model, is_sorted, is_full)
        for each in ("POST", "GET")
        if method in ("auto", each.lower())
        for model, is_sorted, is_full in (
            (ISO, True, True),
            (DUBLIN_CORE, True, True),
            (ISO, False, True),
            (DUBLIN_CORE, False, True),
            (DUBLIN_CORE, True, False),
            (DUBLIN_CORE, False, False),
        )
    ]
    content = known.rpartition(" ")[2]
    alike = [way for way in found if str(way).endswith(f" {content}")]
    return sorted(alike or found, key=lambda way: str(way) != known)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The requested records; all of them if nothing is set.

    Attributes:
        types: allowed hierarchy levels.
        cql: a condition in the server's own query language.
        since: a day, ISO 8601: only records with this metadata date or a later one.
        date_format: how the server wants the day, a key of DATE_FORMATS.
    """

    types: tuple[str, ...] = ()
    cql: str = ""
    since: str = ""
    date_format: str = "YYYY-MM-DD"

    @classmethod
    def from_options(cls, options: Mapping[str, Any], since: str) -> Wanted:
        """Make the selection from a source's options; without options, all records."""
        return cls(
            tuple(options.get("types", ())),
            options.get("cql", ""),
            since,
            options.get("modified_format", "YYYY-MM-DD"),
        )

    def filter(self, model: Model) -> etree._Element | None:
        """Return the condition as Filter Encoding 1.1; None if all records are requested."""
        parts = []
        if self.types:
            kinds = [_compare("PropertyIsEqualTo", model.kind, each) for each in self.types]
            parts.append(_joined("Or", kinds))
        if self.since:
            day = self._day()
            parts.append(_compare("PropertyIsGreaterThanOrEqualTo", model.modified, day))
        if not parts:
            return None
        root = etree.Element(f"{{{OGC}}}Filter", nsmap=_PREFIXES)
        root.append(_joined("And", parts))
        return root

    def text(self, model: Model) -> str:
        """Return the whole condition as CQL: a request can use only one language."""
        parts = [self.cql]
        if self.types:
            parts.append(" OR ".join(f"{model.kind} = {_quoted(each)}" for each in self.types))
        if self.since:
            parts.append(f"{model.modified} >= {_quoted(self._day())}")
        if len(parts) > 1:
            parts = [f"({part})" if _OR.search(part) else part for part in parts]
        return " AND ".join(parts)

    def _day(self) -> str:
        return date.fromisoformat(self.since).strftime(DATE_FORMATS[self.date_format])


def endpoint(url: str) -> str:
    """Return the URL for requests, without the query parameters of a pasted request."""
    parts = urlsplit(url)
    kept = [
        piece
        for piece in parts.query.split("&")
        if piece and not _OURS.fullmatch(unquote(piece.partition("=")[0]))
    ]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "&".join(kept), ""))


def records_body(way: Way, wanted: Wanted, *, start: int, size: int) -> bytes:
    """Return GetRecords as an XML document."""
    root = _operation("GetRecords")
    root.set("resultType", "results")
    root.set("outputFormat", "application/xml")
    root.set("outputSchema", _schema(way))
    root.set("startPosition", str(start))
    root.set("maxRecords", str(size))
    query = etree.SubElement(root, f"{{{CSW}}}Query", typeNames=way.model.type_name)
    etree.SubElement(query, f"{{{CSW}}}ElementSetName").text = _element_set(way)
    condition = None if wanted.cql else wanted.filter(way.model)
    if wanted.cql or condition is not None:
        constraint = etree.SubElement(query, f"{{{CSW}}}Constraint", version="1.1.0")
        if condition is not None:
            constraint.append(condition)
        else:
            etree.SubElement(constraint, f"{{{CSW}}}CqlText").text = wanted.text(way.model)
    if way.is_sorted:
        by = etree.SubElement(query, f"{{{OGC}}}SortBy")
        one = etree.SubElement(by, f"{{{OGC}}}SortProperty")
        etree.SubElement(one, f"{{{OGC}}}PropertyName").text = way.model.identifier
        etree.SubElement(one, f"{{{OGC}}}SortOrder").text = "ASC"
    return _bytes(root)


def records_query(way: Way, wanted: Wanted, *, start: int, size: int) -> dict[str, str | int]:
    """Return GetRecords as query parameters."""
    found: dict[str, str | int] = {
        "service": "CSW",
        "version": "2.0.2",
        "request": "GetRecords",
        "resultType": "results",
        "outputSchema": _schema(way),
        "typeNames": way.model.type_name,
        "elementSetName": _element_set(way),
        "startPosition": start,
        "maxRecords": size,
    }
    if way.is_sorted:
        found["sortBy"] = f"{way.model.identifier}:A"
    condition = None if wanted.cql else wanted.filter(way.model)
    if wanted.cql or condition is not None:
        found["constraintLanguage"] = "CQL_TEXT" if condition is None else "FILTER"
        found["constraint_language_version"] = "1.1.0"
        found["constraint"] = (
            wanted.text(way.model)
            if condition is None
            else etree.tostring(condition, encoding="unicode")
        )
    return found


def record_url(base: str, identifier: str) -> str:
    """Return the URL of one whole record, which people can open as well."""
    query = {
        "service": "CSW",
        "version": "2.0.2",
        "request": "GetRecordById",
        "elementSetName": "full",
        "outputSchema": GMD,
        "id": identifier,
    }
    return with_query(base, query)


def record_body(identifier: str) -> bytes:
    """Return GetRecordById as an XML document."""
    root = _operation("GetRecordById")
    root.set("outputFormat", "application/xml")
    root.set("outputSchema", GMD)
    etree.SubElement(root, f"{{{CSW}}}Id").text = identifier
    etree.SubElement(root, f"{{{CSW}}}ElementSetName").text = "full"
    return _bytes(root)


def _operation(name: str) -> etree._Element:
    return etree.Element(f"{{{CSW}}}{name}", nsmap=_PREFIXES, service="CSW", version="2.0.2")


def _schema(way: Way) -> str:
    return GMD if way.is_full else CSW


def _element_set(way: Way) -> str:
    # Brief records of Dublin Core lack dct:modified, which tells unchanged records.
    return "full" if way.is_full else "summary"


def _compare(operator: str, name: str, value: str) -> etree._Element:
    found = etree.Element(f"{{{OGC}}}{operator}")
    etree.SubElement(found, f"{{{OGC}}}PropertyName").text = name
    etree.SubElement(found, f"{{{OGC}}}Literal").text = value
    return found


def _joined(operator: str, parts: list[etree._Element]) -> etree._Element:
    if len(parts) == 1:
        return parts[0]
    found = etree.Element(f"{{{OGC}}}{operator}")
    found.extend(parts)
    return found


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _bytes(root: etree._Element) -> bytes:
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)
