"""Outlines in a GEMINI record: EX_BoundingPolygon, in any edition of GML.

GML 3.2 (ISO 19136) and the older gml:coordinates and outerBoundaryIs. Lines are read as the
outline that publishers mean by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from lxml import etree

from ckanext.ukharvest.core import crs
from ckanext.ukharvest.core.boxes import overlap, together, within
from ckanext.ukharvest.core.spatial import MAX_BYTES, Box, Geometry, bounds, valid_geojson
from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.core.xml import local_name
from ckanext.ukharvest.parsers.gemini_reference import EXPECTED, Reference
from ckanext.ukharvest.parsers.iso_node import IsoNode

FIELD = "gmd:EX_BoundingPolygon"
_POLYGONS = ("Polygon", "PolygonPatch", "Rectangle", "Triangle")
_RINGS = ("exterior", "outerBoundaryIs", "interior", "innerBoundaryIs")
_LINES = ("LineString", "LinearRing", "Curve", "Ring")
# Degrees that need no conversion: they differ from WGS 84 by less than a metre.
_DEGREES = ("EPSG:4326", "EPSG:4258", "OGC:CRS84")

_Ring = list[crs.Point]


@dataclass(frozen=True, slots=True)
class Outline:
    """A geometry in WGS 84, and its GML where its coordinates were converted ("" else)."""

    geometry: Geometry
    original: str = ""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to understand coordinates: their system, and whether y comes first."""

    system: crs.System
    y_first: bool


def read(node: IsoNode, near: Box | None, named: Iterable[Reference]) -> Outline | None:
    """Return the outline of an EX_BoundingPolygon; None for an empty or unreadable one.

    Args:
        near: the box around the record's boxes, if it has any: an outline elsewhere is wrong.
        named: the reference systems that the record names.
    """
    parts = list(node.each("polygon/*"))
    found: list[Outline] = []
    try:
        for part in parts:
            outline = _outline(part, near, list(named))
            found += [outline] if outline else []
    except ValueError as exc:
        node.report("bad-extent", FIELD, str(exc))
        return None
    if not found:
        return None
    originals = [each.original for each in found if each.original]
    return Outline(together([each.geometry for each in found]), "\n".join(originals))


def _outline(part: IsoNode, near: Box | None, named: list[Reference]) -> Outline | None:
    polygons = list(_polygons(part.element))
    if not polygons:
        return None
    name = _inherited(part.element, "srsName") or next(
        filter(None, (each.get("srsName") for each in part.element.iter("{*}*"))), ""
    )
    stated = crs.find(name)
    if name and not stated:
        words = f"'{shorten(name, 60)}' is no known reference system; {EXPECTED}"
        part.report("unknown-reference-system", "@srsName", words)
    readings = _readings(name, stated, named)
    reading, geometry = _best(polygons, readings, near)
    if stated and crs.says_order(name) and reading.y_first != readings[0].y_first:
        expected = "latitude or northing" if readings[0].y_first else "longitude or easting"
        words = f"its coordinates do not stand in the order of {shorten(name, 60)}"
        part.report("swapped-extent", FIELD, f"{words}; expected {expected} first")
    is_converted = reading.system.code not in _DEGREES
    text = etree.tostring(part.element, encoding="unicode", with_tail=False)
    keeps = is_converted and len(text.encode()) < MAX_BYTES
    return Outline(geometry, text if keeps else "")


def _readings(name: str, stated: crs.System | None, named: list[Reference]) -> list[_Reading]:
    """The ways to understand coordinates, what is stated first.

    Publishers follow neither the order of their URNs nor that of EPSG:4326 reliably, and many
    name no system at all. So both orders are tried, and the one counts that lies where the
    record's box lies or, without a box, where the system is meant to be used.
    """
    if stated:
        first = crs.says_order(name) and stated.y_first
        return [_Reading(stated, first), _Reading(stated, not first)]
    degrees = crs.find(crs.WGS84)
    lengths = [each.system for each in named if each.system and each.system.kind == "projected"]
    systems = dict.fromkeys(filter(None, (degrees, *lengths)))
    return [_Reading(system, turn) for system in systems for turn in (False, True)]


