"""Makes the coast lines under the extent map: public/ukharvest/outline-*.svg of the package.

    python dev/outline.py

Source: npm world-atlas 2.0.2 (ISC, © 2013-2019 Michael Bostock), which holds Natural Earth 4.1.0
(public domain) as TopoJSON. npm is asked for the package; the files made are committed.

A file holds one path, ``#land``, x in hundredths of a degree east and y in hundredths of a degree
south. Rings that cross the 180th meridian go on beyond it, so a map is whole if the path is drawn
at -360°, 0° and +360°.
"""

from __future__ import annotations

import json
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

PACKAGE = "world-atlas@2.0.2"
FOLDER = Path(__file__).parents[1] / "ckanext/ukharvest/public/ukharvest"
NOTE = f"Coast lines of Natural Earth 4.1.0 (public domain), by npm {PACKAGE} (ISC); dev/outline.py"

Point = tuple[float, float]
Ring = list[Point]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Outline:
    """A file to make.

    Attributes:
        source: the package's file of land.
        window: west, south, east, north in degrees; None keeps the world.
        tolerance: how far a line may be moved, in degrees.
        least: smallest islands and lakes that are kept, in square degrees.
    """

    name: str
    source: str
    window: Box | None
    tolerance: float
    least: float


OUTLINES = (
    Outline("outline-uk.svg", "land-10m.json", (-16, 47, 8, 63), 0.01, 0.0004),
    Outline("outline-world.svg", "land-50m.json", None, 0.05, 0.005),
)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", PACKAGE, "--silent", "--pack-destination", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        [archive] = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as package:
            for outline in OUTLINES:
                land = package.extractfile(f"package/{outline.source}")
                assert land is not None
                path = FOLDER / outline.name
                path.write_text(_svg(outline, json.load(land)), encoding="utf-8")
                print(f"{path.name}: {path.stat().st_size:,} bytes")


def _svg(outline: Outline, topology: dict[str, Any]) -> str:
    rings = []
    for ring in _rings(topology):
        ring = _unrolled(ring)
        if outline.window:
            ring = _clipped(ring, outline.window)
        ring = _simplified(ring, outline.tolerance)
        if len(ring) > 3 and abs(_area(ring)) >= outline.least:
            rings.append(ring)
    west, south, east, north = outline.window or (-180, -90, 180, 90)
    view = f"{west * 100} {-north * 100} {(east - west) * 100} {(north - south) * 100}"
    # vector-effect is not inherited through <use>, but colours are.
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}"><!-- {NOTE} -->\n'
        f'<path id="land" vector-effect="non-scaling-stroke" fill-rule="evenodd"'
        f' d="{"".join(map(_path, rings))}"/></svg>\n'
    )


def _rings(topology: dict[str, Any]) -> Iterator[Ring]:
    """Decode TopoJSON (2.1.3, 2.1.4): arcs are quantised differences; ~n is arc n backwards."""
    (x_scale, y_scale), (x_start, y_start) = topology["transform"].values()
    arcs: list[Ring] = []
    for arc in topology["arcs"]:
        x = y = 0
        points = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append((x * x_scale + x_start, y * y_scale + y_start))
        arcs.append(points)
    [land] = topology["objects"]["land"]["geometries"]
    for polygon in land["arcs"]:
        for numbers in polygon:
            ring: Ring = []
            for number in numbers:
                part = arcs[number] if number >= 0 else arcs[~number][::-1]
                ring += part[1:] if ring else part
            yield ring


def _unrolled(ring: Ring) -> Ring:
    """Undo the package's joins across the meridian and round the pole, so that no line jumps."""
    turn = 0
    found = [ring[0]]
    for (before, _), (x, y) in pairwise(ring):
        turn += 360 * ((x - before < -180) - (x - before > 180))
        found.append((x + turn, y))
    if turn:  # Antarctica ends 360° away from its start: close it below the pole.
        found += [(found[-1][0], -95.0), (found[0][0], -95.0), found[0]]
    middle = (min(x for x, _ in found) + max(x for x, _ in found)) / 2
    home = 360 * round(middle / 360)
    return [(x - home, y) for x, y in found]


def _clipped(ring: Ring, window: Box) -> Ring:
    """Clip a ring by Sutherland and Hodgman's algorithm, one side of the window at a time."""
    for axis, limit, is_lower in zip((0, 1, 0, 1), window, (True, True, False, False), strict=True):
        found: Ring = []
        for before, point in pairwise([*ring, ring[0]] if ring else []):
            inside = [(each[axis] >= limit) is is_lower for each in (before, point)]
            if inside[0] != inside[1]:
                share = (limit - before[axis]) / (point[axis] - before[axis])
                x, y = (a + (b - a) * share for a, b in zip(before, point, strict=True))
                found.append((x, y))
            if inside[1]:
                found.append(point)
        ring = found
    return [*ring, ring[0]] if ring else []


def _simplified(ring: Ring, tolerance: float) -> Ring:
    """Simplify a ring by Douglas and Peucker's algorithm, without recursion."""
    if len(ring) < 4:
        return ring
    # A ring's ends are one point: its farthest point splits it into two lines.
    far = max(range(len(ring)), key=lambda n: _distance(ring[n], ring[0], ring[0]))
    kept = {0, far, len(ring) - 1}
    spans = [(0, far), (far, len(ring) - 1)]
    while spans:
        start, end = spans.pop()
        between = range(start + 1, end)
        if not between:
            continue
        middle = max(between, key=lambda n: _distance(ring[n], ring[start], ring[end]))
        if _distance(ring[middle], ring[start], ring[end]) > tolerance:
            kept.add(middle)
            spans += [(start, middle), (middle, end)]
    return [ring[n] for n in sorted(kept)]


def _distance(point: Point, start: Point, end: Point) -> float:
    """Return the distance from a point to a line between two points."""
    (x, y), (x1, y1), (x2, y2) = point, start, end
    length = (x2 - x1) ** 2 + (y2 - y1) ** 2
    share = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length if length else 0
    share = min(max(share, 0), 1)
    return float(((x - x1 - share * (x2 - x1)) ** 2 + (y - y1 - share * (y2 - y1)) ** 2) ** 0.5)


def _area(ring: Ring) -> float:
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairwise(ring)) / 2


def _path(ring: Ring) -> str:
    points = [(round(x * 100), round(-y * 100)) for x, y in ring]
    steps = [
        f"{x2 - x1} {y2 - y1}"
        for (x1, y1), (x2, y2) in pairwise(points[:-1])
        if (x1, y1) != (x2, y2)
    ]
    return f"M{points[0][0]} {points[0][1]}l{' '.join(steps).replace(' -', '-')}z"


if __name__ == "__main__":
    main()
