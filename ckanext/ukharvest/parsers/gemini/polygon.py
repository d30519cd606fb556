"""Outlines in a GEMINI record: EX_BoundingPolygon, in any edition of GML.

GML 3.2 (ISO 19136) and the older gml:coordinates and outerBoundaryIs. Lines are read as the
outlines that publishers mean by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from lxml import etree

from ckanext.ukharvest.core.values import coordinate_systems
from ckanext.ukharvest.core.values.geometries import (
    MAX_BYTES,
    Box,
    Geometry,
    bounds,
    is_within,
    merge_geometries,
    overlap,
    valid_geojson,
)
from ckanext.ukharvest.core.values.gml import DEGREES, Ring, inherited, shapes
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.reference_systems import EXPECTED, Reference

FIELD = "gmd:EX_BoundingPolygon"


@dataclass(frozen=True, slots=True)
class Outline:
    """A geometry in WGS 84, and its GML if its coordinates were converted ("" otherwise)."""

    geometry: Geometry
    original: str = ""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read coordinates: their system, and whether y comes first."""

    system: coordinate_systems.System
    y_first: bool


def read(node: IsoNode, near: Box | None, named_systems: Iterable[Reference]) -> Outline | None:
    """Return the outline of an EX_BoundingPolygon; None for an empty or unreadable one.

    Args:
        near: the box around the record's boxes, if any: an outline elsewhere is wrong.
        named_systems: the reference systems that the record names.
    """
    parts = list(node.find_all("polygon/*"))
    found: list[Outline] = []
    try:
        for part in parts:
            outline = _outline(part, near, list(named_systems))
            found += [outline] if outline else []
    except ValueError as exc:
        node.report("bad-extent", FIELD, str(exc))
        return None
    if not found:
        return None
    originals = [each.original for each in found if each.original]
    return Outline(merge_geometries([each.geometry for each in found]), "\n".join(originals))


def _outline(part: IsoNode, near: Box | None, named_systems: list[Reference]) -> Outline | None:
    polygons = list(_polygons(part.element))
    if not polygons:
        return None
    name = inherited(part.element, "srsName") or next(
        filter(None, (each.get("srsName") for each in part.element.iter("{*}*"))), ""
    )
    stated = coordinate_systems.find(name)
    if name and not stated:
        words = f"'{shorten(name, 60)}' is no known reference system; {EXPECTED}"
        part.report("unknown-reference-system", "@srsName", words)
    readings = _readings(name, stated, named_systems)
    reading, geometry = _best(polygons, readings, near)
    if stated and coordinate_systems.says_order(name) and reading.y_first != readings[0].y_first:
        expected = "latitude or northing" if readings[0].y_first else "longitude or easting"
        words = f"its coordinates are not in the order of {shorten(name, 60)}"
        part.report("swapped-extent", FIELD, f"{words}; expected {expected} first")
    is_converted = reading.system.code not in DEGREES
    text = etree.tostring(part.element, encoding="unicode", with_tail=False)
    keeps = is_converted and len(text.encode()) < MAX_BYTES
    return Outline(geometry, text if keeps else "")


def _readings(
    name: str, stated: coordinate_systems.System | None, named_systems: list[Reference]
) -> list[_Reading]:
    """Return the ways to read coordinates, the stated one first.

    Publishers reliably follow neither the axis order of their URNs nor that of EPSG:4326, and many
    name no system at all. So both orders are tried; the right one lies within the record's box or,
    without a box, in the system's area of use.
    """
    if stated:
        first = coordinate_systems.says_order(name) and stated.y_first
        return [_Reading(stated, first), _Reading(stated, not first)]
    degrees = coordinate_systems.find(coordinate_systems.WGS84)
    lengths = [
        each.system for each in named_systems if each.system and each.system.kind == "projected"
    ]
    systems = dict.fromkeys(filter(None, (degrees, *lengths)))
    return [_Reading(system, turn) for system in systems for turn in (False, True)]


def _best(
    polygons: list[list[Ring]], readings: list[_Reading], near: Box | None
) -> tuple[_Reading, Geometry]:
    """Return the first reading that lies within the box, else the first that touches it."""
    touching: list[tuple[_Reading, Geometry]] = []
    refused = ""
    for reading in readings:
        try:
            geometry = _geometry(polygons, reading)
        except ValueError as exc:
            refused = refused or str(exc)
            continue
        around = near or reading.system.area
        if around is None or is_within(bounds(geometry), around):
            return reading, geometry
        if overlap(bounds(geometry), around):
            touching.append((reading, geometry))
    if touching:
        return touching[0]
    where = "the bounding box" if near else "the area of its reference system"
    elsewhere = f"the polygon lies outside {where}; expected the system that srsName names"
    raise ValueError(refused or elsewhere)


def _geometry(polygons: list[list[Ring]], reading: _Reading) -> Geometry:
    converted = [[_closed(_placed(ring, reading)) for ring in rings] for rings in polygons]
    geometry = valid_geojson({"type": "MultiPolygon", "coordinates": converted})
    if len(polygons) > 1:
        return geometry
    return {"type": "Polygon", "coordinates": geometry["coordinates"][0]}


def _placed(ring: Ring, reading: _Reading) -> Ring:
    points = [(y, x) for x, y in ring] if reading.y_first else ring
    return coordinate_systems.to_wgs84(points, reading.system)


def _closed(ring: Ring) -> Ring:
    if len(set(ring)) < 3:
        raise ValueError(
            f"a ring has {len(set(ring))} positions that differ; expected three or more"
        )
    closed = ring if ring[0] == ring[-1] else [*ring, ring[0]]
    if not sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairwise(closed)):
        raise ValueError("a ring has no area; expected an outline")
    return closed


def _polygons(element: etree._Element) -> Iterator[list[Ring]]:
    """Yield polygons as rings, the outer one first, coordinates in their given order."""
    for shape in shapes(element):
        if shape.kind == "Envelope" and shape.rings:
            (x1, y1), (x2, y2) = shape.rings[0][0], shape.rings[0][-1]
            yield [[(x1, y1), (x2, y1), (x2, y2), (x1, y2)]]
        elif shape.kind != "Point" and shape.rings:
            yield shape.rings
