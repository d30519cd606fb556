"""Coordinate reference systems: find the system that a text names, and transform to WGS 84.

Coordinates are given and returned as x, y: easting, northing and longitude, latitude. The caller
has to find out whether a text has them the other way round; ``says_order`` and ``System.y_first``
tell what the name of the reference system implies.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import pyproj
import pyproj.network
from pyproj.database import query_crs_info
from pyproj.enums import PJType
from pyproj.exceptions import CRSError, ProjError

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.geometries import Box, overlap
from ckanext.ukharvest.core.values.text import shorten

# PROJ_NETWORK=ON would make PROJ request grids from a CDN: network access besides core/http, and
# results that differ between machines. Without grids the British National Grid is right within 5 m,
# far finer than the stated extents of datasets.
pyproj.network.set_network_enabled(active=False)

Point = tuple[float, float]

WGS84 = "EPSG:4326"
NATIONAL_GRID = "EPSG:27700"

_DECIMALS = 6  # of a degree, 0.1 m: more would be false precision
_EDGE_POINTS = 21  # on each edge of a box, which is a curve in another system

_EPSG = re.compile(
    r"(?:EPSG|OGP)[^0-9]{0,40}?"  # ":", "::", "/", ".xml#", ".io/", " Coordinate Reference …"
    r"(?:\d{1,2}(?:\.\d+)*[:/])?"  # the version in URNs and URIs: "6.9:", "0/"
    r"[^0-9]{0,5}(\d{4,6})(?!\d)",
    re.IGNORECASE,
)
_ESRI = re.compile(r"ESRI\W{0,5}(\d{4,6})(?!\d)", re.IGNORECASE)
_CRS84 = re.compile(r"CRS:?84\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d{4,6}")
_SPACE_OF_EPSG = re.compile(r"EPSG|OGP|European Petroleum|opengis", re.IGNORECASE)
# Common names besides those in EPSG's list.
_NAMES = tuple(
    (re.compile(pattern, re.IGNORECASE), code)
    for pattern, code in (
        (r"irish\s+transverse|\bITM\b", "EPSG:2157"),
        (r"\birish\s+(?:national\s+)?grid|\bTM\s?[67]5\b", "EPSG:29902"),
        # OSGB36 alone is the datum (EPSG:4277), but publishers mean the grid based on it.
        (r"british[\s_]+national[\s_]+grid|\bOSGB|\bBNG\b|\bnat\w*\.?\s+grid\s+GB", NATIONAL_GRID),
        (r"^(?:(?:ordnance survey|uk|gb|the)\s+)?national\s+grid$", NATIONAL_GRID),
        (r"\bLAEA\s+Europe", "EPSG:3035"),
        (r"(?:web|pseudo|google)\W?mercator|web_mercator", "EPSG:3857"),
        (r"^(?:GCS[\s_])?WGS[\s_-]?(?:19)?84(?:\W+(?:lat\w*|long?\w*|geographic|2D))*\W*$", WGS84),
        (r"^world geodetic system(?: of)?(?: 19)?84$", WGS84),
        (
            r"^(?:GCS_)?ETRS[\s_-]?(?:19)?89(?:\W+(?:lat\w*|long?\w*|geographic|2D))*\W*$",
            "EPSG:4258",
        ),
    )
)
_KINDS = (
    PJType.PROJECTED_CRS,
    PJType.GEOGRAPHIC_2D_CRS,
    PJType.COMPOUND_CRS,
    PJType.VERTICAL_CRS,
)


@dataclass(frozen=True, slots=True)
class System:
    """A known coordinate reference system.

    Attributes:
        code: authority and number, such as EPSG:27700.
        name: its authority's name for it.
        kind: "projected" (coordinates are lengths), "geographic" (degrees) or "other" (heights …).
        y_first: its authority writes northing or latitude first.
        area: its area of use, None if that is not known.
    """

    code: str
    name: str
    kind: str
    y_first: bool
    area: Box | None

    @property
    def title(self) -> str:
        """Name and code, for a message."""
        return f"{self.name} ({self.code})"


def find(text: str, space: str = "") -> System | None:
    """Return the system that a text names; None if it is empty or unknown.

    Args:
        text: a code, URN, URI or name, such as ``27700``, ``urn:ogc:def:crs:EPSG::27700``,
            ``http://www.opengis.net/def/crs/EPSG/0/27700`` or ``British National Grid``.
        space: the code space or authority given with it.
    """
    text = " ".join(text.split())
    for code in _codes(text, space):
        if system := _system(code):
            return system
    return None


def _codes(text: str, space: str) -> list[str]:
    if _CRS84.search(text):
        return ["OGC:CRS84"]
    # A compound system names its horizontal part first.
    codes = [f"EPSG:{match[1]}" for match in _EPSG.finditer(text)]
    codes += [f"ESRI:{match[1]}" for match in _ESRI.finditer(text)]
    if _NUMBER.fullmatch(text) and (not space or _SPACE_OF_EPSG.search(space)):
        codes.append(f"EPSG:{text}")
    if _NUMBER.fullmatch(text) and "esri" in space.lower():
        codes.append(f"ESRI:{text}")
    codes += [code for pattern, code in _NAMES if pattern.search(text)]
    named = _named().get(_letters(text))
    return [*codes, named] if named else codes


def says_order(text: str) -> bool:
    """Tell whether a system's name implies the axis order of its authority.

    The URNs and URIs of OGC do (OGC 06-023r1, 7.2 and 07-092r3); ``EPSG:4326`` and GML 2's
    ``http://www.opengis.net/gml/srs/epsg.xml#4326`` are by tradition x, y.
    """
    return re.match(r"urn:|https?://(?:www\.)?opengis\.net/def/crs", text.strip(), re.I) is not None


def to_wgs84(points: Sequence[Point], system: System) -> list[Point]:
    """Return points as longitude and latitude.

    Raises:
        ValueError: the system is not horizontal, or a point lies where it has no meaning.
    """
    try:
        longitudes, latitudes = _transformer(system).transform(
            [x for x, _ in points], [y for _, y in points]
        )
    except ProjError as exc:
        raise ValueError(
            Message("the coordinates are not valid in {title}", title=system.title)
        ) from exc
    positions = list(zip(longitudes, latitudes, strict=True))
    for (x, y), point in zip(points, positions, strict=True):
        if not _on_earth(point):
            raise ValueError(
                Message("{x:g}, {y:g} is not a place in {title}", x=x, y=y, title=system.title)
            )
    return [(round(x, _DECIMALS), round(y, _DECIMALS)) for x, y in positions]


def box_to_wgs84(box: Box, system: System) -> Box:
    """Return the box in degrees around a box of another system, whose edges are curves there.

    Raises:
        ValueError: as ``to_wgs84``, or the box does not touch the system's area of use.
    """
    words = ", ".join(f"{number:.10g}" for number in box)
    try:
        sides = _transformer(system).transform_bounds(*box, densify_pts=_EDGE_POINTS)
    except ProjError as exc:
        raise ValueError(
            Message("{words} is not a box in {title}", words=words, title=system.title)
        ) from exc
    west, south, east, north = (round(number, _DECIMALS) for number in sides)
    if not (_on_earth((west, south)) and _on_earth((east, north))):
        raise ValueError(
            Message("{words} is not a box in {title}", words=words, title=system.title)
        )
    if system.area and not overlap((west, south, east, north), system.area):
        raise ValueError(
            Message("{words} lies outside the area of {title}", words=words, title=system.title)
        )
    return west, south, east, north


def _on_earth(point: Point) -> bool:
    longitude, latitude = point
    return all(map(math.isfinite, point)) and abs(longitude) <= 180 and abs(latitude) <= 90


@lru_cache(maxsize=256)
def _system(code: str) -> System | None:
    authority, number = code.split(":")
    try:
        crs = pyproj.CRS.from_authority(authority, number)
    except CRSError:
        return None
    kind = "projected" if crs.is_projected else "geographic" if crs.is_geographic else "other"
    axes = [axis.direction for axis in crs.axis_info]
    area = crs.area_of_use.bounds if crs.area_of_use else None
    return System(code, shorten(crs.name), kind, axes[:1] == ["north"], area)


# pyproj's transformers may be shared by threads (since 3.1); making one costs 10 to 100 ms.
@lru_cache(maxsize=64)
def _transformer(system: System) -> pyproj.Transformer:
    if system.kind == "other":
        raise ValueError(
            Message("{title} is not a horizontal reference system", title=system.title)
        )
    try:
        return pyproj.Transformer.from_crs(system.code, WGS84, always_xy=True, allow_ballpark=False)
    except (CRSError, ProjError) as exc:
        raise ValueError(
            Message("{title} cannot be converted to WGS 84", title=system.title)
        ) from exc


@lru_cache(maxsize=1)
def _named() -> dict[str, str]:
    """Return EPSG's names, as letters and digits only."""
    codes: dict[str, str] = {}
    for kind in _KINDS:
        for info in query_crs_info(auth_name="EPSG", pj_types=kind):
            codes.setdefault(_letters(info.name), f"EPSG:{info.code}")
    return codes


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())
