"""Datasets of a real Oxigraph, and of an endpoint whose lists break off.

test_same_records.py harvests 1,000 datasets of an Oxigraph.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import DatasetRecord, Reading, Source
from ckanext.ukharvest.source_types.lists import DCAT_RDF, SPARQL
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType
from tests import dcat_catalogue
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.servers import oxigraph
from tests.conftest import LOOPBACK
from tests.publisher import Publisher
from tests.publishing.dcat import TURTLE, turtle_of
from tests.publishing.records import items
from tests.publishing.sparql import Endpoint, rows

pytestmark = pytest.mark.in_process

COUNT = 1_000


def read(kind: SourceType, url: str) -> dict[str, DatasetRecord]:
    """Return guid → dataset, as a type reads it."""
    given = {"paging": "none"} if kind is DCAT_RDF else {}
    chosen = options.validate(given, (*kind.options, *COMMON_OPTIONS))
    with HttpClient(Guard(LOOPBACK)) as http:
        reading = Reading(kind.reader.records(Source(url, chosen, http)))
        found = {each.guid: kind.parse(each, chosen) for each in reading}
    assert reading.ending is not None
    assert reading.ending.complete
    return found


@pytest.mark.giant
def test_1000_datasets_are_read_as_from_a_document(publisher: Publisher, tmp_path: Path) -> None:
    graph = dcat_catalogue.turtle(COUNT)
    publisher.serve("/all.ttl", graph, headers={"Content-Type": "text/turtle"})
    expected = read(DCAT_RDF, publisher.url("/all.ttl"))
    assert expected.keys() == {dcat_catalogue.uri(number) for number in range(COUNT)}
    with oxigraph.serve(tmp_path / "oxigraph") as server:
        server.load(graph)
        assert read(SPARQL, server.url) == expected


def test_broken_list_proves_nothing_about_later_datasets(
    portal: Portal, publisher: Publisher
) -> None:
    endpoint = Endpoint(TURTLE + "".join(map(turtle_of, items(12))))
    source = portal.source(endpoint.serve(publisher), "sparql", config={"batch_size": 2})
    assert figures(portal.run(source)) == {"added": 12}
    endpoint.before = lambda query, _request: (
        rows("dataset", "uri", []) if query.endswith("OFFSET 4") else None
    )
    act("harvest_source_patch", id=source, config=json.dumps({"page_size": 4}))
    for _ in range(2):
        assert figures(portal.run(source)) == {"not modified": 4}
    assert len(portal.search_names()) == 12
