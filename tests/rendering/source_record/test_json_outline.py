"""A record's JSON for people: its fields in the publisher's order, and no value lost."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.rendering.outlines import DEEPEST, MOST, Row, Section, outline_of_json
from tests.rendering.source_record.outline_lines import page, values_of


def lines(record: object) -> list[str]:
    return list(page(outline_of_json(json.dumps(record))))[1:]


def test_a_record_as_fields_in_its_own_order() -> None:
    record = {
        "title": "Bins",
        "@type": "dcat:Dataset",
        "modified": "2024-05-01",
        "accessLevel": "public",
        "keyword": ["bins", "waste"],
        "contactPoint": {"fn": "Parks", "hasEmail": "mailto:parks@wold.example"},
        "distribution": [
            {"title": "Plots", "downloadURL": "https://wold.example/plots.csv"},
            {"accessURL": "https://wold.example/", "schema": {"fields": [{"name": "id"}]}},
        ],
        "extras": [{"key": "update_frequency", "value": "weekly"}],
        "spatial": None,
        "rights": "",
        "isOpen": True,
    }
    assert lines(record) == [
        "Title = Bins",
        "Type = dcat:Dataset",
        "Modified = 2024-05-01",
        "Access level = public",
        "Keyword = bins / waste",
        "Contact point = Fn: Parks / Has email: mailto:parks@wold.example",
        "Distribution 1: Plots = Title: Plots / Download URL: https://wold.example/plots.csv",
        "Spatial = (Empty)",
        "Rights = (Empty)",
        "Is open = true",
        "## Distribution 2",
        "Access URL = https://wold.example/",
        "## Extras",
        "Update frequency = weekly",
    ] or lines(record)


def test_every_text_is_on_the_page() -> None:
    record = {"a": [{"b": [1, [2.5, "x" * 200]]}, "y", {}], "c": {"d": {"e": {"f": "z"}}}}
    found = {value.text for value in values_of(outline_of_json(json.dumps(record)))}
    assert {"1", "2.5", "x" * 200, "y", "z"} <= found


def test_links_are_web_addresses_alone() -> None:
    found = outline_of_json('{"url": "https://a.example/", "bad": "javascript:alert(1)"}')
    assert [value.href for value in values_of(found)] == ["https://a.example/", ""]


def test_characters_that_no_page_can_hold_are_replaced() -> None:
    found = outline_of_json('{"title": "a\\ud800b", "x\\ud800": 1}')
    assert [value.text for value in values_of(found)] == ["a?b", "1"]
    assert all("\ud800" not in line for line in page(found))


def test_depth_of_a_record_is_limited() -> None:
    record: object = "deep"
    for _ in range(DEEPEST + 20):
        record = {"in": record, "beside": [1] * 9}

    def depth(part: Row | Section) -> int:
        return 1 + max(map(depth, part.parts)) if isinstance(part, Section) else 1

    found = outline_of_json(json.dumps(record))
    assert depth(found) <= DEEPEST + 2
    assert any("deep" in value.text for value in values_of(found))


@pytest.mark.parametrize(
    ("content", "words"),
    [("{", "not JSON"), ("[1]", "no object"), (json.dumps({"a": [0] * MOST}), "too many")],
)
def test_other_texts_are_no_record(content: str, words: str) -> None:
    with pytest.raises(ParseError, match=words):
        outline_of_json(content)


def test_stored_json_has_the_order_of_the_publisher() -> None:
    assert ordered_json({"b": 1, "a": {"d": 2, "c": 3.0}}) == '{"b":1,"a":{"d":2,"c":3.0}}'
