"""Numbered pages end at the right page, and two records of one identity are reported."""

from __future__ import annotations

from collections.abc import Generator, Iterable

import pytest

from ckanext.ukharvest.core.errors import BadStatus, DuplicateGuid
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Validators
from ckanext.ukharvest.readers.numbered_pages import numbered_page, page_url, unique
from tests.publisher import Publisher


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a/data.json", "http://a/data.json?page=2"),
        ("http://a/data.json?x=1", "http://a/data.json?x=1&page=2"),
        ("http://a/data.json?page=1&x=1", "http://a/data.json?page=2&x=1"),
        ("http://a/data.json#top", "http://a/data.json?page=2"),
    ],
)
def test_the_number_of_a_page_goes_into_the_query(url: str, expected: str) -> None:
    assert page_url(url, 2) == expected


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_page_that_moved_is_followed(publisher: Publisher, http: HttpClient, status: int) -> None:
    publisher.redirect("/data.json?page=2", "/moved/data.json?x=1&page=2", status)
    publisher.serve("/moved/data.json?x=1&page=2", "[]")
    url = publisher.url("/data.json")
    answer = numbered_page(http, url, 2, first=Validators(), accept="*/*")
    assert not isinstance(answer, Ending)
    assert answer.content == b"[]"


def test_a_page_that_redirects_to_another_is_the_end(
    publisher: Publisher, http: HttpClient
) -> None:
    publisher.redirect("/data.json?page=2", "/data.json?page=1")
    answer = numbered_page(http, publisher.url("/data.json"), 2, first=Validators(), accept="*/*")
    assert answer == Ending(complete=True)


def _generator(records: Iterable[RawRecord]) -> Generator[RawRecord, None, Ending]:
    yield from records
    return Ending(complete=True)


def test_duplicate_identity_fails_and_names_both_records() -> None:
    first = RawRecord("a", "1", position="dataset 1")
    second = RawRecord("a", "2", position="dataset 7")
    reading = Reading(unique(_generator([first, RawRecord("b"), second])))
    one, _, lost = list(reading)
    assert one is first
    assert isinstance(lost.error, DuplicateGuid)
    assert "dataset 7" in lost.error.message
    assert "dataset 1" in lost.error.message
    assert reading.ending == Ending(complete=True)


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("", "https://b.example/2.xml has the same identifier as https://a.example/1.xml: 'a'."),
        ("2.xml", "2.xml (https://b.example/2.xml) has the same identifier as https://a."),
    ],
)
def test_records_of_two_addresses_are_named_by_both(position: str, expected: str) -> None:
    first = RawRecord("a", url="https://a.example/1.xml")
    second = RawRecord("a", url="https://b.example/2.xml", position=position)
    *_, lost = Reading(unique(_generator([first, second])))
    assert lost.error is not None
    assert lost.error.message.startswith(expected)


@pytest.mark.parametrize("status", [404, 410, 302])
def test_no_such_page_ends_the_source(publisher: Publisher, http: HttpClient, status: int) -> None:
    headers = {"Location": "/"} if status == 302 else {}
    publisher.serve("/data.json?page=2", "", status=status, headers=headers)
    answer = numbered_page(http, publisher.url("/data.json"), 2, first=Validators(), accept="")
    assert answer == Ending(complete=True)


@pytest.mark.parametrize("status", [400, 403])
def test_a_refused_page_does_not_prove_an_end(
    publisher: Publisher, http: HttpClient, status: int
) -> None:
    publisher.serve("/data.json?page=2", "", status=status)
    answer = numbered_page(http, publisher.url("/data.json"), 2, first=Validators(), accept="")
    assert isinstance(answer, Ending)
    assert not answer.complete
    assert f"answered {status} " in answer.reason
    assert "option paging" in answer.reason


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_fault_on_a_page_stops_the_run(
    publisher: Publisher, http: HttpClient, status: int
) -> None:
    publisher.serve("/data.json?page=2", "", status=status)
    with pytest.raises(BadStatus):
        numbered_page(http, publisher.url("/data.json"), 2, first=Validators(), accept="")


def test_only_a_strong_etag_of_page_1_is_sent_along(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/data.json?page=2", "[]")
    strong = Validators('"a"', "Mon, 01 Jan 2024 00:00:00 GMT")
    weak = Validators('W/"a"', "Mon, 01 Jan 2024 00:00:00 GMT")
    for first in (strong, weak):
        numbered_page(http, publisher.url("/data.json"), 2, first=first, accept="")
    sent = [request.headers["If-None-Match"] for request in publisher.requests]
    assert sent == ['"a"', None]
    assert not any(request.headers["If-Modified-Since"] for request in publisher.requests)
