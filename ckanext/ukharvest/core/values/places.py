"""Places as publishers write them, as GeoJSON in WGS 84: one reader for every format.

GeoJSON, WKT and GML in any known reference system, boxes, points, and the shapes of schema.org and
GeoRSS, which have the latitude first.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ckanext.ukharvest.core.values import coordinate_systems
from ckanext.ukharvest.core.values.geometries import (
    MAX_BYTES,
    WKT_NAMES,
    Geometry,
    bbox_polygon,
    bounds,
    hull,
    parse_number,
    too_large,
    valid_geojson,
)
from ckanext.ukharvest.core.values.gml import DEGREES, in_degrees, parse_gml
from ckanext.ukharvest.core.values.text import clean_text

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?"
_NUMBERS = re.compile(rf"{_NUMBER}(?:(?:\s*[,;]\s*|\s+){_NUMBER})*", re.IGNORECASE)
_WKT = re.compile(
    r"(?:SRID=(\d+);|<(https?://[^>]*)>)?\s*"
    r"(POINT|MULTIPOINT|LINESTRING|MULTILINESTRING|POLYGON|MULTIPOLYGON|ENVELOPE|BBOX)"
    r"\s*(?:Z\s*)?(\(.*\))",
    re.IGNORECASE | re.DOTALL,
)
# DCMI Box: "northlimit=51.7; southlimit=51.2; eastlimit=0.3; westlimit=-0.5".
_LIMIT = re.compile(rf"(north|south|east|west)limit\s*=\s*({_NUMBER})", re.IGNORECASE)
_METRES = 111_320  # in a degree of latitude

ORIGINAL = "spatial-original"  # the extra with the text of places that could not be read

# Called with a problem's code and text.
Report = Callable[[str, str], None]


class Places(NamedTuple):
    """The places of a record: a geometry, their names, and the texts that could not be read."""

    geometry: Geometry | None = None
    names: str = ""
    unread: str = ""

    @property
    def extras(self) -> dict[str, str]:
        """The extra that keeps the unread texts."""
        return {ORIGINAL: clean_text(self.unread)} if self.unread else {}


def read_places(texts: Iterable[str], report: Report) -> Places:
    """Return the places of texts, each a geometry or the name of a place."""
    geometries: list[Geometry] = []
    names: dict[str, None] = {}
    unread: dict[str, None] = {}
    for text in filter(None, texts):
        try:
            geometry = parse_spatial(text)
        except ValueError as exc:
            report("bad-spatial", str(exc))
            unread[text] = None
            continue
        if geometry:
            geometries.append(geometry)
        else:
            names[text] = None
    return Places(combine_places(geometries, report), "; ".join(names), "; ".join(unread))


def combine_places(geometries: Sequence[Geometry], report: Report) -> Geometry | None:
    """Return the geometries of a record as one: several become the box around all of them.

    A geometry too large for the search index is reported and becomes its bounding box.
    """
    if not geometries:
        return None
    geometry = geometries[0] if len(geometries) == 1 else _box_around(geometries)
    if size := too_large(geometry):
        words = f"the geometry has {size:,} bytes, and its box is used instead"
        report("large-spatial", f"{words}; expected less than {MAX_BYTES:,}")
        return _box_around([geometry])
    return geometry


def _box_around(geometries: Sequence[Geometry]) -> Geometry:
    return bbox_polygon(*hull([bounds(geometry) for geometry in geometries]))


def geometry_text(geometry: Geometry | None) -> str:
    """Return a geometry as JSON text, for an extra."""
    return json.dumps(geometry, separators=(",", ":")) if geometry else ""


def parse_box(sides: Sequence[str]) -> Geometry:
    """Return the box of four texts, west, south, east and north in degrees."""
    return bbox_polygon(*map(parse_number, sides))


def read_box(sides: Sequence[str], report: Callable[[str, str], None]) -> Geometry | None:
    """Return the same where all sides are there; a box that is none is reported."""
    try:
        return parse_box(sides) if all(sides) else None
    except ValueError as exc:
        report("bad-spatial", str(exc))
        return None


def parse_latitude_first(kind: str, text: str) -> Geometry:
    """Return a shape of schema.org's GeoShape or of GeoRSS Simple: latitude longitude ….

    Args:
        kind: point, line, polygon, box (lower and upper corner) or circle (centre, and radius in
            metres; it becomes the box around it).

    Raises:
        ValueError: not such a shape.
    """
    numbers = [parse_number(part) for part in re.split(r"[\s,]+", text.strip(" ,\n\t")) if part]
    if kind == "circle":
        return _circle(numbers)
    if not numbers or len(numbers) % 2:
        raise ValueError(f"{len(numbers)} numbers are no positions; expected pairs")
    positions = [[numbers[at + 1], numbers[at]] for at in range(0, len(numbers), 2)]
    if kind == "box":
        if len(positions) != 2:
            raise ValueError(f"a box of {len(numbers)} numbers; expected two positions")
        return bbox_polygon(*positions[0], *positions[1])
    name = WKT_NAMES["LINESTRING" if kind == "line" else kind.upper()]
    coordinates: Any = {"point": positions[0], "line": positions}.get(kind, [positions])
    return valid_geojson({"type": name, "coordinates": coordinates})


def _circle(numbers: Sequence[float]) -> Geometry:
    if len(numbers) != 3:
        raise ValueError(f"a circle of {len(numbers)} numbers; expected a position and a radius")
    latitude, longitude, radius = numbers
    height = abs(radius) / _METRES
    width = height / max(math.cos(math.radians(latitude)), 0.01)
    return bbox_polygon(
        max(longitude - width, -180.0),
        max(latitude - height, -90.0),
        min(longitude + width, 180.0),
        min(latitude + height, 90.0),
    )


def parse_spatial(text: str) -> Geometry | None:
    """Return the geometry in a text; None if it is a place's name, code or address.

    Understands GeoJSON, WKT and GML, in other reference systems too, the box ``west, south, east,
    north``, two corners ``[[w, s], [e, n]]``, DCMI Box, and a point as ``latitude, longitude``, the
    order of Project Open Data 1.1 and of everyday use.

    Raises:
        ValueError: it looks like a geometry but is not valid.
    """
    text = text.strip()
    if text[:1] in "[{" and text:
        return from_json(_loads(text))
    if match := _WKT.fullmatch(text):
        name = f"EPSG:{match[1]}" if match[1] else match[2] or ""
        return _wkt(match[3].upper(), match[4], name)
    limits = {name.lower(): parse_number(number) for name, number in _LIMIT.findall(text)}
    if len(limits) == 4:
        return bbox_polygon(limits["west"], limits["south"], limits["east"], limits["north"])
    if _NUMBERS.fullmatch(text):
        numbers = [parse_number(part) for part in re.split(r"[\s,;]+", text)]
        return _of_numbers(numbers) if len(numbers) > 1 else None
    if text.startswith("<"):
        return parse_gml(text)
    return None


def from_json(value: Any) -> Geometry:
    """Return the geometry of a JSON value: GeoJSON, four numbers, or two corners.

    Raises:
        ValueError: it is none of these.
    """
    if isinstance(value, dict):
        return valid_geojson(_converted(value, _system_of(value)))
    if isinstance(value, list) and len(value) == 6:  # a box with heights
        value = [*value[:2], *value[3:5]]
    if isinstance(value, list) and len(value) in (2, 4) and not isinstance(value[0], list):
        return _of_numbers([parse_number(item) for item in value])
    if isinstance(value, list) and len(value) == 2 and all(map(_is_pair, value)):
        (west, south), (east, north) = ([parse_number(part) for part in corner] for corner in value)
        if abs(south) > 90 or abs(north) > 90:
            # Seen in catalogues of federal agencies: corners with the latitude first.
            west, south, east, north = south, west, north, east
        return bbox_polygon(west, south, east, north)
    raise ValueError("the list is no place; expected GeoJSON or west, south, east, north")


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _system_of(value: Mapping[str, Any]) -> str:
    """Return the name of the reference system of GeoJSON before RFC 7946."""
    crs = value.get("crs")
    properties = crs.get("properties") if isinstance(crs, Mapping) else None
    name = properties.get("name") if isinstance(properties, Mapping) else ""
    return name if isinstance(name, str) else ""


def _converted(value: Any, name: str) -> Any:
    """Return GeoJSON with its coordinates in WGS 84; it always has x, y."""
    system = coordinate_systems.find(name) if name else None
    if system is None or system.code in DEGREES:
        return value
    return _each_position(value, lambda points: coordinate_systems.to_wgs84(points, system))


Convert = Callable[[list[tuple[float, float]]], list[tuple[float, float]]]


def _each_position(value: Any, convert: Convert) -> Any:
    """Return a nested structure with each list of two or more numbers converted."""
    if isinstance(value, Mapping):
        return {
            key: _each_position(part, convert)
            if key in ("coordinates", "geometry", "geometries", "features")
            else part
            for key, part in value.items()
        }
    if not isinstance(value, list):
        return value
    if len(value) > 1 and not isinstance(value[0], (list, Mapping)):
        return list(convert([(parse_number(value[0]), parse_number(value[1]))])[0])
    return [_each_position(part, convert) for part in value]


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


def _wkt(name: str, body: str, system: str) -> Geometry:
    if name in ("ENVELOPE", "BBOX"):
        return _wkt_envelope(name, body, system)
    # "((1 2, 3 4))" becomes "[[[1,2],[3,4]]]"; the parentheses around a lone point are dropped.
    pairs = re.sub(
        rf"(?<![\d.])({_NUMBER})\s+({_NUMBER})(?:\s+{_NUMBER})?",  # tried once for each number
        lambda match: f"[{float(match[1])},{float(match[2])}]",
        body,
        flags=re.IGNORECASE,
    )
    nested = _loads(pairs.replace("(", "[").replace(")", "]"))
    if name == "POINT" and len(nested) == 1:
        nested = nested[0]
    if name == "MULTIPOINT":
        nested = [item[0] if _is_wrapped(item) else item for item in nested]
    if system:
        nested = _each_position(nested, lambda points: in_degrees(points, system))
    return valid_geojson({"type": WKT_NAMES[name], "coordinates": nested})


def _is_wrapped(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 1 and isinstance(item[0], list)


def _wkt_envelope(name: str, body: str, name_of_system: str) -> Geometry:
    numbers = [parse_number(part) for part in re.split(r"[\s,()]+", body.strip("() ")) if part]
    if len(numbers) != 4:
        raise ValueError(f"{name} has {len(numbers)} numbers; expected four")
    if name == "ENVELOPE":  # OGC CQL and Solr: west, east, north, south
        west, east, north, south = numbers
    else:
        west, south, east, north = numbers
    system = coordinate_systems.find(name_of_system) if name_of_system else None
    if system is None or system.code in DEGREES:
        return bbox_polygon(west, south, east, north)
    return bbox_polygon(*coordinate_systems.box_to_wgs84((west, south, east, north), system))
