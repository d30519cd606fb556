"""Each format of the export: its fields, replacements for missing ones, and odd values."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.export import data_json, rdf
from ckanext.ukharvest.export.dataset import Agent, Catalogue, read
from ckanext.ukharvest.export.files import ExportedDataset
from ckanext.ukharvest.mapping.package_mapper import Defaults, to_package_dict
from ckanext.ukharvest.parsers.data_json import parser as parser_of_data_json
from ckanext.ukharvest.parsers.dcat.node import NAMESPACES

PORTAL = Catalogue("https://portal.example", "The portal", "All of it", "team@portal.example")
ASKED = replace(PORTAL, contact=Agent("The portal", "data@portal.example"))
EU = "http://publications.europa.eu/resource/authority"
TOILETS = "http://schemas.opendata.esd.org.uk/PublicToilets"
HVD = "http://data.europa.eu/bna/c_ac64a52d"
BARE: dict[str, Any] = {
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
    "theme-primary": "Health",
    "la_function": "http://id.esd.org.uk/function/40 http://id.esd.org.uk/function/1",
    "la_service": "http://id.esd.org.uk/service/579",
    "schema": f'["{TOILETS}"]',
    "codelist": '["https://council.example/codes"]',
    "mandate": '["https://www.legislation.gov.uk/ukpga/1972/70"]',
    "unpublished": "true",
    "hvd_category": f'["{HVD}"]',
    "applicable_legislation": '["http://data.europa.eu/eli/reg/1"]',
    "in_series": '["https://council.example/series/1"]',
}
FUNCTIONS = EXTRAS["la_function"].split()
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
            "schema_url": TOILETS,
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
    if contact := entry.get("contactPoint"):
        assert contact["fn"]
        email = contact.get("hasEmail", "mailto:a@b.example")
        assert re.fullmatch(r"mailto:[\w.-]+@[\w.-]+\.[\w-]+", email)
    assert all(entry.values()), "empty values are left out"
    for each in entry.get("distribution", ()):
        assert ("downloadURL" in each) == ("mediaType" in each)
        assert "downloadURL" in each or "accessURL" in each
    return entry


def graph_of(
    package: dict[str, Any], catalogue: Catalogue = PORTAL
) -> tuple[rdflib.Graph, rdflib.URIRef]:
    """Return a dataset's graph and URI, parsed by rdflib; both syntaxes are the same graph."""
    exported = ExportedDataset(package, catalogue)
    turtle = rdf.begin_turtle(catalogue) + rdf.turtle(exported.n_triples)
    lines = rdf.begin_n_triples(catalogue) + exported.n_triples
    graph = rdflib.Graph().parse(data=turtle, format="turtle")
    assert set(graph) == set(rdflib.Graph().parse(data=lines, format="nt"))
    list(ox.parse(turtle, format=ox.RdfFormat.TURTLE))  # the strict parser of our own reader
    assert not any(isinstance(node, rdflib.BNode) for triple in graph for node in triple)
    return graph, rdflib.URIRef(exported.dataset.uri)


def one(graph: rdflib.Graph, node: Any, short: str) -> str:
    return str(graph.value(node, name(short)))


def values(graph: rdflib.Graph, node: Any, short: str) -> set[str]:
    return {str(each) for each in graph.objects(node, name(short))}


def name(short: str) -> rdflib.URIRef:
    prefix, _colon, local = short.partition(":")
    return rdflib.URIRef(NAMESPACES[prefix][0] + local)


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


NAMED = [{"key": "contact-name", "value": "Ranger"}]
OWNED = {**BARE, "organization": {"id": "c0", "name": "council", "title": "The Council"}}
OF_COUNCIL = replace(ASKED, contact_of=lambda _id: Agent("Data team", "data@council.example"))


@pytest.mark.parametrize(
    ("package", "catalogue", "expected"),
    [
        (BARE, PORTAL, Agent()),
        (BARE, ASKED, Agent("The portal", "data@portal.example")),
        (OWNED, OF_COUNCIL, Agent("Data team", "data@council.example")),
        ({**OWNED, "extras": NAMED}, OF_COUNCIL, Agent("Ranger", "data@council.example")),
        ({**BARE, "extras": NAMED}, PORTAL, Agent("Ranger")),
        (FULL, OF_COUNCIL, Agent("Ranger", "ranger@council.example")),
        (
            {**BARE, "extras": NAMED, "author": "Clerk", "author_email": "clerk@council.example"},
            ASKED,
            Agent("Clerk", "clerk@council.example"),
        ),
    ],
)
def test_contact_is_the_datasets_or_organisations_or_portals(
    package: dict[str, Any], catalogue: Catalogue, expected: Agent
) -> None:
    assert read(package, catalogue).contact == expected
    graph, uri = graph_of(package, catalogue)
    found = graph.value(uri, name("dcat:contactPoint"))
    assert (found is not None) == (expected != Agent())
    entry = valid_entry(data_json.entry(read(package, catalogue)))
    assert ("hasEmail" in entry.get("contactPoint", {})) == bool(expected.email)


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


