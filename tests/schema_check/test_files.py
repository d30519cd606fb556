"""Schemas and data from the network: missing, huge or silent ones say so and block nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ckanext.ukharvest.core.errors import BadStatus, Blocked, SourceError, TooLarge, Unreachable
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.schema_check import files
from ckanext.ukharvest.schema_check.report import Limits
from tests.publisher import Publisher, Response

LIMITS = Limits(schema_bytes=100_000)
HTTP = HttpLimits(max_bytes=300_000, retries=0)


@pytest.fixture
def client() -> Iterator[HttpClient]:
    with HttpClient(Guard(("127.0.0.0/8",)), HTTP) as http:
        yield http


def test_a_missing_schema_is_an_error(client: HttpClient) -> None:
    with Publisher() as publisher, pytest.raises(BadStatus) as caught:
        files.read_schema(publisher.url("/schema.json"), client, LIMITS)
    assert "answered 404 Not Found" in caught.value.message


def test_only_the_beginning_of_a_huge_schema_is_read(client: HttpClient) -> None:
    """200 MB are on offer; the server sends what the connection holds, and no more is stored."""
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(200):
            sent += 1
            yield b" " * 1_000_000

    with Publisher() as publisher:
        publisher.routes["/schema.json"] = Response(body())
        with pytest.raises(SourceError) as caught:
            files.read_schema(publisher.url("/schema.json"), client, LIMITS)
    assert caught.value.message == "The schema is larger than 0.09537 MB, the most that is read."
    assert sent < 100


def test_a_schema_that_never_comes_is_not_waited_for() -> None:
    limits = HttpLimits(read=0.3, total=0.6, retries=0)
    with Publisher() as publisher, HttpClient(Guard(("127.0.0.0/8",)), limits) as client:
        publisher.routes["/schema.json"] = Response(hang=True)
        with pytest.raises(Unreachable):
            files.read_schema(publisher.url("/schema.json"), client, LIMITS)
        publisher.routes["/slow.json"] = Response(b"{}" * 500, pause=0.1)
        with pytest.raises(Unreachable) as caught:
            files.read_schema(publisher.url("/slow.json"), client, LIMITS)
    assert "0.6 seconds" in caught.value.message


def test_an_internal_address_is_refused() -> None:
    with HttpClient(Guard(), HTTP) as http, pytest.raises(Blocked):
        files.read_schema("http://127.0.0.1:1/schema.json", http, LIMITS)
    with HttpClient(Guard(), HTTP) as http, pytest.raises(Blocked):
        files.open_data("file:///etc/passwd", http)


def test_an_unchanged_schema_is_not_sent_again(client: HttpClient) -> None:
    with Publisher() as publisher:
        publisher.routes["/schema.json"] = Response(b'{"fields": []}', etag='"1"')
        url = publisher.url("/schema.json")
        first = files.read_schema(url, client, LIMITS)
        again = files.read_schema(url, client, LIMITS, first)
        assert again is first
        publisher.routes["/schema.json"] = Response(b"{}", etag='"2"')
        assert files.read_schema(url, client, LIMITS, first).content == b"{}"
        assert publisher.requests[1].headers["If-None-Match"] == '"1"'


def test_data_larger_than_the_limit_are_refused(client: HttpClient) -> None:
    with Publisher() as publisher:
        publisher.routes["/data.csv"] = Response(b"x" * 400_000)
        with pytest.raises(TooLarge):
            files.open_data(publisher.url("/data.csv"), client)


def test_local_files_are_read(client: HttpClient, tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text("{}")
    assert files.read_schema(str(path), client, LIMITS).content == b"{}"
    with files.open_data(str(path), client) as data:
        assert data.read() == b"{}"
    path.write_text(" " * 100_001)
    with pytest.raises(SourceError):
        files.read_schema(str(path), client, LIMITS)


@pytest.mark.parametrize("path", ["no-such-file", ".", "a\x00b"])
def test_an_unreadable_file_is_named(client: HttpClient, path: str) -> None:
    with pytest.raises(SourceError) as caught:
        files.open_data(path, client)
    assert path in caught.value.message
