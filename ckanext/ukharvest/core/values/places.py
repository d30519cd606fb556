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

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values import coordinate_systems
from ckanext.ukharvest.core.values.geometries import (
    MAX_BYTES,
    MAX_LEVEL,
    WKT_NAMES,
    Box,
    Geometry,
    OnNationalGrid,
    bbox_polygon,
    bounds,
    hull,
    is_on_national_grid,
    merge_geometries,
    parse_number,
    too_large,
    valid_geojson,
)
from ckanext.ukharvest.core.values.gml import CONVERTED, DEGREES, in_degrees, parse_gml
from ckanext.ukharvest.core.values.text import Repaired, clean_text, is_redacted, shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?"
_NUMBERS = re.compile(rf"{_NUMBER}(?:(?:\s*[,;]\s*|\s+){_NUMBER})*", re.IGNORECASE)
_WKT = re.compile(
    r"(?:SRID=(\d+);|<((?:https?://|urn:)[^>]*)>)?\s*"
    r"(POINT|MULTIPOINT|LINESTRING|MULTILINESTRING|POLYGON|MULTIPOLYGON|ENVELOPE|BBOX)"
    r"\s*(?:Z\s*)?(\(.*\))",
    re.IGNORECASE | re.DOTALL,
)
# DCMI Box: "northlimit=51.7; southlimit=51.2; eastlimit=0.3; westlimit=-0.5".
_LIMIT = re.compile(rf"(north|south|east|west)limit\s*=\s*({_NUMBER})", re.IGNORECASE)
_METRES = 111_320  # in a degree of latitude
_LONGEST_NAME = 2_000  # characters of a place's name
_MAX_LEVEL = 2 * MAX_LEVEL + 6  # of lists and objects: collections, features, and positions
# The United Kingdom and its coasts, with room for the rough boxes that publishers draw around it.
AROUND_UK: Box = (-11.0, 48.5, 3.0, 61.5)

ORIGINAL = "spatial-original"  # the extra with the text of places that could not be read

# Called with a problem's code and text.
Report = Callable[[str, str], None]


Parse = Callable[[str], "Geometry | None"]


class Place(NamedTuple):
    """One place as a format gives it: texts of its geometry, the best first, its name and URI."""

    spellings: Iterable[tuple[str, Parse]] = ()
    name: str = ""
    uri: str = ""


class Places(NamedTuple):
    """The places of a record: a geometry, names, the texts that could not be read, and URIs."""

    geometry: Geometry | None = None
    names: str = ""
    unread: str = ""
    uris: str = ""

    @property
    def extras(self) -> dict[str, str]:
        """The extras that keep the unread texts, and the URIs."""
        return {ORIGINAL: clean_text(self.unread), "spatial_uri": self.uris}

    @property
    def values(self) -> dict[str, Any]:
        """The fields of a dataset."""
        return {"spatial": self.geometry, "spatial_text": self.names, "extras": self.extras}


def read_places(items: Iterable[str | Place], report: Report) -> Places:
    """Return the places of a record, each a text or a ``Place``: the reader of every format.

    A text is a geometry, the URI of a place, or its name.
    """
    geometries: list[Geometry] = []
    names: dict[str, None] = {}
    unread: dict[str, None] = {}
    uris: dict[str, None] = {}
    for item in items:
        if not item or isinstance(item, str) and is_redacted(item):
            continue
        place = Place([(item, parse_spatial)]) if isinstance(item, str) else item
        geometry, text = _read(place, report, may_be_name=isinstance(item, str))
        geometries += [geometry] if geometry else []
        unread |= {text: None} if text else {}
        name, uri = place.name, place.uri
        if isinstance(item, str) and not geometry and not text:
            name, uri = ("", item) if is_web_url(item) else (item, "")
        names |= {name: None} if name else {}
        uris |= {uri: None} if uri else {}
    geometry = combine_places(geometries, report)
    return Places(geometry, "; ".join(names), "; ".join(unread), ", ".join(uris))


def _read(place: Place, report: Report, *, may_be_name: bool) -> tuple[Geometry | None, str]:
    """Return the geometry of the first spelling that has one, and the text that was not read."""
    refused = unread = ""
    for text, parse in place.spellings:
        try:
            geometry = parse(text)
        except Repaired as exc:
            report(exc.code, str(exc))
            return exc.repaired, text
        except ValueError as exc:
            refused, unread = refused or str(exc), unread or text
            continue
        if geometry:
            return geometry, ""
        if not may_be_name or len(text) > _LONGEST_NAME:
            refused = refused or Message(
                "'{text}' is not a geometry; expected GeoJSON or WKT", text=shorten(text, 40)
            )
            unread = unread or text
    if refused:
        report("bad-spatial", refused)
    return None, unread


