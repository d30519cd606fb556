"""GeoJSON as such: the rules of RFC 7946 that make a file unusable when they are broken."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.values.geometries import DEPTH, MAX_LEVEL
from ckanext.ukharvest.core.values.text import shorten

_GEOMETRIES = (*DEPTH, "GeometryCollection")
_POINT = '{"type": "Point", "coordinates": [-1.5, 53.8]}'


@dataclass(frozen=True, slots=True)
class GeoFault:
    """A broken rule: the path to it as in RFC 6901, what is there, what is expected."""

    path: str
    found: str
    expected: str
    code: str
    example: str = ""


def is_geojson(value: Any) -> bool:
    """Tell whether JSON means to be GeoJSON."""
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    return kind in ("FeatureCollection", "Feature") or (kind in _GEOMETRIES and _has_place(value))


def _has_place(value: Mapping[str, Any]) -> bool:
    return "coordinates" in value or "geometries" in value


def faults(value: Any, path: str = "") -> Iterator[GeoFault]:
    """Yield the broken rules of a geometry, a feature or a collection of features."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    if kind == "FeatureCollection":
        features = value.get("features")
        if not isinstance(features, list):
            yield GeoFault(f"{path}/features", show(features), "a list of features", "geojson")
            return
        for number, each in enumerate(features):
            yield from feature_faults(each, f"{path}/features/{number}")
    elif kind == "Feature":
        yield from feature_faults(value, path)
    else:
        yield from _geometry(value, path, 0)


def feature_faults(value: Any, path: str) -> Iterator[GeoFault]:
    """Yield the broken rules of a feature (section 3.2)."""
    if not isinstance(value, Mapping) or value.get("type") != "Feature":
        yield GeoFault(path, show(value), "a feature", "geojson-feature", '{"type": "Feature", …}')
        return
    if "geometry" not in value:
        yield GeoFault(f"{path}/geometry", "", "a geometry, or null", "geojson-feature", _POINT)
    elif value["geometry"] is not None:
        yield from _geometry(value["geometry"], f"{path}/geometry", 0)
    properties = value.get("properties")
    if "properties" not in value or not (properties is None or isinstance(properties, Mapping)):
        found = show(properties) if "properties" in value else ""
        example = '{"name": "Leeds"}'
        yield GeoFault(
            f"{path}/properties", found, "an object, or null", "geojson-feature", example
        )


def _geometry(value: Any, path: str, level: int) -> Iterator[GeoFault]:
    kind = value.get("type") if isinstance(value, Mapping) else None
    if kind == "GeometryCollection" and level < MAX_LEVEL:
        parts = value.get("geometries")
        if not isinstance(parts, list):
            yield GeoFault(f"{path}/geometries", show(parts), "a list of geometries", "geojson")
            return
        for number, each in enumerate(parts):
            yield from _geometry(each, f"{path}/geometries/{number}", level + 1)
    elif kind in DEPTH:
        places = value.get("coordinates")
        yield from _coordinates(places, f"{path}/coordinates", DEPTH[kind], kind)
    else:
        expected = f"a geometry: {', '.join(_GEOMETRIES)}"
        yield GeoFault(path, show(value), expected, "geojson-geometry", _POINT)


def _coordinates(value: Any, path: str, depth: int, kind: str) -> Iterator[GeoFault]:
    if not isinstance(value, list):
        yield GeoFault(path, show(value), f"the coordinates of a {kind}", "geojson-coordinates")
    elif depth == 0:
        yield from _position(value, path)
    else:
        for number, each in enumerate(value):
            # The first fault of a line is enough: a wrong system of coordinates breaks all.
            fault = next(_coordinates(each, f"{path}/{number}", depth - 1, kind), None)
            if fault:
                yield fault
                return
        if depth == 1:
            yield from _line(value, path, kind)


def _line(value: list[Any], path: str, kind: str) -> Iterator[GeoFault]:
    """Check the length of a line (3.1.4) or of a ring, which is closed (3.1.6)."""
    number = f"{len(value)} positions"
    if kind.endswith("LineString") and len(value) < 2:
        yield GeoFault(path, number, "two positions or more", "geojson-line")
    elif kind.endswith("Polygon") and len(value) < 4:
        yield GeoFault(path, number, "a ring of four positions or more", "geojson-ring")
    elif kind.endswith("Polygon") and value[0] != value[-1]:
        expected = f"a closed ring, which ends where it begins: {show(value[0])}"
        yield GeoFault(path, show(value[-1]), expected, "geojson-ring")


def _position(value: list[Any], path: str) -> Iterator[GeoFault]:
    """Check a position (3.1.1), which is in degrees (section 4)."""
    numbers = [each for each in value if type(each) in (int, float)]  # no booleans
    expected = "longitude and latitude in degrees (WGS 84)"
    if len(value) < 2 or len(numbers) != len(value):
        yield GeoFault(path, show(value), expected, "geojson-position", "[-1.5, 53.8]")
    elif not (abs(value[0]) <= 180 and abs(value[1]) <= 90):
        if abs(value[0]) <= 90 and abs(value[1]) <= 180:
            expected = "longitude first, then latitude"
        yield GeoFault(path, show(value), expected, "geojson-position", "[-1.5, 53.8]")


def show(value: Any) -> str:
    """Return JSON on one line, shortened."""
    if isinstance(value, list | Mapping) and len(value) > 20:
        return f"a list of {len(value):,} values" if isinstance(value, list) else "a long object"
    return shorten(json.dumps(value, ensure_ascii=False, default=str))
