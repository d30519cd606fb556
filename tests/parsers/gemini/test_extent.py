"""Boxes of GEMINI records."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values import geometries
from tests.counting import assert_linear, count_calls
from tests.parsers.gemini.part import box, codes, outline, parsed, system, text

GRID = system(text("urn:ogc:def:crs:EPSG::27700"))


def _corners(record: DatasetRecord) -> tuple[str, ...]:
    names = ("west-long", "south-lat", "east-long", "north-lat")
    return tuple(record.extras.get(f"bbox-{name}", "") for name in names)


def _bounds(record: DatasetRecord) -> geometries.Box:
    assert record.spatial is not None
    return geometries.bounds(geometries.valid_geojson(dict(record.spatial)))


def test_a_box() -> None:
    record = parsed(box(-2.4, 53.3, -2, 53.6))
    assert record.spatial == {
        "type": "Polygon",
        "coordinates": [[[-2.4, 53.3], [-2, 53.3], [-2, 53.6], [-2.4, 53.6], [-2.4, 53.3]]],
    }
    assert _corners(record) == ("-2.4", "53.3", "-2", "53.6")
    assert not record.problems


def test_a_service_has_its_extent_in_another_namespace() -> None:
    assert _corners(parsed(box(-2.4, 53.3, -2, 53.6), service=True))[0] == "-2.4"


def test_a_box_in_a_later_extent_and_beside_a_time() -> None:
    described = f"<gmd:description>{text('The Mersey')}</gmd:description>"
    later = parsed(described, box(-3, 53, -2, 54))
    assert _corners(later) == ("-3", "53", "-2", "54")
    assert later.spatial_text == "The Mersey"
    timed = (
        "<gmd:temporalElement><gmd:EX_SpatialTemporalExtent><gmd:spatialExtent>"
        + box(-3, 53, -2, 54).replace("<gmd:geographicElement>", "")
        + "</gmd:EX_SpatialTemporalExtent></gmd:temporalElement>"
    ).replace("</gmd:geographicElement>", "</gmd:spatialExtent>")
    assert _corners(parsed(timed)) == ("-3", "53", "-2", "54")


def test_several_boxes_are_one_geometry_and_their_hull() -> None:
    record = parsed(box(-3, 53, -2, 54) + box(-3, 53, -2, 54), box(-8, 54, -6, 55))
    assert record.spatial
    assert record.spatial["type"] == "MultiPolygon"
    assert len(record.spatial["coordinates"]) == 2
    assert _corners(record) == ("-8", "53", "-2", "55")


@pytest.mark.parametrize(
    ("given", "geometry"),
    [
        ((-2, 53, -2, 53), {"type": "Point", "coordinates": [-2, 53]}),
        ((-2, 53, -1, 53), {"type": "LineString", "coordinates": [[-2, 53], [-1, 53]]}),
        ((-2, 53, -2, 54), {"type": "LineString", "coordinates": [[-2, 53], [-2, 54]]}),
    ],
)
def test_a_box_without_area(given: tuple[float, ...], geometry: dict[str, Any]) -> None:
    record = parsed(box(*given))
    assert record.spatial == geometry
    assert not record.problems


@pytest.mark.parametrize(
    ("given", "corners"),
    [
        (("-8,45", "49,86", "1,78", "60,86"), ("-8.45", "49.86", "1.78", "60.86")),
        (("-054.75", "08.00", "-050", "+09.5"), ("-54.75", "8", "-50", "9.5")),
        (("\u22122.5°", " 53.3\n", "-2", "54"), ("-2.5", "53.3", "-2", "54")),
        (
            ("-6.3496692083735992", "50.94864936656295", "-1.8959807251206617", "53.8"),
            ("-6.349669208373599", "50.94864936656295", "-1.8959807251206617", "53.8"),
        ),
        # Longitudes from 0 to 360, and rounding errors at 180 and 90.
        ((350, 50, 358, 55), ("-10", "50", "-2", "55")),
        ((0, -90, 360, 90), ("-180", "-90", "180", "90")),
        ((-180.0000001, -90.001, 180.0000001, 90), ("-180", "-90", "180", "90")),
        ((-1, 90.0001, 1, 90.0001), ("-1", "90", "1", "90")),
        # Across the 180th meridian.
        ((177, -20, -178, -12), ("177", "-20", "-178", "-12")),
    ],
)
def test_numbers_as_publishers_write_them(given: tuple[Any, ...], corners: tuple[str, ...]) -> None:
    record = parsed(box(*given))
    assert _corners(record) == corners
    assert not record.problems
    assert geometries.valid_geojson(record.spatial) == record.spatial


def test_a_box_across_the_date_line_is_cut_in_two() -> None:
    record = parsed(box(177, -20, -178, -12))
    assert record.spatial
    assert record.spatial["type"] == "MultiPolygon"
    assert _bounds(record) == (-180, -20, 180, -12)


@pytest.mark.parametrize(
    ("given", "corners", "words"),
    [
        ((3.3, 50, 1.3, 52), ("1.3", "50", "3.3", "52"), "its west 3.3 is east of its east 1.3"),
        ((1.3, 52, 3.3, 50), ("1.3", "50", "3.3", "52"), "its south 52 is above its north 50"),
    ],
)
def test_swapped_sides_are_turned_and_reported(
    given: tuple[float, ...], corners: tuple[str, ...], words: str
) -> None:
    record = parsed(box(*given))
    assert _corners(record) == corners
    [problem] = record.problems
    assert problem.code == "swapped-extent"
    assert words in problem.message


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("x", 53, -2, 54), "gmd:westBoundLongitude: 'x' is not a number"),
        ((-3, "NaN", -2, 54), "gmd:southBoundLatitude: 'NaN' is not a number"),
        ((-3, "1_0", -2, 54), "gmd:southBoundLatitude: '1_0' is not a number"),
        ((-3, 53, None, 54), "has no gmd:eastBoundLongitude"),
        ((0, 0, 0, 0), "all four numbers are 0"),
        ((-3, 53, -2, 540), "-3, 53, -2, 540 is not a box in degrees"),
        ((-3, 53, -2, f"540.\n{'0' * 9999}"), "-3, 53, -2, 540. 000"),
        ((-1e9, -1e9, 1e9, 1e9), "is not a box in degrees"),
    ],
)
def test_a_box_that_cannot_be_read_is_reported(given: tuple[Any, ...], words: str) -> None:
    record = parsed(box(*given))
    assert record.spatial is None
    assert _corners(record) == ("", "", "", "")
    [problem] = record.problems
    assert problem.code == "bad-extent"
    assert words in problem.message
    assert len(problem.message) < 200
    assert problem.message.isprintable()
    assert problem.line


@pytest.mark.parametrize(
    "extent",
    [
        "",
        "<gmd:geographicElement><gmd:EX_GeographicBoundingBox/></gmd:geographicElement>",
        box("", "", "", ""),
        '<gmd:geographicElement gco:nilReason="missing"/>',
        outline(""),
        outline("<gml:Polygon/>"),
        "<gmd:geographicElement><gmd:EX_BoundingPolygon/></gmd:geographicElement>",
    ],
)
def test_an_empty_template_is_no_box_and_no_problem(extent: str) -> None:
    record = parsed(extent)
    assert record.spatial is None
    assert not record.problems


@pytest.mark.parametrize("references", [GRID, "", system(text("EPSG:4277"))])
def test_metres_of_the_national_grid_are_converted(references: str) -> None:
    """The Isle of Wight; the grid's own numbers are for 50.57 to 50.77 N, 1.59 to 1.06 W."""
    record = parsed(box(429000, 75000, 466000, 97000), references=references)
    west, south, east, north = _bounds(record)
    assert (west, south) == (pytest.approx(-1.59, abs=0.01), pytest.approx(50.573, abs=0.01))
    assert (east, north) == (pytest.approx(-1.06, abs=0.01), pytest.approx(50.772, abs=0.01))
    assert record.extras["bbox-original"] == "429000, 75000, 466000, 97000 (EPSG:27700)"
    [problem] = record.problems
    assert problem.code == "converted-extent"
    assert "OSGB36 / British National Grid (EPSG:27700)" in problem.message


