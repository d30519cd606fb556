"""A full dataset and a bare one, and what the export makes of them."""

from __future__ import annotations

import re
from typing import Any

import pyoxigraph as ox
import rdflib

from ckanext.ukharvest.export import rdf
from ckanext.ukharvest.export.dataset import Catalogue
from ckanext.ukharvest.export.files import ExportedDataset
from ckanext.ukharvest.parsers.dcat.node import NAMESPACES

PORTAL = Catalogue("https://portal.example", "The portal", "All of it", "team@portal.example")
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


def one_node(graph: rdflib.Graph, node: Any, short: str) -> rdflib.URIRef:
    return rdflib.URIRef(one(graph, node, short))
