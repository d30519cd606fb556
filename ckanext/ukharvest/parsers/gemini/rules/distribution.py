"""GEMINI, elements 8, 10, 18, 19 and 21: dates, lineage, resolution, links and formats."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules.checks import (
    code,
    nil_failure,
    text_of,
    value_or_reason,
)
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import (
    DATA,
    DATASET,
    GEMINI_23,
    SERIES,
    Failure,
    Rule,
    Test,
)

_QUALITY = "dataQualityInfo/*"
_STATEMENT = f"{_QUALITY}/lineage/*/statement"
_RESOLUTION = "identificationInfo/*/spatialResolution/*"
_FORMAT = "distributionInfo/*/distributionFormat/*"
# AGI's Schematron reads only transferOptions; a distributor's links are links as well.
_ONLINE = (
    "distributionInfo/*/transferOptions/*/onLine/*",
    "distributionInfo/*/distributor/*/distributorTransferOptions/*/onLine/*",
)
_LINKAGE = tuple(f"{path}/linkage" for path in _ONLINE)
_SCHEMES = ("http://", "https://", "ftp://")
# Words for "no version", without blanks and in lower case.
_NO_VERSION = frozenset(("notapplicable", "notentered", "missing", "unknown"))


def _lineage(metadata: Metadata) -> Iterator[Failure]:
    """Require one statement; parts of the data may have more. AGI's rule reads only the first."""
    if not metadata.at(_STATEMENT):
        node = metadata.first(f"{_QUALITY}/lineage/*")
        said = "is missing" if node is None else "has no gmd:statement"
        yield Failure(said, node or metadata.record)
    for part in metadata.at(_QUALITY):
        if len(found := list(part.find_all("lineage/*/statement"))) > 1:
            yield Failure(f"has {len(found)} of gmd:statement", found[1])


def _scoped(type_: str) -> Test:
    """Require lineage in one of the parts about the whole resource."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        parts = [node for node in metadata.at(_QUALITY) if node.code("scope/*/level") == type_]
        if parts and not any(node.first("lineage") for node in parts):
            yield Failure(f"is in none of the parts about the whole {type_}", parts[0])

    return test


def _both(metadata: Metadata) -> Iterator[Failure]:
    scales = _filled(metadata, f"{_RESOLUTION}/equivalentScale/*/denominator")
    if (distances := _filled(metadata, f"{_RESOLUTION}/distance")) and scales:
        found = f"has a distance, {shorten(text_of(distances[0]).strip(), 20)}"
        scale = shorten(text_of(scales[0]).strip(), 20)
        yield Failure(f"{found}, and a scale, 1:{scale}", distances[0])


def _filled(metadata: Metadata, path: str) -> list[IsoNode]:
    return [node for node in metadata.at(path) if text_of(node).strip()]


def _address(metadata: Metadata) -> Iterator[Failure]:
    """Require a URL; an empty linkage without a nilReason is left to ``value_or_reason``."""
    for node in metadata.at(*_LINKAGE):
        text = text_of(node).strip()
        if text and not text.lower().startswith(_SCHEMES):
            yield Failure(f"is '{shorten(text, 60)}'", node)
        elif not text and node.nil:
            yield nil_failure(node)


def _without(name: str) -> Test:
    """Require an element of each link that has a URL."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*_ONLINE):
            linkage = node.first("linkage")
            if linkage and text_of(linkage).strip() and not node.first(name):
                yield Failure("is missing", node)

    return test


def _format_needed(metadata: Metadata) -> Iterator[Failure]:
    """Require a format, also in records without gmd:distributionInfo, which AGI's rule ignores."""
    if metadata.at(_FORMAT):
        return
    node = metadata.first("distributionInfo/*/distributor/*/distributorFormat")
    said = "is missing" if node is None else "is given as gmd:distributorFormat only"
    yield Failure(said, node or metadata.record)


