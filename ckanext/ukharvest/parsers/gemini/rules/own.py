"""GEMINI's rules for a resource's description that no Schematron tests.

The parser, not these rules, reports for every record: west and east or south and north swapped
(swapped-extent), an unknown reference system (unknown-reference-system), a link without a URL
(missing-url). The run reports an identifier that another record of the source has
(duplicate-guid).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from ckanext.ukharvest.core.values.inspire_themes import theme_of_address, theme_of_label
from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini import constraints
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules import lists
from ckanext.ukharvest.parsers.gemini.rules.checks import needed, text_of
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import DATA, GEMINI_23, SERVICES, Failure, Rule

_advice = partial(Rule, is_error=False)

_RESOURCE = "identificationInfo/*"
_KEYWORDS = f"{_RESOURCE}/descriptiveKeywords/*"
_BOX = f"{_RESOURCE}/extent/*/geographicElement/EX_GeographicBoundingBox"
_LINKAGE = "onLine/*/linkage"
_LINKS = (
    f"distributionInfo/*/transferOptions/*/{_LINKAGE}",
    f"distributionInfo/*/distributor/*/distributorTransferOptions/*/{_LINKAGE}",
)
_METRE = "urn:ogc:def:uom:EPSG::9001"
_OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
_DATE_TYPES = ("creation", "publication", "revision")
_THEMES = re.compile(r"inspire[\s_]+themes", re.IGNORECASE)
# The code that GEMINI requires, and other spellings of it.
_METRES = re.compile(r"m|met(?:re|er)s?|.*epsg\W.*\b9001", re.IGNORECASE)


def _undated(metadata: Metadata) -> Iterator[Failure]:
    for citation in metadata.at(f"{_RESOURCE}/citation/*"):
        types = citation.codes("date/*/dateType")
        if not set(_DATE_TYPES) & set(types):
            found = f"has the type '{shorten(types[0], 40)}'" if types else "is missing"
            yield Failure(found, citation)


def _no_distributor(metadata: Metadata) -> Iterator[Failure]:
    nodes = metadata.at(f"{_RESOURCE}/pointOfContact/*")
    if all(node.code("role") != "distributor" for node in nodes):
        node = nodes[0] if nodes else metadata.holder(f"{_RESOURCE}/pointOfContact")
        yield Failure("is distributor for none of the contacts", node)


def _uncoupled(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(_RESOURCE):
        kind = node.text("serviceType")
        if kind in ("view", "download") and node.first("operatesOn") is None:
            yield Failure(f"is missing in a service of the type {kind}", node)


def _no_area(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(_BOX):
        west, east, south, north = (_number(node, side) for side in _SIDES)
        if west is not None and west == east:
            yield Failure(f"has no width: its west and east are both {west:g}", node)
        elif south is not None and south == north:
            yield Failure(f"has no height: its south and north are both {south:g}", node)


_SIDES = ("westBoundLongitude", "eastBoundLongitude", "southBoundLatitude", "northBoundLatitude")


def _number(node: IsoNode, name: str) -> float | None:
    """Return a side's number; the parser reports anything else."""
    side = node.first(name)
    try:
        return float(text_of(side)) if side else None
    except ValueError:
        return None


def _cites_themes(group: IsoNode) -> bool:
    said = group.texts_at("thesaurusName/*/title")
    return any(_THEMES.search(f"{each.text} {each.href}") for each in said)


def _unknown_themes(metadata: Metadata) -> Iterator[Failure]:
    for group in filter(_cites_themes, metadata.at(_KEYWORDS)):
        for node in group.find_all("keyword"):
            said = node.own_text()
            addressed = theme_of_address(said.href) or theme_of_address(said.text)
            if (said.text or said.href) and not addressed and not theme_of_label(said.text):
                words = shorten(said.text or said.href, 60)
                yield Failure(f"is '{words}', which is no theme of INSPIRE", node)


def _no_theme(metadata: Metadata) -> Iterator[Failure]:
    """Require one of INSPIRE's themes for data that follow its regulation."""
    results = metadata.at("dataQualityInfo/*/report/*/result/*")
    follows = any(
        "1089/2010" in each.text("specification/*/title") and is_yes(each.text("pass"))
        for each in results
    )
    if not follows or any(map(_cites_themes, metadata.at(_KEYWORDS))):
        return
    if not any(map(theme_of_address, _words(metadata))):
        node = metadata.holder(f"{_KEYWORDS}/keyword")
        yield Failure("is missing, though the data follow INSPIRE's regulation", node)


def _no_category(metadata: Metadata) -> Iterator[Failure]:
    words = {text.rpartition("/")[2] for text in _words(metadata)}
    if words.isdisjoint(lists.SERVICE_CATEGORIES):
        node = metadata.holder(f"{_KEYWORDS}/keyword")
        yield Failure("names no category of service", node)


def _words(metadata: Metadata) -> Iterator[str]:
    """Yield keywords, and the URLs of their Anchors; real records have up to 1,300."""
    for node in metadata.at(f"{_KEYWORDS}/keyword/*"):
        yield text_of(node).strip()
        if node.href:
            yield node.href