def combine_places(
    geometries: Sequence[Geometry], report: Report, boxes: Sequence[Box] = ()
) -> Geometry | None:
    """Return the geometries of a record as one.

    What is too large for the search index is reported and becomes the boxes around its parts or, if
    those are too many, the box around them.

    Args:
        boxes: those that the record gives, if any.
    """
    parts = list({geometry_text(geometry): geometry for geometry in geometries}.values())
    if not parts:
        return None
    geometry = merge_geometries(parts)
    if not (size := too_large(geometry)):
        return geometry
    words = Message(
        "the geometry has {size:,} bytes, and its box is used instead; expected less than {most:,}",
        size=size,
        most=MAX_BYTES,
    )
    report("large-spatial", words)
    around = list(boxes) or list(map(bounds, parts))
    plain = merge_geometries([bbox_polygon(*box) for box in around])
    return bbox_polygon(*hull(around)) if too_large(plain) else plain


def geometry_text(geometry: Geometry | None) -> str:
    """Return a geometry as JSON text, for an extra."""
    return json.dumps(geometry, separators=(",", ":")) if geometry else ""


def parse_box(sides: Sequence[str]) -> Geometry:
    """Return the box of four texts, west, south, east and north in degrees."""
    return _box(*map(parse_number, sides))


def read_box(sides: Sequence[str], report: Callable[[str, str], None]) -> Geometry | None:
    """Return the same where all sides are there; a box that is none is reported."""
    try:
        return parse_box(sides) if all(sides) else None
    except Repaired as exc:
        report(exc.code, str(exc))
        return dict(exc.repaired)
    except ValueError as exc:
        report("bad-spatial", str(exc))
        return None


def parse_point(latitude: str, longitude: str) -> Geometry:
    """Return the point of two texts; on the National Grid they are northing and easting.

    Raises:
        ValueError: not a point.
    """
    return _point(parse_number(latitude), parse_number(longitude))


def parse_latitude_first(kind: str, text: str) -> Geometry:
    """Return a shape of schema.org's GeoShape or of GeoRSS Simple: latitude longitude ….

    On the National Grid easting and northing are read in this order, and converted.

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
        raise ValueError(
            Message("{count} numbers do not make positions; expected pairs", count=len(numbers))
        )
    pairs = [numbers[at : at + 2] for at in range(0, len(numbers), 2)]
    if all(is_on_national_grid(*pair) for pair in pairs):
        return _of_positions(kind, pairs)
    positions = [[y, x] for x, y in pairs]
    try:
        return _of_positions(kind, positions)
    except ValueError:
        # Latitudes above 90 can only be longitudes.
        turned = _of_positions(kind, pairs)
        raise Repaired(
            Message("its longitudes come first, and were read so; expected latitude, longitude"),
            turned,
            "swapped-coordinates",
        ) from None


def _of_positions(kind: str, positions: list[list[float]]) -> Geometry:
    if kind == "box":
        if len(positions) != 2:
            raise ValueError(
                Message("a box of {count} positions; expected two", count=len(positions))
            )
        return _box(*positions[0], *positions[1])
    name = WKT_NAMES["LINESTRING" if kind == "line" else kind.upper()]
    coordinates: Any = {"point": positions[0], "line": positions}.get(kind, [positions])
    return _valid({"type": name, "coordinates": coordinates})


def _circle(numbers: Sequence[float]) -> Geometry:
    if len(numbers) != 3:
        raise ValueError(
            Message(
                "a circle of {count} numbers; expected a position and a radius", count=len(numbers)
            )
        )
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
        return _box(limits["west"], limits["south"], limits["east"], limits["north"])
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
        return _valid(_converted(value, _system_of(value)))
    if isinstance(value, list) and len(value) == 6:  # a box with heights
        value = [*value[:2], *value[3:5]]
    if isinstance(value, list) and len(value) in (2, 4) and not isinstance(value[0], list):
        return _of_numbers([parse_number(item) for item in value])
    is_pair = isinstance(value, list) and len(value) == 2
    if is_pair and all(isinstance(corner, list) and len(corner) == 2 for corner in value):
        (west, south), (east, north) = ([parse_number(part) for part in corner] for corner in value)
        if abs(south) > 90 or abs(north) > 90:
            # Seen in catalogues of federal agencies: corners with the latitude first.
            west, south, east, north = south, west, north, east
        return _box(west, south, east, north)
    raise ValueError(
        Message("the list does not give a place; expected GeoJSON or west, south, east, north")
    )


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


def _each_position(value: Any, convert: Convert, level: int = 0) -> Any:
    """Return a nested structure with each list of two or more numbers converted."""
    if level > _MAX_LEVEL:
        raise ValueError(Message("the geometry collections are nested too deep"))
    if isinstance(value, Mapping):
        return {
            key: _each_position(part, convert, level + 1)
            if key in ("coordinates", "geometry", "geometries", "features")
            else part
            for key, part in value.items()
        }
    if not isinstance(value, list):
        return value
    if len(value) > 1 and not isinstance(value[0], (list, Mapping)):
        return list(convert([(parse_number(value[0]), parse_number(value[1]))])[0])
    return [_each_position(part, convert, level + 1) for part in value]


_NO_JSON = Message("the text looks like JSON but cannot be read as JSON; expected GeoJSON")
_NO_WKT = Message("the text looks like WKT but cannot be read as WKT; expected POINT(-0.1 51.5)")


def _loads(text: str, words: Message = _NO_JSON) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise ValueError(words) from exc


def _of_numbers(numbers: list[float]) -> Geometry:
    if len(numbers) == 4:
        return _box(*numbers)
    if len(numbers) == 2:
        # Easting and northing are in this order.
        return _point(*(reversed(numbers) if max(numbers) > 1_000 else numbers))
    raise ValueError(
        Message(
            "{count} numbers do not give a place; a box needs four (west, south, east, north), a"
            " point two (latitude, longitude)",
            count=len(numbers),
        )
    )


def _box(west: float, south: float, east: float, north: float) -> Geometry:
    """Return a box; one on the National Grid is converted, by raising ``Repaired``."""
    try:
        return bbox_polygon(west, south, east, north)
    except OnNationalGrid as exc:
        box = coordinate_systems.box_to_wgs84((west, south, east, north), _grid())
        raise Repaired(
            Message("{reason}; it was converted", reason=exc), bbox_polygon(*box), CONVERTED
        ) from exc


def _valid(value: Any) -> Geometry:
    """Return GeoJSON's geometry; one on the National Grid is converted, in the same way."""
    try:
        return valid_geojson(value)
    except OnNationalGrid as exc:
        degrees = _each_position(value, lambda points: coordinate_systems.to_wgs84(points, _grid()))
        geometry = valid_geojson(degrees)
        raise Repaired(
            Message("{reason}; it was converted", reason=exc), geometry, CONVERTED
        ) from exc


