"""Requests to an endpoint by GET or POST, and answers that refuse or break off."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError, SourceError
from ckanext.ukharvest.readers.sparql.connection import Cut, Refused
from tests.publisher import Publisher, Request, Response
from tests.publishing.sparql import Endpoint
from tests.readers.sparql.conftest import Read
from tests.readers.sparql.endpoint_reads import (
    failures,
    guids,
    quick_client,
    turtle,
    uri,
)


@pytest.mark.parametrize(
    "headers", [{"X-SQL-State": "S1TAT"}, {"X-SPARQL-MaxRows": "10000"}], ids=str
)
def test_virtuoso_says_in_headers_that_a_result_is_cut(read: Read, headers: dict[str, str]) -> None:
    endpoint = Endpoint(turtle(4))

    def cut(query: str, _request: Request) -> Response | None:
        many = query.count("<https://data.example/id/") > 8
        return Response(b"", headers=headers) if "CONSTRUCT" in query and many else None

    endpoint.before = cut
    found, ending = read(endpoint)
    assert (len(found), failures(found), ending.complete) == (4, {}, True)
    endpoint.before = lambda _query, _request: Response(b"{}", headers=headers)
    with pytest.raises(Cut, match="/sparql gives"):
        read(endpoint)


def test_refused_offset_is_replaced_by_the_last_uri(read: Read) -> None:
    endpoint = Endpoint(turtle(9))

    def like_virtuoso(query: str, _request: Request) -> Response | None:
        if " OFFSET " in query and int(query.rpartition(" ")[2]) > 3:
            words = b"Virtuoso 22023 Error SR353: Sorted TOP clause specifies more then 3 rows"
            return Response(words, 400, {"Content-Type": "text/plain"})
        return None

    endpoint.before = like_virtuoso
    found, ending = read(endpoint, {"page_size": 3})
    assert (guids(found), ending.complete) == ([uri(n) for n in range(9)], True)
    endpoint.before = lambda query, request: (
        Response(b"no", 400) if "STR(" in query else like_virtuoso(query, request)
    )
    with pytest.raises(Refused, match="Sorted TOP clause"):
        read(endpoint, {"page_size": 3})


def test_a_server_that_breaks_ends_the_read(read: Read) -> None:
    endpoint = Endpoint(turtle(20))
    endpoint.before = lambda query, _request: (
        Response(b"down", 503) if "CONSTRUCT" in query and f"<{uri(3)}>" not in query else None
    )
    with pytest.raises(Refused, match="/sparql answered 503 Service Unavailable: down"):
        read(endpoint, {"batch_size": 2}, client=quick_client())


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_without_get_is_asked_by_post(
    read: Read, publisher: Publisher, status: int
) -> None:
    endpoint = Endpoint(turtle(2))
    endpoint.before = lambda _query, request: (
        Response(b"", status) if request.method == "GET" else None
    )
    found, ending = read(endpoint)
    assert (len(found), ending.complete) == (2, True)
    assert [each.method for each in publisher.requests] == ["GET", "POST", "POST", "POST"]


def test_a_server_without_post_gets_shorter_queries_by_get(
    read: Read, publisher: Publisher
) -> None:
    endpoint = Endpoint(turtle(40))

    def only_get(_query: str, request: Request) -> Response | None:
        if request.method == "POST":
            return Response(b"", 405)
        return Response(b"", 414) if len(request.path) > 8_000 else None

    endpoint.before = only_get
    found, ending = read(endpoint)
    assert (len(found), failures(found), ending.complete) == (40, {}, True)
    assert [each.method for each in publisher.requests].count("POST") < 8


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_method_can_be_fixed(read: Read, publisher: Publisher, method: str) -> None:
    found, _ = read(Endpoint(turtle(2)), {"method": method})
    assert len(found) == 2
    assert {each.method for each in publisher.requests} == {method.upper()}


def test_a_refusal_says_what_the_server_says(read: Read) -> None:
    endpoint = Endpoint(turtle(2))
    words = b"Parse error: no aggregates here\nline 2"
    endpoint.before = lambda _query, _request: Response(words, 400)
    with pytest.raises(Refused, match="answered 400 Bad Request: Parse error: no aggregates here"):
        read(endpoint)
    page = b"<!DOCTYPE html><html><head><title>Down for repairs</title></head></html>"
    endpoint.before = lambda _query, _request: Response(page, 403)
    with pytest.raises(BadStatus, match="/sparql answered 403 Forbidden: Down for repairs"):
        read(endpoint)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<!DOCTYPE html><title>Query editor</title>", "title 'Query editor'"),
        (b'{"head": {}, "boolean": true}', "an answer to ASK; expected results of SELECT"),
        (b'{"error": "timed out"}', "an error: timed out"),
        (b'{"head":{"vars":["s"]},"results":{"bindings":[]}}', "the 1 variable s; expected"),
        (b'<sparql xmlns="x"><head/><boolean>true</boolean></sparql>', "an answer to ASK"),
        (b"<other/>", "its root element is <other>"),
        (b"dataset\nhttp://a.example/1\n", "not JSON"),
        (b"", "is empty; expected results of SELECT"),
        (b'{"head":{"vars":["number_of_datasets"]},"results":{"bindings":[]}}', "counts ''"),
    ],
)
def test_other_answers_are_refused_in_words(read: Read, body: bytes, words: str) -> None:
    endpoint = Endpoint(turtle(2))
    endpoint.before = lambda _query, _request: Response(body)
    with pytest.raises(ProtocolError) as caught:
        read(endpoint)
    assert words in caught.value.message
    assert "/sparql" in caught.value.message


def test_a_web_page_instead_of_descriptions_stops_the_read(read: Read) -> None:
    endpoint = Endpoint(turtle(2))
    page = b"<!DOCTYPE html><html><head><title>Log in</title></head></html>"
    endpoint.before = lambda query, _request: Response(page) if "CONSTRUCT" in query else None
    with pytest.raises(SourceError, match="title 'Log in'"):
        read(endpoint)
