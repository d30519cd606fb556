"""Documents with every property of a profile: each value is read, reported, or listed."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pyoxigraph as ox
import pytest

from ckanext.ukharvest.core.records import DatasetRecord, Reading, Source
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.dcat.node import short
from ckanext.ukharvest.readers.rdf.reader import RdfReader
from ckanext.ukharvest.reading.records import FileClient
from tests.conformance.leaves import not_read

FOLDER = Path(__file__).parent / "documents"
TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def _records(path: Path) -> list[DatasetRecord]:
    # As a saved file: its client has nothing else to open.
    source = Source(path.name, {}, FileClient(path))  # type: ignore[arg-type]
    return [dcat.parse(raw, {}) for raw in Reading(RdfReader().records(source))]


def _unread(name: str) -> list[tuple[frozenset[str], str]]:
    """Return class and predicate of each value that is in no text of the records, and the value."""
    path = FOLDER / f"{name}.ttl"
    text = json.dumps([dataclasses.asdict(record) for record in _records(path)])
    quads = list(ox.parse(path.read_bytes(), format=ox.RdfFormat.TURTLE))
    classes = {quad.subject: short(quad.object.value) for quad in quads if quad.predicate == TYPE}
    return [
        (
            frozenset((classes.get(quad.subject, ""), short(quad.predicate.value))),
            quad.object.value,
        )
        for quad in quads
        if not isinstance(quad.object, ox.BlankNode)
        and "leaf-" in quad.object.value
        and quad.object.value.removeprefix("mailto:") not in text
    ]


PROFILES = ("dcat_ap_3", "dcat_us_3")
# Those of schema.org have a document in tests/conformance/complete.
NOT_READ = {
    field for parser, field in not_read() if parser == "dcat" and not field.startswith("schema:")
}


@pytest.mark.parametrize("name", PROFILES)
def test_every_value_arrives_or_is_listed_as_not_read(name: str) -> None:
    assert [unread for unread in _unread(name) if not unread[0] & NOT_READ] == []


def test_list_of_what_is_not_read_in_rdf_names_nothing_that_is() -> None:
    unread = [names for name in PROFILES for names, _ in _unread(name)]
    assert NOT_READ - frozenset().union(*unread) == set()


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
