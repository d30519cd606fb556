"""GEMINI 30, 36, 45, 50, 51 and 53, and the encoding of the record: checks A1 to A7."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.rules import lists
from ckanext.ukharvest.parsers.gemini.rules.checks import (
    code,
    codes_from,
    exactly_one,
    is_class,
    needed,
    not_nil,
    text_of,
    value,
    value_or_reason,
    written_name,
)
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import (
    DATA,
    GEMINI,
    GEMINI_23,
    SERVICES,
    Failure,
    Rule,
    Test,
)

_FILE_ID = "fileIdentifier"
_FILE_ID_EXAMPLE = "7c7d2bb1-3f0a-4c58-9a51-5d0d3c1f6f10"
_IDENTIFICATION = "identificationInfo/*"
_CITATION = f"{_IDENTIFICATION}/citation"
_IDENTIFIER = f"{_CITATION}/*/identifier"
_IDENTIFIER_EXAMPLE = "https://maps.borchester.example/id/land-use-2025"
_REPRESENTATION = f"{_IDENTIFICATION}/spatialRepresentationType"
_REPRESENTATION_NAME = "Spatial representation type"
_REPRESENTATION_EXAMPLE = (
    '<gmd:MD_SpatialRepresentationTypeCode … codeListValue="vector">vector</…>'
)
_REPRESENTATIONS = "vector, grid, tin or textTable"
_CHARACTERS_EXAMPLE = '<gmd:MD_CharacterSetCode … codeListValue="8859part1"/>'
_CHARACTERS = f"{_IDENTIFICATION}/characterSet"


def _braces(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(_FILE_ID):
        text = text_of(node)
        if "{" in text or "}" in text:
            yield Failure(f"is '{shorten(text)}'", node)


def _first_is(name: str) -> Test:
    """Require that the first identification is of a class."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        node = metadata.first(_IDENTIFICATION)
        if node is not None and not is_class(node, name):
            yield Failure(f"holds {written_name(node.element)}", node)

    return test


