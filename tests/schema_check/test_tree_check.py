"""JSON against JSON Schema, and GeoJSON as such."""

from __future__ import annotations

from typing import Any

import pytest

from tests.schema_check.support import check

PARK = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "size": {"type": "number", "minimum": 0},
        "kind": {"enum": ["park", "garden"]},
        "opened": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}},
    },
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("data", "column", "code", "expected"),
    [
        ({}, "", "required", "the property name"),
        ({"name": "x"}, "/name", "minLength", "text of at least 2 characters"),
        ({"name": "xy", "size": -1}, "/size", "minimum", "0 or more"),
        ({"name": "xy", "size": "1"}, "/size", "type", "number"),
        ({"name": "xy", "kind": "hill"}, "/kind", "enum", "one of: park, garden"),
        ({"name": "xy", "opened": "May"}, "/opened", "format", "text in the format date"),
        ({"name": "xy", "tags": ["a", "B"]}, "/tags/1", "pattern", "text that matches ^[a-z]+$"),
        ({"name": "xy", "more": 1}, "", "additionalProperties", "'more' was unexpected"),
    ],
)
def test_a_rule(data: Any, column: str, code: str, expected: str) -> None:
    found = check(PARK, data)
    assert found.found == [(0, column, code)]
    assert expected in found.findings[0].expected


def test_items_are_counted() -> None:
    found = check({"type": "array", "items": PARK}, [{"name": "xy"}, {"name": "x"}, {}])
    assert found.found == [(0, "/1/name", "minLength"), (0, "/2", "required")]
    assert (found.values["checked"], found.values["unit"]) == (3, "item")


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "colour"}, "no valid JSON Schema at /type"),
        ({"$schema": ["x"], "type": "object"}, "no valid JSON Schema"),
        ({"type": "object", "patternProperties": {"(": {}}}, "no valid JSON Schema"),
        ({"$ref": "http://127.0.0.1:1/a.json"}, "refers to http://127.0.0.1:1/a.json"),
        ({"$ref": "#/$defs/none", "type": "object"}, "refers to"),
        ({"$ref": "#", "type": "object"}, "refers to itself without end"),
    ],
)
def test_an_unusable_schema_has_a_reason(schema: Any, reason: str) -> None:
    found = check(schema, {"a": 1})
    assert reason in found.reason


def test_a_reference_to_another_document_is_not_fetched() -> None:
    schema = {"properties": {"a": {"$ref": "https://example.org/a.json#/b"}}, "type": "object"}
    found = check(schema, {"c": 1})
    assert found.is_valid
    assert found.notes == ["The schema refers to https://example.org/a.json, which is not fetched."]


def test_a_reference_to_a_draft_is_known() -> None:
    schema = {"$ref": "http://json-schema.org/draft-07/schema#", "type": "object"}
    found = check(schema, {"type": "colour"})
    assert found.notes == []
    assert found.codes


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ('{"name": "xy"', "json-syntax"),
        ('{"size": NaN}', "json-syntax"),
        ("{'a': 1}", "json-syntax"),
    ],
)
def test_broken_json_is_an_error_of_the_data(data: str, code: str) -> None:
    assert check(PARK, data).codes == [code]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("name\nxy\n", "The file is not JSON"),
        ("<html><title>Sign in</title>", "The file is a web page, “Sign in”"),
        ("[" * 200, "nested more than 100 levels deep"),
        (" " * 2000 + "{}", "larger than"),
    ],
)
def test_a_file_of_another_format_has_a_reason(data: str, reason: str) -> None:
    assert reason in check(PARK, data, tree_bytes=1000).reason


POINT = {"type": "Point", "coordinates": [-1.5, 53.8]}
RING = [[0, 0], [1, 0], [1, 1], [0, 0]]


def _feature(geometry: Any, **more: Any) -> dict[str, Any]:
    return {"type": "Feature", "geometry": geometry, "properties": {}, **more}


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (POINT, []),
        (_feature(POINT), []),
        (_feature(None), []),
        ({"type": "FeatureCollection", "features": [_feature(POINT)]}, []),
        (_feature({"type": "Polygon", "coordinates": [RING]}), []),
        (_feature({"type": "GeometryCollection", "geometries": [POINT]}), []),
        ({"type": "FeatureCollection", "features": {}}, [("/features", "geojson")]),
        ({"type": "FeatureCollection", "features": [1]}, [("/features/0", "geojson-feature")]),
        ({"type": "Feature", "geometry": None}, [("/properties", "geojson-feature")]),
        ({"type": "Feature", "properties": {}}, [("/geometry", "geojson-feature")]),
        (_feature({"type": "Circle"}), [("/geometry", "geojson-geometry")]),
        (
            _feature({"type": "Point", "coordinates": [430000, 434000]}),
            [("/geometry/coordinates", "geojson-position")],
        ),
        (
            _feature({"type": "Point", "coordinates": ["1", "2"]}),
            [("/geometry/coordinates", "geojson-position")],
        ),
        (
            _feature({"type": "LineString", "coordinates": [[0, 0]]}),
            [("/geometry/coordinates", "geojson-line")],
        ),
        (
            _feature({"type": "Polygon", "coordinates": [RING[:3]]}),
            [("/geometry/coordinates/0", "geojson-ring")],
        ),
        (
            _feature({"type": "Polygon", "coordinates": [[*RING[:3], [5, 5]]]}),
            [("/geometry/coordinates/0", "geojson-ring")],
        ),
        (
            _feature({"type": "MultiPolygon", "coordinates": [[RING], [[[0, 0], [0, 91]]]]}),
            [("/geometry/coordinates/1/0/1", "geojson-position")],
        ),
    ],
)
def test_geojson_is_checked_as_such(data: Any, found: list[tuple[str, str]]) -> None:
    result = check(None, data)
    assert result.reason == ""
    assert [(each.column, each.code) for each in result.findings] == found


def test_geojson_is_checked_against_its_schema_as_well() -> None:
    schema = {"type": "object", "required": ["name"]}
    data = {"type": "FeatureCollection", "features": [_feature(1), _feature(POINT)]}
    found = check(schema, data)
    assert found.codes == ["required", "geojson-geometry"]
    assert (found.values["checked"], found.values["unit"]) == (2, "feature")


def test_latitude_first_is_reported() -> None:
    found = check(None, {"type": "Point", "coordinates": [53.8, -101.5]})
    assert found.findings[0].expected == "longitude first, then latitude"


def test_other_json_needs_a_schema() -> None:
    assert (
        check(None, {"a": 1}).reason == "The file is JSON and no GeoJSON; expected a schema for it."
    )
