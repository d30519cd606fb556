"""Places as GeoJSON geometries in WGS 84 (RFC 7946): longitude first.

Anything that is not a valid geometry raises ValueError with the end of a sentence that starts
with the field's name, as everywhere in ``values``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import shorten

Geometry = dict[str, Any]
Box = tuple[float, float, float, float]

# Solr refuses a term of more than 32,766 bytes, and with it the dataset.
MAX_BYTES = 32_000

_FLAT = 1e-12  # square degrees: less is the rounding of numbers
MAX_LEVEL = 10  # of collections within collections

# type → nesting depth of its positions: a position, a line, rings, polygons.
DEPTH = {
    "Point": 0,
    "MultiPoint": 1,
    "LineString": 1,
    "MultiLineString": 2,
    "Polygon": 2,
    "MultiPolygon": 3,
}
_COLLECTIONS = ("FEATURE", "FEATURECOLLECTION", "GEOMETRYCOLLECTION", "ENVELOPE")
# Names in capital letters → names of GeoJSON.
WKT_NAMES = {name.upper(): name for name in DEPTH}


def bbox_polygon(west: float, south: float, east: float, north: float) -> Geometry:
    """Return a box in degrees as a geometry.

    A box without extent is a point, one without width or height a line; one across the 180th
    meridian (west > east) is cut in two, as RFC 7946, section 3.1.9, asks.

    Raises:
        ValueError: coordinates outside WGS 84, or south above north.
    """
    for longitude, latitude in ((west, south), (east, north)):
        _check(longitude, latitude)
    if south > north:
        raise ValueError(
            Message(
                "the box has its south ({south:g}) above its north ({north:g})",
                south=south,
                north=north,
            )
        )
    if west == east and south == north:
        return {"type": "Point", "coordinates": [west, south]}
    if west == east or (south == north and west < east):
        # Search indexes refuse polygons without area.
        return {"type": "LineString", "coordinates": [[west, south], [east, north]]}
    if west > east and south == north:
        lines = [[[west, south], [180.0, south]], [[-180.0, south], [east, south]]]
        return {"type": "MultiLineString", "coordinates": lines}
    if west > east:
        parts = [_ring(west, south, 180.0, north), _ring(-180.0, south, east, north)]
        return {"type": "MultiPolygon", "coordinates": [[part] for part in parts]}
    return {"type": "Polygon", "coordinates": [_ring(west, south, east, north)]}


def _ring(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def is_geojson(value: Mapping[str, Any]) -> bool:
    """Tell whether an object claims to be GeoJSON; it may be invalid."""
    kind = str(value.get("type")).upper()
    return kind in WKT_NAMES or kind in _COLLECTIONS


def valid_geojson(value: Any, *, _level: int = 0) -> Geometry:
    """Return the geometry of a GeoJSON object: a geometry, a feature or a collection of either.

    Open rings are closed, heights are dropped.

    Raises:
        ValueError: no such object, or coordinates outside WGS 84.
    """
    kind = value.get("type") if isinstance(value, dict) else None
    if _level > MAX_LEVEL:
        raise ValueError(Message("the geometry collections are nested too deep"))
    if kind == "Feature":
        return valid_geojson(value.get("geometry"), _level=_level + 1)
    if kind in ("FeatureCollection", "GeometryCollection"):
        parts = value.get("features" if kind == "FeatureCollection" else "geometries")
        if not isinstance(parts, list) or not parts:
            raise ValueError(Message("the {kind} is empty", kind=kind))
        geometries = [valid_geojson(part, _level=_level + 1) for part in parts]
        if len(geometries) == 1:
            return geometries[0]
        return {"type": "GeometryCollection", "geometries": geometries}
    if str(kind).lower() == "envelope":
        return _envelope(value.get("coordinates"))
    name = WKT_NAMES.get(str(kind).upper(), "")
    if not name:
        raise ValueError(
            Message(
                "'{kind}' is not a GeoJSON type; expected Polygon …", kind=shorten(str(kind), 40)
            )
        )
    coordinates = _coordinates(value.get("coordinates"), name)
    if name == "Polygon":
        return _without_area(coordinates[0]) or {"type": name, "coordinates": coordinates}
    if name == "MultiPolygon" and any(_without_area(part[0]) for part in coordinates):
        polygons = [{"type": "Polygon", "coordinates": part} for part in coordinates]
        parts = [_without_area(part["coordinates"][0]) or part for part in polygons]
        return parts[0] if len(parts) == 1 else {"type": "GeometryCollection", "geometries": parts}
    return {"type": name, "coordinates": coordinates}


def _without_area(ring: list[list[float]]) -> Geometry | None:
    """Return the point or line that a ring without area is; None for others.

    Search indexes refuse polygons without area.
    """
    first = ring[0]
    other = next((position for position in ring if position != first), None)
    if other is None:
        return {"type": "Point", "coordinates": first}
    width, height = other[0] - first[0], other[1] - first[1]
    if any(abs(width * (y - first[1]) - height * (x - first[0])) > _FLAT for x, y in ring):
        return None
    return {"type": "LineString", "coordinates": [min(ring), max(ring)]}


def _envelope(corners: Any) -> Geometry:
    """Read an envelope as in Elasticsearch: the corners top left and bottom right."""
    try:
        (west, north), (east, south) = corners
        return bbox_polygon(*(parse_number(value) for value in (west, south, east, north)))
    except TypeError as exc:
        raise ValueError(Message("the envelope is incomplete; expected two corners")) from exc


def _coordinates(value: Any, name: str) -> Any:
    checked = _nested(value, DEPTH[name])
    if name == "Polygon":
        return [_closed(ring) for ring in checked]
    if name == "MultiPolygon":
        return [[_closed(ring) for ring in polygon] for polygon in checked]
    return checked


def _nested(value: Any, depth: int) -> Any:
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError(Message("the geometry has no coordinates"))
    if depth:
        return [_nested(item, depth - 1) for item in value]
    if len(value) < 2:
        raise ValueError(Message("a position has one number; expected longitude and latitude"))
    longitude, latitude = parse_number(value[0]), parse_number(value[1])
    _check(longitude, latitude)
    return [longitude, latitude]


def _closed(ring: list[list[float]]) -> list[list[float]]:
    if ring[0] != ring[-1]:
        ring = [*ring, ring[0]]
    if len(ring) < 4:
        raise ValueError(
            Message("a ring has {count} positions; expected four or more", count=len(ring))
        )
    return ring


def parse_number(value: Any) -> float:
    """Return a coordinate; raise ValueError for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise ValueError(Message("'{value}' is not a coordinate", value=shorten(str(value), 40)))
    return number


