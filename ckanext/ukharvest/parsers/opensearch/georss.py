"""Places of an entry: GeoRSS Simple, and GML in georss:where or within EOP metadata (OGC 17-002r1).

Coordinates are latitude first, as in the standard, unless a geometry names CRS84.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.mapping_table import FieldValues
from ckanext.ukharvest.core.values import geometries
from ckanext.ukharvest.core.values.bounding_boxes import merge_geometries
from ckanext.ukharvest.core.values.geometries import Geometry
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.opensearch.entry import Entry

# Where an outline is, from the exact one to the rough one.
_PLACES = ("where", "polygon", "line", "point", "box")
_GEOMETRIES = ("Polygon", "LineString", "Point", "Envelope")
_WITHIN_EOP = "{*}EarthObservation//{*}featureOfInterest"
_TEXTS = ("pos", "posList", "lowerCorner", "upperCorner")


def read(entry: Entry) -> FieldValues:
    """Return the extent: of the first kind of place that the entry has."""
    for name in _PLACES:
        found = list(entry.root.iterchildren(f"{{*}}{name}"))
        if found and (shape := _shape(entry, name, found)):
            return {"spatial": shape}
    footprints = list(entry.root.iterfind(f".//{_WITHIN_EOP}"))
    return {"spatial": _shape(entry, "where", footprints)} if footprints else {}


def _shape(entry: Entry, name: str, elements: list[etree._Element]) -> Geometry | None:
    try:
        shapes = [shape for each in elements for shape in _shapes(name, each)]
    except ValueError as exc:
        entry.node.report("bad-spatial", f"georss:{name}", str(exc))
        return None
    return merge_geometries(shapes) if shapes else None


def _shapes(name: str, element: etree._Element) -> Iterator[Geometry]:
    if name == "where":
        for each in element.iter(*(f"{{*}}{kind}" for kind in _GEOMETRIES)):
            yield _of_gml(each)
        return
    numbers = _numbers(element)
    if not numbers:
        return
    if name == "box":
        yield _box(numbers)
    else:
        kind = {"polygon": "Polygon", "line": "LineString", "point": "Point"}[name]
        yield _geometry(kind, [_positions(numbers)])


def _of_gml(element: etree._Element) -> Geometry:
    """Return a geometry of GML 3."""
    kind = xml.local_name(element)
    is_x_first = "CRS84" in (element.get("srsName") or "").upper()
    parts = [element]
    if kind == "Polygon":
        edges = element.iterchildren("{*}exterior", "{*}interior")
        parts = sorted(edges, key=lambda each: xml.local_name(each) != "exterior")
    rings = []
    for part in parts:
        numbers = [n for each in _texts(part) for n in _flat(each)]
        rings.append(_positions(numbers, is_x_first=is_x_first))
    if kind == "Envelope":
        (west, south), (east, north) = rings[0][0], rings[0][-1]
        return geometries.bbox_polygon(west, south, east, north)
    return _geometry(kind, rings)


def _texts(element: etree._Element) -> Iterator[etree._Element]:
    return element.iter(*(f"{{*}}{name}" for name in _TEXTS))


def _flat(element: etree._Element) -> list[float]:
    """Return the numbers of an element's positions, without heights."""
    numbers = _numbers(element)
    stated = [each.get("srsDimension") for each in (element, *element.iterancestors())]
    is_flat = next(filter(None, stated), "2") != "3"
    if is_flat and not (len(numbers) == 3 and xml.local_name(element) != "posList"):
        return numbers
    return [number for place, number in enumerate(numbers) if place % 3 < 2]


def _numbers(element: etree._Element) -> list[float]:
    found = clean_text(element.text).replace(",", " ").split()
    try:
        return [float(text.replace("_", "?")) for text in found]  # 1_000 is no number of XML
    except ValueError:
        shown = shorten(" ".join(found), 40)
        raise ValueError(f"'{shown}' holds something else than coordinates") from None


def _positions(numbers: list[float], *, is_x_first: bool = False) -> list[list[float]]:
    """Return positions, longitude first."""
    if not numbers or len(numbers) % 2:
        raise ValueError(f"{len(numbers)} numbers are no positions; expected pairs")
    pairs = [numbers[place : place + 2] for place in range(0, len(numbers), 2)]
    return pairs if is_x_first else [pair[::-1] for pair in pairs]


def _box(numbers: list[float]) -> Geometry:
    if len(numbers) != 4:
        raise ValueError(f"a box of {len(numbers)} numbers; expected two positions")
    south, west, north, east = numbers
    return geometries.bbox_polygon(west, south, east, north)


def _geometry(kind: str, rings: list[list[list[float]]]) -> Geometry:
    if not rings:
        raise ValueError("the polygon has no exterior; expected one")
    coordinates: Any = {"Point": rings[0][0], "LineString": rings[0]}.get(kind, rings)
    return geometries.valid_geojson({"type": kind, "coordinates": coordinates})
