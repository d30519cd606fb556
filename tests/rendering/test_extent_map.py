"""The extent map: a picture and text for a geometry, whatever its text is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from markupsafe import Markup

import ckanext.ukharvest
from ckanext.ukharvest.core.values.geometries import Geometry, bbox_polygon, merge_geometries
from ckanext.ukharvest.rendering import extent_map

PUBLIC = Path(ckanext.ukharvest.__file__).parent / "public"
SVG = "{http://www.w3.org/2000/svg}"

SCOTLAND = bbox_polygon(-8.97, 54.53, 0.21, 61.07)
LONDON = bbox_polygon(-0.5, 51.28, 0.33, 51.69)
OXFORD = bbox_polygon(-1.26, 51.75, -1.26, 51.75)
FIJI = bbox_polygon(177, -20, -178, -12)
WORLD = bbox_polygon(-180, -90, 180, 90)
KITE: Geometry = {
    "type": "Polygon",
    "coordinates": [[[-3, 53], [-2, 53.5], [-1, 53], [-2, 52], [-3, 53]]],
}


def _url(path: str) -> str:
    return f"/portal{path}"


def _figure(geometry: Any) -> ElementTree.Element:
    drawn = extent_map.render_extent(json.dumps(geometry), _url)
    assert isinstance(drawn, Markup)
    return ElementTree.fromstring(drawn)


def _uses(figure: ElementTree.Element) -> list[str]:
    return [use.attrib["href"] for use in figure.iter("use")]


def _place(figure: ElementTree.Element, longitude: float, latitude: float) -> tuple[float, float]:
    """Return the pixels of a place on the figure's coast line."""
    words = figure.find(".//use").attrib["transform"]  # type: ignore[union-attr]
    a, _, _, d, e, f = map(float, re.findall(r"[-\d.]+", words))
    return longitude * 100 * a + e, -latitude * 100 * d + f


@pytest.mark.parametrize(
    ("geometry", "words"),
    [
        (SCOTLAND, "54.53° N to 61.07° N, 8.97° W to 0.21° E"),
        (OXFORD, "51.75° N, 1.26° W"),
        (bbox_polygon(-5, 50, 1, 50), "50° N, 5° W to 1° E"),
        (bbox_polygon(0, 0, 5, 5), "0° to 5° N, 0° to 5° E"),
        (bbox_polygon(-1.26, 51.75, -1.2595, 51.7502), "51.75° N to 51.7502° N, 1.26° W"),
        (FIJI, "20° S to 12° S, 177° E to 178° W"),
        (WORLD, "The whole world"),
        (bbox_polygon(-180, 60, 180, 90), "60° N to 90° N, 180° W to 180° E"),
        (KITE, "52° N to 53.5° N, 3° W to 1° W"),
        (
            merge_geometries([LONDON, SCOTLAND]),
            "2 areas; together: 51.28° N to 61.07° N, 8.97° W to 0.33°",
        ),
        (merge_geometries([OXFORD, KITE]), "2 areas; together: 51.75° N to 53.5° N, 3° W to 1° W"),
        (
            merge_geometries([bbox_polygon(172, 51, 180, 53), bbox_polygon(-180, 18, -66, 71)]),
            "2 areas; together: 18° N to 71° N, 172° E to 66° W",
        ),
        ({"type": "MultiPoint", "coordinates": [[1, 51], [2, 52]]}, "2 areas; together: 51° N to"),
        # RFC 7946 requires this ring to be cut in two; many are not.
        (
            {
                "type": "Polygon",
                "coordinates": [[[177, -20], [-178, -20], [-179, -12], [177, -12], [177, -20]]],
            },
            "20° S to 12° S, 177° E to 178° W",
        ),
    ],
)
def test_an_extent_is_described_in_words(geometry: Any, words: str) -> None:
    assert extent_map.describe_extent(json.dumps(geometry)).startswith(words)
    label = _figure(geometry).find("svg").attrib["aria-label"]  # type: ignore[union-attr]
    assert label.startswith(f"Map: {words}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Kent",
        "null",
        "[]",
        "{}",
        "[" * 100_000,
        '{"type": "Point", "coordinates": [500, 1]}',
        '{"type": "Point", "coordinates": ["<script>", 1]}',
        '{"type": "Polygon", "coordinates": []}',
        '{"type": "GeometryCollection", "geometries": []}',
    ],
)
def test_other_texts_have_no_map(text: str) -> None:
    assert extent_map.describe_extent(text) == ""
    assert extent_map.render_extent(text, _url) is None