class OnNationalGrid(ValueError):
    """Coordinates that can only be those of the British National Grid, in metres."""


def is_on_national_grid(easting: float, northing: float) -> bool:
    """Tell whether two numbers can be metres of the British National Grid, and no degrees."""
    return 0 <= easting <= 800_000 and 1_000 < northing <= 1_400_000


def _check(longitude: float, latitude: float) -> None:
    if -180 <= longitude <= 180 and -90 <= latitude <= 90:
        return
    where = Message("{longitude:g}, {latitude:g}", longitude=longitude, latitude=latitude)
    if is_on_national_grid(longitude, latitude):
        words = Message(
            "{where} looks like the British National Grid; expected degrees (WGS 84)", where=where
        )
        raise OnNationalGrid(words)
    if -90 <= longitude <= 90 and -180 <= latitude <= 180:
        raise ValueError(
            Message("{where} looks like latitude first; expected longitude first", where=where)
        )
    raise ValueError(
        Message(
            "{where} lies outside the world; expected longitude and latitude in degrees",
            where=where,
        )
    )


def bounds(geometry: Geometry) -> Box:
    """Return west, south, east, north of a valid geometry, in degrees."""
    positions = list(_positions(geometry))
    longitudes = [position[0] for position in positions]
    latitudes = [position[1] for position in positions]
    return min(longitudes), min(latitudes), max(longitudes), max(latitudes)


def _positions(geometry: Geometry) -> Iterator[list[float]]:
    for part in geometry.get("geometries", ()):
        yield from _positions(part)
    stack = [geometry["coordinates"]] if "coordinates" in geometry else []
    while stack:
        item = stack.pop()
        if isinstance(item[0], (int, float)):
            yield item
        else:
            stack.extend(item)


def too_large(geometry: Geometry) -> int:
    """Return the size in bytes of a geometry that the search index would refuse, else 0."""
    size = len(json.dumps(geometry, separators=(",", ":")))
    return size if size >= MAX_BYTES else 0


def overlap(one: Box, other: Box) -> bool:
    """Tell whether two boxes touch."""
    if one[1] > other[3] or other[1] > one[3]:
        return False
    return any(
        first <= second_end and second <= first_end
        for first, first_end in _spans(one)
        for second, second_end in _spans(other)
    )


def is_within(one: Box, other: Box) -> bool:
    """Tell whether the first box lies within the second."""
    if one[1] < other[1] or one[3] > other[3]:
        return False
    return all(
        any(second <= first and first_end <= second_end for second, second_end in _spans(other))
        for first, first_end in _spans(one)
    )


def _spans(box: Box) -> list[tuple[float, float]]:
    west, _, east, _ = box
    return [(west, east)] if west <= east else [(west, 180.0), (-180.0, east)]


def hull(boxes: Sequence[Box]) -> Box:
    """Return the box around some boxes; across the 180th meridian only if one of them is.

    Two boxes that end at that meridian, one on either side, may be one place or two far apart; as
    this cannot be known, the result is then a box around the world.
    """
    south, north = min(box[1] for box in boxes), max(box[3] for box in boxes)
    if all(west <= east for west, _, east, _ in boxes):
        return min(box[0] for box in boxes), south, max(box[2] for box in boxes), north
    west, east = _around(sorted(span for box in boxes for span in _spans(box)))
    return west, south, east, north


def _around(spans: list[tuple[float, float]]) -> tuple[float, float]:
    """Return west and east of what is left without the widest gap between sorted spans.

    The first span starts at -180 and one ends at 180: there is no gap at the meridian.
    """
    gaps = []
    reached = spans[0][1]
    for start, end in spans[1:]:
        gaps.append((start - reached, start, reached))
        reached = max(reached, end)
    width, west, east = max(gaps)
    return (west, east) if width > 0 else (-180.0, 180.0)


def merge_geometries(geometries: Sequence[Geometry]) -> Geometry:
    """Return geometries as one: polygons as a MultiPolygon, a mixture as a collection."""
    if len(geometries) == 1:
        return geometries[0]
    if any("Polygon" not in geometry["type"] for geometry in geometries):
        return {"type": "GeometryCollection", "geometries": list(geometries)}
    polygons = [
        part
        for geometry in geometries
        for part in (
            geometry["coordinates"]
            if geometry["type"] == "MultiPolygon"
            else [geometry["coordinates"]]
        )
    ]
    return {"type": "MultiPolygon", "coordinates": polygons}
