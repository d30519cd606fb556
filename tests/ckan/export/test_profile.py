"""A full dataset in DCAT-AP 3, in our profile."""

from __future__ import annotations

import json

import rdflib

from tests.ckan.export.full_datasets import (
    BARE,
    EXTRAS,
    FULL,
    FUNCTIONS,
    HVD,
    TOILETS,
    graph_of,
    one,
    one_node,
    values,
)

EU = "http://publications.europa.eu/resource/authority"


def test_a_dataset_whose_service_has_a_contact_is_written() -> None:
    api = "https://council.example/api"
    service = {"title": "Query", "endpoint_url": [api], "contact": [{"name": "Desk"}]}
    file = {"id": "r", "name": "Table", "url": "https://council.example/parks.csv"}
    file["access_services"] = json.dumps([service])
    graph, uri = graph_of({**BARE, "resources": [file]})
    node = one_node(graph, one_node(graph, uri, "dcat:distribution"), "dcat:accessService")
    assert one(graph, node, "dcat:endpointURL") == api


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