def _unknown_limitations(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(f"{_RESOURCE}/resourceConstraints/*/otherConstraints/Anchor"):
        _, found, code = node.href.partition("/LimitationsOnPublicAccess/")
        if found and code.strip("/") not in lists.LIMITATIONS:
            yield Failure(f"leads to '{shorten(code, 60)}', which INSPIRE does not have", node)


def _no_licence(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(_RESOURCE)[:1]:
        if not constraints.has_licence(node):
            block = node.first("resourceConstraints/*")
            yield Failure("name no licence that is known, and no address of one", block or node)


def _units(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(f"{_RESOURCE}/spatialResolution/*/distance/*"):
        unit = node.attribute("uom")
        if unit and not _METRES.fullmatch(unit.lstrip("#")):
            yield Failure(f"is given in '{shorten(unit, 60)}'", node)


def _no_version(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at("distributionInfo/*/distributionFormat/*"):
        if node.first("version") is None:
            yield Failure(f"is missing in the format '{shorten(node.text('name'), 40)}'", node)


RULES = (
    _advice(
        "gemini-o06-theme",
        "Keyword",
        "gmd:keyword",
        _unknown_themes,
        "one of INSPIRE's 34 themes under this vocabulary, as its register spells it",
        '<gmx:Anchor xlink:href="http://inspire.ec.europa.eu/theme/lu">Land use</gmx:Anchor>',
    ),
    _advice(
        "gemini-o06-needed",
        "Keyword",
        "gmd:keyword",
        _no_theme,
        "one of INSPIRE's 34 themes, from the vocabulary GEMET - INSPIRE themes, version 1.0",
        '<gmx:Anchor xlink:href="http://inspire.ec.europa.eu/theme/lu">Land use</gmx:Anchor>',
        types=DATA,
        unless=("gemini-06-needed",),
    ),
    _advice(
        "gemini-o06-category",
        "Keyword",
        "gmd:keyword",
        _no_category,
        "one of INSPIRE's categories of spatial data services",
        "infoMapAccessService (WMS), infoFeatureAccessService (WFS)",
        types=SERVICES,
        unless=("gemini-06-needed",),
    ),
    _advice(
        "gemini-o07-needed",
        "Temporal extent",
        "gmd:temporalElement",
        needed(f"{_RESOURCE}/extent/*/temporalElement"),
        "the time that the data is about",
        "a gml:TimePeriod with begin 2019-04-01 and end 2020-03-31",
        types=DATA,
    ),
    _advice(
        "gemini-o08-needed",
        "Dataset reference date",
        "gmd:date",
        _undated,
        "the day of creation, publication or last revision, with that word as its type",
        '2025-11-20 with <gmd:CI_DateTypeCode … codeListValue="publication"/>',
        unless=("gemini-08-type", "gemini-a1-citation"),
    ),
    _advice(
        "gemini-o18-uom",
        "Spatial resolution",
        "gmd:distance",
        _units,
        "metres",
        f'<gco:Distance uom="{_METRE}">10</gco:Distance>',
    ),
    _advice(
        "gemini-o19-needed",
        "Resource locator",
        "gmd:linkage",
        needed(*_LINKS),
        "the URL of the resource, or of a page about it",
        "<gmd:URL>https://maps.borchester.example/files/land-use.gpkg</gmd:URL>",
    ),
    _advice(
        "gemini-o21-version",
        "Data format",
        "gmd:version",
        _no_version,
        "the version, or the reason why there is none",
        '<gmd:version gco:nilReason="unknown"/>',
        types=DATA,
    ),
    _advice(
        "gemini-o23-distributor",
        "Responsible organisation",
        "gmd:role",
        _no_distributor,
        "one gmd:pointOfContact that distributes the data, with the role distributor",
        '<gmd:CI_RoleCode … codeListValue="distributor"/>',
        types=DATA,
        versions=GEMINI_23,
        unless=("gemini-23-needed", "gemini-23-nil", "gemini-23-role"),
    ),
    _advice(
        "gemini-o25-code",
        "Limitations on public access",
        "gmd:otherConstraints",
        _unknown_limitations,
        "noLimitations or INSPIRE_Directive_Article13_1a to 1h as the end of the URL",
        f"{lists.LIMITATIONS_ADDRESS}noLimitations",
        unless=("gemini-25-one",),
    ),
    _advice(
        "gemini-o26-licence",
        "Use constraints",
        "gmd:useConstraints",
        _no_licence,
        "a licence's title and address in gmd:otherConstraints (GEMINI 2.1: gmd:useLimitation)",
        f"Open Government Licence v3.0, {_OGL}",
        unless=("gemini-a4-constraints", "gemini-a8-two-legal", "gemini-26-needed"),
    ),
    _advice(
        "gemini-o38-needed",
        "Coupled resource",
        "srv:operatesOn",
        _uncoupled,
        "the URL of the record of each dataset that it serves",
        '<srv:operatesOn xlink:href="https://maps.borchester.example/records/land-use.xml"/>',
        types=SERVICES,
    ),
    _advice(
        "gemini-o44-service",
        "Bounding box",
        "gmd:EX_GeographicBoundingBox",
        needed(_BOX),
        "the box around what the service covers, in srv:extent",
        "west -2.11, east -1.78, south 52.04, north 52.31",
        types=SERVICES,
    ),
    _advice(
        "gemini-o44-area",
        "Bounding box",
        "gmd:EX_GeographicBoundingBox",
        _no_area,
        "a box with an area, also around a single place",
        "west -2.111, east -2.109, south 52.041, north 52.043",
        unless=("bad-extent",),
    ),
)
