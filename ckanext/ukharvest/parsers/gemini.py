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
from ckanext.ukharvest.core.mapping import Field, collect, read_apart
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.text import shorten
from ckanext.ukharvest.parsers import (
    gemini_citation,
    gemini_constraints,
    gemini_coupled,
    gemini_document,
    gemini_extent,
    gemini_keywords,
    gemini_links,
    gemini_metadata,
    gemini_parties,
    gemini_period,
    gemini_quality,
    gemini_reference,
    gemini_resource,
    gemini_validation,
)
from ckanext.ukharvest.parsers.gemini_entry import Entry
from ckanext.ukharvest.parsers.iso_node import IsoNode

VERSION = 3
FORM = "xml"
OPTIONS = (*gemini_links.OPTIONS, *gemini_parties.OPTIONS, *gemini_validation.OPTIONS)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one record.

    Raises:
        ParseError: another document, or without title or identity.
        NotValid: an option rejects what does not follow the standard.
        SkipRecord: an option leaves it out.
    """
    problems: list[Problem] = []
    entry = _entry(raw, options, problems)
    if not raw.guid:
        message = f"{raw.called}: gmd:fileIdentifier is missing; expected a text"
        raise ParseError(message, code="missing-identifier")
    title = gemini_citation.title(entry.identification)
    if not title:
        message = f"{raw.called}: gmd:title is missing; expected a text"
        raise ParseError(message, code="missing-title")
    found, extras = collect(MAPPING, entry)
    # A contact of the record and of its resource is read for each, and reported once.
    reported = tuple(dict.fromkeys(problems))
    reported += gemini_validation.check(entry, reported)
    return DatasetRecord(raw.guid, title, extras=extras, problems=reported, **found)


def _entry(raw: RawRecord, options: Mapping[str, Any], problems: list[Problem]) -> Entry:
    record = IsoNode(_root(raw), problems)
    identification = record.first("identificationInfo/*") or IsoNode(etree.Element("_"), problems)
    return Entry(record, identification, raw.guid, raw.url, options)


def _root(raw: RawRecord) -> etree._Element:
    try:
        root = xml.parse(raw.content or "", url=raw.url)
    except xml.HasDoctype as exc:
        # What it is says more than what it must not have.
        if not gemini_document.called(exc.root):
            raise
        root = exc.root
    name = xml.local_name(root)
    if name not in gemini_document.RECORDS:
        words = gemini_document.called(root)
        found = f"<{shorten(name)}> ({words})" if words else f"<{shorten(name)}>"
        message = f"{raw.called}: its root element is {found}; expected {gemini_document.ROOT}"
        raise ParseError(message, code="wrong-root", url=raw.url, line=xml.line_of(root))
    return root


MAPPING: tuple[Field[Entry], ...] = (
    Field(("gmd:fileIdentifier",), "guid", read_apart),
    Field(("gmd:title",), "title", read_apart),
    *gemini_metadata.MAPPING,
    *gemini_citation.MAPPING,
    *gemini_keywords.MAPPING,
    *gemini_parties.MAPPING,
    *gemini_constraints.MAPPING,
    *gemini_resource.MAPPING,
    *gemini_quality.MAPPING,
    *gemini_extent.MAPPING,
    *gemini_period.MAPPING,
    *gemini_reference.MAPPING,
    *gemini_links.MAPPING,
    *gemini_coupled.MAPPING,
)
