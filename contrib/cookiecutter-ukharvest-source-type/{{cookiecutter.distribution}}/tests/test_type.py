"""What this type does beside the contract."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord, Source
from ckanext.ukharvest.reading.type_detection import source_type
from ckanext.ukharvest.source_types import TYPES, left_out
from ckanext.ukharvest.testing.publisher import Publisher

from {{ cookiecutter.package }}.source_type import KIND


def parse(row: dict[str, str], **given: Any) -> DatasetRecord:
    return KIND.parse(RawRecord("p1", json.dumps(row)), options.validate(given, KIND.options))


def test_it_is_registered() -> None:
    assert left_out() == ()
    assert TYPES["{{ cookiecutter.type_name }}"] is KIND


def test_a_list_is_recognised() -> None:
    assert source_type(b"id,title,description\n") == KIND.name
    assert source_type(b"name,colour\n") == ""


def test_a_row_becomes_a_dataset() -> None:
    found = parse(
        {
            "title": "Parks",
            "description": "All parks.",
            "url": "https://data.example/parks.csv",
            "licence": "Open Government Licence v3.0",
            "keywords": "parks, leisure",
            "modified": "2024-05-01",
        }
    )
    assert (found.title, found.notes, found.modified) == ("Parks", "All parks.", "2024-05-01")
    assert found.tags == ("parks", "leisure")
    assert found.licence is not None
    assert found.licence.id == "uk-ogl"
    assert [(each.url, each.format) for each in found.resources] == [
        ("https://data.example/parks.csv", "CSV")
    ]
    assert found.problems == ()


def test_what_is_missing_or_wrong_is_a_problem() -> None:
    found = parse({"title": "Parks", "url": "javascript:alert(1)", "licence": "Ask us"})
    assert {each.code for each in found.problems} >= {
        "bad-url",
        "missing-field",
        "unknown-licence",
    }


def test_the_default_licence_is_for_rows_without_one() -> None:
    found = parse({"title": "Parks"}, default_licence="Open Government Licence v3.0")
    assert found.licence is not None
    assert found.licence.id == "uk-ogl"


def test_the_delimiter_is_an_option(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/a.csv", "id;title\np1;Parks\n")
    given = options.validate({"delimiter": "semicolon"}, KIND.options)
    source = Source(publisher.url("/a.csv"), given, http)
    assert [raw.guid for raw in KIND.reader.records(source)] == ["p1"]
    given = options.validate({}, KIND.options)
    with pytest.raises(SourceError, match="has no column id"):
        list(KIND.reader.records(Source(publisher.url("/a.csv"), given, http)))
