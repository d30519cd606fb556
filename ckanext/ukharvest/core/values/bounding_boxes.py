"""Bounding boxes in degrees: west, south, east, north; west > east crosses the 180th meridian."""

from __future__ import annotations

from collections.abc import Sequence

from ckanext.ukharvest.core.values.geometries import Box, Geometry


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
    if any("Polygon" not in each["type"] for each in geometries):
        return {"type": "GeometryCollection", "geometries": list(geometries)}
    polygons = [
        part
        for each in geometries
        for part in (
            each["coordinates"] if each["type"] == "MultiPolygon" else [each["coordinates"]]
        )
    ]
    return {"type": "MultiPolygon", "coordinates": polygons}