def test_metres_are_of_the_system_that_the_record_names() -> None:
    irish = system(text("Irish Grid"))
    record = parsed(box(300000, 220000, 330000, 250000), references=irish)
    west, south, east, north = _bounds(record)
    assert -6.6 < west < -6.2 < east < -6
    assert 53.1 < south < 53.3 < north < 53.5
    both = irish.replace("Irish Grid", "WGS 84") + irish
    assert _bounds(parsed(box(300000, 220000, 330000, 250000), references=both))[0] == west


@pytest.mark.parametrize(
    "references",
    [system(text("EPSG:4326")), system(text("Mars 2000")), system(text("EPSG:5701"))],
)
def test_metres_of_an_unknown_system_are_reported_not_guessed(references: str) -> None:
    record = parsed(box(429000, 75000, 466000, 97000), references=references)
    assert record.spatial is None
    assert "bad-extent" in codes(record)


def test_metres_outside_their_system_are_reported() -> None:
    record = parsed(box(-5e6, 0, -4e6, 100), references=GRID)
    assert record.spatial is None
    assert codes(record) == ["bad-extent"]
    assert "lies outside the area of OSGB36 / British National Grid" in record.problems[0].message


@pytest.mark.parametrize(("true", "false"), [("true", "false"), ("1", "0")])
def test_excluded_area_is_no_part_of_the_place(true: str, false: str) -> None:
    without = "<gmd:extentTypeCode><gco:Boolean>{}</gco:Boolean></gmd:extentTypeCode>"
    kept, left = without.format(true), without.format(false)
    record = parsed(box(-3, 53, -2, 54, kept) + box(10, 20, 30, 40, left))
    assert _corners(record) == ("-3", "53", "-2", "54")


def test_too_many_boxes_for_the_index_become_one_around_them() -> None:
    many = "".join(box(-3 + n / 1000, 53, -2.9 + n / 1000, 54) for n in range(900))
    record = parsed(many)
    assert codes(record) == ["large-spatial"]
    assert record.spatial
    assert record.spatial["type"] == "Polygon"
    assert _bounds(record) == (-3, 53, pytest.approx(-2.001), 54)


def many_places(count: int) -> DatasetRecord:
    places = [number / 1000 for number in range(count)]
    shapes = (f"{x:.3f},52 {x + 0.0005:.4f},52 {x:.3f},53" for x in places)
    ring = "<gml:outerBoundaryIs><gml:LinearRing><gml:coordinates>{}</gml:coordinates>"
    ring += "</gml:LinearRing></gml:outerBoundaryIs>"
    outlines = (outline(f"<gml:Polygon>{ring.format(each)}</gml:Polygon>") for each in shapes)
    boxes = (box(x, 50, x + 0.0005, 51) for x in places)
    return parsed("".join((box(-8, 60, 2, 61), *boxes, *outlines)))


def test_work_for_boxes_and_outlines_grows_with_their_number() -> None:
    assert codes(many_places(1500)) == ["large-spatial"]
    assert_linear(lambda count: count_calls(many_places, count), 300, 5)
