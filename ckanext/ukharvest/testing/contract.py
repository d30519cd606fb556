"""The contract of source types: what every reader and parser has to do. Needs no CKAN.

A test module takes all tests of the contract over with ``import *`` and gives the fixtures
``kind`` (the ``SourceType``) and ``serve`` (a ``Serve``); the others are in
``ckanext.ukharvest.testing.fixtures``. What a type does on a portal is in
``ckanext.ukharvest.testing.portal``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import Blocked, ParseError, SkipRecord, SourceError, TooLarge
from ckanext.ukharvest.core.fingerprint import fingerprint
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord, Reading, Source
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType
from ckanext.ukharvest.testing.publisher import Everything, Publisher, Request, Response


@dataclass(frozen=True)
class Item:
    """One record to be served.

    Attributes:
        title: "" makes it a record that every parser has to refuse.
        nameless: omit its identifier.
    """

    number: int
    title: str = "A title"
    description: str = "A description."
    nameless: bool = False


@dataclass(frozen=True)
class Served:
    """The source's path, and the path whose failure makes a read incomplete."""

    path: str
    late_path: str


def items(count: int, **changed: Any) -> list[Item]:
    """Return records 0 to count-1."""
    return [Item(number, title=f"Title {number}", **changed) for number in range(count)]


# Makes a publisher serve the given records as real publishers of the type do, in two pages if the
# protocol has pages, and returns the source's path.
Serve = Callable[[Publisher, Sequence[Item]], Served]


def read(kind: SourceType, url: str, http: HttpClient) -> tuple[list[RawRecord], Any]:
    """Read a source to its end; every record has its content then."""
    source = Source(url, options.validate({}, (*kind.options, *COMMON_OPTIONS)), http)
    reading = Reading(unique(kind.reader.records(source)))
    records = [
        raw if raw.error or raw.content is not None else kind.reader.fetch(source, raw)
        for raw in reading
    ]
    return records, reading.ending


def parse(kind: SourceType, raw: RawRecord) -> DatasetRecord:
    return kind.parser.parse(raw, options.validate({}, kind.options))


def test_a_type_says_what_it_is(kind: SourceType) -> None:
    assert kind.title
    assert kind.description
    assert all(option.help for option in kind.options)
    assert isinstance(kind.parser.VERSION, int)
    names = [name for other in TYPES.values() for name in (other.name, *other.aliases)]
    assert len(names) == len(set(names))


def test_all_records_come_with_identity_and_title(
    kind: SourceType, serve: Serve, publisher: Publisher, http: HttpClient
) -> None:
    served = serve(publisher, items(6))
    records, ending = read(kind, publisher.url(served.path), http)
    assert ending.complete
    assert len({raw.guid for raw in records}) == 6
    assert sorted(parse(kind, raw).title for raw in records) == [f"Title {n}" for n in range(6)]


def test_reading_twice_gives_the_same_identities_and_fingerprints(
    kind: SourceType, serve: Serve, publisher: Publisher, http: HttpClient
) -> None:
    served = serve(publisher, items(6))

    def prints() -> list[tuple[str, str]]:
        records, _ending = read(kind, publisher.url(served.path), http)
        return [(r.guid, fingerprint(r.content or "", kind.parser.FORM, ())) for r in records]

    assert prints() == prints()


def test_a_change_in_one_record_changes_its_fingerprint_alone(
    kind: SourceType, serve: Serve, publisher: Publisher, http: HttpClient
) -> None:
    def prints(listed: list[Item]) -> dict[str, str]:
        served = serve(publisher, listed)
        records, _ending = read(kind, publisher.url(served.path), http)
        return {r.guid: fingerprint(r.content or "", kind.parser.FORM, ()) for r in records}

    before = prints(items(6))
    after = prints([*items(5), Item(5, title="Title 5", description="Another.")])
    assert before.keys() == after.keys()
    assert sum(before[guid] != after[guid] for guid in before) == 1


def test_a_record_without_title_is_lost_alone(
    kind: SourceType, serve: Serve, publisher: Publisher, http: HttpClient
) -> None:
    served = serve(publisher, [*items(5), Item(5, title="")])
    records, _ending = read(kind, publisher.url(served.path), http)
    outcomes = []
    for raw in records:
        try:
            if raw.error:
                raise raw.error
            outcomes.append(parse(kind, raw).title)
        except ParseError as exc:
            outcomes.append("lost")
            assert "title" in exc.message.lower()
    assert outcomes.count("lost") == 1
    assert len(outcomes) == 6


def test_a_late_failure_stops_the_read(
    kind: SourceType, serve: Serve, publisher: Publisher, http: HttpClient
) -> None:
    served = serve(publisher, items(6))
    publisher.fail(served.late_path, status=500, times=20)
    with pytest.raises(SourceError) as caught:
        read(kind, publisher.url(served.path), http)
    assert "500" in caught.value.message
    assert served.late_path in caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<html><head><title>Please log in</title></head></html>", id="login-page"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x00\xff\xfe\x01" * 50, id="noise"),
        pytest.param(b'{"success": false}', id="other-json"),
        pytest.param(b'<?xml version="1.0"?><other/>', id="other-xml"),
        pytest.param(
            b'<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><x>&b;</x>',
            id="entity-bomb",
        ),
        pytest.param(b'{"dataset": [' + b"[" * 100_000, id="deep-json"),
    ],
)
def test_another_document_is_refused_in_words(
    kind: SourceType, serve: Serve, publisher: Publisher, http: HttpClient, body: bytes
) -> None:
    served = serve(publisher, items(6))
    for path in list(publisher.routes):
        publisher.serve(path, body)
    with pytest.raises(SourceError) as caught:
        read(kind, publisher.url(served.path), http)
    assert publisher.base in caught.value.message
    assert "Traceback" not in caught.value.message


def test_an_oversize_answer_is_refused(
    kind: SourceType, serve: Serve, publisher: Publisher
) -> None:
    served = serve(publisher, items(200))
    limits = HttpLimits(max_bytes=1000)
    with HttpClient(Guard(("127.0.0.0/8",)), limits) as http, pytest.raises(TooLarge):
        read(kind, publisher.url(served.path), http)


def test_a_redirect_into_internal_space_is_refused(
    kind: SourceType, serve: Serve, publisher: Publisher, http: HttpClient
) -> None:
    served = serve(publisher, items(6))
    for path in list(publisher.routes):
        publisher.redirect(path, "http://169.254.169.254/latest/meta-data/")
    with pytest.raises(Blocked):
        read(kind, publisher.url(served.path), http)


def test_a_server_that_ignores_the_page_ends(
    kind: SourceType, serve: Serve, publisher: Publisher, http: HttpClient
) -> None:
    served = serve(publisher, items(6))
    first = publisher.routes[served.path]

    def any_page(request: Request) -> Response:
        assert len(publisher.requests) < 50, "endless paging"
        # As real servers do: the same records, but never the same bytes.
        response = first if isinstance(first, Response) else first(request)
        assert isinstance(response.body, bytes)
        stamp = b" " * len(publisher.requests)
        return Response(response.body + stamp, headers=response.headers)

    publisher.routes = Everything(any_page)
    with contextlib.suppress(SourceError):  # refusing such a server is as good as ending
        read(kind, publisher.url(served.path), http)


def test_parsing_never_fails_in_another_way(kind: SourceType) -> None:
    for content in ("", "{}", "[]", "null", '"x"', "<x/>", "\x00", '{"title": [[]]}', "1e999"):
        try:
            parse(kind, RawRecord("guid", content))
        except (ParseError, SkipRecord) as exc:
            assert exc.message
