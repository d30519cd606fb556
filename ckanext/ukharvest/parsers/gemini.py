"""Location data records: UK GEMINI 2.1 to 2.3 on ISO 19139, and the common fields of its kin.

Specification: UK GEMINI 2.3 of the Association for Geographic Information; ISO 19139, 19115-2
and 19115-3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.mapping import Field, read_apart
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.parsers import gemini_extent, gemini_period, gemini_reference
from ckanext.ukharvest.parsers.gemini_entry import Entry, Found
from ckanext.ukharvest.parsers.iso_node import IsoNode

VERSION = 1
FORM = "xml"
OPTIONS = ()


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one record.

    Raises:
        ParseError: no such document, or without title or identity.
    """
    problems: list[Problem] = []
    entry = _entry(raw, options, problems)
    title = entry.identification.text("citation/*/title")
    if not title:
        raise ParseError(f"{raw.called}: title is missing; expected a text", code="missing-title")
    found, extras = _collect(entry)
    reported = tuple(dict.fromkeys(problems))
    return DatasetRecord(raw.guid, title, extras=extras, problems=reported, **found)


def _entry(raw: RawRecord, options: Mapping[str, Any], problems: list[Problem]) -> Entry:
    record = IsoNode(xml.parse(raw.content or "", url=raw.url), problems)
    identification = record.first("identificationInfo/*") or IsoNode(etree.Element("_"), problems)
    return Entry(record, identification, raw.guid, raw.url, options)


def _collect(entry: Entry) -> tuple[Found, dict[str, str]]:
    """Read what MAPPING lists: fields of the record, and extras."""
    found: Found = {}
    extras: dict[str, str] = {}
    for field in MAPPING:
        part = field.read(entry)
        extras.update((key, value) for key, value in part.pop("extras", {}).items() if value)
        found.update(part)
    return found, extras


def _notes(entry: Entry) -> Found:
    return {"notes": entry.identification.text("abstract")}


_TEXTS: tuple[Field[Entry], ...] = (
    Field(("gmd:fileIdentifier",), "guid", read_apart),
    Field(("gmd:title",), "title", read_apart),
    Field(("gmd:abstract",), "notes", _notes),
)

# Later rows win where two say the same field.
MAPPING: tuple[Field[Entry], ...] = (
    *_TEXTS,
    *gemini_extent.MAPPING,
    *gemini_period.MAPPING,
    *gemini_reference.MAPPING,
)
