"""Each format of the export: its fields, replacements for missing ones, and odd values."""

from __future__ import annotations

import json
import re
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.operations.export import data_json, dcat
from ckanext.ukharvest.operations.export.dataset import Catalogue, read
from ckanext.ukharvest.parsers.data_json import parser as parser_of_data_json

PORTAL = Catalogue("https://portal.example", "The portal", "All of it", "team@portal.example")
BARE = {
    "id": "0b1c",
    "name": "parks",
    "title": "",
    "notes": None,
    "tags": [],
    "extras": [],
    "resources": [],
    "organization": None,
    "metadata_created": "2024-01-02T03:04:05.678901",
    "metadata_modified": "2024-05-06T07:08:09.123456",
}
EXTRAS = {
    "guid": "https://council.example/id/parks",
    "data_issued": "2020",
    "data_modified": "2021-03",
    "temporal_coverage-from": "2019-04-01",
    "temporal_coverage-to": "2020-03-31T10:00+01",
    "update_frequency": "R/P3M",
    "language": "en-GB, cy",
    "dcat_subject": '["Leisure", "https://council.example/themes/green"]',
    "dcat_publisher_name": "Parks Trust",
    "dcat_publisher_email": "trust@council.example",
    "contact-name": "Ranger",
    "contact-email": "ranger@council.example",
    "license_url": "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
    "spatial": '{"type":"Polygon","coordinates":[[[-2,53],[-1,53],[-1,54],[-2,54],[-2,53]]]}',
    "spatial-text": "Wendshire",
}
FULL = {
    **BARE,
    "title": "Parks",
    "notes": "Every park.",
    "url": "https://council.example/parks",
    "tags": [{"name": "parks"}, {"name": "open space"}],
    "organization": {"id": "c0", "name": "council", "title": "The Council"},
    "extras": [{"key": key, "value": value} for key, value in EXTRAS.items()],
    "resources": [
        {
            "id": "r1",
            "url": "https://council.example/parks 1.csv",
            "name": "Table",
            "description": "Rows",
            "format": "CSV",
            "mimetype": "text/csv",
            "size": 1234,
            "created": "2024-01-02T03:04:05.678901",
        },
        {"id": "r2", "url": "https://council.example/map", "name": "", "format": "HTML"},
        {"id": "r3", "url": "not a URL", "name": "Left out"},
    ],
}
# JSON Schema of DCAT-US 1.1, as far as we write it: field → pattern of its text.
REQUIRED = {
    "@type": r"dcat:Dataset",
    "title": r"(?s).+",
    "description": r"(?s).+",
    "modified": r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d(:?\d\d)?)?)?)?)?",
    "identifier": r".+",
    "accessLevel": r"public|restricted public|non-public",
}
OPTIONAL = {
    "issued": REQUIRED["modified"],
    "temporal": r"[\dT:Z.+-]+/[\dT:Z.+-]+",
    "license": r"https?://\S+",
    "landingPage": r"https?://\S+",
    "spatial": r".+",
    "accrualPeriodicity": r"irregular|R/P.+",
    "rights": r"(?s).{1,255}",
}


def valid_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """Check an entry by DCAT-US 1.1 and return it."""
    for key, pattern in REQUIRED.items():
        assert re.fullmatch(pattern, entry[key]), key
    for key, pattern in OPTIONAL.items():
        assert key not in entry or re.fullmatch(pattern, entry[key]), key
    assert entry["keyword"]
    assert all(entry["keyword"])
    assert entry["publisher"]["name"]
    assert entry["contactPoint"]["fn"]
    assert re.fullmatch(r"mailto:[\w.-]+@[\w.-]+\.[\w-]+", entry["contactPoint"]["hasEmail"])
    assert all(entry.values()), "empty values are left out"
    for each in entry.get("distribution", ()):
        assert ("downloadURL" in each) == ("mediaType" in each) != ("accessURL" in each)
    return entry


def rdf(package: dict[str, Any]) -> tuple[rdflib.Graph, rdflib.URIRef]:
    """Return a dataset's graph and URI, parsed by rdflib; both syntaxes are the same graph."""
    dataset = read(package, PORTAL)
    turtle = dcat.begin_turtle(PORTAL) + dcat.turtle(dataset, PORTAL)
    lines = dcat.begin_n_triples(PORTAL) + dcat.n_triples(dataset, PORTAL)
    graph = rdflib.Graph().parse(data=turtle, format="turtle")
    assert set(graph) == set(rdflib.Graph().parse(data=lines, format="nt"))
    list(ox.parse(turtle, format=ox.RdfFormat.TURTLE))  # the strict parser of our own reader
    return graph, rdflib.URIRef(dataset.uri)


def one(graph: rdflib.Graph, node: Any, short: str) -> str:
    prefix, _colon, name = short.partition(":")
    return str(graph.value(node, rdflib.URIRef(dcat.PREFIXES[prefix] + name)))


def test_a_bare_dataset_has_what_data_json_requires() -> None:
    entry = valid_entry(data_json.entry(read(BARE, PORTAL)))
    assert (entry["title"], entry["description"]) == ("parks", "parks")
    assert (entry["keyword"], entry["modified"]) == (["dataset"], "2024-05-06T07:08:09")
    assert entry["publisher"]["name"] == entry["contactPoint"]["fn"] == "The portal"
    assert entry["contactPoint"]["hasEmail"] == "mailto:team@portal.example"
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
    file, page = entry["distribution"]
    assert file["downloadURL"] == "https://council.example/parks%201.csv"
    assert (file["mediaType"], file["format"]) == ("text/csv", "CSV")
    assert page == {
        "@type": "dcat:Distribution",
        "accessURL": "https://council.example/map",
        "format": "HTML",
    }