def _once(word: str) -> Test:
    """Require that no citation has more than one date of a type."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.classes("CI_Citation"):
            dates = [each for each in node.find_all("date/*/dateType") if each.own_code() == word]
            if len(dates) > 1:
                yield Failure(f"is '{word}' {len(dates)} times in one citation", dates[1])

    return test


def _blank(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.elements_named("CharacterString", "Anchor"):
        parent = node.element.getparent()
        if parent is not None and not text_of(node).strip():
            yield Failure(f"is empty in {written_name(parent)}", node)


RECORD = (
    Rule(
        "gemini-a3-id",
        "File identifier",
        "gmd:fileIdentifier",
        exactly_one(_FILE_ID),
        "one identifier that never changes",
        _FILE_ID_EXAMPLE,
        number="AT-3a",
    ),
    Rule(
        "gemini-a3-value",
        "File identifier",
        "gmd:fileIdentifier",
        value(_FILE_ID),
        "an identifier that never changes",
        _FILE_ID_EXAMPLE,
        number="AP-2",
    ),
    Rule(
        "gemini-a3-braces",
        "File identifier",
        "gmd:fileIdentifier",
        _braces,
        "an identifier without braces",
        _FILE_ID_EXAMPLE,
        number="AT-3b",
        versions=GEMINI_23,
    ),
    # GEMINI's Schematron leaves a missing date to the XSD, which is not used for every record.
    Rule(
        "gemini-30-needed",
        "Metadata date",
        "gmd:dateStamp",
        needed("dateStamp"),
        "the day on which the record was last changed",
        "<gco:Date>2026-03-02</gco:Date>",
    ),
    # AGI's Schematron of 2.3 checks gco:Date alone: it accepts an empty gco:DateTime, and a
    # nilReason, which 2.1 explicitly allows.
    Rule(
        "gemini-30-value",
        "Metadata date",
        "gmd:dateStamp",
        value_or_reason("dateStamp"),
        "the day on which the record was last changed",
        "<gco:Date>2026-03-02</gco:Date>",
        number="AP-2",
    ),
)

_RESOURCE = (
    Rule(
        "gemini-a2-data",
        "Identification",
        "gmd:identificationInfo",
        _first_is("MD_DataIdentification"),
        "gmd:MD_DataIdentification in the record of a dataset or series",
        number="AT-2a",
        types=DATA,
    ),
    Rule(
        "gemini-a2-service",
        "Identification",
        "gmd:identificationInfo",
        _first_is("SV_ServiceIdentification"),
        "srv:SV_ServiceIdentification in the record of a service",
        number="AT-2b",
        types=SERVICES,
    ),
    Rule(
        "gemini-a1-citation",
        "Citation",
        "gmd:citation",
        not_nil(_CITATION),
        "the title, dates and identifier of the resource",
        "<gmd:CI_Citation><gmd:title>…",
        number="AT-1",
    ),
    Rule(
        "gemini-36-needed",
        "Resource identifier",
        "gmd:identifier",
        needed(_IDENTIFIER),
        "a URL that identifies the data",
        _IDENTIFIER_EXAMPLE,
        number="MI-36",
        types=DATA,
        unless=("gemini-a1-citation",),
    ),
    Rule(
        "gemini-36-code",
        "Resource identifier",
        "gmd:code",
        value(f"{_IDENTIFIER}/*/code"),
        "a URL that identifies the data",
        _IDENTIFIER_EXAMPLE,
        number="AP-2",
    ),
    Rule(
        "gemini-36-space",
        "Resource identifier",
        "gmd:codeSpace",
        value_or_reason(f"{_IDENTIFIER}/*/codeSpace"),
        "the namespace of the code, or no such element",
        "doi",
        number="AP-1a",
    ),
)

_DATES = tuple(
    Rule(
        code_,
        "Reference date",
        "gmd:dateType",
        _once(word),
        f"at most one date of {word} in a citation",
        number=number,
        versions=versions,
    )
    for code_, word, number, versions in (
        ("gemini-a5-creation", "creation", "AT-5", GEMINI),
        ("gemini-a7-revision", "revision", "AT-7", GEMINI_23),
    )
)

_CODES = (
    Rule(
        "gemini-53-code",
        "Maintenance information",
        "gmd:maintenanceAndUpdateFrequency",
        code(f"{_IDENTIFICATION}/resourceMaintenance/*/maintenanceAndUpdateFrequency"),
        "how often the resource is updated",
        '<gmd:MD_MaintenanceFrequencyCode … codeListValue="annually"/>',
        number="AP-3",
    ),
    Rule(
        "gemini-50-needed",
        _REPRESENTATION_NAME,
        "gmd:spatialRepresentationType",
        needed(_REPRESENTATION),
        _REPRESENTATIONS,
        _REPRESENTATION_EXAMPLE,
        number="MI-50a",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-50-code",
        _REPRESENTATION_NAME,
        "gmd:spatialRepresentationType",
        code(_REPRESENTATION, nil=False),
        _REPRESENTATIONS,
        _REPRESENTATION_EXAMPLE,
        number="MI-50c AP-3",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-50-list",
        _REPRESENTATION_NAME,
        "gmd:spatialRepresentationType",
        codes_from(_REPRESENTATION, words=lists.REPRESENTATION_TYPES),
        _REPRESENTATIONS,
        _REPRESENTATION_EXAMPLE,
        number="MI-50b",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-51-code",
        "Character encoding",
        "gmd:characterSet",
        code(_CHARACTERS),
        "a code from ISO's list, or no such element if the data is in UTF-8",
        _CHARACTERS_EXAMPLE,
        number="AP-3",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-51-list",
        "Character encoding",
        "gmd:characterSet",
        codes_from(_CHARACTERS, words=lists.CHARACTER_SETS),
        "a code from ISO's list, or no such element if the data is in UTF-8",
        _CHARACTERS_EXAMPLE,
        number="MI-51",
        types=DATA,
        versions=GEMINI_23,
    ),
)

RULES = (*_RESOURCE, *_DATES, *_CODES)

REST = (
    Rule(
        "gemini-a6-empty",
        "Free text",
        "gco:CharacterString",
        _blank,
        "a text, no such element, or a gco:nilReason in place of the empty text",
        '<gmd:positionName gco:nilReason="unknown"/>',
        number="AT-6",
        versions=GEMINI_23,
        is_rest=True,
    ),
)
