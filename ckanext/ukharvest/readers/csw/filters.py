"""The selection of records in a request: Filter Encoding 1.1 (OGC 04-095), or CQL.

Queryables are those of OGC 07-045, the ISO application profile, which writes them with a capital:
pycsw 2.6 refuses apiso:identifier and takes apiso:Identifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.xml import parser as xml

CSW = "http://www.opengis.net/cat/csw/2.0.2"
GMD = "http://www.isotc211.org/2005/gmd"
MDB = "http://standards.iso.org/iso/19115/-3/mdb/2.0"
OGC = "http://www.opengis.net/ogc"
# The option schema → outputSchema, in the order in which they are asked for without gmd.
SCHEMAS = {
    "gmd": GMD,
    "iso19115-3": MDB,
    "geodcat-ap": "http://data.europa.eu/930/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "csw": CSW,  # Dublin Core
}
PREFIXES = {
    "csw": CSW,
    "ogc": OGC,
    "gmd": GMD,
    "apiso": "http://www.opengis.net/cat/csw/apiso/1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dct": "http://purl.org/dc/terms/",
}
DATE_FORMATS = {
    "YYYY-MM-DD": "%Y-%m-%d",
    "YYYY-MM-DDThh:mm:ssZ": "%Y-%m-%dT00:00:00Z",
    "MM-DD-YYYY": "%m-%d-%Y",
}
# Brackets are only added around OR, since pycsw does not support them.
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NAME = re.compile(r"[\w@*/:.\[\]-]+")
# A filter of these names records, and cannot be combined with a condition.
_IDENTIFIERS = ("FeatureId", "GmlObjectId")
_EXAMPLE = f'<ogc:Filter xmlns:ogc="{OGC}">'


@dataclass(frozen=True, slots=True)
class Model:
    """A type of record to request, with the names of its queryable properties."""

    type_name: str
    identifier: str
    kind: str
    modified: str


ISO = Model("gmd:MD_Metadata", "apiso:Identifier", "apiso:Type", "apiso:Modified")
DUBLIN_CORE = Model("csw:Record", "dc:identifier", "dc:type", "dct:modified")
ISO_3 = Model("mdb:MD_Metadata", "apiso:Identifier", "apiso:Type", "apiso:Modified")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The requested records; all of them if nothing is set.

    Attributes:
        types: allowed hierarchy levels.
        cql: a condition in the server's own query language.
        since: a day, ISO 8601: only records with this metadata date or a later one.
        date_format: how the server wants days, a key of DATE_FORMATS.
        xml: a condition as an ogc:Filter; not with ``cql``, as a request holds one language.
        begin, end: first and last day of the metadata date, whatever ``since`` is.
        modified: the server's name of the metadata date; "" for that of the type of record.
    """

    types: tuple[str, ...] = ()
    cql: str = ""
    since: str = ""
    date_format: str = "YYYY-MM-DD"
    xml: str = ""
    begin: str = ""
    end: str = ""
    modified: str = ""

    @classmethod
    def from_options(cls, options: Mapping[str, Any], since: str) -> Wanted:
        """Make the selection from a source's options; without options, all records."""
        return cls(
            tuple(options.get("types", ())),
            options.get("cql", ""),
            since,
            options.get("modified_format", "YYYY-MM-DD"),
            options.get("filter", ""),
            options.get("from", ""),
            options.get("until", ""),
            options.get("modified_name", ""),
        )

    @property
    def span(self) -> str:
        """Return the first and last day in words, "" if there is neither."""
        ends = (("changed from", self.begin), ("changed until", self.end))
        return " and ".join(f"{word} {day}" for word, day in ends if day)

    def filter(self, model: Model) -> str:
        """Return the condition but ``cql`` as Filter Encoding 1.1, "" if there is none.

        ``xml`` is put in as text: lxml removes declarations of prefixes that it does not see in
        use, but names of properties are texts, and use them.
        """
        parts = []
        if self.types:
            kinds = [_compare("PropertyIsEqualTo", model.kind, kind) for kind in self.types]
            parts.append(_joined("Or", kinds))
        name = self.modified or model.modified
        parts += [_compare(operator, name, day) for operator, _sign, day in self._days()]
        if not self.xml:
            root = _element("Filter", [_joined("And", parts)]) if parts else None
            return "" if root is None else etree.tostring(root, encoding="unicode")
        root = xml.parse(self.xml)
        if not parts:
            return etree.tostring(root, encoding="unicode", with_tail=False)
        texts = [etree.tostring(part, encoding="unicode") for part in parts]
        own = next(root.iterchildren(etree.Element))
        texts.append(etree.tostring(own, encoding="unicode", with_tail=False))
        return f"{_EXAMPLE}<ogc:And>{''.join(texts)}</ogc:And></ogc:Filter>"

    def text(self, model: Model) -> str:
        """Return the whole condition as CQL: a request can use only one language."""
        parts = [self.cql]
        if self.types:
            parts.append(" OR ".join(f"{model.kind} = {_quoted(kind)}" for kind in self.types))
        name = self.modified or model.modified
        parts += [f"{name} {sign} {_quoted(day)}" for _operator, sign, day in self._days()]
        if len(parts) > 1:
            parts = [f"({part})" if _OR.search(part) else part for part in parts]
        return " AND ".join(parts)

    def _days(self) -> Iterator[tuple[str, str, str]]:
        """Yield the limits of the metadata date: operator of a filter, sign of CQL, and day."""
        form = DATE_FORMATS[self.date_format]
        if first := max(self.since, self.begin):
            yield "PropertyIsGreaterThanOrEqualTo", ">=", date.fromisoformat(first).strftime(form)
        if self.end:
            form = form.replace("T00:00:00", "T23:59:59")
            yield "PropertyIsLessThanOrEqualTo", "<=", date.fromisoformat(self.end).strftime(form)


