"""Outlines of GEMINI records in every edition of GML."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values import geometries
from tests.parsers.gemini.part import box, codes, outline, parsed, system, text

BOX = box(-3, 53, -2, 54)
RING = "-2.9 53.1 -2.1 53.1 -2.5 53.9 -2.9 53.1"
TURNED = "53.1 -2.9 53.1 -2.1 53.9 -2.5 53.1 -2.9"
TRIANGLE = [[[-2.9, 53.1], [-2.1, 53.1], [-2.5, 53.9], [-2.9, 53.1]]]
OTHER = RING.replace("53", "54")
URN = "urn:ogc:def:crs:EPSG::4326"


def _polygon(ring: str, name: str = "", attributes: str = "") -> str:
    stated = f' srsName="{name}"' if name else ""
    return (
        f"<gml:Polygon{stated}{attributes}><gml:exterior><gml:LinearRing>"
        f"<gml:posList>{ring}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon>"
    )


def _pos(text: str) -> str:
    numbers = text.split()
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return "".join(f"<gml:pos>{x} {y}</gml:pos>" for x, y in pairs)


def _pairs(text: str, comma: str = ",", blank: str = " ") -> str:
    numbers = text.split()
    return blank.join(comma.join(numbers[n : n + 2]) for n in range(0, len(numbers), 2))


OPEN = " ".join(RING.split()[:-2])
OLD = "gml:outerBoundaryIs><gml:LinearRing><gml:coordinates"
OLD_END = "</gml:coordinates></gml:LinearRing></gml:outerBoundaryIs>"
SHAPES = {
    "posList": _polygon(RING),
    "not closed": _polygon(OPEN),
    "pos": f"<gml:LineString>{_pos(OPEN)}</gml:LineString>",
    "LinearRing": f"<gml:LinearRing>{_pos(RING)}</gml:LinearRing>",
    "heights": _polygon(
        " ".join(f"{x} {y} 12" for x, y in zip(*[iter(RING.split())] * 2, strict=True)),
        attributes=' srsDimension="3"',
    ),
    "GML 2": f"<gml:Polygon><{OLD}>{_pairs(RING)}{OLD_END}</gml:Polygon>",
    "GML 2, own separators": (
        f'<gml:Polygon><{OLD} decimal="," cs=" " ts=";">'
        f"{_pairs(RING, ' ', ';').replace('.', ',')}{OLD_END}</gml:Polygon>"
    ),
    "Surface": (f"<gml:Surface><gml:patches>{_polygon(RING)}</gml:patches></gml:Surface>").replace(
        "gml:Polygon", "gml:PolygonPatch"
    ),
    "MultiSurface": (
        f"<gml:MultiSurface><gml:surfaceMember>{_polygon(RING)}</gml:surfaceMember>"
        "</gml:MultiSurface>"
    ),
}


def _rounded(record: DatasetRecord) -> Any:
    assert record.spatial
    assert geometries.valid_geojson(dict(record.spatial)) == record.spatial
    return record.spatial


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("extents", [(BOX,), ()], ids=["with box", "alone"])
def test_every_shape_of_an_outline(shape: str, extents: tuple[str, ...]) -> None:
    record = parsed(*extents, outline(SHAPES[shape]))
    assert _rounded(record) == {"type": "Polygon", "coordinates": TRIANGLE}
    assert not record.problems
    assert "spatial-original" not in record.extras


@pytest.mark.parametrize(
    "gml", ["http://www.opengis.net/gml", "http://www.opengis.net/gml/3.3", "urn:x"]
)
def test_every_edition_of_gml(gml: str) -> None:
    record = parsed(BOX, outline(SHAPES["posList"]), gml=gml)
    assert _rounded(record)["coordinates"] == TRIANGLE


def test_an_envelope_is_a_box() -> None:
    envelope = (
        "<gml:Envelope><gml:lowerCorner>-2.9 53.1</gml:lowerCorner>"
        "<gml:upperCorner>-2.1 53.9</gml:upperCorner></gml:Envelope>"
    )
    found = _rounded(parsed(outline(envelope)))
    assert geometries.bounds(found) == (-2.9, 53.1, -2.1, 53.9)


def test_several_polygons_and_a_hole() -> None:
    hole = "-2.6 53.3 -2.4 53.3 -2.5 53.4 -2.6 53.3"
    inner = _polygon(hole)[len("<gml:Polygon>") : -len("</gml:Polygon>")].replace(
        "gml:exterior", "gml:interior"
    )
    one = _polygon(RING).replace("<gml:Polygon>", f"<gml:Polygon>{inner}")
    shape = (
        f"<gml:MultiSurface><gml:surfaceMember>{one}</gml:surfaceMember>"
        f"<gml:surfaceMember>{_polygon(OTHER)}</gml:surfaceMember></gml:MultiSurface>"
    )
    found = _rounded(parsed(outline(shape)))
    assert found["type"] == "MultiPolygon"
    assert [len(rings) for rings in found["coordinates"]] == [2, 1]
    assert found["coordinates"][0][0] == TRIANGLE[0]


@pytest.mark.parametrize(
    ("ring", "name", "problem"),
    [
        (TURNED, URN, ""),
        (TURNED, "http://www.opengis.net/def/crs/EPSG/0/4258", ""),
        (RING, "EPSG:4326", ""),
        (RING, "http://www.opengis.net/gml/srs/epsg.xml#4326", ""),
        (RING, "urn:ogc:def:crs:OGC:1.3:CRS84", ""),
        (RING, "", ""),
        (TURNED, "", ""),
        (TURNED, "EPSG:4326", ""),
        # The name requires latitude first, but the box shows that it is not.
        (RING, URN, "swapped-extent"),
        (RING, "urn:x:planet", "unknown-reference-system"),
    ],
)
def test_axis_order_is_the_one_inside_the_box(ring: str, name: str, problem: str) -> None:
    record = parsed(BOX, outline(_polygon(ring, name)))
    assert _rounded(record)["coordinates"] == TRIANGLE
    assert codes(record) == ([problem] if problem else [])


def test_without_a_box_the_name_decides() -> None:
    assert _rounded(parsed(outline(_polygon(TURNED, URN))))["coordinates"] == TRIANGLE
    assert _rounded(parsed(outline(_polygon(RING, "EPSG:4326"))))["coordinates"] == TRIANGLE


@pytest.mark.parametrize("named", ["srsName", "record"])
def test_an_outline_in_metres_is_converted_and_kept(named: str) -> None:
    """The Isle of Wight, roughly."""
    name = "urn:ogc:def:crs:EPSG::27700" if named == "srsName" else ""
    references = "" if name else system(text("EPSG:27700"))
    ring = "429000 85000 449000 97000 466000 87000 449000 75000 429000 85000"
    record = parsed(outline(_polygon(ring, name)), references=references)
    west, south, east, north = geometries.bounds(_rounded(record))
    assert (west, south) == (pytest.approx(-1.59, abs=0.01), pytest.approx(50.573, abs=0.01))
    assert (east, north) == (pytest.approx(-1.06, abs=0.01), pytest.approx(50.772, abs=0.01))
    assert "<gml:posList>429000 85000" in record.extras["spatial-original"]
    assert record.extras["bbox-west-long"] == repr(west)
    assert not record.problems


def test_an_outline_takes_the_place_of_its_box_and_of_no_other() -> None:
    record = parsed(BOX, box(10, 50, 11, 51), outline(_polygon(RING)))
    found = _rounded(record)
    assert found["type"] == "MultiPolygon"
    assert found["coordinates"][0] == TRIANGLE
    assert len(found["coordinates"]) == 2
    assert record.extras["bbox-east-long"] == "11"


@pytest.mark.parametrize(
    ("gml", "words"),
    [
        (_polygon("10 10 11 10 11 11 10 10"), "the polygon lies outside the bounding box"),
        (_polygon("1 2 x 4"), "'x' is not a coordinate"),
        (_polygon("1 2 1_0 4"), "'1_0' is not a coordinate"),
        (_polygon("1 2 3"), "a ring has 1 positions that differ"),
        (_polygon("1 2 3 4 5"), "gml:posList has 5 numbers; expected pairs"),
        (_polygon("-2.9 53.1 -2.1 53.1 -2.9 53.1"), "2 positions that differ"),
        (_polygon("-2.9 53.1 -2.5 53.5 -2.1 53.9 -2.9 53.1"), "a ring has no area"),
        (f"<gml:Polygon><{OLD}>1 2 3{OLD_END}</gml:Polygon>", "'1' is not a position"),
        (_polygon("500 500 600 500 600 600 500 500"), "not a place in"),
        (_polygon("inf 1 2 3 4 5"), "'inf' is not a coordinate"),
    ],
)
def test_an_outline_that_cannot_be_read_leaves_the_box(gml: str, words: str) -> None:
    record = parsed(BOX, outline(gml))
    assert geometries.bounds(_rounded(record)) == (-3, 53, -2, 54)
    [problem] = record.problems
    assert problem.code == "bad-extent"
    assert words in problem.message


def _large(count: int) -> str:
    up = [f"{-2.9 + n / count * 0.8} 53.1" for n in range(count)]
    down = [f"{-2.1 - n / count * 0.8} 53.9" for n in range(count)]
    return " ".join([*up, *down])


@pytest.mark.parametrize("has_box", [True, False])
def test_an_outline_too_large_for_the_index_becomes_its_box(has_box: bool) -> None:
    extents = [outline(_polygon(_large(2000)))] + ([BOX] if has_box else [])
    record = parsed(*extents)
    expected = (-3, 53, -2, 54) if has_box else (-2.9, 53.1, -2.1, 53.9)
    assert geometries.bounds(_rounded(record)) == pytest.approx(expected)
    assert not geometries.too_large(_rounded(record))
    assert codes(record) == ["large-spatial"]