def test_no_text_of_a_geometry_is_on_the_page() -> None:
    evil = {"type": "Point", "coordinates": [1, 51], "name": "<script>"}
    drawn = extent_map.render_extent(
        json.dumps({**evil, "type": "point"}), lambda path: path + '"><x>'
    )
    assert drawn
    assert "<script" not in drawn
    assert "<x>" not in drawn


@pytest.mark.parametrize(
    ("geometry", "outlines"),
    [
        (LONDON, ["/portal/ukharvest/outline-uk.svg#land"]),
        (SCOTLAND, ["/portal/ukharvest/outline-uk.svg#land"]),
        (bbox_polygon(-10, 35, 30, 70), ["/portal/ukharvest/outline-world.svg#land"]),
        (FIJI, ["/portal/ukharvest/outline-world.svg#land"] * 2),
        (WORLD, ["/portal/ukharvest/outline-world.svg#land"] * 3),
    ],
)
def test_a_map_draws_the_outlines_around_its_window(
    geometry: Geometry, outlines: list[str]
) -> None:
    assert _uses(_figure(geometry)) == outlines


@pytest.mark.parametrize(
    ("geometry", "corner"),
    [(LONDON, (-0.5, 51.28)), (SCOTLAND, (-8.97, 54.53)), (KITE, (-3, 53))],
)
def test_areas_and_coast_have_one_scale(geometry: Geometry, corner: tuple[float, float]) -> None:
    figure = _figure(geometry)
    [area] = [each for each in figure.iter("path") if "class" in each.attrib]
    first = tuple(map(float, area.attrib["d"].removeprefix("M").split("L")[0].split()))
    assert _place(figure, *corner) == pytest.approx(first, abs=0.5)
    assert 0 < first[0] < 480
    assert 0 < first[1] < 320


def test_london_is_found_on_the_thames() -> None:
    """Its box is in the middle of the picture, and the picture shows London."""
    figure = _figure(LONDON)
    assert _place(figure, -0.085, 51.485) == pytest.approx((240, 160), abs=0.5)
    # The scale of latitude is fixed, that of longitude depends on the parallel.
    (x, y), (east, north) = _place(figure, 0, 51.485), _place(figure, 1, 52.485)
    assert (east - x) / (y - north) == pytest.approx(0.6227, abs=0.01)


def test_a_small_place_is_a_marker() -> None:
    for geometry in (OXFORD, bbox_polygon(-1.26, 51.75, -1.255, 51.752)):
        circles = [each for each in _figure(geometry).iter("circle") if each.get("r") != "2.2"]
        assert {circle.attrib["r"] for circle in circles} == {"9", "2.5"}
        assert circles[0].attrib["cx"] == "240"


def test_the_whole_world_is_the_map_alone() -> None:
    figure = _figure(WORLD)
    assert figure.find("svg").attrib["viewBox"] == "0 0 480 240"  # type: ignore[union-attr]
    assert not list(figure.iter("path"))


@pytest.mark.parametrize(
    ("count", "numbers", "listed"), [(1, 0, 0), (2, 2, 2), (12, 12, 12), (13, 0, 13)]
)
def test_several_areas_are_numbered_and_listed(count: int, numbers: int, listed: int) -> None:
    geometry = merge_geometries([bbox_polygon(n, 50, n + 0.5, 51) for n in range(count)])
    figure = _figure(geometry)
    assert len(figure.findall(".//text[@font-weight='bold']")) == numbers
    assert len(list(figure.iter("li"))) == listed
    more = figure.find(".//summary")
    assert (more.text if more is not None else "") == ("More (8)" if count > 12 else "")