def check_day(value: str) -> str:
    """Return what is wrong with the option from or until, "" if nothing."""
    try:
        is_day = bool(_DAY.fullmatch(value)) and bool(date.fromisoformat(value))
    except ValueError:
        is_day = False
    return "" if is_day else "expected a date such as 2026-05-01"


def check_name(value: str) -> str:
    """Return what is wrong with the name of a queryable, "" if nothing."""
    return "" if _NAME.fullmatch(value) else "expected a name such as dct:modified"


def check_filter(value: str) -> str:
    """Return what is wrong with an ogc:Filter, "" if it can be sent."""
    try:
        root = xml.parse(value)
    except ParseError as exc:
        where = Message(" in line {line}", line=exc.line) if exc.line else ""
        return Message(
            "{reason}{where}; expected {example} with a condition",
            reason=exc.message,
            where=where,
            example=_EXAMPLE,
        )
    if root.tag != f"{{{OGC}}}Filter":
        namespace = etree.QName(root).namespace
        found = Message(
            "<{root}> in {namespace}",
            root=xml.local_name(root),
            namespace=namespace or Message("no namespace"),
        )
        return Message("found {found}; expected {example}", found=found, example=_EXAMPLE)
    names = [etree.QName(each) for each in root.iterchildren(etree.Element)]
    if len(names) != 1 or names[0].namespace != OGC or names[0].localname in _IDENTIFIERS:
        return Message(
            "expected one condition in ogc:Filter, such as ogc:PropertyIsEqualTo or ogc:And"
        )
    return ""


def _compare(operator: str, name: str, value: str) -> etree._Element:
    element = _element(operator)
    etree.SubElement(element, f"{{{OGC}}}PropertyName").text = name
    etree.SubElement(element, f"{{{OGC}}}Literal").text = value
    return element


def _joined(operator: str, parts: list[etree._Element]) -> etree._Element:
    return parts[0] if len(parts) == 1 else _element(operator, parts)


def _element(name: str, parts: Iterable[etree._Element] = ()) -> etree._Element:
    element = etree.Element(f"{{{OGC}}}{name}", nsmap=PREFIXES)
    element.extend(parts)
    return element


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
