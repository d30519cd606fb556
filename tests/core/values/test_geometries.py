"""Geometries in every notation, as GeoJSON."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.values.geometries import Box, bbox_polygon, bounds, valid_geojson


def test_collections_keep_all_their_parts() -> None:
    points: list[Any] = [{"type": "Point", "coordinates": [n, n]} for n in (1, 2)]
    features = [{"type": "Feature", "geometry": point} for point in points]
    geometry = valid_geojson({"type": "FeatureCollection", "features": features})
    assert geometry == {"type": "GeometryCollection", "geometries": points}
    assert bounds(geometry) == (1, 1, 2, 2)


@pytest.mark.parametrize(
    ("box", "ends"),
    [((1.0, 50.0, 1.0, 51.0), [[1.0, 50.0], [1.0, 51.0]]), ((1, 50, 2, 50), [[1, 50], [2, 50]])],
)
def test_a_box_without_width_or_height_is_a_line(box: Box, ends: list[list[float]]) -> None:
    assert bbox_polygon(*box) == {"type": "LineString", "coordinates": ends}
