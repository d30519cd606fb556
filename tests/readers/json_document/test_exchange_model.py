"""The UK Cross-Government Metadata Exchange Model: records under its own names, JSON and YAML."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import DatasetRecord, Reading, ResourceRecord, Source
from ckanext.ukharvest.reading.type_detection import source_type
from ckanext.ukharvest.source_types.portals import DATA_JSON
from tests.publisher import Publisher

TIDES: dict[str, Any] = {
    "identifier": "https://coast.example/id/tides",
    "type": "dcat:Dataset",
    "title": "Tides",
    "description": "Heights of tides.",
    "licence": "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
    "contactPoint": {"contactName": "Tide desk", "email": "tides@coast.example"},
    "publisher": "coast-agency",
    "updateFrequency": "freq:monthly",
    "version": "2026-02",
    "distribution": ["https://coast.example/id/tides-csv", "https://coast.example/tides.json"],
}
FILE = {
    "identifier": "https://coast.example/id/tides-csv",
    "type": "dcat:Distribution",
    "title": "Tides as CSV",
    "downloadURL": "https://coast.example/tides.csv",
    "mediaType": "text/csv",
    "byteSize": "14330",
}
SERVICE = {
    "identifier": "tide-api",
    "type": "dcat:DataService",
    "title": "Tide API",
    "endpointURL": "https://coast.example/api",
    "serviceStatus": "LIVE",
}


def _yaml(value: Any, indent: str = "") -> str:
    """Return a record as the model's examples are written."""
    lines = []
    for name, item in value.items():
        if isinstance(item, dict):
            lines += [f"{indent}{name}:", _yaml(item, f"{indent}    ")]
        elif isinstance(item, list):
            lines += [f"{indent}{name}:", *(f"{indent}  - {text}" for text in item)]
        else:
            lines.append(
                f'{indent}{name}: "{item}"' if name == "version" else f"{indent}{name}: {item}"
            )
    return "\n".join(lines)


def _reading(publisher: Publisher, http: HttpClient, body: str) -> Reading:
    publisher.serve("/d", body)
    source = Source(publisher.url("/d"), {"paging": "none"}, http)
    return Reading(DATA_JSON.reader.records(source))


def _read(publisher: Publisher, http: HttpClient, body: str) -> list[DatasetRecord]:
    return [DATA_JSON.parse(raw, {}) for raw in _reading(publisher, http, body)]


ALL = (TIDES, FILE, SERVICE)


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(ALL),
        json.dumps({"records": ALL}),
        "# Example\n---\n" + "\n---\n".join(map(_yaml, ALL)),
        "\n".join("- " + _yaml(item, "  ")[2:] for item in ALL),
    ],
    ids=["json", "json-object", "yaml-documents", "yaml-list"],
)
def test_records_of_the_model_are_read_in_json_and_yaml(
    publisher: Publisher, http: HttpClient, body: str
) -> None:
    assert source_type(body.encode()) == "data_json"
    tides, service = _read(publisher, http, body)
    assert (tides.guid, tides.title, tides.version) == (TIDES["identifier"], "Tides", "2026-02")
    assert tides.licence is not None
    assert (tides.licence.id, tides.frequency) == ("uk-ogl", "R/P1M")
    assert tides.contact is not None
    assert (tides.contact.name, tides.contact.email) == ("Tide desk", "tides@coast.example")
    assert [_facts(file) for file in tides.resources] == [
        ("Tides as CSV", "https://coast.example/tides.csv", "CSV", 14330),
        ("", "https://coast.example/tides.json", "JSON", None),
    ]
    assert tides.problems == ()
    assert [file.url for file in service.resources] == ["https://coast.example/api"]
    assert service.extras["resource-type"] == "service"


def _facts(file: ResourceRecord) -> tuple[str, str, str, int | None]:
    return file.name, file.url, file.format, file.size


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("a: &x [1]\nb: *x", r"alias \*x; expected none in line"),
        ("a: " + "[" * 5000, "nested more than 50 levels deep"),
        ("a: [", "is not valid"),
        ("a: " + "x" * 5_000_000, "is larger than 5,000,000 bytes"),
    ],
    ids=["alias", "depth", "syntax", "size"],
)
def test_yaml_beyond_a_limit_is_refused(
    publisher: Publisher, http: HttpClient, more: str, words: str
) -> None:
    with pytest.raises(ProtocolError, match=words):
        _read(publisher, http, f"type: dcat:Dataset\n{more}\n")


@pytest.mark.parametrize(
    ("document", "expected", "problems"),
    [
        ([TIDES, FILE, {**FILE, "identifier": ["a"]}], ["Tides"], ["dcat:Distribution"]),
        ([{**TIDES, "distribution": []}, FILE, SERVICE], ["Tides", "Tide API"], [FILE["type"]]),
        ([TIDES, FILE, "nothing", None], ["Tides", "dataset 2 is 'nothing'"], []),
        ({"tides": TIDES, "files": [FILE], "version": 2}, ["Tides"], []),
        ({**TIDES, "type": ["dcat:Dataset"], "x": {"type": "dcat:Dataset"}}, ["Tides"], []),
    ],
)
def test_nothing_in_a_document_vanishes_without_a_problem(
    publisher: Publisher, http: HttpClient, document: Any, expected: list[str], problems: list[str]
) -> None:
    reading = _reading(publisher, http, json.dumps(document))
    raws = [str(raw.error or json.loads(raw.content or "")["title"]) for raw in reading]
    assert [title for title, own in zip(raws, expected, strict=True) if own not in title] == []
    assert reading.ending is not None
    assert [problem.field for problem in reading.ending.problems] == problems


@pytest.mark.parametrize(("datasets", "names"), [(1, 20_000), (20, 1)])
def test_distributions_are_not_repeated_without_end(
    publisher: Publisher, http: HttpClient, datasets: int, names: int
) -> None:
    file = {**FILE, "description": "x" * 2_000_000}
    body = json.dumps([file, *[{**TIDES, "distribution": [FILE["identifier"]] * names}] * datasets])
    tracemalloc.start()
    try:
        if datasets == 1:
            assert len(_read(publisher, http, body)[0].resources) == 1
        else:
            with pytest.raises(ProtocolError, match="more than 20,000,000 bytes"):
                _read(publisher, http, body)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_json_ld_with_the_same_type_is_no_record_of_the_model() -> None:
    assert source_type(
        b'{"@context": {"dcat": "http://www.w3.org/ns/dcat#"}, "type": "dcat:Dataset"}'
    )
    assert source_type(b"prefix: dcat\ntypes: dcat:Dataset") == ""
