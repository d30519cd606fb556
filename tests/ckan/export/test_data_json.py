"""Datasets in the exported data.json: required fields, and what has no property of its own."""

from __future__ import annotations

import json

import pytest
import rdflib

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.export import data_json
from ckanext.ukharvest.export.dataset import read
from ckanext.ukharvest.mapping.package_mapper import Defaults, to_package_dict
from ckanext.ukharvest.parsers.data_json import parser as parser_of_data_json
from tests.ckan.export.full_datasets import (
    BARE,
    EXTRAS,
    FULL,
    FUNCTIONS,
    PORTAL,
    TOILETS,
    graph_of,
    one,
    valid_entry,
    values,
)


def test_a_bare_dataset_has_what_data_json_requires() -> None:
    entry = valid_entry(data_json.entry(read(BARE, PORTAL)))
    assert (entry["title"], entry["description"]) == ("parks", "parks")
    assert (entry["keyword"], entry["modified"]) == (["dataset"], "2024-05-06T07:08:09")
    assert entry["publisher"]["name"] == "The portal"
    assert "contactPoint" not in entry
    assert entry["identifier"] == "https://portal.example/dataset/0b1c"
    assert entry["landingPage"] == "https://portal.example/dataset/parks"
    assert "distribution" not in entry


def test_a_full_dataset_in_data_json() -> None:
    entry = valid_entry(data_json.entry(read(FULL, PORTAL)))
    assert entry["publisher"]["name"] == "Parks Trust"
    assert entry["contactPoint"]["fn"] == "Ranger"
    assert entry["keyword"] == ["parks", "open space"]
    assert (entry["issued"], entry["modified"]) == ("2020", "2021-03")
    assert entry["temporal"] == "2019-04-01/2020-03-31T10:00+01:00"
    assert entry["spatial"] == "-2.000000,53.000000,-1.000000,54.000000"
    assert (entry["accrualPeriodicity"], entry["language"]) == ("R/P3M", ["en-GB", "cy"])
    assert {*FUNCTIONS, EXTRAS["la_service"], "Health"} < set(entry["theme"])
    assert entry["conformsTo"] == TOILETS
    assert (entry["codelist"], entry["unpublished"]) == (["https://council.example/codes"], "true")
    file, page = entry["distribution"]
    assert file["downloadURL"] == "https://council.example/parks%201.csv"
    assert (file["mediaType"], file["format"]) == ("text/csv", "CSV")
    assert file["conformsTo"] == TOILETS
    assert page == {
        "@type": "dcat:Distribution",
        "accessURL": "https://council.example/map",
        "format": "HTML",
    }


@pytest.mark.parametrize(
    ("fields", "is_file"),
    [
        ({"format": "CSV"}, True),
        ({"url": "https://council.example/parks.csv"}, True),
        ({"mimetype": "text/csv"}, True),
        ({"format": "HTML"}, False),
        ({"format": "WMS"}, False),
        ({"format": "CSV", "access_url": "https://council.example/parks"}, False),
        ({}, False),
    ],
)
def test_file_without_media_type_has_a_download_url(fields: dict[str, str], is_file: bool) -> None:
    resource = {"id": "r", "url": "https://council.example/parks", "name": "Parks", **fields}
    package = {**BARE, "resources": [resource]}
    (found,) = valid_entry(data_json.entry(read(package, PORTAL)))["distribution"]
    assert ("downloadURL" in found) == is_file
    graph, uri = graph_of(package)
    node = rdflib.URIRef(f"{uri}/resource/r")
    assert bool(values(graph, node, "dcat:downloadURL")) == is_file
    assert one(graph, node, "dcat:accessURL") == resource.get("access_url", resource["url"])


def test_our_parser_finds_no_problem_in_data_json() -> None:
    line = data_json.render(read(FULL, PORTAL))
    found = parser_of_data_json.parse(RawRecord("guid", line), {})
    assert found.problems == ()
    assert (found.title, found.frequency, len(found.resources)) == ("Parks", "R/P3M", 3)
    assert [file.size for file in found.resources if file.size] == [1234]


# Fields that DCAT-US 1.1 has no property for, or only one with less in it.
FURTHER = {
    "lineage": "Counted by hand.",
    "inspire-themes": '["Land use"]',
    "in_series": '["https://council.example/series/1"]',
    "conforms_to": "EPSG:27700",
    "data_quality": "Good enough",
    "spatial": '{"type":"Polygon","coordinates":[[[0.5,3.5],[1.5,3.5],[1.5,4.5],[0.5,3.5]]]}',
    "spatial-text": "Wendshire",
    "temporal_coverage-from": "2019",
    "update_frequency": "never",
    "rights": "Ask first. " * 30 + "Then wait.",
    "title_translated": '{"cy": "Parciau"}',
    "publisher_hierarchy": "The County > The Council > Parks Trust",
    "dcat_publisher_name": "Parks Trust",
}
FURTHER_OF_FILE = {
    "access_url": "https://council.example/page",
    "described_by": "https://council.example/columns.html",
    "schema_url": TOILETS,
    "documentation": '["https://council.example/help"]',
    "resource_type": "documentation",
    "hash": "ab12",
    "format": "Parkfile",
    "licence": "Only for walkers",
    "temporal_coverage-from": "2018",
    "name_translated": {"cy": "Tabl"},
}


def test_data_json_carries_what_has_no_property_of_its_own() -> None:
    file = {"id": "r", "name": "Table", "url": "https://council.example/parks.csv"}
    package = {
        **BARE,
        "extras": [{"key": key, "value": value} for key, value in FURTHER.items()],
        "resources": [{**file, "mimetype": "text/csv", "url_type": "upload", **FURTHER_OF_FILE}],
    }
    entry = valid_entry(data_json.entry(read(package, PORTAL)))
    assert entry["publisher"]["subOrganizationOf"]["subOrganizationOf"]["name"] == "The County"
    (distribution,) = entry["distribution"]
    assert distribution["accessURL"] == FURTHER_OF_FILE["access_url"]
    assert distribution["describedBy"] == FURTHER_OF_FILE["described_by"]
    record = parser_of_data_json.parse(RawRecord("guid", json.dumps(entry)), {})
    written = to_package_dict(record, None, None, (), Defaults("c0")).package
    extras = {each["key"]: each["value"] for each in written["extras"]}
    assert {key: extras.get(key) for key in FURTHER} == FURTHER
    copy = written["resources"][0]
    assert {key: copy.get(key) for key in FURTHER_OF_FILE} == FURTHER_OF_FILE
    assert "url_type" not in copy
