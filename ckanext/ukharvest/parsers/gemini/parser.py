"""Records of location data: UK GEMINI 2.1 to 2.3 (ISO 19139), and fields common to its kin.

Specification: UK GEMINI 2.3 of the Association for Geographic Information; ISO 19139, 19115-2
and 19115-3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.mapping_table import Field, collect, read_apart
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini import (
    citation,
    constraints,
    coupled,
    extent,
    further,
    keywords,
    links,
    metadata,
    parties,
    period,
    quality,
    reference_systems,
    resource,
    translations,
    validation,
)
from ckanext.ukharvest.parsers.gemini import document as gemini_document
from ckanext.ukharvest.parsers.gemini.entry import Entry
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode

VERSION = 4
FORM = "xml"
OPTIONS = (*links.OPTIONS, *parties.OPTIONS, *validation.OPTIONS)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one record.

    Raises:
        ParseError: another document, or without title or identity.
        NotValid: an option rejects records that do not follow the standard.
        SkipRecord: an option excludes it.
    """
    problems: list[Problem] = []
    entry = _entry(raw, options, problems)
    if not raw.guid:
        message = f"{raw.display_name}: gmd:fileIdentifier is missing; expected a text"
        raise ParseError(message, code="missing-identifier")
    title = citation.title(entry.identification)
    if not title:
        message = f"{raw.display_name}: gmd:title is missing; expected a text"
        raise ParseError(message, code="missing-title")
    found, extras = collect(MAPPING, entry)
    # A contact of both record and resource is read for each, but reported once.
    reported = tuple(dict.fromkeys(problems))
    reported += validation.check(entry, reported)
    return DatasetRecord(raw.guid, title, extras=extras, problems=reported, **found)


def _entry(raw: RawRecord, options: Mapping[str, Any], problems: list[Problem]) -> Entry:
    record = IsoNode(_root(raw), problems)
    identification = record.first("identificationInfo/*") or IsoNode(etree.Element("_"), problems)
    return Entry(record, identification, raw.guid, raw.url, options)


def _root(raw: RawRecord) -> etree._Element:
    try:
        root = xml.parse(raw.content or "", url=raw.url)
    except xml.HasDoctype as exc:
        # The kind of document is a better message than its forbidden parts.
        if not gemini_document.describe_other_root(exc.root):
            raise
        root = exc.root
    name = xml.local_name(root)
    if name not in gemini_document.RECORDS:
        words = gemini_document.describe_other_root(root)
        found = f"<{shorten(name)}> ({words})" if words else f"<{shorten(name)}>"
        message = (
            f"{raw.display_name}: its root element is {found}; expected {gemini_document.ROOT}"
        )
        raise ParseError(message, code="wrong-root", url=raw.url, line=xml.line_of(root))
    return root


MAPPING: tuple[Field[Entry], ...] = (
    Field(("gmd:fileIdentifier",), "guid", read_apart),
    Field(("gmd:title",), "title", read_apart),
    *metadata.MAPPING,
    *citation.MAPPING,
    *keywords.MAPPING,
    *translations.MAPPING,
    *parties.MAPPING,
    *constraints.MAPPING,
    *resource.MAPPING,
    *quality.MAPPING,
    *extent.MAPPING,
    *period.MAPPING,
    *reference_systems.MAPPING,
    *links.MAPPING,
    *coupled.MAPPING,
    *further.MAPPING,
)
