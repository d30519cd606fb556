"""Coordinate systems: publishers' spellings, and conversion to WGS 84.

Places are examples of Ordnance Survey and Ordnance Survey Ireland, and landmarks with well-known
coordinates.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pyproj
import pytest

from ckanext.ukharvest.core.values import coordinate_systems


@pytest.mark.parametrize(
    ("text", "space", "code"),
    [
        ("EPSG:27700", "", "EPSG:27700"),
        ("epsg 27700", "", "EPSG:27700"),
        ("27700", "", "EPSG:27700"),
        ("27700", "EPSG", "EPSG:27700"),
        ("27700", "urn:ogc:def:crs:EPSG", "EPSG:27700"),
        ("27700", "OGP", "EPSG:27700"),
        ("27700", "European Petroleum Survey Group", "EPSG:27700"),
        ("urn:ogc:def:crs:EPSG::27700", "", "EPSG:27700"),
        ("urn:ogc:def:crs:EPSG:27700", "", "EPSG:27700"),
        ("urn:ogc:def:crs:EPSG:6.9:27700", "", "EPSG:27700"),
        ("urn:ogc:def:crs,crs:EPSG::27700,crs:EPSG::5701", "", "EPSG:27700"),
        ("http://www.opengis.net/def/crs/EPSG/0/27700", "", "EPSG:27700"),
        ("https://www.opengis.net/def/crs/EPSG/9.8.2/27700", "", "EPSG:27700"),
        ("http://www.opengis.net/gml/srs/epsg.xml#27700", "", "EPSG:27700"),
        ("https://epsg.io/27700", "", "EPSG:27700"),
        ("OSGB 1936 / British National Grid (EPSG:27700)", "EPSG", "EPSG:27700"),
        ("OSGB36 / British National Grid", "", "EPSG:27700"),
        ("British\n National   Grid", "", "EPSG:27700"),
        ("British_National_Grid", "ESRI", "EPSG:27700"),
        ("National Grid", "", "EPSG:27700"),
        ("OSGB36", "", "EPSG:27700"),
        ("urn:ogc:def:crs:EPSG::Nat. Grid GB", "OGP", "EPSG:27700"),
        ("OSGB36 (EPSG:4277)", "", "EPSG:4277"),
        ("Irish Grid", "", "EPSG:29902"),
        ("TM65 / Irish Grid", "", "EPSG:29902"),
        ("Irish Transverse Mercator", "", "EPSG:2157"),
        ("WGS84", "", "EPSG:4326"),
        ("WGS 84 (lat/long)", "", "EPSG:4326"),
        ("GCS_WGS_1984", "", "EPSG:4326"),
        ("WGS 84 / UTM zone 30N", "", "EPSG:32630"),
        ("ETRS89", "", "EPSG:4258"),
        ("ETRS89 / LAEA Europe", "", "EPSG:3035"),
        ("Web Mercator", "", "EPSG:3857"),
        ("ESRI 102100", "", "ESRI:102100"),
        ("CRS84", "", "OGC:CRS84"),
        ("CRS:84", "", "OGC:CRS84"),
        ("urn:ogc:def:crs:OGC:1.3:CRS84", "", "OGC:CRS84"),
        ("5701", "EPSG", "EPSG:5701"),
    ],
)
def test_a_system_is_found_by_what_publishers_write(text: str, space: str, code: str) -> None:
    system = coordinate_systems.find(text, space)
    assert system is not None
    assert system.code == code


@pytest.mark.parametrize(
    ("text", "space"),
    [
        ("", ""),
        ("unknown", ""),
        ("EPSG:99999", ""),
        ("27700", "INCITS (formerly FIPS) codes"),
        ("postcodes", ""),
        ("Narnia National Grid", ""),
        # Text that PROJ would read as instructions.
        ("+init=/etc/hostname:1", ""),
        ("+proj=utm +zone=30", ""),
    ],
)
def test_unknown_coordinate_system_is_none(text: str, space: str) -> None:
    assert coordinate_systems.find(text, space) is None


def test_a_system_says_what_its_coordinates_are() -> None:
    kinds = {
        code: coordinate_systems.find(code)
        for code in ("EPSG:27700", "EPSG:4326", "EPSG:5701", "CRS84")
    }
    found = {code: (s.kind, s.y_first) for code, s in kinds.items() if s}
    assert found == {
        "EPSG:27700": ("projected", False),
        "EPSG:4326": ("geographic", True),
        "EPSG:5701": ("other", False),
        "CRS84": ("geographic", False),
    }


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("urn:ogc:def:crs:EPSG::4326", True),
        ("http://www.opengis.net/def/crs/EPSG/0/4326", True),
        ("https://www.opengis.net/def/crs/EPSG/0/4326", True),
        ("EPSG:4326", False),
        ("http://www.opengis.net/gml/srs/epsg.xml#4326", False),
        ("", False),
    ],
)
def test_urns_and_uris_define_the_axis_order(name: str, says: bool) -> None:
    assert coordinate_systems.says_order(name) is says


@pytest.mark.parametrize(
    ("code", "point", "place"),
    [
        # Ordnance Survey's worked example, a point in Norfolk: 52°39'27.2531" N 1°43'4.5177" E
        # in OSGB36, 52°39'28.72" N 1°42'57.79" E in ETRS89.
        ("EPSG:27700", (651409.903, 313177.270), (1.716052, 52.657977)),
        ("EPSG:27700", (530000.0, 180000.0), (-0.128354, 51.503991)),
        # Spire of Light, Dublin, in the Irish Grid and in ITM.
        ("EPSG:29902", (315904.0, 234671.0), (-6.26025, 53.34980)),
        ("EPSG:2157", (715830.0, 734697.0), (-6.26025, 53.34980)),
        # Web Mercator's own definition: 20037508.34 m is 180°.
        ("EPSG:3857", (-10018754.17, 0.0), (-90.0, 0.0)),
        ("EPSG:4258", (-1.5, 52.5), (-1.5, 52.5)),
        ("CRS84", (-1.5, 52.5), (-1.5, 52.5)),
    ],
)
def test_points_come_out_within_10_metres(
    code: str, point: coordinate_systems.Point, place: coordinate_systems.Point
) -> None:
    system = coordinate_systems.find(code)
    assert system is not None
    [found] = coordinate_systems.to_wgs84([point], system)
    assert _metres(found, place) < 10


def _metres(one: coordinate_systems.Point, other: coordinate_systems.Point) -> float:
    return pyproj.Geod(ellps="WGS84").inv(*one, *other)[2]


def test_a_point_where_the_system_has_no_meaning_is_refused() -> None:
    grid = coordinate_systems.find("EPSG:27700")
    assert grid is not None
    with pytest.raises(ValueError, match="in OSGB36 / British National Grid"):
        coordinate_systems.to_wgs84([(1e9, 1e9)], grid)
    with pytest.raises(ValueError, match="lies outside the area of"):
        coordinate_systems.box_to_wgs84((-5e6, 0, -4e6, 1), grid)
    with pytest.raises(ValueError, match="not a box in"):
        coordinate_systems.box_to_wgs84((1e9, 1e9, 2e9, 2e9), grid)


def test_a_system_of_heights_has_no_coordinates() -> None:
    heights = coordinate_systems.find("EPSG:5701")
    assert heights is not None
    with pytest.raises(ValueError, match="not a horizontal reference system"):
        coordinate_systems.to_wgs84([(1.0, 2.0)], heights)
    with pytest.raises(ValueError, match="not a horizontal reference system"):
        coordinate_systems.box_to_wgs84((1.0, 2.0, 3.0, 4.0), heights)


def test_a_box_holds_its_curved_edges() -> None:
    """The north edge of the grid's box is highest at its middle, 2° W, not at its corners."""
    grid = coordinate_systems.find("EPSG:27700")
    assert grid is not None
    west, south, east, north = coordinate_systems.box_to_wgs84((0, 0, 800_000, 1_300_000), grid)
    middle = coordinate_systems.to_wgs84([(400_000, 1_300_000)], grid)[0][1]
    corner = coordinate_systems.to_wgs84([(0, 1_300_000)], grid)[0][1]
    assert corner < middle <= north
    assert west < -7.5
    assert east > 3.5
    assert math.isclose(south, 49.77, abs_tol=0.01)


def test_threads_share_transformers() -> None:
    grid = coordinate_systems.find("EPSG:27700")
    assert grid is not None
    points = [(400_000.0 + n, 300_000.0 + n) for n in range(50)]
    alone = coordinate_systems.to_wgs84(points, grid)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: coordinate_systems.to_wgs84(points, grid), range(64)))
    assert all(each == alone for each in found)


def test_proj_uses_no_network() -> None:
    assert not pyproj.network.is_network_enabled()
