"""Boxes, outlines and reference systems of a GEMINI record: elements 17 and 44.

GEMINI and ISO 19115 require degrees in WGS 84, west above east only across the 180th meridian.
Outlines are GML 3.2 (ISO 19136) or the older gml:coordinates and outerBoundaryIs; lines are read as
the outlines that publishers mean by them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from lxml import etree

from ckanext.ukharvest.core.messages import Message
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
from ckanext.ukharvest.core.values.multivalue import as_text
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers.gemini.document import Entry, IsoNode, without_blanks
from ckanext.ukharvest.parsers.table import Field, FieldValues

EXPECTED = Message("expected one of EPSG's, such as http://www.opengis.net/def/crs/EPSG/0/27700")
_IDENTIFIERS = "referenceSystemInfo/*/referenceSystemIdentifier/*"
# Real records have up to three; each look-up takes about 10 ms.
_MOST = 50


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference system as a record names it.

    Attributes:
        code, href: its code and the URL of the code's Anchor; "" if there is none.
        space: the code space, else the authority of the code.
        description: of ISO 19115-3.
        system: the known system, None if unknown.
        node: its element.
    """

    code: str
    href: str
    space: str
    description: str
    system: coordinate_systems.System | None
    node: IsoNode


def references(entry: Entry) -> tuple[Reference, ...]:
    """Return the systems that a record names, in order, without repeats or those without a code.

    Only the first 50 elements are read; ``_systems`` reports the rest.
    """
    nodes = islice(entry.record.find_all(_IDENTIFIERS), _MOST)
    systems = (_reference(node) for node in nodes)
    return tuple({(system.code, system.href): system for system in systems if system}.values())


def _reference(node: IsoNode) -> Reference | None:
    code = node.first_text_at("code")
    if code is None:
        return None
    space = node.text("codeSpace", "authority/*/title")
    # The Anchor's URL identifies the system, its text is free; 19115-3 also has a description.
    description = node.text("description")
    spellings = ((code.href, ""), (code.text, space), (description, ""))
    system = next(
        filter(None, (coordinate_systems.find(*spelling) for spelling in spellings)), None
    )
    return Reference(code.text or code.href, code.href, space, description, system, node)


def _systems(entry: Entry) -> FieldValues:
    systems = references(entry)
    for reference in systems:
        # A register's own URL may name the system, as for postcodes (GEMINI 17).
        address = reference.href or reference.code
        is_of_register = is_web_url(address) and not coordinate_systems.says_order(address)
        if not reference.system and not is_of_register:
            words = Message(
                "'{code}' is not a reference system we know; {expected}",
                code=shorten(reference.code, 60),
                expected=EXPECTED,
            )
            reference.node.report("unknown-reference-system", "gmd:referenceSystemInfo", words)
    for node in islice(entry.record.find_all(_IDENTIFIERS), _MOST, _MOST + 1):
        words = Message(
            "the record has more than {most} reference systems, of which the first are read;"
            " {expected}",
            most=_MOST,
            expected=EXPECTED,
        )
        node.report("unknown-reference-system", "gmd:referenceSystemInfo", words)
    facts = [_facts(reference) for reference in systems]
    says_more = len(facts) > 1 or any(len(fact) > 1 for fact in facts)
    return {
        "extras": {
            "spatial-reference-system": systems[0].code if systems else "",
            "spatial-reference-systems": as_text(facts) if says_more else "",
        }
    }


def _facts(reference: Reference) -> dict[str, str]:
    system = reference.system
    return without_blanks(
        {
            "code": reference.code,
            "href": reference.href if reference.href != reference.code else "",
            "codeSpace": reference.space,
            "description": reference.description,
            "epsg": system.code if system and system.code != reference.code else "",
            "name": system.name if system else "",
        }
    )


