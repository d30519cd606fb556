"""data.json documents: shapes, encodings, pages, and how each read ends."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError, Unreachable
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source, Validators
from ckanext.ukharvest.source_types.portals import DATA_JSON
from tests.publisher import Publisher

A, B, C = ({"identifier": name, "title": name.upper()} for name in "abc")


Read = Callable[..., tuple[list[str], list[RawRecord], Ending]]


@pytest.fixture
def read(publisher: Publisher, http: HttpClient) -> Read:
    """Serve the pages of /data.json, and read them: identities, records and ending."""

    def read_pages(
        *pages: Any, paging: str = "auto", **more: Any
    ) -> tuple[list[str], list[RawRecord], Ending]:
        for number, page in enumerate(pages, 1):
            publisher.serve("/data.json" + (f"?page={number}" if number > 1 else ""), page)
        source = Source(publisher.url("/data.json"), {"paging": paging}, http, **more)
        reading = Reading(DATA_JSON.reader.records(source))
        records = list(reading)
        assert reading.ending is not None
        return [raw.guid for raw in records], records, reading.ending

    return read_pages


@pytest.mark.parametrize(
    ("document", "guids"),
    [
        ({"dataset": [A, B]}, ["a", "b"]),
        ({"datasets": [A, B]}, ["a", "b"]),
        ([A, B], ["a", "b"]),
        ({"dataset": A}, ["a"]),
        (A, ["a"]),
        ({"dataset": [A], "catalog": {"dataset": [B], "catalog": [{"dataset": C}]}}, list("abc")),
        ({"datasetSeries": [{"seriesMember": [A, "http://a/x"], "last": A}]}, ["a"]),
        ({"dataset": [A], "service": {"servesDataset": [A, B]}}, ["a", "b"]),
        ({"dataset": [{"identifier": 7}, {"uri": "u:1"}, {"@id": "u:2"}]}, ["7", "u:1", "u:2"]),
        ({"dataset": [{"identifier": {"@id": "i"}}, {"identifier": ["l"]}]}, ["i", "l"]),
        ({"dataset": [{"identifier": {"schemaAgency": "A", "notation": 5}}]}, ["A:5"]),
        ({"dataset": [{}, {"identifier": " "}, {"identifier": True}, 5, None]}, [""] * 5),
    ],
)
def test_every_shape_of_a_catalogue_is_read(read: Read, document: Any, guids: list[str]) -> None:
    found, records, ending = read(document)
    assert found == guids
    assert [raw.error is None for raw in records] == [bool(guid) for guid in guids]
    assert ending.complete


@pytest.mark.parametrize(
    ("body", "message", "line"),
    [
        (b"<html><title>403 Forbidden</title>", r"HTML page .*, title '403 Forbidden'", None),
        (b"  <?xml version='1.0'?><rdf/>", "XML instead of JSON", None),
        (b"", "is empty", None),
        (b" \n ", "is empty", None),
        (b"Not found", "begins with 'Not found'", 1),
        (b'{"dataset": [{"a": 1},\n {"b": ', r"cut off in line 2, column 7\b", 2),
        (b'{"bad": "json",\n    LALA}', r"a name in double quotes was expected|unexpected", 2),
        (b'{"dataset": []} x', "text after the end", 1),
        (b'{"dataset": [{"a": "x\ny"}]}', "line break or control character", 2),
        (b'{"good": "json"}', "expected an object with the key dataset or datasets.*good", None),
        (b'{"success": true, "result": []}', "CKAN's API", None),
        (b'{"@graph": []}', "JSON-LD graph, which the type dcat_rdf reads", None),
        (b'["a", "b"]', "a list of other things", None),
        (b'{"dataset": "text"}', "dataset is a string", None),
        (b"[" * 200 + b"]" * 200, "nested more than", 1),
    ],
)
def test_document_without_catalogue_is_refused(
    read: Read, body: bytes, message: str, line: int | None
) -> None:
    with pytest.raises(ProtocolError) as caught:
        read(body)
    assert re.search(message, caught.value.message)
    assert caught.value.line == line


def test_url_in_place_of_a_dataset_is_a_link(read: Read) -> None:
    guids, _, ending = read({"dataset": [A, "https://a.example/b", "https://a.example/c"]})
    assert guids == ["a"]
    assert not ending.complete, "b and c may be known"
    (problem,) = ending.problems
    assert problem.message.startswith("dataset: 2 datasets only by URL, left out")


@pytest.mark.parametrize(
    ("encoding", "mark", "code"),
    [
        ("utf-8", b"", None),
        ("utf-8", b"\xef\xbb\xbf", "byte-order-mark"),
        ("utf-16", b"", "not-utf-8"),
        ("utf-16-le", b"", "not-utf-8"),
        ("utf-16-be", b"", "not-utf-8"),
        ("utf-32", b"", "not-utf-8"),
        ("cp1252", b"", "not-utf-8"),
        ("latin-1", b"", "not-utf-8"),
    ],
)
def test_every_encoding_is_read_and_reported(
    read: Read, encoding: str, mark: bytes, code: str | None
) -> None:
    text = json.dumps([{"identifier": "Müller", "title": "é"}], ensure_ascii=False)
    _, records, ending = read(mark + text.encode(encoding))
    assert records[0].guid == "Müller"
    assert [problem.code for problem in ending.problems] == ([code] if code else [])


def test_a_declared_charset_counts_when_the_bytes_are_not_utf_8(
    publisher: Publisher, read: Read
) -> None:
    body = '[{"identifier": "Łódź"}]'.encode("iso-8859-2")
    headers = {"Content-Type": "application/json; charset=iso-8859-2"}
    publisher.serve("/data.json", body, headers=headers)
    assert read()[0] == ["Łódź"]


def test_utf_8_with_a_few_wrong_bytes_keeps_the_rest(read: Read) -> None:
    assert read('[{"identifier": "é'.encode() + b"\xfc" + b'"}]')[0] == ["éü"]


def test_an_empty_list_does_not_prove_that_all_datasets_are_gone(read: Read) -> None:
    _, records, ending = read({"dataset": []})
    assert records == []
    assert not ending.complete
    assert "no datasets" in ending.reason


def test_unknown_schemas_and_entries_of_no_dataset_are_reported(read: Read) -> None:
    document = {"conformsTo": "http://a/own", "dataset": [A], "service": [{"title": "S"}]}
    *_, ending = read(document)
    codes = [problem.code for problem in ending.problems]
    assert codes == ["unknown-schema", "left-out"]


API = {"identifier": "api", "title": "API", "endpointURL": ["https://a.example/v1"]}


def test_a_service_that_serves_nothing_is_a_record(read: Read) -> None:
    services = [
        {**API, "identifier": "serving", "servesDataset": ["b"]},
        {**API, "identifier": "idle", "@type": "dcat:DataService", "servesDataset": []},
        {"identifier": "nameless"},
        {"title": "No identifier"},
        {**API, "identifier": "a"},
    ]
    nested = {"service": [API, API]}
    _, records, ending = read({"dataset": [A], "service": services, "catalog": [nested]})
    assert [(raw.guid, raw.position) for raw in records] == [
        ("a", "dataset 1"),
        ("idle", "service 1"),
        ("api", "service 2"),
    ]
    kinds = [json.loads(raw.content or "").get("@type") for raw in records]
    assert kinds == [None, "dcat:DataService", "DataService"]
    assert ending.complete
    (problem,) = ending.problems
    assert (problem.code, problem.field) == ("left-out", "service")
    assert "3 left out" in problem.message


@pytest.mark.parametrize("named", [API, "api", [{"@id": "https://a.example/api"}]])
def test_a_service_of_a_file_is_not_a_record(read: Read, named: Any) -> None:
    dataset = {**A, "distribution": {"accessService": named}}
    service = {**API, "@id": "https://a.example/api"}
    assert read({"dataset": dataset, "service": service})[0] == ["a"]


def test_a_series_is_a_record_that_names_its_members(read: Read) -> None:
    series = {"identifier": "s", "title": "S", "seriesMember": [B, "c"], "last": B}
    document = {"dataset": [A], "datasetSeries": [series, {"title": "No identifier"}]}
    _, records, ending = read(document)
    assert [(raw.guid, raw.position) for raw in records] == [
        ("a", "dataset 1"),
        ("b", "dataset 2"),
        ("s", "datasetSeries 1"),
    ]
    entry = json.loads(records[2].content or "")
    assert (entry["@type"], entry["seriesMember"]) == ("DatasetSeries", ["b", "c"])
    assert entry["last"] == ["b"]
    (problem,) = ending.problems
    assert problem.message.startswith("datasetSeries: 1 left out; a series is a record of its own")


def test_services_prove_nothing_about_datasets(read: Read) -> None:
    guids, _, ending = read({"service": [API]})
    assert guids == ["api"]
    assert not ending.complete


def test_services_of_later_pages_are_read_once(read: Read) -> None:
    guids, _, ending = read(
        {"dataset": [A], "service": [API]},
        {"dataset": [B], "service": [API, {**API, "@id": "x"}]},
        {"dataset": [], "service": [API]},
    )
    assert guids == ["a", "api", "b"]
    assert ending.complete


def test_pages_are_read_until_one_is_empty(publisher: Publisher, read: Read) -> None:
    publisher.serve("/data.json", {"dataset": [A]}, etag='"1"')
    publisher.serve("/data.json?page=2", {"dataset": [B]})
    publisher.serve("/data.json?page=3", {"dataset": []})
    _, records, ending = read()
    assert [(raw.guid, raw.position) for raw in records] == [("a", "dataset 1"), ("b", "dataset 2")]
    assert ending.complete
    assert not ending.validators  # page 1 alone does not show whether page 2 changed


def test_problems_of_every_page_are_reported(read: Read) -> None:
    guids, _, ending = read({"dataset": [A]}, b"\xef\xbb\xbf" + json.dumps([B]).encode(), [C])
    assert guids == ["a", "b", "c"]
    assert [problem.code for problem in ending.problems] == ["byte-order-mark"]


def test_a_single_page_hands_its_validators_over(publisher: Publisher, read: Read) -> None:
    publisher.serve("/data.json", {"dataset": [A]}, etag='"1"')
    *_, ending = read()
    assert ending.validators == {publisher.url("/data.json"): Validators('"1"')}


def test_an_unchanged_document_is_not_sent_again(publisher: Publisher, read: Read) -> None:
    publisher.serve("/data.json", {"dataset": [A]}, etag='"1"')
    known = {publisher.url("/data.json"): Validators('"1"')}
    _, records, ending = read(validators=known)
    assert records == []
    assert ending.unchanged
    assert ending.complete
    assert ending.validators == known
    assert publisher.paths == ["/data.json"]


def test_without_paging_one_page_is_asked_for(publisher: Publisher, read: Read) -> None:
    assert read({"dataset": [A]}, {"dataset": [B]}, paging="none")[0] == ["a"]
    assert publisher.paths == ["/data.json"]


@pytest.mark.parametrize("body", [b"", b"   ", b'{"dataset": [{"identifier": "a", "title": "A"}]}'])
def test_a_blank_or_repeated_page_is_the_end(read: Read, body: bytes) -> None:
    guids, _, ending = read({"dataset": [A]}, body)
    assert guids == ["a"]
    assert ending.complete


@pytest.mark.parametrize("body", [b"<html><title>Oops</title>", b"Sorry", b'{"error": 1}'])
def test_a_page_of_another_kind_does_not_prove_an_end(read: Read, body: bytes) -> None:
    guids, _, ending = read({"dataset": [A]}, body)
    assert guids == ["a"]
    assert not ending.complete
    assert "option paging" in ending.reason


def test_a_page_that_breaks_off_stops_the_run(read: Read) -> None:
    with pytest.raises(ProtocolError, match="cut off"):
        read({"dataset": [A]}, b'{"dataset": [\n{"identifier"')


def test_a_failing_page_stops_the_run(publisher: Publisher, read: Read) -> None:
    publisher.serve("/data.json", {"dataset": [A]})
    publisher.serve("/data.json?page=2", b"", status=500)
    with pytest.raises(BadStatus):
        read()


def test_a_broken_connection_stops_the_run(publisher: Publisher, read: Read) -> None:
    publisher.serve("/data.json", {"dataset": [A]})
    publisher.serve("/data.json?page=2", {"dataset": [B]}, cut=5)
    with pytest.raises(Unreachable):
        read()


def test_a_large_document_is_never_in_memory(publisher: Publisher, http: HttpClient) -> None:
    entry = json.dumps({"identifier": "%d", "description": "x" * 10_000}).encode()
    body = b'{"dataset": [' + b",".join(entry % number for number in range(3_000)) + b"]}"
    publisher.serve("/data.json", body)
    source = Source(publisher.url("/data.json"), {"paging": "none"}, http)
    reading = iter(Reading(DATA_JSON.reader.records(source)))
    next(reading)
    tracemalloc.start()
    count = 1 + sum(1 for _ in reading)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 3_000
    assert peak < len(body) / 5