def test_a_shape_of_many_points_is_drawn_with_fewer() -> None:
    ring = [[n / 10_000, 50 + (n % 2) / 10] for n in range(9_999)] + [[0, 51], [0, 50]]
    geometry: Geometry = {"type": "Polygon", "coordinates": [ring]}
    assert len(str(extent_map.render_extent(json.dumps(geometry), _url))) < 100_000


@pytest.mark.parametrize(
    ("path", "most"), [(extent_map.OUTLINE_UK, 25_000), (extent_map.OUTLINE_WORLD, 125_000)]
)
def test_the_outlines_are_small_and_say_where_they_are_from(path: str, most: int) -> None:
    file = PUBLIC / path.lstrip("/")
    assert 10_000 < file.stat().st_size < most
    text = file.read_text(encoding="utf-8")
    assert "Natural Earth 4.1.0 (public domain)" in text
    assert "world-atlas@2.0.2 (ISC)" in text
    [land] = ElementTree.fromstring(text)
    assert (land.tag, land.attrib["id"]) == (f"{SVG}path", "land")
    assert land.attrib["vector-effect"] == "non-scaling-stroke"


def _rings(path: str) -> list[list[tuple[int, int]]]:
    """Return the rings of an outline in hundredths of a degree, x east and y south."""
    text = (PUBLIC / path.lstrip("/")).read_text(encoding="utf-8")
    rings = []
    for part in re.findall(r"M([^z]+)z", text):
        numbers = list(map(int, re.findall(r"-?\d+", part)))
        points = [(numbers[0], numbers[1])]
        for dx, dy in zip(numbers[2::2], numbers[3::2], strict=True):
            points.append((points[-1][0] + dx, points[-1][1] + dy))
        rings.append(points)
    return rings


def _is_land(rings: list[list[tuple[int, int]]], longitude: float, latitude: float) -> bool:
    x, y = longitude * 100, -latitude * 100
    inside = False
    for ring in rings:
        for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
                inside = not inside
    return inside


@pytest.mark.parametrize(
    ("path", "places"),
    [
        (
            extent_map.OUTLINE_UK,
            {(-1.5, 52.5): True, (-4, 57): True, (-7, 54.6): True, (-4.5, 54.2): True}
            | {(2.3, 48.8): True, (-4.5, 53.9): False, (3, 55): False, (-10, 49): False},
        ),
        (
            extent_map.OUTLINE_WORLD,
            {(-1.5, 52.5): True, (100, 60): True, (179, 67.5): True, (20, 0): True}
            | {(135, -25): True, (-100, 40): True, (0, -85): True, (-59, -51.8): True}
            | {(-30, 30): False, (-150, 0): False, (80, -30): False},
        ),
    ],
)
def test_land_is_where_land_is(path: str, places: dict[tuple[float, float], bool]) -> None:
    rings = _rings(path)
    assert {place: _is_land(rings, *place) for place in places} == places


def test_results_are_boxes_around_a_place() -> None:
    datasets = [("<b>Kite</b>", json.dumps(KITE)), ("None", "")]
    box = (-3.0, 52.0, -1.0, 53.5)  # that of the kite
    drawn = extent_map.render_results(datasets, "Stafford & more", box, _url)
    assert drawn is not None
    figure = ElementTree.fromstring(drawn)
    assert [title.text for title in figure.iter("title")] == ["<b>Kite</b>"]
    (lines,) = {path.attrib["d"] for path in figure.iter("path")}
    assert lines.count("L") == 4
    assert figure.findtext("figcaption") == "Stafford & more"
    assert extent_map.render_results(datasets[1:], "Stafford", box, _url) is None
    assert "52° N to 53.5° N" in str(extent_map.render_results(datasets, "", box, _url))
