"""GEMINI, elements 7, 15, 16 and 44: time and place.

Services have the same elements below ``srv:extent``; AGI's Schematron requires the box and the
heights of data only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules.checks import text_of, value_or_reason
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import DATA, GEMINI_23, Failure, Rule, Test

_EXTENT = "identificationInfo/*/extent/*"
_TIME = f"{_EXTENT}/temporalElement/*/extent"
_AREA = f"{_EXTENT}/geographicElement/*"
_HEIGHT = f"{_EXTENT}/verticalElement/*"
_BOX = "EX_GeographicBoundingBox"
_GML = "http://www.opengis.net/gml/3.2"
_TIMES = ("TimePeriod", "TimeInstant")
_DATE = re.compile(
    r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])"
    r"(T([01]\d|2[0-4]):[0-5]\d:[0-5]\d)?)?)?",
    re.ASCII,
)
_SIDES = {
    "westBoundLongitude": 180,
    "eastBoundLongitude": 180,
    "southBoundLatitude": 90,
    "northBoundLatitude": 90,
}


def _shape(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(_TIME):
        times = [each for each in node.find_all("*") if each.name in _TIMES]
        if not times:
            yield Failure("has neither gml:TimePeriod nor gml:TimeInstant", node)
        elif f"{{{_GML}}}" not in str(times[0].element.tag):
            found = str(times[0].element.tag).partition("}")[0].lstrip("{")
            called = f"the namespace {found}" if found else "no namespace"
            yield Failure(f"has its {times[0].name} in {called}", node)
        elif not any(sum(each.name == name for each in times) == 1 for name in _TIMES):
            yield Failure(f"has {len(times)} of gml:{times[0].name}", node)


def _text(name: str, words: Collection[str]) -> Test:
    """Require that no position has both a date and an indeterminatePosition against it."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(f"{_TIME}/TimePeriod/{name}"):
            word, text = node.attribute("indeterminatePosition"), text_of(node).strip()
            if text and word in words:
                yield Failure(f"has '{shorten(text, 40)}' and indeterminatePosition '{word}'", node)

    return test


def _form(name: str) -> Test:
    """Require a date's form. AGI's Schematron checks only the length, including blanks.

    So it accepts 25/01/2010.
    """

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(f"{_TIME}/TimePeriod/{name}"):
            text = text_of(node).strip()
            if text and not _DATE.fullmatch(text):
                yield Failure(f"is '{shorten(text, 40)}'", node)

    return test


def _is_box(node: IsoNode) -> bool:
    return _BOX in (node.name, node.attribute("isoType").rpartition(":")[2])


def _boxes(metadata: Metadata) -> list[IsoNode]:
    return [node for node in metadata.at(_AREA) if _is_box(node)]


def _box_needed(metadata: Metadata) -> Iterator[Failure]:
    if not _boxes(metadata):
        yield Failure("is missing", metadata.record)


def _box_range(metadata: Metadata) -> Iterator[Failure]:
    for box in _boxes(metadata):
        sides = {side.name: side for side in box.find_all(*_SIDES)}
        for name, most in _SIDES.items():
            text = text_of(sides[name]).strip() if name in sides else ""
            if text and not abs(_number(text)) <= most:
                yield Failure(f"has gmd:{name} {shorten(text, 40)}", sides[name])
        south, north = (sides.get(name) for name in ("southBoundLatitude", "northBoundLatitude"))
        if south and north and _number(text_of(south)) > _number(text_of(north)):
            words = f"{shorten(text_of(south).strip(), 40)}, north of its north"
            yield Failure(f"has gmd:southBoundLatitude {words}", south)


def _box_value(metadata: Metadata) -> Iterator[Failure]:
    """Require numbers; if the element is missing, AGI's rules fire by chance (AP-6c, AP-6d)."""
    for box in _boxes(metadata):
        for name in _SIDES:
            side = box.first(name)
            if side is None:
                yield Failure(f"has no gmd:{name}", box)
            elif side.nil or not text_of(side).strip():
                yield Failure(f"has an empty gmd:{name}", side)


