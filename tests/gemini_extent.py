"""Extents and periods of the records of a generated catalogue."""

from __future__ import annotations

import random
from typing import NamedTuple

from tests.iso_spelling import el, text


class Place(NamedTuple):
    name: str
    longitude: float
    latitude: float
    easting: int
    northing: int


PLACES = (
    Place("Exe valley", -3.53, 50.72, 292_000, 92_000),
    Place("Norfolk coast", 1.29, 52.93, 621_000, 341_000),
    Place("Vale of York", -1.08, 53.96, 460_000, 452_000),
    Place("Solway plain", -2.94, 54.89, 340_000, 556_000),
    Place("Dee estuary", -2.10, 57.15, 394_000, 806_000),
    Place("Môn and Arfon", -4.27, 53.22, 248_000, 372_000),
)


def extent(place: Place, number: int, rng: random.Random, *, box: bool, grid: bool) -> str:
    """Return an EX_Extent, "" for an empty one.

    Args:
        box: whether it has a box.
        grid: its box is in eastings and northings.
    """
    parts = _shapes(place, number, rng, grid=grid) if box else []
    if rng.random() < 0.3:
        named = el("gmd:MD_Identifier", text("gmd:code", place.name))
        parts.append(el("gmd:EX_GeographicDescription", el("gmd:geographicIdentifier", named)))
    inside = "".join(el("gmd:geographicElement", part) for part in parts) + _period(number, rng)
    return el("gmd:EX_Extent", inside) if inside else ""


def _shapes(place: Place, number: int, rng: random.Random, *, grid: bool) -> list[str]:
    if grid:
        x, y = place.easting, place.northing
        return [_box(x - 5_000, y - 4_000, x + 5_000, y + 4_000)]
    x, y, step = place.longitude, place.latitude, number % 5 / 100
    box = _box(x - 0.1 - step, y - 0.05, x + 0.1, y + 0.05 + step)
    shapes = {
        "one": [box],
        "two": [box, _box(x + 0.3, y, x + 0.5, y + 0.1)],
        "point": [_box(x, y, x, y)],
        "polygon": [box, _polygon(x, y, number)],
    }
    return shapes[rng.choices(list(shapes), (42, 3, 2, 3))[0]]


def _box(west: float, south: float, east: float, north: float) -> str:
    sides = {"westBoundLongitude": west, "eastBoundLongitude": east}
    sides |= {"southBoundLatitude": south, "northBoundLatitude": north}
    spelt = (el(f"gmd:{name}", el("gco:Decimal", f"{side:.4f}")) for name, side in sides.items())
    return el("gmd:EX_GeographicBoundingBox", *spelt)


def _polygon(x: float, y: float, number: int) -> str:
    corners = ((0, 0), (0.2, 0), (0.1, 0.15), (0, 0))
    places = " ".join(f"{x + right:.3f} {y + up:.3f}" for right, up in corners)
    ring = el("gml:LinearRing", el("gml:posList", places))
    shape = el("gml:Polygon", el("gml:exterior", ring), gml__id=f"p{number}")
    return el("gmd:EX_BoundingPolygon", el("gmd:polygon", shape))


def _period(number: int, rng: random.Random) -> str:
    if rng.random() < 0.3:
        return ""
    year = rng.randint(1950, 2015)
    ends = (
        el("gml:endPosition", f"{year + 9}-12-31"),
        el("gml:endPosition", f"{year + 3}"),
        el("gml:endPosition", indeterminatePosition="now"),
    )
    begin = el("gml:beginPosition", rng.choice((f"{year}", f"{year}-04-01")))
    period = el("gml:TimePeriod", begin, rng.choice(ends), gml__id=f"t{number}")
    return el("gmd:temporalElement", el("gmd:EX_TemporalExtent", el("gmd:extent", period)))
