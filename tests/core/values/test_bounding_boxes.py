"""Boxes in degrees, on either side of the date line and across it."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values.geometries import (
    Box,
    Geometry,
    bbox_polygon,
    hull,
    is_within,
    merge_geometries,
    overlap,
)

FIJI = (177.0, -20.0, -178.0, -12.0)
WORLD = (-180.0, -90.0, 180.0, 90.0)


@pytest.mark.parametrize(
    ("one", "other", "touch"),
    [
        ((0, 0, 2, 2), (1, 1, 3, 3), True),
        ((0, 0, 2, 2), (2, 2, 3, 3), True),
        ((0, 0, 2, 2), (3, 0, 4, 2), False),
        ((0, 0, 2, 2), (0, 3, 2, 4), False),
        (FIJI, (-179, -15, -178.5, -14), True),
        (FIJI, (0, -20, 10, -12), False),
        (FIJI, WORLD, True),
    ],
)
def test_boxes_touch(one: Box, other: Box, touch: bool) -> None:
    assert overlap(one, other) is touch
    assert overlap(other, one) is touch


@pytest.mark.parametrize(
    ("one", "other", "lies"),
    [
        ((1, 1, 2, 2), (0, 0, 3, 3), True),
        ((1, 1, 4, 2), (0, 0, 3, 3), False),
        ((1, 1, 2, 4), (0, 0, 3, 3), False),
        (FIJI, WORLD, True),
        (WORLD, FIJI, False),
        ((178, -15, 179, -14), FIJI, True),
        ((178, -15, -179, -14), FIJI, True),
    ],
)
def test_a_box_lies_within_another(one: Box, other: Box, lies: bool) -> None:
    assert is_within(one, other) is lies


@pytest.mark.parametrize(
    ("boxes", "around"),
    [
        ([(0, 0, 1, 1)], (0, 0, 1, 1)),
        ([(0, 0, 1, 1), (-5, 2, -4, 3)], (-5, 0, 1, 3)),
        ([FIJI], FIJI),
        ([FIJI, (170, -30, 175, -25)], (170, -30, -178, -12)),
        ([FIJI, (-170, 0, -160, 5)], (177, -20, -160, 5)),
        ([FIJI, (-178, -12, 177, 0)], (-180, -20, 180, 0)),
        # The United States cut at the date line: nothing shows that both boxes are one.
        ([(172, 51, 180, 53), (-180, 18, -66, 71)], (-180, 18, 180, 71)),
    ],
)
def test_the_hull_of_boxes(boxes: list[Box], around: Box) -> None:
    assert hull(boxes) == around


def test_geometries_become_one() -> None:
    one, other = bbox_polygon(0, 0, 1, 1), bbox_polygon(*FIJI)
    point: Geometry = {"type": "Point", "coordinates": [1, 2]}
    assert merge_geometries([one]) == one
    assert merge_geometries([one, other]) == {
        "type": "MultiPolygon",
        "coordinates": [one["coordinates"], *other["coordinates"]],
    }
    assert merge_geometries([one, point]) == {
        "type": "GeometryCollection",
        "geometries": [one, point],
    }
