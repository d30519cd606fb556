"""Datasets of a real Oxigraph."""

from __future__ import annotations

from pathlib import Path

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import DatasetRecord, Reading, Source
from ckanext.ukharvest.source_types.lists import DCAT_RDF, SPARQL
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType
from tests import dcat_catalogue
from tests.ckan.servers import oxigraph
from tests.conftest import LOOPBACK
from tests.publisher import Publisher

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
