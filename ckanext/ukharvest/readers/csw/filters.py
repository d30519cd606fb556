"""The selection of records in a request: Filter Encoding 1.1 (OGC 04-095), or CQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.csw.names import OGC, PREFIXES, Model

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

    def filter(self, model: Model) -> etree._Element | None:
        """Return the condition without ``xml`` as Filter Encoding 1.1; None if there is none."""
        parts = list(self._parts(model))
        if not parts:
            return None
        root = etree.Element(f"{{{OGC}}}Filter", nsmap=PREFIXES)
        root.append(_joined("And", parts))
        return root

    def combined_xml(self, model: Model) -> str:
        """Return ``xml`` as it is, or joined by And with the other conditions.

        Put together as text: lxml removes declarations of prefixes that it does not see in use,
        but names of properties are texts, and use them.
        """
        root = xml.parse(self.xml)
        parts = list(self._parts(model))
        if not parts:
            return etree.tostring(root, encoding="unicode", with_tail=False)
        given = next(root.iterchildren(etree.Element))
        found = [etree.tostring(each, encoding="unicode") for each in parts]
        found.append(etree.tostring(given, encoding="unicode", with_tail=False))
        return f"{_EXAMPLE}<ogc:And>{''.join(found)}</ogc:And></ogc:Filter>"

    def text(self, model: Model) -> str:
        """Return the whole condition as CQL: a request can use only one language."""
        parts = [self.cql]
        if self.types:
            parts.append(" OR ".join(f"{model.kind} = {_quoted(each)}" for each in self.types))
        name = self.modified or model.modified
        if day := self._first_day():
            parts.append(f"{name} >= {_quoted(day)}")
        if day := self._last_day():
            parts.append(f"{name} <= {_quoted(day)}")
        if len(parts) > 1:
            parts = [f"({part})" if _OR.search(part) else part for part in parts]
        return " AND ".join(parts)

    def _parts(self, model: Model) -> Iterator[etree._Element]:
        if self.types:
            kinds = [_compare("PropertyIsEqualTo", model.kind, each) for each in self.types]
            yield _joined("Or", kinds)
        name = self.modified or model.modified
        if day := self._first_day():
            yield _compare("PropertyIsGreaterThanOrEqualTo", name, day)
        if day := self._last_day():
            yield _compare("PropertyIsLessThanOrEqualTo", name, day)

    def _first_day(self) -> str:
        day = max(self.since, self.begin)
        return date.fromisoformat(day).strftime(DATE_FORMATS[self.date_format]) if day else ""

    def _last_day(self) -> str:
        if not self.end:
            return ""
        form = DATE_FORMATS[self.date_format].replace("T00:00:00", "T23:59:59")
        return date.fromisoformat(self.end).strftime(form)


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
        where = f" in line {exc.line}" if exc.line else ""
        return f"{exc.message}{where}; expected {_EXAMPLE} with a condition"
    if root.tag != f"{{{OGC}}}Filter":
        namespace = etree.QName(root).namespace
        found = f"<{xml.local_name(root)}> in {namespace or 'no namespace'}"
        return f"found {found}; expected {_EXAMPLE}"
    names = [etree.QName(each) for each in root.iterchildren(etree.Element)]
    if len(names) != 1 or names[0].namespace != OGC or names[0].localname in _IDENTIFIERS:
        return "expected one condition in ogc:Filter, such as ogc:PropertyIsEqualTo or ogc:And"
    return ""


def _compare(operator: str, name: str, value: str) -> etree._Element:
    found = etree.Element(f"{{{OGC}}}{operator}", nsmap=PREFIXES)
    etree.SubElement(found, f"{{{OGC}}}PropertyName").text = name
    etree.SubElement(found, f"{{{OGC}}}Literal").text = value
    return found


def _joined(operator: str, parts: list[etree._Element]) -> etree._Element:
    if len(parts) == 1:
        return parts[0]
    found = etree.Element(f"{{{OGC}}}{operator}", nsmap=PREFIXES)
    found.extend(parts)
    return found


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
