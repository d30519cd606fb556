"""The first bytes of an answer, however long it is."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator

import pytest

from ckanext.ukharvest.core.errors import FetchError, Unreachable
from ckanext.ukharvest.core.http.client import HttpClient
from tests.core.support import client
from tests.publisher import Publisher, Response

BOMB = b"0" * 50_000_000


@pytest.mark.parametrize(
    ("body", "packed", "first", "content"),
    [
        (b"0123456789", False, 4, b"0123"),
        (b"0123456789", False, 40, b"0123456789"),
        (BOMB, True, 1000, b"0" * 1000),
    ],
    ids=["beginning", "whole", "bomb"],
)
def test_only_the_requested_beginning_is_returned(
    http: HttpClient, publisher: Publisher, body: bytes, packed: bool, first: int, content: bytes
) -> None:
    publisher.serve("/a", body, packed=packed)
    with http.get(publisher.url("/a"), first=first) as reply:
        assert reply.content == content


def test_a_length_over_the_limit_does_not_matter(publisher: Publisher) -> None:
    publisher.serve("/a", b"x" * 300_000)
    with client(max_bytes=100_000) as http, http.get(publisher.url("/a"), first=10) as reply:
        assert reply.content == b"x" * 10


def test_an_endless_answer_is_closed(http: HttpClient, publisher: Publisher) -> None:
    is_over, sent = threading.Event(), 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        try:
            while True:
                sent += 1
                yield b"y" * 65536
        finally:  # the publisher cannot send more: the client has closed the connection
            is_over.set()

    publisher.routes["/a"] = lambda _request: Response(endless())
    with http.get(publisher.url("/a"), first=1000) as reply:
        assert reply.content == b"y" * 1000
    assert is_over.wait(60)
    assert sent < 200  # what buffers of the system hold


def test_the_beginning_of_data_that_are_not_packed_is_an_error(
    http: HttpClient, publisher: Publisher
) -> None:
    publisher.serve("/a", b"plain", headers={"Content-Encoding": "gzip"})
    with pytest.raises(FetchError, match="cannot be unpacked"):
        http.get(publisher.url("/a"), first=1000)


def test_the_beginning_of_cut_packed_data_is_an_error(
    http: HttpClient, publisher: Publisher
) -> None:
    half = gzip.compress(bytes(range(256)) * 4)[:-9]
    publisher.serve("/a", half, headers={"Content-Encoding": "gzip"})
    with pytest.raises(FetchError, match="cannot be unpacked"):
        http.get(publisher.url("/a"), first=100_000)


def test_the_beginning_is_read_within_the_time_limit(publisher: Publisher) -> None:
    publisher.serve("/a", "0123456789", pause=0.1)
    with client(total=0.3, retries=0) as http, pytest.raises(Unreachable, match="not finished"):
        http.get(publisher.url("/a"), first=8)


def test_the_beginning_of_an_error_page_is_read(http: HttpClient, publisher: Publisher) -> None:
    publisher.routes["/a"] = Response(b"no such thing", 404)
    with http.get(publisher.url("/a"), first=7, allow_status=range(400, 600)) as reply:
        assert (reply.status, reply.content) == (404, b"no such")
