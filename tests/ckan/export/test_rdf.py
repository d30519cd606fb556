"""Datasets in the exported DCAT-AP."""

from __future__ import annotations

import rdflib

from ckanext.ukharvest.export import rdf
from ckanext.ukharvest.export.files import ExportedDataset
from tests.ckan.export.full_datasets import (
    BARE,
    FULL,
    PORTAL,
    graph_of,
    one,
    one_node,
)


def test_a_bare_dataset_in_dcat() -> None:
    graph, uri = graph_of(BARE)
    assert one(graph, uri, "dct:title") == "parks"
    assert one(graph, uri, "dct:identifier") == str(uri)
    assert one(graph, one_node(graph, uri, "dct:publisher"), "foaf:name") == "The portal"
    catalogue = rdflib.URIRef("https://portal.example/")
    assert one(graph, catalogue, "dcat:dataset") == str(uri)
    assert one(graph, catalogue, "dct:title") == "The portal"


def test_prefixes_are_written_once() -> None:
    text = rdf.begin_turtle(PORTAL) + rdf.turtle(ExportedDataset(FULL, PORTAL).n_triples)
    assert text.count("@prefix") == len(rdf.PREFIXES)
    assert text.startswith("@prefix adms:")
