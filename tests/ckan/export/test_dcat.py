"""A dataset's fields under the names of ckanext-dcat."""

from __future__ import annotations

import json

import pytest
import rdflib

from tests.ckan.export.full_datasets import (
    BARE,
    graph_of,
    one,
    one_node,
)


def test_each_of_several_periods_is_written() -> None:
    several = [{"from": "1990", "to": "1995"}, {"from": "2010-01", "to": "2015-12-31"}]
    own = {"temporal_coverage-from": "1990", "temporal_coverage-to": "2015-12-31"}
    own["temporal-extents"] = json.dumps(several)
    graph, uri = graph_of({**BARE, "extras": [{"key": key, "value": own[key]} for key in own]})
    periods = list(graph.objects(uri, rdflib.DCTERMS.temporal))
    ends = [
        (one(graph, node, "dcat:startDate"), one(graph, node, "dcat:endDate")) for node in periods
    ]
    assert sorted(ends) == [(period["from"], period["to"]) for period in several]


@pytest.mark.parametrize("key", ["dcat_publisher_email", "publisher_type"])
def test_a_datasets_publisher_facts_are_not_its_organisations(key: str) -> None:
    organisation = {"id": "c0", "name": "council", "title": "The Council"}
    package = {**BARE, "organization": organisation}
    url = "https://portal.example/organization/c0"
    assert one(*graph_of(package), "dct:publisher") == url
    graph, uri = graph_of({**package, "extras": [{"key": key, "value": "a@council.example"}]})
    assert one(graph, uri, "dct:publisher") != url
    assert one(graph, one_node(graph, uri, "dct:publisher"), "foaf:name") == "The Council"
