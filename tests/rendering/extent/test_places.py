"""Names of places and rings on the extent map."""

from __future__ import annotations

import json
import re

import pytest

from ckanext.ukharvest.core.values.geometries import bbox_polygon
from ckanext.ukharvest.rendering import extent_map
from ckanext.ukharvest.rendering.extent_map import render_extent


def drawn(*box: float) -> str:
    return str(render_extent(json.dumps(bbox_polygon(*box)), lambda path: path))


def names(picture: str) -> list[str]:
    return re.findall(r'paint-order="stroke">([^<\d]+)</text>', picture)


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ((-0.5, 51.28, 0.33, 51.69), "London"),
        ((-8.97, 54.53, 0.21, 61.07), "Edinburgh"),
        ((-4.3, 50.3, -4.0, 50.5), "Exeter"),
        ((177, -20, -178, -12), "Suva"),
        ((-1.3, 60.0, -1.0, 60.3), "Kirkwall"),
        ((-180, -90, 180, 90), "New York"),
    ],
)
def test_places_that_people_know(box: tuple[float, ...], expected: str) -> None:
    found = names(drawn(*box))
    assert expected in found
    assert len(found) <= extent_map.MOST


def test_names_keep_apart() -> None:
    for box in ((-3, 53, -1, 54), (-6, 50, 2, 56), (-2.3, 53.4, -2.2, 53.5)):
        at = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="start"', drawn(*box))
        heights = sorted(float(y) for _x, y in at)
        assert all(
            later - sooner > 14 or len({x for x, _y in at}) > 1
            for sooner, later in zip(heights, heights[1:], strict=False)
        )


def test_a_small_area_has_a_ring_and_no_name_covers_it() -> None:
    small = drawn(-2.3, 53.4, -2.15, 53.55)
    assert "ukharvest-extent-ring" in small
    assert "Manchester" not in names(small)  # in its middle
    assert "ukharvest-extent-ring" not in drawn(-8.97, 54.53, 0.21, 61.07)


def test_positions_are_positions() -> None:
    found = [name for name, _latitude, _longitude in extent_map.PLACES]
    assert len(found) == len(set(found))
    for _name, latitude, longitude in extent_map.PLACES:
        assert -90 < latitude < 90
        assert -180 < longitude < 180
