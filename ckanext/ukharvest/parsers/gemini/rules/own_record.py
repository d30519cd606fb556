"""GEMINI's rules for a record that no Schematron tests: form, identity, date and standard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from functools import partial

from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.rules import edition
from ckanext.ukharvest.parsers.gemini.rules.checks import text_of, written_name
from ckanext.ukharvest.parsers.gemini.rules.edition import NOT_STATED, OTHER_ISO
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import GEMINI, GEMINI_23, Failure, Rule

_advice = partial(Rule, is_error=False)

_GMD = "http://www.isotc211.org/2005/gmd"
_OLD_GML = "http://www.opengis.net/gml"
# The GML classes that a record may have at the top: times, outlines, systems of heights.
_GML = ("TimePeriod", "TimeInstant", "Polygon", "Surface", "LineString", "Point", "VerticalCRS")
# RFC 3986, 2.2 and 2.3, and the percent sign.
_NOT_OF_A_URI = re.compile(r"[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]")
# Tolerance for different clocks and time zones.
_SLACK = timedelta(days=1)


def _root(metadata: Metadata) -> Iterator[Failure]:
    element = metadata.record.element
    namespace = xml.namespace(element)
    if namespace != _GMD:
        yield Failure(
            f"is {written_name(element)} of {namespace or 'no namespace'}", metadata.record
        )


def _old_gml(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.elements_named(*_GML):
        if xml.namespace(node.element) == _OLD_GML:
            yield Failure(f"is of the old namespace {_OLD_GML}", node)


def _characters(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at("fileIdentifier"):
        text = clean_text(text_of(node))
        if found := _NOT_OF_A_URI.search(text):
            what = "a blank" if found[0].isspace() else f"'{shorten(found[0])}'"
            yield Failure(f"holds {what}: '{shorten(text, 60)}'", node)


def _future(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at("dateStamp"):
        try:
            day = parse_date(text_of(node))
        except ValueError:
            continue  # the parser tells it as bad-date
        if day[:10] > (datetime.now(timezone.utc) + _SLACK).date().isoformat():
            yield Failure(f"is in the future: {day[:10]}", node)


def _edition(metadata: Metadata) -> Iterator[Failure]:
    if edition.detect_edition(metadata) == NOT_STATED:
        node = metadata.first("metadataStandardName") or metadata.record
        yield Failure("tells no edition of GEMINI, so that the record is judged by 2.3", node)


RULES = (
    _advice(
        "gemini-o-root",
        "The record itself",
        "gmd:MD_Metadata",
        _root,
        f"the element MD_Metadata of {_GMD}, the one form in which GEMINI is written",
        f'<gmd:MD_Metadata xmlns:gmd="{_GMD}">',
        versions=GEMINI | {OTHER_ISO},
    ),
    _advice(
        "gemini-o54-edition",
        "Metadata standard name",
        "gmd:metadataStandardName",
        _edition,
        "UK GEMINI as the name, and the edition as gmd:metadataStandardVersion",
        "<gco:CharacterString>2.3</gco:CharacterString>",
        versions=GEMINI_23,
    ),
    _advice(
        "gemini-o45-chars",
        "File identifier",
        "gmd:fileIdentifier",
        _characters,
        "letters, digits and characters that are allowed in a URL",
        "7c7d2bb1-3f0a-4c58-9a51-5d0d3c1f6f10",
        unless=("gemini-a3-braces",),
    ),
    _advice(
        "gemini-o30-future",
        "Metadata date",
        "gmd:dateStamp",
        _future,
        "the day of the record's last change",
        "<gco:Date>2025-05-12</gco:Date>",
    ),
    _advice(
        "gemini-o-gml",
        "Temporal extent, outlines",
        "gml:TimePeriod",
        _old_gml,
        f"the elements of GML 3.2, {_OLD_GML}/3.2",
        f'<gml:TimePeriod xmlns:gml="{_OLD_GML}/3.2" gml:id="period1">',
        unless=("gemini-07-shape",),
    ),
)
