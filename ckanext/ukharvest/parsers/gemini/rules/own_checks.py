"""Checks of what GEMINI requires of a resource's description and no Schematron tests.

The parser, not these checks, reports for every record: west and east or south and north swapped
(swapped-extent), an unknown reference system (unknown-reference-system), a link without a URL
(missing-url). The run reports an identifier that another record of the source has
(duplicate-guid).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.theme_names import theme_of_address, theme_of_label
from ckanext.ukharvest.parsers.gemini import constraints
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules import lists
from ckanext.ukharvest.parsers.gemini.rules.checks import text_of
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.resource_checks import follows_inspire
from ckanext.ukharvest.parsers.gemini.rules.rule import Failure

_RESOURCE = "identificationInfo/*"
_KEYWORDS = f"{_RESOURCE}/descriptiveKeywords/*"
_DATE_TYPES = frozenset(("creation", "publication", "revision"))
_SIDES = ("westBoundLongitude", "eastBoundLongitude", "southBoundLatitude", "northBoundLatitude")
_THEMES = re.compile(r"inspire[\s_]+themes", re.IGNORECASE)
# The code that GEMINI requires, and other spellings of it.
_METRES = re.compile(r"m|met(?:re|er)s?|.*epsg\W.*\b9001", re.IGNORECASE)


def dated(metadata: Metadata) -> Iterator[Failure]:
    """Require a reference date of a type that GEMINI has."""
    for citation in metadata.at(f"{_RESOURCE}/citation/*"):
        types = citation.codes("date/*/dateType")
        if _DATE_TYPES.isdisjoint(types):
            fault = f"has the type '{shorten(types[0], 40)}'" if types else "is missing"
            yield Failure(fault, citation)


def distributor(metadata: Metadata) -> Iterator[Failure]:
    """Require a contact that distributes the data."""
    nodes = metadata.at(f"{_RESOURCE}/pointOfContact/*")
    if all(node.code("role") != "distributor" for node in nodes):
        node = nodes[0] if nodes else metadata.holder(f"{_RESOURCE}/pointOfContact")
        yield Failure("is distributor for none of the contacts", node)


def coupled(metadata: Metadata) -> Iterator[Failure]:
    """Require the data that a view or download service serves."""
    for node in metadata.at(_RESOURCE):
        service_type = node.text("serviceType")
        if service_type in ("view", "download") and node.first("operatesOn") is None:
            yield Failure(f"is missing in a service of the type {service_type}", node)


def box_area(metadata: Metadata) -> Iterator[Failure]:
    """Require a bounding box with an area."""
    for node in metadata.at(f"{_RESOURCE}/extent/*/geographicElement/EX_GeographicBoundingBox"):
        west, east, south, north = (_number(node, side) for side in _SIDES)
        if west is not None and west == east:
            yield Failure(f"has no width: its west and east are both {west:g}", node)
        elif south is not None and south == north:
            yield Failure(f"has no height: its south and north are both {south:g}", node)


def _number(node: IsoNode, name: str) -> float | None:
    """Return a side's number; the parser reports anything else."""
    side = node.first(name)
    try:
        return float(text_of(side)) if side else None
    except ValueError:
        return None


def _cites_themes(group: IsoNode) -> bool:
    titles = group.texts_at("thesaurusName/*/title")
    return any(_THEMES.search(f"{title.text} {title.href}") for title in titles)


def theme(metadata: Metadata) -> Iterator[Failure]:
    """Require that keywords of INSPIRE's themes are such themes."""
    for group in filter(_cites_themes, metadata.at(_KEYWORDS)):
        for node in group.find_all("keyword"):
            word = node.own_text()
            addressed = theme_of_address(word.href) or theme_of_address(word.text)
            if (word.text or word.href) and not addressed and not theme_of_label(word.text):
                shown = shorten(word.text or word.href, 60)
                yield Failure(f"is '{shown}', which is no theme of INSPIRE", node)


def theme_needed(metadata: Metadata) -> Iterator[Failure]:
    """Require one of INSPIRE's themes for data that follow its regulation."""
    if not follows_inspire(metadata) or any(map(_cites_themes, metadata.at(_KEYWORDS))):
        return
    if not any(map(theme_of_address, _keywords(metadata))):
        node = metadata.holder(f"{_KEYWORDS}/keyword")
        yield Failure("is missing, though the data follow INSPIRE's regulation", node)


def category(metadata: Metadata) -> Iterator[Failure]:
    """Require one of INSPIRE's categories of services."""
    words = {text.rpartition("/")[2] for text in _keywords(metadata)}
    if words.isdisjoint(lists.SERVICE_CATEGORIES):
        node = metadata.holder(f"{_KEYWORDS}/keyword")
        yield Failure("names no category of service", node)


def _keywords(metadata: Metadata) -> Iterator[str]:
    """Yield keywords, and the URLs of their Anchors; real records have up to 1,300."""
    for node in metadata.at(f"{_KEYWORDS}/keyword/*"):
        yield text_of(node).strip()
        if node.href:
            yield node.href


def limitation_code(metadata: Metadata) -> Iterator[Failure]:
    """Require that a limitation on public access is in INSPIRE's list."""
    for node in metadata.at(f"{_RESOURCE}/resourceConstraints/*/otherConstraints/Anchor"):
        _, is_limitation, code = node.href.partition("/LimitationsOnPublicAccess/")
        if is_limitation and code.strip("/") not in lists.LIMITATIONS:
            yield Failure(f"leads to '{shorten(code, 60)}', which INSPIRE does not have", node)


def licence(metadata: Metadata) -> Iterator[Failure]:
    """Require a licence that is known, or a URL of one."""
    for node in metadata.at(_RESOURCE)[:1]:
        if not constraints.has_licence(node):
            block = node.first("resourceConstraints/*")
            yield Failure("name no licence that is known, and no address of one", block or node)


def unit(metadata: Metadata) -> Iterator[Failure]:
    """Require a resolution in metres."""
    for node in metadata.at(f"{_RESOURCE}/spatialResolution/*/distance/*"):
        uom = node.attribute("uom")
        if uom and not _METRES.fullmatch(uom.lstrip("#")):
            yield Failure(f"is given in '{shorten(uom, 60)}'", node)


def version(metadata: Metadata) -> Iterator[Failure]:
    """Require the version of each format."""
    for node in metadata.at("distributionInfo/*/distributionFormat/*"):
        if node.first("version") is None:
            yield Failure(f"is missing in the format '{shorten(node.text('name'), 40)}'", node)
