"""The areas of a GeoJSON geometry, and the window of the map that shows them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ckanext.ukharvest.core.values.geometries import Box, Geometry, valid_geojson

Point = tuple[float, float]
Line = tuple[Point, ...]

_WORLD = (350, 160)  # degrees wide and high: anything larger does not show where
_MOST_POINTS = 2000  # points of a line; more cannot be seen in 480 pixels


@dataclass(frozen=True, slots=True)
class Area:
    """One area.

    Attributes:
        kind: "point", "line", "box" or "shape".
        lines: lines to draw, rings closed.
        box: west, south, east, north around it.
    """

    kind: str
    lines: tuple[Line, ...]
    box: Box

    @property
    def is_world(self) -> bool:
        west, south, east, north = self.box
        return east - west >= _WORLD[0] and north - south >= _WORLD[1]

    def turned(self, turn: int) -> Area:
        """Return the same area, shifted east by so many degrees."""
        west, south, east, north = self.box
        box = (west + turn, south, east + turn, north)
        return Area(self.kind, tuple(_moved(line, turn) for line in self.lines), box)


def areas(geojson_text: str) -> list[Area]:
    """Return the areas of a geometry as text; none if it is no valid geometry."""
    try:
        geometry = valid_geojson(json.loads(geojson_text))
    except (ValueError, TypeError, RecursionError):
        return []
    joined = _joined(_areas(geometry))
    turns = _turns([area.box for area in joined])
    return [area.turned(turn) for area, turn in zip(joined, turns, strict=True)]


def _areas(geometry: Geometry) -> list[Area]:
    kind = geometry["type"]
    if kind == "GeometryCollection":
        return [area for part in geometry["geometries"] for area in _areas(part)]
    places = geometry["coordinates"]
    if kind in ("Point", "MultiPoint"):
        return [_area("point", [[place]]) for place in (places if kind[0] == "M" else [places])]
    if kind in ("LineString", "MultiLineString"):
        return [_area("line", places if kind[0] == "M" else [places])]
    polygons = places if kind == "MultiPolygon" else [places]
    if all(_is_box(polygon) for polygon in polygons):
        return [_area("box", polygon) for polygon in polygons]
    return [_area("shape", [ring for polygon in polygons for ring in polygon])]


def _is_box(polygon: list[list[list[float]]]) -> bool:
    ring = polygon[0]
    corners = {(x, y) for x, y in ring}
    sides = ({x for x, _ in corners}, {y for _, y in corners})
    return len(polygon) == 1 and len(ring) == 5 and list(map(len, sides)) == [2, 2]


def _area(kind: str, given: Any) -> Area:
    # A box may be wider than half the world, a step of an outline is not.
    lines = [_line(points) if kind == "box" else _unrolled(_line(points)) for points in given]
    turns = _turns([_box(line) for line in lines])
    lines = [_moved(line, turn) for line, turn in zip(lines, turns, strict=True)]
    return Area(kind, tuple(lines), _box([point for line in lines for point in line]))


def _box(points: Sequence[Point]) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _moved(line: Line, turn: int) -> Line:
    return tuple((x + turn, y) for x, y in line) if turn else line


def _turns(boxes: Sequence[Box]) -> list[int]:
    """Return shifts of longitudes, 0 or 360, that bring boxes side by side where possible."""
    turns = [360 if box[2] <= 0 else 0 for box in boxes]
    spans = [(box[0], box[2]) for box in boxes]
    turned = [(w + turn, e + turn) for (w, e), turn in zip(spans, turns, strict=True)]
    is_narrower = _width(turned) < _width(spans)
    return turns if is_narrower and any(turns) and not all(turns) else [0] * len(turns)


def _width(spans: Sequence[Point]) -> float:
    return max(east for _, east in spans) - min(west for west, _ in spans)


def _line(given: Sequence[Sequence[float]]) -> Line:
    """Return a line without points that cannot be seen."""
    step = -(-len(given) // _MOST_POINTS)
    chosen = [*given[::step], given[-1]] if step > 1 else given
    return tuple((float(x), float(y)) for x, y in chosen)


def _unrolled(line: Line) -> Line:
    """Return a line without jumps over the 180th meridian."""
    turn = 0
    points = list(line[:1])
    for (before, _), (x, y) in pairwise(line):
        turn += 360 * ((x - before < -180) - (x - before > 180))
        points.append((x + turn, y))
    # A ring that does not return to its start goes round the world and crosses nothing.
    return line if turn and line[0] == line[-1] else tuple(points)


def _joined(parts: list[Area]) -> list[Area]:
    """Join two boxes that meet at the 180th meridian: RFC 7946, 3.1.9, cuts one box there."""
    boxes = [area for area in parts if area.kind == "box"]
    for west in (area for area in boxes if area.box[2] == 180):
        for east in (area for area in boxes if area.box[0] == -180 and area is not west):
            if west.box[1::2] == east.box[1::2] and west in parts and east in parts:
                start, south, _, north = west.box
                whole = area_of_box((start, south, east.box[2] + 360, north))
                parts = [whole if area is west else area for area in parts if area is not east]
    return parts


def area_of_box(box: Box) -> Area:
    """Return a box as an area."""
    west, south, east, north = box
    corners = ((west, south), (east, south), (east, north), (west, north))
    return Area("box", ((*corners, corners[0]),), box)


def around(found: Sequence[Area]) -> Box:
    """Return the box around areas."""
    return _box([corner for area in found for corner in (area.box[:2], area.box[2:])])


_WIDTH, _HEIGHT = 480, 320
_WORLD_HEIGHT = 240
_MARGIN = 1.25
_LEAST = 3.0  # degrees high: less shows no recognisable coast
_STEEPEST = 75.0  # degrees of latitude; a map nearer to the poles would be too wide
_TALLEST = 150.0  # degrees high: more is the world


@dataclass(frozen=True, slots=True)
class Window:
    """A part of the world in degrees; scales in pixels per degree."""

    west: float
    north: float
    x_scale: float
    y_scale: float
    width: int = _WIDTH
    height: int = _HEIGHT

    @property
    def east(self) -> float:
        return self.west + self.width / self.x_scale

    @property
    def south(self) -> float:
        return self.north - self.height / self.y_scale

    def x(self, longitude: float) -> float:
        """Return pixels from the left."""
        return (longitude - self.west) * self.x_scale

    def y(self, latitude: float) -> float:
        """Return pixels from the top."""
        return (self.north - latitude) * self.y_scale


def window_around(found: Sequence[Area]) -> Window:
    """Return a window around areas; areas that cover the whole world do not count."""
    local = [area for area in found if not area.is_world]
    if not local:
        return _world(0.0)
    west, south, east, north = around(local)
    middle = (west + east) / 2
    squeeze = math.cos(math.radians(min(abs(south + north) / 2, _STEEPEST)))
    high = max((north - south) * _MARGIN, (east - west) * _MARGIN * squeeze * _HEIGHT / _WIDTH)
    high = max(high, _LEAST)
    wide = high * _WIDTH / _HEIGHT / squeeze
    if high > _TALLEST or wide > 360:
        return _world(0.0 if east <= 180 else middle)
    # There is nothing to show beyond the poles.
    top = min((south + north) / 2 + high / 2, 90.0)
    top = max(top, high - 90)
    return Window(middle - wide / 2, top, _WIDTH / wide, _HEIGHT / high)


def _world(middle: float) -> Window:
    return Window(middle - 180, 90.0, _WIDTH / 360, _WORLD_HEIGHT / 180, _WIDTH, _WORLD_HEIGHT)
