"""A record beyond the limits is cut, and its problems name what was cut and by which setting."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ckanext.ukharvest.core.records import (
    Agent,
    DatasetRecord,
    Licence,
    Problem,
    RecordLimits,
    RemoteGroup,
    ResourceRecord,
)
from ckanext.ukharvest.core.values.geometries import bbox_polygon
from ckanext.ukharvest.parsers.record_checks import FieldNames, limit_record
from tests.counting import assert_linear, count_calls

SMALL = RecordLimits(resources=2, tags=3, values=2, text=50, line=20, url=40, points=6)
RECORD = DatasetRecord("id", "A title")
SETTING = "(the portal's setting ckanext.ukharvest.limits."


def limited(record: DatasetRecord, limits: RecordLimits = SMALL) -> DatasetRecord:
    names = FieldNames(resources="files", tags="keyword", spatial="place")
    return limit_record(record, limits, names)


def only_problem(record: DatasetRecord) -> Problem:
    (problem,) = record.problems
    return problem


def test_a_record_within_the_limits_is_the_same_object() -> None:
    record = replace(RECORD, notes="x" * 50, tags=("a", "b", "c"), extras={"a": "x" * 50})
    assert limited(record) is record


@pytest.mark.parametrize(
    ("name", "length", "end"),
    [
        ("title", 20, ""),
        ("notes", 50, f" {SETTING}text)"),
        ("version", 20, ""),
        ("rights", 50, f" {SETTING}text)"),
    ],
)
def test_a_text_is_cut(name: str, length: int, end: str) -> None:
    record = limited(replace(RECORD, **{name: "x" * 1000}))
    assert getattr(record, name) == "x" * length
    problem = only_problem(record)
    assert (problem.code, problem.field) == ("long-text", name)
    assert f"{name}: a text of up to 1,000 characters" in problem.message
    assert problem.message.endswith(f"at most {length}{end}")


def test_a_url_is_left_out_not_cut() -> None:
    url = "https://a.example/" + "x" * 50
    files = (ResourceRecord(url), ResourceRecord("https://a.example/b", id=url, schema_url=url))
    record = limited(replace(RECORD, url=url, resources=files))
    assert record.url == ""
    assert record.resources == (ResourceRecord("https://a.example/b"),)
    fields = ["url", "resources.url", "resources.id", "resources.schema_url"]
    assert [each.field for each in record.problems] == fields


def test_json_in_an_extra_is_left_out_not_cut() -> None:
    record = limited(replace(RECORD, extras={"list": json.dumps(["x"] * 50), "words": "x" * 60}))
    assert record.extras == {"list": "", "words": "x" * 50}
    assert [each.field for each in record.problems] == ["extras.list", "extras.words"]


@pytest.mark.parametrize(
    ("name", "values", "code", "field", "kept"),
    [
        ("tags", ("a", "b", "c", "d"), "too-many-tags", "keyword", 3),
        ("themes", ("a", "b", "c"), "too-many-values", "themes", 2),
        ("language", ("a", "b", "c"), "too-many-values", "language", 2),
        ("groups", (RemoteGroup("a"),) * 3, "too-many-values", "groups", 2),
        (
            "resources",
            (ResourceRecord("https://a.example/b"),) * 3,
            "too-many-resources",
            "files",
            2,
        ),
    ],
)
def test_a_list_keeps_its_first_values(
    name: str, values: tuple[Any, ...], code: str, field: str, kept: int
) -> None:
    record = limited(replace(RECORD, **{name: values}))
    assert getattr(record, name) == values[:kept]
    problem = only_problem(record)
    assert (problem.code, problem.field) == (code, field)
    assert problem.message.startswith(f"{field}: {len(values)} of them; the first {kept} ")
    assert (SETTING in problem.message) == (name in ("resources", "tags"))


def test_too_many_extras_and_names_too_long() -> None:
    record = limited(replace(RECORD, extras={"a": "1", "x" * 30: "2", "c": "3"}))
    assert record.extras == {"a": "1"}
    assert [each.code for each in record.problems] == ["too-many-values", "long-text"]


def test_texts_of_people_licences_groups_and_lists() -> None:
    long = "x" * 100
    record = limited(
        replace(
            RECORD,
            publisher=Agent(long, email=long, url=long),
            licence=Licence(long, long, long),
            organisation=RemoteGroup("a", title=long),
            groups=(RemoteGroup(long),),
            themes=("a", long),
        )
    )
    assert record.publisher == Agent("x" * 20, email="x" * 20)
    assert record.licence == Licence("x" * 20, "x" * 50)
    assert record.organisation == RemoteGroup("a", title="x" * 20)
    assert record.groups == (RemoteGroup("x" * 20),)
    assert record.themes == ("a",)


def test_one_problem_for_all_resources_of_a_kind() -> None:
    files = tuple(
        ResourceRecord(f"https://a.example/{n}", description="x" * (60 + n), extras={"b": "x" * 60})
        for n in range(2)
    )
    record = limited(replace(RECORD, resources=files))
    messages = [each.message for each in record.problems]
    assert [each.field for each in record.problems] == [
        "resources.description",
        "resources.extras.b",
    ]
    assert messages[0].startswith("resources.description: 2 texts of up to 61 characters")


def test_a_licence_of_a_resource_is_cut() -> None:
    file = ResourceRecord("https://a.example/b", licence=Licence(title="x" * 60))
    (cut,) = limited(replace(RECORD, resources=(file,))).resources
    assert cut.licence == Licence(title="x" * 50)


@pytest.mark.parametrize("kind", ["Polygon", "GeometryCollection"])
def test_an_outline_of_too_many_points_becomes_its_box(kind: str) -> None:
    ring = [[0.0, 50.0], [1.0, 50.0], [2.0, 51.0], [1.0, 52.0], [0.5, 52.0], [0.0, 51.0]]
    outline: dict[str, Any] = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    if kind == "GeometryCollection":
        outline = {"type": kind, "geometries": [outline]}
    record = limited(replace(RECORD, spatial=outline))
    assert record.spatial == bbox_polygon(0.0, 50.0, 2.0, 52.0)
    assert (only_problem(record).code, only_problem(record).field) == ("large-spatial", "place")
    assert "7 points" in only_problem(record).message


def test_the_cost_grows_with_the_record_alone() -> None:
    def cost(count: int) -> int:
        files = tuple(ResourceRecord(f"https://a.example/{n}") for n in range(count))
        extras = {f"extra-{n}": "x" * 100 for n in range(count)}
        record = replace(RECORD, resources=files, extras=extras, tags=tuple(extras))
        return count_calls(limited, record)

    assert_linear(cost, 100)
