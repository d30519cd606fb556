"""GEMINI, element 17: the spatial reference system."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules.checks import text_of, value, written_name
from ckanext.ukharvest.parsers.gemini.rules.lists import (
    DEFAULT_CRS,
    DEFAULT_CRS_ADDRESS,
    DEFAULT_CRS_NUMBERS,
)
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import DATA, GEMINI_23, Failure, Rule

_IDENTIFIER = "referenceSystemInfo/*/referenceSystemIdentifier/*"
_RESULT = "dataQualityInfo/*/report/*/result/*"
_EXAMPLE = '<gmx:Anchor xlink:href="http://www.opengis.net/def/crs/EPSG/0/27700">OSGB36</…>'
# Other spellings of a default system's URL: OGC's URN, also with a missing colon, and https.
_SPELLING = re.compile(
    r"(?:urn:ogc:def:crs:EPSG:(?:0?:)?|https://www\.opengis\.net/def/crs/EPSG/0/)(\d{1,6})",
    re.ASCII | re.IGNORECASE,
)


def _needed(metadata: Metadata) -> Iterator[Failure]:
    """Require the class, as AGI's rule does: no other is valid there by the XSD."""
    found = metadata.at(_IDENTIFIER)
    if not found:
        yield Failure("is missing", metadata.record)
    elif not any(node.name == "RS_Identifier" for node in found):
        yield Failure(f"has its code in a {written_name(found[0].element)}", found[0])


def _names(node: IsoNode) -> list[str]:
    """Return names of a system in an identifier: the code's text and its Anchor's URL."""
    parts = [part for code in node.find_all("code") for part in code.find_all("*")]
    return [name for part in parts for name in (part.href, text_of(part).strip()) if name]


def _space(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(_IDENTIFIER):
        space = node.first("codeSpace")
        if space and not DEFAULT_CRS.isdisjoint(_names(node)):
            words = shorten(text_of(space).strip(), 40)
            yield Failure(f"is '{words}'" if words else "is empty", space)


def _spelling(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(_IDENTIFIER):
        names = _names(node)
        found = [(name, _SPELLING.fullmatch(name)) for name in names]
        if not DEFAULT_CRS.isdisjoint(names):
            continue
        for name, match in found:
            if match and int(match[1]) in DEFAULT_CRS_NUMBERS:
                right = f"{DEFAULT_CRS_ADDRESS}{match[1]}"
                yield Failure(f"is '{name}', which INSPIRE lists as '{right}'", node)
                break


def _default(metadata: Metadata) -> Iterator[Failure]:
    """Require one of INSPIRE's default systems if the record claims to conform to INSPIRE.

    AGI's Schematron warns of every other system (SP-4a, SP-4b), so of all data in British National
    Grid, though INSPIRE requires this only of data that follow its regulation.
    """
    found = metadata.at(_IDENTIFIER)
    names = [name for node in found for name in _names(node)]
    if names and DEFAULT_CRS.isdisjoint(names) and _claims(metadata):
        said = f"is '{shorten(names[0], 60)}'"
        yield Failure(f"{said}, and the data are said to conform to INSPIRE", found[0])


def _claims(metadata: Metadata) -> bool:
    return any(
        "1089/2010" in node.text("specification/*/title") and is_yes(node.text("pass"))
        for node in metadata.at(_RESULT)
    )


RULES = (
    Rule(
        "gemini-17-needed",
        "Spatial reference system",
        "gmd:referenceSystemInfo",
        _needed,
        "at least one gmd:RS_Identifier with the system's address or code",
        _EXAMPLE,
        number="MI-17a",
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-17-value",
        "Spatial reference system",
        "gmd:RS_Identifier/gmd:code",
        value(f"{_IDENTIFIER}/code"),
        "the system's address or code",
        _EXAMPLE,
        number="AP-2",
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-17-space",
        "Spatial reference system",
        "gmd:codeSpace",
        _space,
        "no gmd:codeSpace for an INSPIRE default system, because its code is a complete URL",
        number="MI-17b MI-17c MI-17d",
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-w17-urn",
        "Spatial reference system",
        "gmd:RS_Identifier/gmd:code",
        _spelling,
        "the URL of INSPIRE's list, spelled exactly like this",
        number="SP-4c",
        versions=GEMINI_23,
        is_error=False,
    ),
    Rule(
        "gemini-w17-default",
        "Spatial reference system",
        "gmd:referenceSystemInfo",
        _default,
        "one of INSPIRE's default systems as well, or gmd:pass false for 1089/2010",
        f"{DEFAULT_CRS_ADDRESS}4258",
        number="SP-4a SP-4b",
        types=DATA,
        versions=GEMINI_23,
        is_error=False,
        unless=("gemini-17-needed", "gemini-17-value", "gemini-w17-urn"),
    ),
)
