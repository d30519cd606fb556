"""Distributions, services and pages of a data.json entry become resources."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parsers.data_json.entries import codes, parse


@pytest.mark.parametrize(
    ("distribution", "code", "field"),
    [
        ({}, "missing-url", "accessURL"),
        ({"accessURL": "x"}, "bad-url", "accessURL"),
        ({"accessUrl": "http://a.uk"}, "wrong-case", "accessUrl"),
        ({"downloadURL": "http://a.uk"}, "missing-media-type", "mediaType"),
        ({"downloadURL": "http://a.uk", "mediaType": "CSV"}, "bad-media-type", "mediaType"),
        ({"accessURL": "http://a.uk", "format": "Blob 7"}, "unknown-format", "format"),
        ({"accessURL": "http://a.uk", "byteSize": "big"}, "bad-size", "byteSize"),
        ({"accessURL": "http://a.uk", "issued": "soon"}, "bad-date", "issued"),
        ({"accessURL": "http://a.uk", "license": "own"}, "unknown-licence", "license"),
    ],
)
def test_a_defect_of_a_distribution_names_its_place(
    distribution: dict[str, Any], code: str, field: str
) -> None:
    record = parse({"distribution": [{"accessURL": "http://a.uk/0"}, distribution]})
    assert codes(record) == [f"{code} distribution[1].{field}"]


def _files(entry: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    record = parse(entry, **options)
    names = ("url", "name", "format", "mimetype", "kind", "size", "id", "schema_url")
    found = [{name: getattr(each, name) for name in names} for each in record.resources]
    return [{name: value for name, value in each.items() if value} for each in found]


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        (
            {"downloadURL": "http://a.uk/d", "accessURL": "http://a.uk/a", "mediaType": "text/csv"},
            {"url": "http://a.uk/d", "format": "CSV", "mimetype": "text/csv", "kind": "data"},
        ),
        (
            {"accessURL": "http://a.uk/a", "format": "application/json", "title": 5},
            {"url": "http://a.uk/a", "format": "JSON", "mimetype": "application/json"}
            | {"kind": "data", "name": "5"},
        ),
        (
            {"accessURL": "http://a.uk/a", "format": "OGC WMS"},
            {"url": "http://a.uk/a", "format": "WMS", "kind": "service"},
        ),
        (
            {"accessURL": "http://a.uk/a.zip", "format": "Original", "byteSize": "12.0"},
            {"url": "http://a.uk/a.zip", "format": "ZIP", "kind": "data", "size": 12},
        ),
        (
            {"accessURL": "http://a.uk/a", "accessType": "Download", "@id": "_:b1"},
            {"url": "http://a.uk/a", "kind": "data", "name": "Download"},
        ),
        (
            {"accessURL": "http://a.uk/a", "@id": "http://a.uk/id", "describedBy": "http://a.uk/s"},
            {"url": "http://a.uk/a", "kind": "data", "id": "http://a.uk/id"}
            | {"schema_url": "http://a.uk/s"},
        ),
    ],
)
def test_a_distribution_is_read(distribution: dict[str, Any], expected: dict[str, Any]) -> None:
    assert _files({"distribution": [distribution]}) == [expected]


def test_a_script_never_becomes_a_link() -> None:
    for url in ("javascript:alert(1)", "JavaScript:x", "data:text/html,x", "file:///etc/passwd"):
        assert _files({"distribution": [{"accessURL": url}], "references": [url]}) == []


def test_pages_about_the_dataset_become_resources_once() -> None:
    page = "http://a.uk/page"
    found = _files(
        {"landingPage": page, "references": [page, {"title": "Paper", "@id": "http://a.uk/p.pdf"}]}
    )
    assert [(each["name"], each["format"]) for each in found] == [
        ("Reference", "HTML"),
        ("Paper", "PDF"),
    ]
    assert {each["kind"] for each in found} == {"documentation"}


def test_distributions_above_the_limit_are_skipped_and_reported() -> None:
    many = [{"accessURL": f"http://a.uk/{number}"} for number in range(9_000)]
    record = parse({"distribution": many}, max_resources=1_000)
    assert len(record.resources) == 1_000
    assert codes(record) == ["too-many-distributions distribution"]
    assert "9,000 entries; the first 1,000" in record.problems[0].message


def test_a_reference_system_is_no_schema_of_a_file() -> None:
    file = {
        "downloadURL": "https://a.example/x.csv",
        "mediaType": "text/csv",
        "conformsTo": ["http://www.opengis.net/def/crs/EPSG/0/27700", "https://a.example/s.json"],
    }
    (resource,) = parse({"distribution": [file]}).resources
    assert resource.schema_url == "https://a.example/s.json"
    assert resource.extras["schema_type"] == "csvlint"
    assert resource.extras["conforms_to"] == "http://www.opengis.net/def/crs/EPSG/0/27700"


def test_link_in_two_fields_is_one_resource() -> None:
    service = "https://services.example.com/rest/sites/FeatureServer/0"
    file = "https://example.com/s1.csv"
    files = [
        {"title": "Feature service", "accessURL": service},
        {"title": "CSV", "downloadURL": file},
    ]
    entry = {"webService": service, "downloadURL": file, "landingPage": file}
    record = parse({**entry, "distribution": files})
    assert [each.url for each in record.resources] == [service, file]
    assert [each.name for each in record.resources] == ["Feature service", "CSV"]


def test_a_service_is_a_dataset_of_type_service() -> None:
    service = {
        "@type": "dcat:DataService",
        "endpointURL": ["https://a.example/wms?service=WMS", "https://a.example/v1"],
        "endpointDescription": ["https://a.example/openapi.yaml"],
        "servesDataset": [],
    }
    record = parse(service)
    assert record.extras["resource-type"] == "service"
    assert [(each.url, each.name, each.format, each.kind) for each in record.resources] == [
        ("https://a.example/wms?service=WMS", "Service", "WMS", "service"),
        ("https://a.example/v1", "Service", "API", "service"),
        ("https://a.example/openapi.yaml", "Service description", "YAML", "documentation"),
    ]
    assert not record.extras.keys() & service.keys()


def test_an_endpoint_of_a_dataset_stays_an_extra() -> None:
    record = parse({"@type": "dcat:Dataset", "endpointURL": "https://a.example/v1"})
    assert record.extras["endpointURL"] == "https://a.example/v1"
    assert "resource-type" not in record.extras
    assert record.resources == ()


def test_page_of_a_dataset_that_ckan_exports_is_no_file() -> None:
    page, id_ = "http://a.uk/page", "0a1c7c1e-5a35-4d6b-9a39-5d0b0f4a3c52"
    of_ckan = {"identifier": f"https://ckan.example/dataset/{id_}", "landingPage": page}
    assert _files(of_ckan) == []
    assert parse(of_ckan).url == page
    listed = [{"accessURL": page, "title": "Landing page"}]
    assert [each["url"] for each in _files({**of_ckan, "distribution": listed})] == [page]