def _version_word(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(f"{_FORMAT}/version"):
        text = text_of(node).strip()
        if "".join(text.split()).lower() in _NO_VERSION:
            yield Failure(f"is '{shorten(text)}'", node)


_DATE_TYPE = '<gmd:CI_DateTypeCode codeList="…#CI_DateTypeCode" codeListValue="revision"/>'
_STATED = "Digitised from aerial photographs of 2025, checked against the land register …"
_VERSION = '<gmd:version gco:nilReason="unknown"/>'
_LINK = "<gmd:URL>https://maps.borchester.example/land-use.gpkg</gmd:URL>"

RULES = (
    Rule(
        "gemini-08-type",
        "Dataset reference date",
        "gmd:dateType",
        code("identificationInfo/*/citation/*/date/*/dateType"),
        "creation, publication or revision in codeListValue",
        _DATE_TYPE,
        number="AP-3",
    ),
    Rule(
        "gemini-10-needed",
        "Lineage",
        "gmd:lineage",
        _lineage,
        "one gmd:statement of how the data was made",
        _STATED,
        number="MI-10a",
        types=DATA,
    ),
    Rule(
        "gemini-10-value",
        "Lineage",
        "gmd:statement",
        value_or_reason(_STATEMENT),
        "a text on how the data was made",
        _STATED,
        number="AP-1a",
    ),
    *(
        Rule(
            f"gemini-10-scope-{type_[0]}",
            "Lineage",
            "gmd:lineage",
            _scoped(type_),
            f"gmd:lineage in the gmd:DQ_DataQuality whose scope is {type_}",
            _STATED,
            number=number,
            types=frozenset((type_,)),
            versions=GEMINI_23,
            unless=("gemini-10-needed",),
        )
        for type_, number in ((DATASET, "MI-10b"), (SERIES, "MI-10c"))
    ),
    Rule(
        "gemini-18-value",
        "Spatial resolution",
        "gmd:distance",
        value_or_reason(f"{_RESOLUTION}/distance"),
        "a number of metres, or no such element",
        '<gco:Distance uom="urn:ogc:def:uom:EPSG::9001">5</gco:Distance>',
        number="AP-1a",
    ),
    Rule(
        "gemini-w18-both",
        "Spatial resolution",
        "gmd:spatialResolution",
        _both,
        "one of the two: the distance of gridded data, the scale of other data",
        number="SP-6",
        types=DATA,
        versions=GEMINI_23,
        is_error=False,
    ),
    Rule(
        "gemini-21-needed",
        "Data format",
        "gmd:distributionFormat",
        _format_needed,
        "at least one format with name and version",
        "<gmd:MD_Format><gmd:name><gco:CharacterString>GeoPackage</…></gmd:name>…",
        number="MI-21a",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-21-name",
        "Data format",
        "gmd:MD_Format/gmd:name",
        value_or_reason(f"{_FORMAT}/name"),
        "the format's name",
        "GeoPackage",
        number="AP-1a",
    ),
    Rule(
        "gemini-21-version",
        "Data format",
        "gmd:MD_Format/gmd:version",
        value_or_reason(f"{_FORMAT}/version", reasons=("inapplicable", "unknown"), other=False),
        "the version's number, or nilReason unknown or inapplicable",
        _VERSION,
        number="AP-1b",
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-21-version-word",
        "Data format",
        "gmd:MD_Format/gmd:version",
        _version_word,
        "a version's number, or an empty element with nilReason unknown or inapplicable",
        _VERSION,
        number="MI-21b",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-19-value",
        "Resource locator",
        "gmd:linkage",
        value_or_reason(*_LINKAGE),
        "the URL of the file, service or page, or no such gmd:onLine",
        _LINK,
        number="AP-1a MI-19",
        unless=("missing-url gmd:linkage",),
    ),
    Rule(
        "gemini-19-url",
        "Resource locator",
        "gmd:linkage",
        _address,
        "a complete URL that begins with https://, http:// or ftp://",
        _LINK,
        number="MI-19",
        unless=("missing-url gmd:linkage", "bad-url gmd:linkage"),
    ),
    *(
        Rule(
            f"gemini-w19-{name}",
            "Resource locator",
            f"gmd:CI_OnlineResource/gmd:{name}",
            _without(name),
            wanted,
            example,
            number=number,
            versions=GEMINI_23,
            is_error=False,
            unless=unless,
        )
        for name, wanted, example, number, unless in (
            (
                "name",
                "a gmd:name that differs from those of the other links, and if possible a "
                "gmd:description",
                "Land use 2025, GeoPackage",
                "SP-1a",
                (),
            ),
            (
                "description",
                "a sentence that says what is at the URL",
                "All parcels of Borchester with their land use, 40 MB",
                "SP-1b",
                ("gemini-w19-name",),
            ),
            (
                "function",
                "download, information, offlineAccess, order or search in codeListValue",
                '<gmd:CI_OnLineFunctionCode codeList="…" codeListValue="download"/>',
                "SP-1c",
                (),
            ),
        )
    ),
)