def _best(
    polygons: list[list[_Ring]], readings: list[_Reading], near: Box | None
) -> tuple[_Reading, Geometry]:
    """The first reading that lies within the box around it, else the first that touches it."""
    touching: list[tuple[_Reading, Geometry]] = []
    refused = ""
    for reading in readings:
        try:
            geometry = _geometry(polygons, reading)
        except ValueError as exc:
            refused = refused or str(exc)
            continue
        around = near or reading.system.area
        if around is None or within(bounds(geometry), around):
            return reading, geometry
        if overlap(bounds(geometry), around):
            touching.append((reading, geometry))
    if touching:
        return touching[0]
    where = "the bounding box" if near else "the area of its reference system"
    elsewhere = f"the polygon lies outside {where}; expected the system that srsName names"
    raise ValueError(refused or elsewhere)


def _geometry(polygons: list[list[_Ring]], reading: _Reading) -> Geometry:
    converted = [[_closed(_placed(ring, reading)) for ring in rings] for rings in polygons]
    geometry = valid_geojson({"type": "MultiPolygon", "coordinates": converted})
    if len(polygons) > 1:
        return geometry
    return {"type": "Polygon", "coordinates": geometry["coordinates"][0]}


def _placed(ring: _Ring, reading: _Reading) -> _Ring:
    points = [(y, x) for x, y in ring] if reading.y_first else ring
    return crs.to_wgs84(points, reading.system)


def _closed(ring: _Ring) -> _Ring:
    if len(set(ring)) < 3:
        raise ValueError(
            f"a ring has {len(set(ring))} positions that differ; expected three or more"
        )
    closed = ring if ring[0] == ring[-1] else [*ring, ring[0]]
    if not sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairwise(closed)):
        raise ValueError("a ring has no area; expected an outline")
    return closed


def _polygons(element: etree._Element) -> Iterator[list[_Ring]]:
    """Polygons as rings, the outer one first, coordinates in the order that they stand in."""
    name = local_name(element)
    if name in _POLYGONS:
        edges = sorted(
            (each for each in element.iterchildren("*") if local_name(each) in _RINGS),
            key=lambda each: _RINGS.index(local_name(each)),
        )
        if rings := [ring for edge in edges if (ring := _positions(edge))]:
            yield rings
    elif name in _LINES:
        if ring := _positions(element):
            yield [ring]
    elif name in ("Envelope", "Box"):
        if corners := _positions(element):
            (x1, y1), (x2, y2) = corners[0], corners[-1]
            yield [[(x1, y1), (x2, y1), (x2, y2), (x1, y2)]]
    else:
        for child in element.iterchildren("*"):
            yield from _polygons(child)


def _positions(element: etree._Element) -> _Ring:
    """All positions below an element, heights left out."""
    found: _Ring = []
    for each in element.iter("{*}*"):
        text = each.text or ""
        name = local_name(each)
        if name == "coordinates":
            found += _of_coordinates(each, text)
        elif name in ("posList", "pos", "lowerCorner", "upperCorner") and text.strip():
            numbers = [_number(part) for part in text.split()]
            size = len(numbers) if name != "posList" else _dimension(each, len(numbers))
            if size not in (2, 3) or len(numbers) % size:
                raise ValueError(f"gml:{name} has {len(numbers)} numbers; expected pairs")
            found += [(numbers[n], numbers[n + 1]) for n in range(0, len(numbers), size)]
    return found


def _dimension(element: etree._Element, count: int) -> int:
    """How many numbers a position has: as said, else two if that can be."""
    stated = _inherited(element, "srsDimension") or _inherited(element, "dimension")
    if stated in ("2", "3"):
        return int(stated)
    return 3 if count % 2 and not count % 3 else 2


def _inherited(element: etree._Element, attribute: str) -> str:
    """The attribute of an element or of the nearest one around it."""
    around = (element, *element.iterancestors())
    return next(filter(None, (each.get(attribute, "").strip() for each in around)), "")


def _of_coordinates(element: etree._Element, text: str) -> _Ring:
    """GML 2's ``x,y x,y``, whose three separators attributes may change."""
    decimal, comma = element.get("decimal", "."), element.get("cs", ",")
    blank = element.get("ts", " ").strip() or None
    found = []
    for group in text.split(blank):
        parts = group.strip().split(comma) if comma.strip() else group.split()
        if len(parts) not in (2, 3):
            raise ValueError(f"'{shorten(group, 40)}' is no position; expected x,y")
        x, y = (_number(part.replace(decimal, ".")) for part in parts[:2])
        found.append((x, y))
    return found


def _number(text: str) -> float:
    try:
        return float(text.replace("_", "?"))  # Python's 1_000 is no number of XML
    except ValueError:
        raise ValueError(f"'{shorten(text, 40)}' is no coordinate; expected a number") from None
