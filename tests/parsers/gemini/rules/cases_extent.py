"""Records for the rules on time and place."""

from __future__ import annotations

from tests.iso_spelling import el, nil, text
from tests.parsers.gemini.rules.documents import dataset, service

GOOD = dataset()
_INSTANT = el("gml:TimeInstant", el("gml:timePosition", "2025-06-01"), gml__id="i1")


def _begin(value: str, vague: str = "") -> str:
    more = {"indeterminatePosition": vague} if vague else {}
    return el("gml:beginPosition", value, **more)


def _end(value: str, vague: str = "") -> str:
    return _begin(value, vague).replace("beginPosition", "endPosition")


def _south(value: str) -> str:
    return el("gmd:southBoundLatitude", el("gco:Decimal", value))


CASES = {
    "gemini-07-shape": (
        dataset(in_period="{in_period}" + _INSTANT * 2).replace("gml:TimePeriod", "gml:Time"),
        dataset(in_period=_INSTANT),
    ),
    "gemini-07-begin-text": (dataset(begin=_begin("2025", "unknown")), dataset(begin=_begin(""))),
    "gemini-07-begin-form": (
        dataset(begin=_begin("25/01/2010")),
        dataset(begin=_begin("2025-06-01T10:00:00")),
    ),
    "gemini-07-end-text": (service(end=_end("2025", "now")), service(end=_end("", "now"))),
    "gemini-07-end-form": (
        service(end=_end("2010-01-25T12:00:00Z")),
        service(end=_end("2025-09")),
    ),
    "gemini-44-needed": (dataset(box=""), service(box="")),
    "gemini-44-range": (dataset(south=_south("-90.5")), dataset(south=_south("-90"))),
    "gemini-44-value": (dataset(south=nil("gmd:southBoundLatitude")), GOOD),
    "gemini-15-value": (
        dataset(place_code=text("gmd:code", "")),
        dataset(place_code=nil("gmd:code", "unknown")),
    ),
    "gemini-16-value": (
        dataset(height=el("gco:Real", " ")),
        dataset(vertical=""),
    ),
}