def test_our_parser_finds_no_problem_in_data_json() -> None:
    line = data_json.render(read(FULL, PORTAL))
    found = parser_of_data_json.parse(RawRecord("guid", line), {})
    assert found.problems == ()
    assert (found.title, found.frequency, len(found.resources)) == ("Parks", "R/P3M", 3)


def test_a_bare_dataset_in_dcat() -> None:
    graph, uri = rdf(BARE)
    assert one(graph, uri, "dct:title") == "parks"
    assert one(graph, uri, "dct:identifier") == str(uri)
    assert one(graph, one_node(graph, uri, "dct:publisher"), "foaf:name") == "The portal"
    catalogue = rdflib.URIRef("https://portal.example/")
    assert one(graph, catalogue, "dcat:dataset") == str(uri)
    assert one(graph, catalogue, "dct:title") == "The portal"


def one_node(graph: rdflib.Graph, node: Any, short: str) -> rdflib.URIRef:
    return rdflib.URIRef(one(graph, node, short))


def test_a_full_dataset_in_dcat() -> None:
    graph, uri = rdf(FULL)
    assert one(graph, uri, "dct:identifier") == "https://council.example/id/parks"
    assert one(graph, uri, "dct:accrualPeriodicity").endswith("/frequency/QUARTERLY")
    assert one(graph, uri, "dcat:theme") == "https://council.example/themes/green"
    publisher = one_node(graph, uri, "dct:publisher")
    assert one(graph, publisher, "foaf:mbox") == "mailto:trust@council.example"
    period = one_node(graph, uri, "dct:temporal")
    assert one(graph, period, "dcat:endDate") == "2020-03-31T10:00:00+01:00"
    place = one_node(graph, uri, "dct:spatial")
    assert json.loads(one(graph, place, "locn:geometry"))["type"] == "Polygon"
    assert one(graph, place, "skos:prefLabel") == "Wendshire"
    file = rdflib.URIRef(f"{uri}/resource/r1")
    assert one(graph, file, "dct:license") == EXTRAS["license_url"]
    assert one(graph, uri, "dct:license") == EXTRAS["license_url"]
    assert one(graph, file, "dcat:mediaType").endswith("/media-types/text/csv")
    assert len(list(graph.objects(uri, rdflib.URIRef(dcat.PREFIXES["dcat"] + "distribution")))) == 2


OGL = "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/"


@pytest.mark.parametrize(
    ("key", "own", "expected"),
    [
        ("uk-ogl", f"{OGL}2/", f"{OGL}2/"),
        ("cc-by", f"{OGL}2/", "https://by"),
        ("uk-ogl", "", "https://by"),
    ],
)
def test_the_licence_has_the_version_that_the_record_had(key: str, own: str, expected: str) -> None:
    """package_show writes the URL that CKAN's register has for the id beside the record's own."""
    extras = [{"key": "license_url", "value": own}] if own else []
    package = {**BARE, "license_id": key, "license_url": "https://by", "extras": extras}
    assert read(package, PORTAL).licence == expected


def test_the_prefixes_stand_once() -> None:
    text = dcat.begin_turtle(PORTAL) + dcat.turtle(read(FULL, PORTAL), PORTAL)
    assert text.count("@prefix") == len(dcat.PREFIXES)
    assert text.startswith("@prefix dcat:")


ODD = [
    {"title": 'Quotes " and \\ and \n lines', "notes": "@prefix x: <y> .\n<a> <b> <c> ."},
    {"title": "\x00\x07\ud800 controls\ufffe", "notes": "\u2028\U0001f6b2"},
    {"url": "javascript:alert(1)", "extras": [{"key": "license_url", "value": "see website"}]},
    {"url": "https://x.example/{id}|^`", "extras": [{"key": "spatial", "value": "{broken"}]},
    {"extras": [{"key": "spatial", "value": '{"type":"Point","coordinates":[1000,0]}'}]},
    {"extras": [{"key": "language", "value": "klingon"}, {"key": "data_modified", "value": "?"}]},
    {"extras": [{"key": "dcat_subject", "value": '["https://x y", {"a": 1}, [2], null]'}]},
    {"extras": [{"key": "dcat_publisher_uri", "value": "https://[broken"}]},
    {"access_level": "Non-Public", "extras": [{"key": "rights", "value": "x" * 999}]},
    {"organization": {"id": "c0", "name": "council", "title": ""}, "theme": ["a", "b"]},
    {"resources": [{"id": "r", "url": "https://x.example/a\tb", "size": "12 kB"}]},
    {"resources": [{"id": "r", "url": "https://x.example/ü", "mimetype": "CSV", "size": 1.5}]},
    {"resources": [{"id": "r", "url": None, "name": None}]},
    {"maintainer_email": "no address", "author_email": "a@b.example", "author": "<b>Bold</b>"},
]


@pytest.mark.parametrize("fields", ODD, ids=range(len(ODD)))
def test_odd_values(fields: dict[str, Any]) -> None:
    package = {**BARE, **fields}
    entry = valid_entry(data_json.entry(read(package, PORTAL)))
    json.loads(data_json.begin(PORTAL) + data_json.render(read(package, PORTAL)) + "]}")
    graph, uri = rdf(package)
    assert one(graph, uri, "dct:title") == entry["title"]
