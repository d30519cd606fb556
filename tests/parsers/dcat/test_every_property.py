"""Documents with every property of a profile: each value is read, reported, or listed."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pyoxigraph as ox
import pytest

from ckanext.ukharvest.core.records import DatasetRecord, Reading, Source
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.dcat.terms import short
from ckanext.ukharvest.readers.rdf.reader import RdfReader
from ckanext.ukharvest.reading.records import FileClient

FOLDER = Path(__file__).parent / "documents"
TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def _records(path: Path) -> list[DatasetRecord]:
    # As a saved file: its client has nothing else to open.
    source = Source(path.name, {}, FileClient(path))  # type: ignore[arg-type]
    return [dcat.parse(raw, {}) for raw in Reading(RdfReader().records(source))]


def _unread(path: Path, text: str) -> list[str]:
    """Return the predicates of values that are neither in a text nor on the list."""
    quads = list(ox.parse(path.read_bytes(), format=ox.RdfFormat.TURTLE))
    classes = {quad.subject: short(quad.object.value) for quad in quads if quad.predicate == TYPE}
    return [
        f"{classes.get(quad.subject)} {short(quad.predicate.value)} {quad.object}"
        for quad in quads
        if not isinstance(quad.object, ox.BlankNode)
        and "leaf-" in quad.object.value
        and quad.object.value.removeprefix("mailto:") not in text
        and not {classes.get(quad.subject), short(quad.predicate.value)} & dcat.NOT_READ.keys()
    ]


@pytest.mark.parametrize("name", ["dcat_ap_3", "dcat_us_3"])
def test_every_value_arrives_or_is_listed_as_not_read(name: str) -> None:
    path = FOLDER / f"{name}.ttl"
    records = [dataclasses.asdict(record) for record in _records(path)]
    assert _unread(path, json.dumps(records)) == []


def test_series_and_services_are_imported_as_what_they_are() -> None:
    trees, series, search = _records(FOLDER / "dcat_ap_3.ttl")
    assert "resource-type" not in trees.extras
    assert series.extras["resource-type"] == "series"
    assert json.loads(series.extras["series_members"]) == [
        "https://council.example/leaf-member",
        "https://council.example/trees",
    ]
    assert search.extras["resource-type"] == "service"
    assert [(file.url, file.kind) for file in search.resources] == [
        ("https://council.example/leaf-search-endpoint", "service"),
        ("https://council.example/leaf-search-description", "documentation"),
    ]
    services = [file for file in trees.resources if file.kind == "service"]
    assert [file.name for file in services] == ["leaf-api-title", "leaf-maps-title"]


def test_the_box_of_dcat_us_is_the_place_of_a_dataset() -> None:
    (rivers,) = _records(FOLDER / "dcat_us_3.ttl")
    assert rivers.spatial is not None
    assert rivers.spatial["coordinates"][0][0] == [-100.5, 40.5]
