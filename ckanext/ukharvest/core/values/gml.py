"""Geometries in GML (2, 3.1, 3.2): one reader for all formats that carry them."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values import coordinate_systems
from ckanext.ukharvest.core.values.coordinate_systems import Point
from ckanext.ukharvest.core.values.geometries import (
    Geometry,
    bbox_polygon,
    is_on_national_grid,
    merge_geometries,
    valid_geojson,
)
from ckanext.ukharvest.core.values.text import Repaired, shorten
from ckanext.ukharvest.core.xml import parser as xml

# Degrees that need no conversion: they differ from WGS 84 by less than a metre.
DEGREES = ("EPSG:4326", "EPSG:4258", "OGC:CRS84")
CONVERTED = "converted-extent"  # the code of coordinates on the National Grid

_POLYGONS = ("Polygon", "PolygonPatch", "Rectangle", "Triangle")
_RINGS = ("exterior", "outerBoundaryIs", "interior", "innerBoundaryIs")
_LINES = ("LineString", "LinearRing", "Curve", "Ring")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")

Ring = list[Point]


@dataclass(frozen=True, slots=True)
class Shape:
    """A geometry as written: its coordinates in their order and system.

    Attributes:
        kind: Polygon, LineString, Point or Envelope.
        rings: of a polygon the outer one first; of the others one. Empty without positions.
    """

    kind: str
    rings: list[Ring]
    element: etree._Element


def parse_gml(text: str) -> Geometry:
    """Return the geometry in a text of GML, longitude first unless its system says otherwise.

    Raises:
        ValueError: not GML, or no place.
    """
    bare = _DECLARATION.sub("", text)
    try:
        # Publishers leave out the namespace.
        root = xml.parse(f'<gml xmlns:gml="http://www.opengis.net/gml">{bare}</gml>')
    except ParseError as exc:
        raise ValueError(
            Message("the text looks like GML but cannot be read as GML; expected GeoJSON")
        ) from exc
    geometry = read_gml(root, latitude_first=False)
    if geometry is None:
        raise ValueError(Message("the GML has no geometry; expected a Polygon, Envelope or Point"))
    return geometry


def read_gml(element: etree._Element, *, latitude_first: bool) -> Geometry | None:
    """Return the geometry below an element, None if there is none.

    Args:
        latitude_first: the order of degrees whose system's name does not say it.

    Raises:
        Repaired: some were written on the National Grid, without its name, and converted.
        ValueError: coordinates that are no place.
    """
    reason: ValueError | None = None
    geometries = []
    for shape in shapes(element):
        name = inherited(shape.element, "srsName") or next(
            filter(None, (part.get("srsName") for part in shape.element.iter("{*}*"))), ""
        )
        try:
            geometry = _geometry(shape, name, latitude_first)
        except ValueError as exc:
            # The grid has its easting first, wherever it is written.
            points = [point for ring in shape.rings for point in ring]
            system = coordinate_systems.find(name)
            is_in_metres = system is None or system.code in DEGREES
            if not (points and is_in_metres and all(starmap(is_on_national_grid, points))):
                raise
            reason = exc
            geometry = _geometry(shape, coordinate_systems.NATIONAL_GRID, latitude_first)
        geometries.append(geometry)
    if reason:
        words = Message("{reason}; it was converted", reason=reason)
        raise Repaired(words, merge_geometries(geometries), CONVERTED)
    return merge_geometries(geometries) if geometries else None


def _geometry(shape: Shape, name: str, latitude_first: bool) -> Geometry:
    if not shape.rings:
        raise ValueError(Message("the {kind} has no positions", kind=shape.kind))
    if shape.kind == "Envelope":
        return box_of_corners(
            shape.rings[0][0], shape.rings[0][-1], name, latitude_first=latitude_first
        )
    rings = [in_degrees(ring, name, latitude_first=latitude_first) for ring in shape.rings]
    coordinates: Any = {"Point": rings[0][0], "LineString": rings[0]}.get(shape.kind, rings)
    return valid_geojson({"type": shape.kind, "coordinates": coordinates})


def box_of_corners(
    lower: Point, upper: Point, name: str, *, latitude_first: bool = False
) -> Geometry:
    """Return the box between two corners in the system that is named."""
    ends = in_degrees((lower, upper), name, latitude_first=latitude_first)
    system = coordinate_systems.find(name)
    if system is None or system.code in DEGREES:
        return bbox_polygon(*ends[0], *ends[1])
    (x1, y1), (x2, y2) = lower, upper
    ring = in_degrees(((x1, y1), (x2, y1), (x2, y2), (x1, y2)), name, latitude_first=latitude_first)
    return valid_geojson({"type": "Polygon", "coordinates": [ring]})


def in_degrees(points: Sequence[Point], name: str, *, latitude_first: bool = False) -> Ring:
    """Return points as longitude and latitude in WGS 84.

    Args:
        name: of their reference system; one that is not known counts as WGS 84.
        latitude_first: the order of degrees whose system's name does not say it.

    Raises:
        ValueError: as ``coordinate_systems.to_wgs84``.
    """
    system = coordinate_systems.find(name)
    if system is None:
        is_y_first = latitude_first
    elif coordinate_systems.says_order(name) or system.code == "OGC:CRS84":
        is_y_first = system.y_first
    else:
        is_y_first = latitude_first and system.kind == "geographic"
    ring = [(y, x) for x, y in points] if is_y_first else list(points)
    if system is None or system.code in DEGREES:
        return ring
    return coordinate_systems.to_wgs84(ring, system)


def shapes(element: etree._Element) -> Iterator[Shape]:
    """Yield the geometries of an element and below it."""
    name = xml.local_name(element)
    if name in _POLYGONS:
        edges = sorted(
            (child for child in element.iterchildren("*") if xml.local_name(child) in _RINGS),
            key=lambda edge: _RINGS.index(xml.local_name(edge)),
        )
        rings = [ring for edge in edges if (ring := _positions(edge))]
        yield Shape("Polygon", rings, element)
    elif name in _LINES:
        yield _shape("LineString", element)
    elif name in ("Envelope", "Box"):
        yield _shape("Envelope", element)
    elif name == "Point":
        yield _shape("Point", element)
    else:
        for child in element.iterchildren("*"):
            yield from shapes(child)


def _shape(kind: str, element: etree._Element) -> Shape:
    ring = _positions(element)
    return Shape(kind, [ring] if ring else [], element)


def _positions(element: etree._Element) -> Ring:
    """Return all positions below an element, without heights."""
    positions: Ring = []
    for part in element.iter("{*}*"):
        text = part.text or ""
        name = xml.local_name(part)
        if name == "coordinates":
            positions += _of_coordinates(part, text)
        elif name in ("posList", "pos", "lowerCorner", "upperCorner") and text.strip():
            numbers = [_number(word) for word in text.replace(",", " ").split()]
            size = len(numbers) if name != "posList" else _dimension(part, len(numbers))
            if size not in (2, 3) or len(numbers) % size:
                raise ValueError(
                    Message(
                        "gml:{name} has {count} numbers; expected pairs",
                        name=name,
                        count=len(numbers),
                    )
                )
            positions += [(numbers[n], numbers[n + 1]) for n in range(0, len(numbers), size)]
    return positions


def _dimension(element: etree._Element, count: int) -> int:
    """Return how many numbers a position has: as stated, else two if possible."""
    stated = inherited(element, "srsDimension") or inherited(element, "dimension")
    if stated in ("2", "3"):
        return int(stated)
    return 3 if count % 2 and not count % 3 else 2


def inherited(element: etree._Element, attribute: str) -> str:
    """Return the attribute of an element or of its nearest ancestor that has it."""
    around = (element, *element.iterancestors())
    return next(filter(None, (part.get(attribute, "").strip() for part in around)), "")


def _of_coordinates(element: etree._Element, text: str) -> Ring:
    """Read GML 2's ``x,y x,y``, whose three separators can be set by attributes."""
    decimal, comma = element.get("decimal", "."), element.get("cs", ",")
    blank = element.get("ts", " ").strip() or None
    positions = []
    for group in text.split(blank):
        parts = group.strip().split(comma) if comma.strip() else group.split()
        if len(parts) not in (2, 3):
            raise ValueError(
                Message("'{group}' is not a position; expected x,y", group=shorten(group, 40))
            )
        x, y = (_number(part.replace(decimal, ".")) for part in parts[:2])
        positions.append((x, y))
    return positions


def _number(text: str) -> float:
    number = math.nan
    with contextlib.suppress(ValueError):
        number = float(text.replace("_", "?"))  # Python's 1_000 is no number of XML
    if not math.isfinite(number):
        raise ValueError(
            Message("'{text}' is not a coordinate; expected a number", text=shorten(text, 40))
        )
    return number
