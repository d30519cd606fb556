"""What this type does beside the contract."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.source_type_api import (
    TYPES,
    DatasetRecord,
    HttpClient,
    RawRecord,
    Source,
    SourceError,
    detect_type,
    left_out,
    validate,
)
from ckanext.ukharvest.testing.publisher import Publisher

from {{ cookiecutter.package }}.source_type import KIND


def parse(item: dict[str, Any], **options: Any) -> DatasetRecord:
    return KIND.parse(RawRecord("p1", json.dumps(item)), validate(options, KIND.options))


def test_it_is_registered() -> None:
    assert left_out() == ()
    assert TYPES["{{ cookiecutter.type_name }}"] is KIND


def test_a_list_is_recognised() -> None:
    assert detect_type(b'{"total": 1, "items": [{"id": "p1"}]}') == KIND.name
    assert detect_type(b'{"total": 1}') == ""


def test_an_item_becomes_a_dataset() -> None:
    record = parse(
        {
            "title": "Parks",
            "description": "All parks.",
            "url": "https://data.example/parks.csv",
            "licence": "Open Government Licence v3.0",
            "keywords": ["parks", "leisure"],
            "modified": "2024-05-01",
        }
    )
    assert (record.title, record.notes, record.modified) == ("Parks", "All parks.", "2024-05-01")
    assert record.tags == ("parks", "leisure")
    assert record.licence is not None
    assert record.licence.id == "uk-ogl"
    assert [(file.url, file.format) for file in record.resources] == [
        ("https://data.example/parks.csv", "CSV")
    ]
    assert record.problems == ()


def test_what_is_missing_or_wrong_is_a_problem() -> None:
    record = parse({"title": "Parks", "url": "javascript:alert(1)", "licence": "Ask us"})
    assert {problem.code for problem in record.problems} >= {
        "bad-url",
        "missing-field",
        "unknown-licence",
    }


def test_the_default_licence_is_for_items_without_one() -> None:
    record = parse({"title": "Parks"}, default_licence="Open Government Licence v3.0")
    assert record.licence is not None
    assert record.licence.id == "uk-ogl"


def test_the_name_of_the_list_is_an_option(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/a.json", {"total": 1, "data": [{"id": "p1", "title": "Parks"}]})
    options = validate({"list_key": "data"}, KIND.options)
    source = Source(publisher.url("/a.json"), options, http)
    assert [raw.guid for raw in KIND.reader.records(source)] == ["p1"]
    options = validate({}, KIND.options)
    with pytest.raises(SourceError, match="expected an object with total and items"):
        list(KIND.reader.records(Source(publisher.url("/a.json"), options, http)))
