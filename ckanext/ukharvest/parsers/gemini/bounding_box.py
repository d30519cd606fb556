"""One bounding box of a GEMINI record (element 44): four numbers, as publishers write them.

GEMINI and ISO 19115 require degrees in WGS 84, west above east only across the 180th meridian.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ckanext.ukharvest.core.values import coordinate_systems
from ckanext.ukharvest.core.values.geometries import Box
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.reference_systems import Reference

FIELD = "gmd:EX_GeographicBoundingBox"
_CORNERS = (
    "westBoundLongitude",
    "southBoundLatitude",
    "eastBoundLongitude",
    "northBoundLatitude",
)
_DEGREES = "expected degrees in WGS 84, such as -2.4"
# Programs with 32-bit numbers write 180.00001 and -90.0001.
_SLACK = 0.01
# The range of the National Grid: no other coordinates in Britain have numbers like these.
_GRID = (0.0, 0.0, 700_000.0, 1_300_000.0)
# Systems of the United Kingdom that stand for the National Grid in metres when a record names them:
# the datum OSGB36, and the grid with heights.
_BRITISH = {"EPSG:4277", "EPSG:7405", "EPSG:27700"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """A box in degrees, and its numbers as given if they were not degrees ("" otherwise)."""

    box: Box
    original: str = ""


def read(node: IsoNode, named_systems: Iterable[Reference]) -> Bounds | None:
    """Return an EX_GeographicBoundingBox; None for an empty or unreadable one.

    Args:
        named_systems: the reference systems that the record names.
    """
    texts = [node.text(name) for name in _CORNERS]
    if not any(texts):
        return None
    numbers = [_number(node, name, text) for name, text in zip(_CORNERS, texts, strict=True)]
    west, south, east, north = numbers
    if west is None or south is None or east is None or north is None:
        return None
    if not any(numbers):
        node.report("bad-extent", FIELD, f"all four numbers are 0; {_DEGREES}")
        return None
    if south > north:
        words = f"its south {south:g} lies above its north {north:g}"
        node.report("swapped-extent", FIELD, f"{words}, which is read the other way round")
        south, north = north, south
    box = _degrees(west, south, east, north)
    if box:
        return Bounds(_turned(node, box))
    return _of_lengths(node, (min(west, east), south, max(west, east), north), texts, named_systems)


def _number(node: IsoNode, name: str, text: str) -> float | None:
    """Return a number with decimal point or comma; report anything else."""
    if not text:
        node.report("bad-extent", FIELD, f"has no gmd:{name}; {_DEGREES}")
        return None
    plain = re.sub(r"\s", "", text).replace("\u2212", "-").removesuffix("°")
    if re.fullmatch(r"[-+]?\d+,\d+", plain):
        plain = plain.replace(",", ".")
    try:
        number = float(plain)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in plain:
        node.report("bad-extent", f"gmd:{name}", f"'{shorten(text, 40)}' is no number; {_DEGREES}")
        return None
    return number


def _degrees(west: float, south: float, east: float, north: float) -> Box | None:
    """Return the box if its numbers can be degrees, else None."""
    if max(abs(south), abs(north)) > 90 + _SLACK:
        return None
    south, north = (min(max(each, -90.0), 90.0) for each in (south, north))
    if max(abs(west), abs(east)) <= 180 + _SLACK:
        west, east = (min(max(each, -180.0), 180.0) for each in (west, east))
        return west, south, east, north
    if not (-180 <= west <= 360 and -180 <= east <= 360):
        return None
    # Longitudes from 0 to 360, as in models of sea and air.
    if east - west >= 360 - _SLACK:
        return -180.0, south, 180.0, north
    west, east = (each - 360 if each > 180 else each for each in (west, east))
    return west, south, east, north


def _turned(node: IsoNode, box: Box) -> Box:
    """Read west above east as crossing the 180th meridian, unless swapping makes it narrower."""
    west, south, east, north = box
    if not 0 < west - east < 180:
        return box
    words = f"its west {west:g} lies east of its east {east:g}, which is read the other way round"
    node.report("swapped-extent", FIELD, words)
    return east, south, west, north


def _of_lengths(
    node: IsoNode, box: Box, texts: list[str], named_systems: Iterable[Reference]
) -> Bounds | None:
    """Return a box given in metres: eastings and northings of a system that the record names."""
    given = ", ".join(shorten(text, 40) for text in texts)
    refused = f"{given} is no box in degrees; {_DEGREES}"
    for system in _candidates(box, list(named_systems)):
        try:
            found = coordinate_systems.box_to_wgs84(box, system)
        except ValueError as exc:
            refused = f"{exc}; {_DEGREES}"
            continue
        words = f"{given} is a box in {system.title}, which is converted; {_DEGREES}"
        node.report("converted-extent", FIELD, words)
        return Bounds(found, f"{given} ({system.code})")
    node.report("bad-extent", FIELD, refused)
    return None


def _candidates(box: Box, named_systems: list[Reference]) -> list[coordinate_systems.System]:
    systems = [each.system for each in named_systems if each.system]
    found = [each for each in systems if each.kind == "projected"]
    is_british = any(each.code in _BRITISH for each in systems)
    west, south, east, north = box
    fits = west >= _GRID[0] and south >= _GRID[1] and east <= _GRID[2] and north <= _GRID[3]
    grid = coordinate_systems.find(coordinate_systems.NATIONAL_GRID)
    if grid and fits and (is_british or not named_systems):
        found.append(grid)
    return list(dict.fromkeys(found))
