"""Places as publishers write them: boxes, points and geometries in any notation."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.values.geometries import Box, bounds, valid_geojson
from ckanext.ukharvest.core.values.places import from_json, parse_latitude_first, parse_spatial

LONDON = (-0.5, 51.25, 0.25, 51.75)


@pytest.mark.parametrize(
    "text",
    [
        "-0.5,51.25,0.25,51.75",
        "-0.5 51.25 0.25 51.75",
        "[-0.5, 51.25, 0.25, 51.75]",
        "[[-0.5, 51.25], [0.25, 51.75]]",
        "ENVELOPE(-0.5, 0.25, 51.75, 51.25)",
        "BBOX(-0.5, 51.25, 0.25, 51.75)",
        "POLYGON((-0.5 51.25, 0.25 51.25, 0.25 51.75, -0.5 51.75, -0.5 51.25))",
        "SRID=4326;POLYGON ((-0.5 51.25, 0.25 51.25, 0.25 51.75, -0.5 51.75))",
        "MULTIPOLYGON(((-0.5 51.25, 0.25 51.25, 0.25 51.75, -0.5 51.25)))",
        "LINESTRING Z(-0.5 51.25 3, 0.25 51.75 4)",
        "MULTIPOINT((-0.5 51.25), (0.25 51.75))",
        "northlimit=51.75; southlimit=51.25; eastlimit=0.25; westlimit=-0.5; units=degrees",
        '{"type": "Envelope", "coordinates": [[-0.5, 51.75], [0.25, 51.25]]}',
        '{"type": "polygon", "coordinates": [[[-0.5,51.25],[0.25,51.25],["0.25","51.75",9]]]}',
        "[-0.5, 51.25, 0, 0.25, 51.75, 9]",
        "<http://www.opengis.net/def/crs/EPSG/0/4326> LINESTRING(51.25 -0.5, 51.75 0.25)",
        "<http://www.opengis.net/def/crs/OGC/1.3/CRS84> LINESTRING(-0.5 51.25, 0.25 51.75)",
        "<gml:Envelope><gml:lowerCorner>-0.5 51.25</gml:lowerCorner>"
        "<gml:upperCorner>0.25 51.75</gml:upperCorner></gml:Envelope>",
        '<gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>51.25 -0.5'
        "</gml:lowerCorner><gml:upperCorner>51.75 0.25</gml:upperCorner></gml:Envelope>",
        '<?xml version="1.0"?><g:LineString xmlns:g="http://www.opengis.net/gml/3.2">'
        "<g:posList>-0.5 51.25 0.25 51.75</g:posList></g:LineString>",
        '{"type": "Feature", "geometry": {"type": "MultiPoint",'
        ' "coordinates": [[-0.5, 51.25], [0.25, 51.75]]}}',
    ],
)
def test_a_box_is_read_in_every_notation(text: str) -> None:
    geometry = parse_spatial(text)
    assert geometry is not None
    assert bounds(geometry) == LONDON
    assert valid_geojson(geometry) == geometry


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("51.5, -0.125", [-0.125, 51.5]),
        ("POINT(-0.125 51.5)", [-0.125, 51.5]),
        ('{"type": "Point", "coordinates": [-0.125, 51.5]}', [-0.125, 51.5]),
        ("-0.125,51.5,-0.125,51.5", [-0.125, 51.5]),
        ("-179.5, 51.5", [-179.5, 51.5]),
    ],
)
def test_a_point_is_read(text: str, point: list[float]) -> None:
    assert parse_spatial(text) == {"type": "Point", "coordinates": point}


@pytest.mark.parametrize(
    "text", ["", "England", "http://sws.geonames.org/2635167/", "E09000001", "POLYGON(("]
)
def test_a_place_name_is_no_geometry(text: str) -> None:
    assert parse_spatial(text) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("400000,300000,410000,310000", "British National Grid"),
        ("10, 95, 20, 99", "latitude first"),
        ("200, 10, 210, 20", "outside the world"),
        ("-0.5, 51.75, 0.25, 51.25", "above its north"),
        ("1,2,3", "3 numbers"),
        ("[1, 2, 3]", "list does not give a place"),
        ("[[[1, 2]]]", "list does not give a place"),
        ("{broken", "looks like JSON"),
        (f"POINT({'9' * 400} 51.5)", "looks like WKT"),
        ('{"type": "Circle", "coordinates": [1, 2]}', "'Circle' is not a GeoJSON type"),
        ('{"type": "Polygon", "coordinates": [[[1, 2], [1, 2]]]}', "four or more"),
        ('{"type": "Polygon", "coordinates": []}', "no coordinates"),
        ('{"type": "Polygon"}', "no coordinates"),
        ('{"type": "Point", "coordinates": [1]}', "one number"),
        ('{"type": "Point", "coordinates": ["x", 1]}', "'x' is not a coordinate"),
        ('{"type": "Point", "coordinates": [NaN, 1]}', "not a coordinate"),
        ('{"type": "FeatureCollection", "features": []}', "is empty"),
        ('{"type": "Feature", "geometry": null}', "not a GeoJSON type"),
        ('{"type": "Envelope", "coordinates": 5}', "incomplete"),
        ("<gml:Envelope/>", "no positions"),
        ("<b>bold", "looks like GML"),
        ("<b>bold</b>", "no geometry"),
        ('{"type":"Feature","geometry":' * 50 + "null" + "}" * 50, "nested too deep"),
    ],
)
def test_a_wrong_geometry_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_spatial(text)


def test_a_box_across_the_180th_meridian_is_cut_in_two() -> None:
    geometry = from_json([170, -50, -170, -30])
    assert geometry["type"] == "MultiPolygon"
    assert bounds(geometry) == (-180, -50, 180, -30)


def test_corners_with_the_latitude_first_are_turned() -> None:
    assert bounds(from_json([[-90, -180], [90, 180]])) == (-180, -90, 180, 90)


def test_a_long_text_takes_no_time() -> None:
    assert parse_spatial("1" * 1_000_000 + "x") is None
    assert parse_spatial("1 " * 500_000 + "x") is None


@pytest.mark.parametrize(
    "text",
    [
        "SRID=27700;POINT(533600 180500)",
        "<http://www.opengis.net/def/crs/EPSG/0/27700> POINT(533600 180500)",
        '{"type": "Point", "coordinates": [533600, 180500],'
        ' "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::27700"}}}',
        '<gml:Point srsName="EPSG:27700"><gml:pos>533600 180500</gml:pos></gml:Point>',
        "SRID=27700;ENVELOPE(533600, 533600, 180500, 180500)",
    ],
)
def test_coordinates_of_a_named_system_are_converted(text: str) -> None:
    geometry = parse_spatial(text)  # the Tower of London in the British National Grid
    assert geometry is not None
    west, south, _, _ = bounds(geometry)
    assert (round(west, 2), round(south, 2)) == (-0.08, 51.51)


@pytest.mark.parametrize(
    ("kind", "text", "box"),
    [
        ("box", "50 -1 52 1", (-1, 50, 1, 52)),
        ("box", "50,-1 52,1", (-1, 50, 1, 52)),
        ("polygon", "50 -1 50 1 52 1 50 -1", (-1, 50, 1, 52)),
        ("line", "50 -1 52 1", (-1, 50, 1, 52)),
        ("point", "50 -1", (-1, 50, -1, 50)),
        ("circle", "0 10 111320", (9, -1, 11, 1)),
    ],
)
def test_schema_org_has_the_latitude_first(kind: str, text: str, box: Box) -> None:
    assert bounds(parse_latitude_first(kind, text)) == pytest.approx(box)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("POLYGON((1 50, 1 50, 1 50, 1 50))", {"type": "Point", "coordinates": [1, 50]}),
        (
            "POLYGON((1 50, 2 51, 3 52, 1 50))",
            {"type": "LineString", "coordinates": [[1, 50], [3, 52]]},
        ),
        ("MULTIPOLYGON(((1 50, 1 50, 1 50, 1 50)))", {"type": "Point", "coordinates": [1, 50]}),
    ],
)
def test_a_polygon_without_area_is_a_line_or_a_point(text: str, expected: dict[str, Any]) -> None:
    assert parse_spatial(text) == expected


def test_a_flat_box_across_the_180th_meridian_is_two_lines() -> None:
    assert from_json([170, -50, -170, -50])["type"] == "MultiLineString"