def _number(text: str) -> float:
    """Return NaN for text that is not a number: every comparison with it is false."""
    try:
        return float(text)
    except ValueError:
        return math.nan


_DATES = "a date as 2025, 2025-06, 2025-06-01 or 2025-06-01T10:00:00"
_PARSED = ("bad-extent", "converted-extent", "swapped-extent")

RULES = (
    Rule(
        "gemini-07-shape",
        "Temporal extent",
        "gmd:EX_TemporalExtent/gmd:extent",
        _shape,
        f"one TimePeriod or one TimeInstant, with the prefix gml for {_GML}",
        '<gml:TimePeriod gml:id="t1"><gml:beginPosition>2025-06-01</…> …',
        number="MI-7a",
    ),
    Rule(
        "gemini-07-begin-text",
        "Temporal extent",
        "gml:beginPosition",
        _text("beginPosition", ("unknown",)),
        "either a date or the attribute",
        '<gml:beginPosition indeterminatePosition="unknown"/>',
        number="MI-7d",
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-07-begin-form",
        "Temporal extent",
        "gml:beginPosition",
        _form("beginPosition"),
        _DATES,
        "<gml:beginPosition>2025-06-01</gml:beginPosition>",
        number="MI-7e",
        versions=GEMINI_23,
        unless=("gemini-07-begin-text", "bad-date gml:beginPosition"),
    ),
    Rule(
        "gemini-07-end-text",
        "Temporal extent",
        "gml:endPosition",
        _text("endPosition", ("unknown", "now")),
        "either a date or the attribute",
        '<gml:endPosition indeterminatePosition="now"/>',
        number="MI-7b",
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-07-end-form",
        "Temporal extent",
        "gml:endPosition",
        _form("endPosition"),
        _DATES,
        "<gml:endPosition>2025-08-31</gml:endPosition>",
        number="MI-7c",
        versions=GEMINI_23,
        unless=("gemini-07-end-text", "bad-date gml:endPosition"),
    ),
    Rule(
        "gemini-44-needed",
        "Bounding box",
        "gmd:EX_GeographicBoundingBox",
        _box_needed,
        "the smallest box around the data, in degrees of WGS 84",
        "west -2.11, east -1.78, south 52.04, north 52.31",
        number="MI-(11,12,13,13",
        types=DATA,
    ),
    Rule(
        "gemini-44-range",
        "Bounding box",
        "gmd:EX_GeographicBoundingBox",
        _box_range,
        "degrees of WGS 84, -180 to 180 for west and east, -90 to 90 for south and north",
        "west -2.11, east -1.78, south 52.04, north 52.31",
        number="AP-6a AP-6b AP-6c AP-6d",
        unless=_PARSED,
    ),
    Rule(
        "gemini-44-value",
        "Bounding box",
        "gmd:EX_GeographicBoundingBox",
        _box_value,
        "four numbers in degrees of WGS 84",
        "<gmd:westBoundLongitude><gco:Decimal>-2.11</gco:Decimal></gmd:westBoundLongitude>",
        number="AP-2",
        unless=_PARSED,
    ),
    Rule(
        "gemini-15-value",
        "Extent",
        "gmd:geographicIdentifier/gmd:code",
        value_or_reason(f"{_AREA}/geographicIdentifier/*/code"),
        "a place's code or name, or no such gmd:geographicElement",
        "<gmd:code><gco:CharacterString>E07000042</gco:CharacterString></gmd:code>",
        number="AP-1a",
    ),
    Rule(
        "gemini-16-value",
        "Vertical extent",
        "gmd:minimumValue or gmd:maximumValue",
        value_or_reason(f"{_HEIGHT}/minimumValue", f"{_HEIGHT}/maximumValue"),
        "the lowest and the highest number, or no gmd:verticalElement",
        "<gmd:minimumValue><gco:Real>12.5</gco:Real></gmd:minimumValue>",
        number="AP-1a",
        types=DATA,
    ),
)