def test_a_bare_dataset_in_dcat() -> None:
    graph, uri = graph_of(BARE)
    assert one(graph, uri, "dct:title") == "parks"
    assert one(graph, uri, "dct:identifier") == str(uri)
    assert one(graph, one_node(graph, uri, "dct:publisher"), "foaf:name") == "The portal"
    catalogue = rdflib.URIRef("https://portal.example/")
    assert one(graph, catalogue, "dcat:dataset") == str(uri)
    assert one(graph, catalogue, "dct:title") == "The portal"


def test_a_dataset_whose_service_has_a_contact_is_written() -> None:
    api = "https://council.example/api"
    service = {"title": "Query", "endpoint_url": [api], "contact": [{"name": "Desk"}]}
    file = {"id": "r", "name": "Table", "url": "https://council.example/parks.csv"}
    file["access_services"] = json.dumps([service])
    graph, uri = graph_of({**BARE, "resources": [file]})
    node = one_node(graph, one_node(graph, uri, "dcat:distribution"), "dcat:accessService")
    assert one(graph, node, "dcat:endpointURL") == api


@pytest.mark.parametrize("key", ["dcat_publisher_email", "publisher_type"])
def test_a_datasets_publisher_facts_are_not_its_organisations(key: str) -> None:
    organisation = {"id": "c0", "name": "council", "title": "The Council"}
    package = {**BARE, "organization": organisation}
    url = "https://portal.example/organization/c0"
    assert one(*graph_of(package), "dct:publisher") == url
    graph, uri = graph_of({**package, "extras": [{"key": key, "value": "a@council.example"}]})
    assert one(graph, uri, "dct:publisher") != url
    assert one(graph, one_node(graph, uri, "dct:publisher"), "foaf:name") == "The Council"


def one_node(graph: rdflib.Graph, node: Any, short: str) -> rdflib.URIRef:
    return rdflib.URIRef(one(graph, node, short))


def test_a_full_dataset_in_dcat() -> None:
    graph, uri = graph_of(FULL)
    assert one(graph, uri, "dct:identifier") == "https://council.example/id/parks"
    assert one(graph, uri, "dct:accrualPeriodicity").endswith("/frequency/QUARTERLY")
    themes = values(graph, uri, "dcat:theme")
    assert {"https://council.example/themes/green", f"{EU}/data-theme/HEAL"} < themes
    assert {*FUNCTIONS, EXTRAS["la_service"]} < themes
    concepts = {one(graph, rdflib.URIRef(each), "skos:prefLabel") for each in themes}
    assert {"Leisure", "Health"} < concepts
    assert values(graph, uri, "dct:language") == {f"{EU}/language/ENG", f"{EU}/language/CYM"}
    assert one(graph, uri, "dct:conformsTo") == TOILETS
    assert one(graph, uri, "dcatap:hvdCategory") == HVD
    assert one(graph, uri, "dcat:inSeries") == "https://council.example/series/1"
    laws = {"https://www.legislation.gov.uk/ukpga/1972/70", "http://data.europa.eu/eli/reg/1"}
    assert values(graph, uri, "dcatap:applicableLegislation") == laws
    publisher = one_node(graph, uri, "dct:publisher")
    assert one(graph, publisher, "foaf:mbox").endswith("trust@council.example")
    period = one_node(graph, uri, "dct:temporal")
    assert one(graph, period, "dcat:endDate") == "2020-03-31T10:00:00+01:00"
    place = one_node(graph, uri, "dct:spatial")
    assert json.loads(one(graph, place, "locn:geometry"))["type"] == "Polygon"
    assert one(graph, place, "skos:prefLabel") == "Wendshire"
    file = rdflib.URIRef(f"{uri}/resource/r1")
    assert one(graph, file, "dct:license") == EXTRAS["license_url"]
    assert one(graph, uri, "dct:license") == EXTRAS["license_url"]
    assert one(graph, file, "dcat:mediaType").endswith("/media-types/text/csv")
    assert one(graph, file, "dct:format") == f"{EU}/file-type/CSV"
    assert one(graph, file, "dct:conformsTo") == TOILETS
    assert len(values(graph, uri, "dcat:distribution")) == 2


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


def test_prefixes_are_written_once() -> None:
    text = rdf.begin_turtle(PORTAL) + rdf.turtle(ExportedDataset(FULL, PORTAL).n_triples)
    assert text.count("@prefix") == len(rdf.PREFIXES)
    assert text.startswith("@prefix adms:")


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
    graph, uri = graph_of(package)
    assert one(graph, uri, "dct:title") == entry["title"]
