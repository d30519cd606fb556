"""Checks of the record itself: identifier, contact, type, encoding, date and standard.

GEMINI 30, 33, 35, 37 to 39, 45, 47, 54 and 55, and the encoding of the record (A1 to A7).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.rules import edition
from ckanext.ukharvest.parsers.gemini.rules.checks import (
    is_class,
    quoted,
    text_of,
    written_name,
)
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import SERVICE, Failure

_GMD = "http://www.isotc211.org/2005/gmd"
_OLD_GML = "http://www.opengis.net/gml"
# The GML classes that a record may have at the top: times, outlines, systems of heights.
_GML = ("TimePeriod", "TimeInstant", "Polygon", "Surface", "LineString", "Point", "VerticalCRS")
# RFC 3986, 2.2 and 2.3, and the percent sign.
_NOT_OF_A_URI = re.compile(r"[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]")
# Tolerance for different clocks and time zones.
_SLACK = timedelta(days=1)
_LEVEL_NAMES = "hierarchyLevelName/*"


def root(metadata: Metadata) -> Iterator[Failure]:
    """Require the root element of ISO 19139."""
    element = metadata.record.element
    namespace = xml.namespace(element)
    if namespace != _GMD:
        name = f"{written_name(element)} of {namespace or 'no namespace'}"
        yield Failure(f"is {name}", metadata.record)


def old_gml(metadata: Metadata) -> Iterator[Failure]:
    """Require GML of 3.2."""
    for node in metadata.elements_named(*_GML):
        if xml.namespace(node.element) == _OLD_GML:
            yield Failure(f"is of the old namespace {_OLD_GML}", node)


def braces(metadata: Metadata) -> Iterator[Failure]:
    """Require a file identifier without braces."""
    for node in metadata.at("fileIdentifier"):
        text = text_of(node)
        if "{" in text or "}" in text:
            yield Failure(f"is '{shorten(text)}'", node)


def characters(metadata: Metadata) -> Iterator[Failure]:
    """Require a file identifier of characters that a URI can have."""
    for node in metadata.at("fileIdentifier"):
        text = clean_text(text_of(node))
        if match := _NOT_OF_A_URI.search(text):
            what = "a blank" if match[0].isspace() else f"'{shorten(match[0])}'"
            yield Failure(f"holds {what}: '{shorten(text, 60)}'", node)


def future_date(metadata: Metadata) -> Iterator[Failure]:
    """Require that the record's date is not in the future."""
    for node in metadata.at("dateStamp"):
        try:
            day = parse_date(text_of(node))
        except ValueError:
            continue  # the parser reports it as bad-date
        if day[:10] > (datetime.now(timezone.utc) + _SLACK).date().isoformat():
            yield Failure(f"is in the future: {day[:10]}", node)


def no_edition(metadata: Metadata) -> Iterator[Failure]:
    """Require that the record shows its edition of GEMINI."""
    if edition.detect_edition(metadata) == edition.NOT_STATED:
        node = metadata.first("metadataStandardName") or metadata.record
        yield Failure("tells no edition of GEMINI, so that the record is judged by 2.3", node)


def contact_role(metadata: Metadata) -> Iterator[Failure]:
    """Require a contact of the record with the role pointOfContact."""
    contacts = metadata.at("contact")
    roles = [contact.code("*/role") for contact in contacts]
    if contacts and "pointOfContact" not in roles:
        words = quoted(roles, " or ")
        yield Failure(f"is {words}" if words else "is missing", contacts[0])


def identification_class(metadata: Metadata, name: str) -> Iterator[Failure]:
    """Require that the first identification is of a class."""
    node = metadata.first("identificationInfo/*")
    if node is not None and not is_class(node, name):
        yield Failure(f"holds {written_name(node.element)}", node)


def blank_text(metadata: Metadata) -> Iterator[Failure]:
    """Require text in each element of text."""
    for node in metadata.elements_named("CharacterString", "Anchor"):
        parent = node.element.getparent()
        if parent is not None and not text_of(node).strip():
            yield Failure(f"is empty in {written_name(parent)}", node)


def level_name(metadata: Metadata) -> Iterator[Failure]:
    """Require the word service as the name of a service's type."""
    for node in metadata.at(_LEVEL_NAMES):
        word = text_of(node)
        if word.strip() and word != SERVICE:
            yield Failure(f"is '{shorten(word)}'", node)


def blank_level_name(metadata: Metadata) -> Iterator[Failure]:
    """Require text in the name of the resource's type."""
    for node in metadata.at(_LEVEL_NAMES):
        if not text_of(node).strip():
            yield Failure("is empty", node)


def service_type(metadata: Metadata, *types: str) -> Iterator[Failure]:
    """Require that the type of a service is in a list."""
    for node in metadata.at("identificationInfo/*/serviceType"):
        names = [text_of(name) for name in node.find_all("LocalName")]
        if not names:
            yield Failure("has no gco:LocalName", node)
        elif names[0] not in types:
            yield Failure(f"is '{shorten(names[0])}'", node)


def coupled_url(metadata: Metadata) -> Iterator[Failure]:
    """Require a URL of each coupled resource; AGI's Schematron accepts an empty one."""
    for node in metadata.at("identificationInfo/*/operatesOn"):
        if not node.href:
            yield Failure("has no xlink:href", node)
