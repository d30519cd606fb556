"""Places as GeoJSON geometries in WGS 84 (RFC 7946): longitude first.

Anything that is not a valid geometry raises ValueError with the end of a sentence that starts
with the field's name, as everywhere in ``values``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.values.text import shorten

Geometry = dict[str, Any]
Box = tuple[float, float, float, float]

# Solr refuses a term of more than 32,766 bytes, and with it the dataset.
MAX_BYTES = 32_000

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
_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?"
_NUMBERS = re.compile(rf"{_NUMBER}(?:(?:\s*[,;]\s*|\s+){_NUMBER})*", re.IGNORECASE)
_WKT = re.compile(
    r"(?:SRID=\d+;|<https?://[^>]*>)?\s*"
    r"(POINT|MULTIPOINT|LINESTRING|MULTILINESTRING|POLYGON|MULTIPOLYGON|ENVELOPE|BBOX)"
    r"\s*Z?\s*(\(.*\))",
    re.IGNORECASE | re.DOTALL,
)
_COLLECTIONS = ("FEATURE", "FEATURECOLLECTION", "GEOMETRYCOLLECTION", "ENVELOPE")
_WKT_NAMES = {name.upper(): name for name in DEPTH}
# DCMI Box: "northlimit=51.7; southlimit=51.2; eastlimit=0.3; westlimit=-0.5".
_LIMIT = re.compile(rf"(north|south|east|west)limit\s*=\s*({_NUMBER})", re.IGNORECASE)


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
        raise ValueError(f"the box has its south ({south:g}) above its north ({north:g})")
    if west == east and south == north:
        return {"type": "Point", "coordinates": [west, south]}
    if west == east or (south == north and west < east):
        # Search indexes refuse polygons without area.
        return {"type": "LineString", "coordinates": [[west, south], [east, north]]}
    if west > east:
        parts = [_ring(west, south, 180.0, north), _ring(-180.0, south, east, north)]
        return {"type": "MultiPolygon", "coordinates": [[part] for part in parts]}
    return {"type": "Polygon", "coordinates": [_ring(west, south, east, north)]}


def _ring(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def is_geojson(value: Mapping[str, Any]) -> bool:
    """Tell whether an object claims to be GeoJSON; it may be invalid."""
    kind = str(value.get("type")).upper()
    return kind in _WKT_NAMES or kind in _COLLECTIONS


def valid_geojson(value: Any, *, _level: int = 0) -> Geometry:
    """Return the geometry of a GeoJSON object: a geometry, a feature or a collection of either.

    Open rings are closed, heights are dropped.

    Raises:
        ValueError: no such object, or coordinates outside WGS 84.
    """
    kind = value.get("type") if isinstance(value, dict) else None
    if _level > MAX_LEVEL:
        raise ValueError("the geometry collections are nested too deep")
    if kind == "Feature":
        return valid_geojson(value.get("geometry"), _level=_level + 1)
    if kind in ("FeatureCollection", "GeometryCollection"):
        parts = value.get("features" if kind == "FeatureCollection" else "geometries")
        if not isinstance(parts, list) or not parts:
            raise ValueError(f"the {kind} is empty")
        geometries = [valid_geojson(part, _level=_level + 1) for part in parts]
        if len(geometries) == 1:
            return geometries[0]
        return {"type": "GeometryCollection", "geometries": geometries}
    if str(kind).lower() == "envelope":
        return _envelope(value.get("coordinates"))
    name = _WKT_NAMES.get(str(kind).upper(), "")
    if not name:
        raise ValueError(f"'{shorten(str(kind), 40)}' is not a GeoJSON type; expected Polygon …")
    return {"type": name, "coordinates": _coordinates(value.get("coordinates"), name)}


def _envelope(corners: Any) -> Geometry:
    """Read an envelope as in Elasticsearch: the corners top left and bottom right."""
    try:
        (west, north), (east, south) = corners
        return bbox_polygon(*(_float(value) for value in (west, south, east, north)))
    except TypeError as exc:
        raise ValueError("the envelope is incomplete; expected two corners") from exc


def _coordinates(value: Any, name: str) -> Any:
    checked = _nested(value, DEPTH[name])
    if name == "Polygon":
        return [_closed(ring) for ring in checked]
    if name == "MultiPolygon":
        return [[_closed(ring) for ring in polygon] for polygon in checked]
    return checked


def _nested(value: Any, depth: int) -> Any:
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError("the geometry has no coordinates where they are due")
    if depth:
        return [_nested(item, depth - 1) for item in value]
    if len(value) < 2:
        raise ValueError("a position has one number; expected longitude and latitude")
    longitude, latitude = _float(value[0]), _float(value[1])
    _check(longitude, latitude)
    return [longitude, latitude]


def _closed(ring: list[list[float]]) -> list[list[float]]:
    if ring[0] != ring[-1]:
        ring = [*ring, ring[0]]
    if len(ring) < 4:
        raise ValueError(f"a ring has {len(ring)} positions; expected four or more")
    return ring


def _float(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"'{shorten(str(value), 40)}' is not a coordinate") from None
    if isinstance(value, bool) or not math.isfinite(number):
        raise ValueError(f"'{value}' is not a coordinate")
    return number


def _check(longitude: float, latitude: float) -> None:
    if -180 <= longitude <= 180 and -90 <= latitude <= 90:
        return
    where = f"{longitude:g}, {latitude:g}"
    if 0 <= longitude <= 800_000 and 0 <= latitude <= 1_400_000 and latitude > 1_000:
        raise ValueError(f"{where} looks like the British National Grid; expected degrees (WGS 84)")
    if -90 <= longitude <= 90 and -180 <= latitude <= 180:
        raise ValueError(f"{where} looks like latitude first; expected longitude first")
    raise ValueError(f"{where} lies outside the world; expected longitude and latitude in degrees")


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


def parse_spatial(text: str) -> Geometry | None:
    """Return the geometry in a text; None if it is a place's name or address.

    Understands GeoJSON, WKT, the box ``west, south, east, north``, two corners
    ``[[w, s], [e, n]]``, DCMI Box, and a point as ``latitude, longitude``, the order of Project
    Open Data 1.1 and of everyday use.

    Raises:
        ValueError: it looks like a geometry but is not valid.
    """
    text = text.strip()
    if text[:1] in "[{" and text:
        return from_json(_loads(text))
    if match := _WKT.fullmatch(text):
        return _wkt(match[1].upper(), match[2])
    limits = {name.lower(): _float(number) for name, number in _LIMIT.findall(text)}
    if len(limits) == 4:
        return bbox_polygon(limits["west"], limits["south"], limits["east"], limits["north"])
    if _NUMBERS.fullmatch(text):
        return _of_numbers([_float(part) for part in re.split(r"[\s,;]+", text)])
    if text.startswith("<"):
        raise ValueError("GML is not read here; expected GeoJSON or west, south, east, north")
    return None


def from_json(value: Any) -> Geometry:
    """Return the geometry of a JSON value: GeoJSON, four numbers, or two corners.

    Raises:
        ValueError: it is none of these.
    """
    if isinstance(value, dict):
        return valid_geojson(value)
    if isinstance(value, list) and len(value) in (2, 4) and not isinstance(value[0], list):
        return _of_numbers([_float(item) for item in value])
    if isinstance(value, list) and len(value) == 2 and all(_is_pair(item) for item in value):
        (west, south), (east, north) = ([_float(part) for part in corner] for corner in value)
        if abs(south) > 90 or abs(north) > 90:
            # Seen in catalogues of federal agencies: corners with the latitude first.
            west, south, east, north = south, west, north, east
        return bbox_polygon(west, south, east, north)
    raise ValueError("the list is no place; expected GeoJSON or west, south, east, north")


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise ValueError("the text begins like JSON and is none; expected GeoJSON") from exc


def _of_numbers(numbers: list[float]) -> Geometry:
    if len(numbers) == 4:
        west, south, east, north = numbers
        return bbox_polygon(west, south, east, north)
    if len(numbers) == 2:
        latitude, longitude = numbers
        if abs(latitude) > 90:
            latitude, longitude = longitude, latitude
        return valid_geojson({"type": "Point", "coordinates": [longitude, latitude]})
    raise ValueError(
        f"{len(numbers)} numbers are no place; expected west, south, east, north"
        " or latitude, longitude"
    )


def _wkt(name: str, body: str) -> Geometry:
    if name in ("ENVELOPE", "BBOX"):
        return _wkt_envelope(name, body)
    # "((1 2, 3 4))" becomes "[[[1,2],[3,4]]]"; the parentheses around a lone point are dropped.
    pairs = re.sub(
        rf"({_NUMBER})\s+({_NUMBER})(?:\s+{_NUMBER})?",
        lambda match: f"[{float(match[1])},{float(match[2])}]",
        body,
        flags=re.IGNORECASE,
    )
    nested = _loads(pairs.replace("(", "[").replace(")", "]"))
    if name == "POINT" and len(nested) == 1:
        nested = nested[0]
    if name == "MULTIPOINT":
        nested = [item[0] if _is_wrapped(item) else item for item in nested]
    return valid_geojson({"type": _WKT_NAMES[name], "coordinates": nested})


def _is_wrapped(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 1 and isinstance(item[0], list)


def _wkt_envelope(name: str, body: str) -> Geometry:
    numbers = [_float(part) for part in re.split(r"[\s,()]+", body.strip("() ")) if part]
    if len(numbers) != 4:
        raise ValueError(f"{name} has {len(numbers)} numbers; expected four")
    if name == "ENVELOPE":  # OGC CQL and Solr: west, east, north, south
        west, east, north, south = numbers
    else:
        west, south, east, north = numbers
    return bbox_polygon(west, south, east, north)
