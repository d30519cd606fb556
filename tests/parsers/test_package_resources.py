"""A package's resources."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.records import (
    Period,
    RawRecord,
)
from ckanext.ukharvest.parsers.ckan import parser as ckan
from tests.parsers.ckan.packages import A, B, codes, parsed


def test_resources_keep_their_ids_and_further_fields() -> None:
    files = [
        {
            "id": "r-1",
            "url": "https://council.example/bins.csv",
            "name": "Bins",
            "format": "csv",
            "size": "120",
            "resource_type": "file.upload",
            "created": "2024-01-02T03:04:05.1",
            "date": "2024/01",
            "hash": "abc",
            "position": 0,
            "package_id": "id-1",
        },
        {"id": "r-2", "url": "https://council.example/about", "resource_type": "documentation"},
        {"id": "r-3", "url": "/dataset/bins/resource/r-3/download/x.csv"},
        {"id": "r-4", "url": "https://council.example/old.csv", "state": "deleted"},
        {"id": "r-5", "name": "Nowhere"},
        {"id": "r-6", "url": "javascript:alert(1)"},
    ]
    record = parsed(resources=files)
    first, second, third = record.resources
    assert (first.id, first.format, first.size, first.kind) == ("r-1", "CSV", 120, "data")
    assert first.extras == {"hash": "abc", "resource_type": "file"}
    assert first.temporal == Period("2024-01")
    assert second.kind == "documentation"
    assert third.url == "https://data.example/dataset/bins/resource/r-3/download/x.csv"
    assert codes(record) == ["relative-url", "missing-url", "bad-url"]


def test_too_many_resources_are_cut_and_reported() -> None:
    given = options.validate({"max_resources": 2}, ckan.OPTIONS)
    files = [{"url": f"https://council.example/{n}.csv"} for n in range(3)]
    package = {"title": "Bins", "resources": files}
    record = ckan.parse(RawRecord("id-1", json.dumps(package)), given)
    assert len(record.resources) == 2
    assert "too-many-resources" in codes(record)


@pytest.mark.parametrize(
    ("fields", "url", "kind"),
    [
        ({"schema_url": A}, A, "csvlint"),
        ({"schema-url": A, "schema-type": "CSV Lint"}, A, "csvlint"),
        ({"Schema URL": A, "Schema type": "xsd"}, A, "xsd"),
        ({"schema_url": B}, B, "csvlint"),
        ({"schema_url": "https://b.example/s.XSD"}, "https://b.example/s.XSD", "xsd"),
        ({"schema_url": "https://b.example/about"}, "https://b.example/about", ""),
        ({"schema_url": "https://b.example/s.json", "format": "XLSX"}, B, ""),
        ({"schema_url": "Public toilets", "schema_type": "Table Schema"}, A, "tableschema"),
        ({"schema_url": f'["{A}"]'}, A, "csvlint"),
    ],
)
def test_a_files_schema(fields: dict[str, Any], url: str, kind: str) -> None:
    file = {"url": "https://b.example/x.csv", "format": "CSV", **fields}
    (resource,) = parsed(resources=[file]).resources
    assert resource.schema_url == url
    assert resource.extras == ({"schema_type": kind} if kind else {})


def test_a_sites_own_definition_of_a_file_is_no_schema() -> None:
    own = "http://datashare.council.example/api/council/organisation-chart/definition"
    file = {"url": "https://b.example/x.csv", "schema-url": own, "schema-type": "None"}
    (resource,) = parsed(resources=[file]).resources
    assert (resource.schema_url, resource.extras) == ("", {"described_by": own})


def test_a_files_schema_that_is_no_address_is_kept_and_reported() -> None:
    file = {"url": "https://b.example/x.csv", "schema_url": "our columns", "conforms_to": "X"}
    record = parsed(resources=[{**file, "schema_type": "csvlint"}])
    (resource,) = record.resources
    assert resource.schema_url == ""
    assert resource.extras == {"conforms_to": "X, our columns", "schema_type": "csvlint"}
    (problem,) = record.problems
    assert (problem.code, problem.field) == ("bad-url", "resources[0].schema_url")