BOX_FIELD = "gmd:EX_GeographicBoundingBox"
_CORNERS = (
    "westBoundLongitude",
    "southBoundLatitude",
    "eastBoundLongitude",
    "northBoundLatitude",
)
_DEGREES = Message("expected degrees in WGS 84, such as -2.4")
# Programs with 32-bit numbers write 180.00001 and -90.0001.
_SLACK = 0.01
# The range of the National Grid: no other coordinates in Britain have numbers like these.
_GRID = (0.0, 0.0, 700_000.0, 1_300_000.0)
# Systems of the United Kingdom that stand for the National Grid in metres when a record names them:
# the datum OSGB36, and the grid with heights.
_BRITISH = {"EPSG:4277", "EPSG:7405", "EPSG:27700"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """A box in degrees, and its numbers as given if they were not degrees ("" otherwise)."""

    box: Box
    original: str = ""


def read_box(node: IsoNode, named_systems: Iterable[Reference]) -> Bounds | None:
    """Return an EX_GeographicBoundingBox; None for an empty or unreadable one.

    Args:
        named_systems: the reference systems that the record names.
    """
    texts = [node.text(name) for name in _CORNERS]
    if not any(texts):
        return None
    numbers = [_number(node, name, text) for name, text in zip(_CORNERS, texts, strict=True)]
    west, south, east, north = numbers
    if west is None or south is None or east is None or north is None:
        return None
    if not any(numbers):
        node.report(
            "bad-extent", BOX_FIELD, Message("all four numbers are 0; {degrees}", degrees=_DEGREES)
        )
        return None
    if south > north:
        words = Message(
            "its south {south:g} is above its north {north:g}, which was read the other way round",
            south=south,
            north=north,
        )
        node.report("swapped-extent", BOX_FIELD, words)
        south, north = north, south
    if box := _degrees(west, south, east, north):
        return Bounds(_turned(node, box))
    return _of_lengths(node, (min(west, east), south, max(west, east), north), texts, named_systems)


def _number(node: IsoNode, name: str, text: str) -> float | None:
    """Return a number with decimal point or comma; report anything else."""
    if not text:
        node.report(
            "bad-extent",
            BOX_FIELD,
            Message("has no gmd:{name}; {degrees}", name=name, degrees=_DEGREES),
        )
        return None
    plain = re.sub(r"\s", "", text).replace("\u2212", "-").removesuffix("°")
    if re.fullmatch(r"[-+]?\d+,\d+", plain):
        plain = plain.replace(",", ".")
    try:
        number = float(plain)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in plain:
        node.report(
            "bad-extent",
            f"gmd:{name}",
            Message(
                "'{text}' is not a number; {degrees}", text=shorten(text, 40), degrees=_DEGREES
            ),
        )
        return None
    return number


def _degrees(west: float, south: float, east: float, north: float) -> Box | None:
    """Return the box if its numbers can be degrees, else None."""
    if max(abs(south), abs(north)) > 90 + _SLACK:
        return None
    south, north = (min(max(number, -90.0), 90.0) for number in (south, north))
    if max(abs(west), abs(east)) <= 180 + _SLACK:
        west, east = (min(max(number, -180.0), 180.0) for number in (west, east))
        return west, south, east, north
    if not (-180 <= west <= 360 and -180 <= east <= 360):
        return None
    # Longitudes from 0 to 360, as in models of sea and air.
    if east - west >= 360 - _SLACK:
        return -180.0, south, 180.0, north
    west, east = (number - 360 if number > 180 else number for number in (west, east))
    return west, south, east, north


def _turned(node: IsoNode, box: Box) -> Box:
    """Read west above east as crossing the 180th meridian, unless swapping makes it narrower."""
    west, south, east, north = box
    if not 0 < west - east < 180:
        return box
    words = Message(
        "its west {west:g} is east of its east {east:g}, which was read the other way round",
        west=west,
        east=east,
    )
    node.report("swapped-extent", BOX_FIELD, words)
    return east, south, west, north


def _of_lengths(
    node: IsoNode, box: Box, texts: list[str], named_systems: Iterable[Reference]
) -> Bounds | None:
    """Return a box given in metres: eastings and northings of a system that the record names."""
    written = ", ".join(shorten(text, 40) for text in texts)
    refused: str = Message("{written} is not a box in degrees", written=written)
    for system in _candidates(box, list(named_systems)):
        try:
            degrees = coordinate_systems.box_to_wgs84(box, system)
        except ValueError as exc:
            refused = str(exc)
            continue
        words = Message(
            "{written} is a box in {title}, which is converted; {degrees}",
            written=written,
            title=system.title,
            degrees=_DEGREES,
        )
        node.report("converted-extent", BOX_FIELD, words)
        return Bounds(degrees, f"{written} ({system.code})")
    node.report(
        "bad-extent", BOX_FIELD, Message("{refused}; {degrees}", refused=refused, degrees=_DEGREES)
    )
    return None


def _candidates(box: Box, named_systems: list[Reference]) -> list[coordinate_systems.System]:
    systems = [reference.system for reference in named_systems if reference.system]
    projected = [system for system in systems if system.kind == "projected"]
    is_british = any(system.code in _BRITISH for system in systems)
    west, south, east, north = box
    fits = west >= _GRID[0] and south >= _GRID[1] and east <= _GRID[2] and north <= _GRID[3]
    grid = coordinate_systems.find(coordinate_systems.NATIONAL_GRID)
    if grid and fits and (is_british or not named_systems):
        projected.append(grid)
    return list(dict.fromkeys(projected))


OUTLINE_FIELD = "gmd:EX_BoundingPolygon"


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


def read_outline(
    node: IsoNode, near: Box | None, named_systems: Iterable[Reference]
) -> Outline | None:
    """Return the outline of an EX_BoundingPolygon; None for an empty or unreadable one.

    Args:
        near: the box around the record's boxes, if any: an outline elsewhere is wrong.
        named_systems: the reference systems that the record names.
    """
    try:
        parts = [_outline(part, near, list(named_systems)) for part in node.find_all("polygon/*")]
    except ValueError as exc:
        node.report("bad-extent", OUTLINE_FIELD, str(exc))
        return None
    outlines = [outline for outline in parts if outline]
    if not outlines:
        return None
    originals = [shape.original for shape in outlines if shape.original]
    return Outline(merge_geometries([shape.geometry for shape in outlines]), "\n".join(originals))


def _outline(part: IsoNode, near: Box | None, named_systems: list[Reference]) -> Outline | None:
    polygons = list(_polygons(part.element))
    if not polygons:
        return None
    names = (element.get("srsName") for element in part.element.iter("{*}*"))
    name = inherited(part.element, "srsName") or next(filter(None, names), "")
    stated = coordinate_systems.find(name)
    if name and not stated:
        words = Message(
            "'{name}' is not a reference system we know; {expected}",
            name=shorten(name, 60),
            expected=EXPECTED,
        )
        part.report("unknown-reference-system", "@srsName", words)
    readings = _readings(name, stated, named_systems)
    reading, geometry = _best(polygons, readings, near)
    if stated and coordinate_systems.says_order(name) and reading.y_first != readings[0].y_first:
        expected = (
            Message("latitude or northing")
            if readings[0].y_first
            else Message("longitude or easting")
        )
        words = Message(
            "its coordinates are not in the order of {name}; expected {expected} first",
            name=shorten(name, 60),
            expected=expected,
        )
        part.report("swapped-extent", OUTLINE_FIELD, words)
    if reading.system.code in DEGREES:
        return Outline(geometry)
    text = etree.tostring(part.element, encoding="unicode", with_tail=False)
    return Outline(geometry, text if len(text.encode()) < MAX_BYTES else "")


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
        reference.system
        for reference in named_systems
        if reference.system and reference.system.kind == "projected"
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
    where = Message("the bounding box") if near else Message("the area of its reference system")
    elsewhere = Message(
        "the polygon lies outside {where}; expected the system that srsName names", where=where
    )
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
            Message(
                "a ring has {count} positions that differ; expected three or more",
                count=len(set(ring)),
            )
        )
    closed = ring if ring[0] == ring[-1] else [*ring, ring[0]]
    if not sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairwise(closed)):
        raise ValueError(Message("a ring has no area; expected an outline"))
    return closed


def _polygons(element: etree._Element) -> Iterator[list[Ring]]:
    """Yield polygons as rings, the outer one first, coordinates in their given order."""
    for shape in shapes(element):
        if shape.kind == "Envelope" and shape.rings:
            (x1, y1), (x2, y2) = shape.rings[0][0], shape.rings[0][-1]
            yield [[(x1, y1), (x2, y1), (x2, y2), (x1, y2)]]
        elif shape.kind != "Point" and shape.rings:
            yield shape.rings


MAPPING: tuple[Field, ...] = (
    Field(
        ("gmd:referenceSystemInfo",),
        "extras spatial-reference-system, spatial-reference-systems",
        _systems,
    ),
)
