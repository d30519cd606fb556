"""Differences between two states of a dataset."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.dataset_changes import (
    DATASET,
    LONGEST,
    RESOURCES,
    FieldChange,
    is_changed,
    list_changes,
)

FILE = {"id": "1", "name": "Table", "url": "https://data.example/1.csv", "format": "CSV"}


def plain(_key: str, text: str) -> str:
    return text


def package(**fields: Any) -> dict[str, Any]:
    return {
        "id": "p",
        "title": "Rivers",
        "notes": "All of them.",
        "license_id": "",
        "tags": [{"name": "water", "id": "t"}],
        "groups": [],
        "extras": [{"key": "guid", "value": "g"}],
        "resources": [FILE],
        "num_resources": 1,
        "metadata_modified": "2026-05-01T10:00:00",
        **fields,
    }


def find_differences(**fields: Any) -> list[FieldChange]:
    return list_changes(package(), package(**fields), plain)


def test_fields_that_ckan_maintains_are_no_change() -> None:
    after = package(
        metadata_modified="2026-05-02T10:00:00",
        tags=[{"name": "water", "id": "other"}],
        resources=[{**FILE, "position": 3, "size": None, "description": "", "created": "now"}],
        author=None,
        version="",
        groups=None,
    )
    assert not is_changed(package(), after)
    assert list_changes(package(), after, plain) == []


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ("notes", "All of them.\n\nEach  year", "All of them. \r\nEach year\n"),
        ("data_modified", "2025-03-01", "2025-03-01T00:00:00Z"),
        ("data_modified", "2025-06-01T00:00:00+01:00", "2025-06-01"),
        ("data_modified", "2025-06-01T10:30:00+01:00", "2025-06-01T09:30:00Z"),
        ("keywords", '[{"keywords": ["A", "b"]}]', '[{"keywords": ["B", "a"]}]'),
        ("temporal-extents", '[{"from": "2025-03-01"}]', '[ {"from": "2025-03-01T00:00:00"}]'),
    ],
)
def test_another_spelling_is_no_change(key: str, before: str, after: str) -> None:
    was, now = package(**{key: before}), package(**{key: after})
    assert not is_changed(was, now)
    assert list_changes(was, now, plain) == []
    assert is_changed(was, package(**{key: after + " more"}))


def test_order_of_files_and_order_and_case_of_keywords_are_no_change() -> None:
    files = [FILE, {**FILE, "id": "2", "name": "Guide"}]
    was = package(tags=[{"name": "Water"}, {"name": "air"}], resources=files)
    now = package(tags=[{"name": "AIR"}, {"name": "water"}], resources=files[::-1])
    assert not is_changed(was, now)
    assert is_changed(was, package(tags=[{"name": "AIR"}], resources=files))
    # Themes have an order: the first is the main one.
    assert is_changed(package(dcat_subject='["A", "B"]'), package(dcat_subject='["B", "A"]'))


def test_fields_extras_tags_and_licence() -> None:
    assert find_differences(title="Brooks") == [FieldChange("title", DATASET, "Rivers", "Brooks")]
    assert find_differences(extras=[]) == [FieldChange("guid", DATASET, "g", "")]
    assert find_differences(tags=[]) == [FieldChange("tags", DATASET, "water", "")]
    [licence] = find_differences(license_id="uk-ogl", license_title="Open Government Licence")
    assert licence == FieldChange("license_id", DATASET, "", "Open Government Licence")
    assert is_changed(package(), package(title="Brooks"))


def test_resources_are_compared_by_id() -> None:
    other = {**FILE, "id": "2", "name": "Guide"}
    assert find_differences(resources=[other]) == [
        FieldChange(RESOURCES, DATASET, "Table (https://data.example/1.csv)", ""),
        FieldChange(RESOURCES, DATASET, "", "Guide (https://data.example/1.csv)"),
    ]
    assert find_differences(resources=[{**FILE, "format": "XLSX"}]) == [
        FieldChange("format", "Table", "CSV", "XLSX")
    ]
    assert find_differences(resources=[other, FILE])[0].new.startswith("Guide")


def test_a_long_text_is_cut_to_where_it_differs() -> None:
    before, after = "a" * 900 + " old " + "b" * 900, "a" * 900 + " new " + "b" * 900
    [cut] = list_changes(package(notes=before), package(notes=after), plain)
    assert cut.old.startswith("… a")
    assert cut.old.endswith("b …")
    assert " old " in cut.old
    assert " new " in cut.new
    assert max(len(cut.old), len(cut.new)) < 200
    [whole] = list_changes(package(notes=""), package(notes="c" * 5000), plain)
    assert whole.old == ""
    assert whole.new == "c" * LONGEST + " …"
    # What is added in the middle of repetitions is found once.
    [repeated] = list_changes(package(notes="x" * 1000), package(notes="x" * 1010), plain)
    assert repeated.old != repeated.new


def test_values_that_read_the_same_are_changed_without_text() -> None:
    assert list_changes(package(), package(notes="Other."), lambda _key, _text: "same") == [
        FieldChange("notes", DATASET, "", "")
    ]