def _grid() -> coordinate_systems.System:
    system = coordinate_systems.find(coordinate_systems.NATIONAL_GRID)
    assert system is not None  # noqa: S101 - it is in PROJ's own list
    return system


def _point(latitude: float, longitude: float) -> Geometry:
    """Return the point of two numbers; one that lies in the United Kingdom turned is turned.

    Project Open Data has the latitude first, people write both.
    """
    if abs(latitude) > 90 and not longitude > 1_000:
        latitude, longitude = longitude, latitude
    point = _valid({"type": "Point", "coordinates": [longitude, latitude]})
    west, south, east, north = AROUND_UK
    if west <= latitude <= east and south <= longitude <= north:
        turned = {"type": "Point", "coordinates": [latitude, longitude]}
        words = Message(
            "{latitude:g}, {longitude:g} is in the Indian Ocean, so it was read as longitude and"
            " latitude; expected latitude, longitude",
            latitude=latitude,
            longitude=longitude,
        )
        raise Repaired(words, turned, "swapped-coordinates")
    return point


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
    nested = _loads(pairs.replace("(", "[").replace(")", "]"), _NO_WKT)
    if name == "POINT" and len(nested) == 1:
        nested = nested[0]
    if name == "MULTIPOINT":
        nested = [item[0] if _is_wrapped(item) else item for item in nested]
    if system:
        nested = _each_position(nested, lambda points: in_degrees(points, system))
    return _valid({"type": WKT_NAMES[name], "coordinates": nested})


def _is_wrapped(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 1 and isinstance(item[0], list)


def _wkt_envelope(name: str, body: str, name_of_system: str) -> Geometry:
    numbers = [parse_number(part) for part in re.split(r"[\s,()]+", body.strip("() ")) if part]
    if len(numbers) != 4:
        raise ValueError(
            Message("{name} has {count} numbers; expected four", name=name, count=len(numbers))
        )
    if name == "ENVELOPE":  # OGC CQL and Solr: west, east, north, south
        west, east, north, south = numbers
    else:
        west, south, east, north = numbers
    system = coordinate_systems.find(name_of_system) if name_of_system else None
    if system is None or system.code in DEGREES:
        return _box(west, south, east, north)
    return bbox_polygon(*coordinate_systems.box_to_wgs84((west, south, east, north), system))
