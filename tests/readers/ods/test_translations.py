"""Opendatasoft: texts in other languages, which portals give one language at a time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ConfigError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.readers.ods import listing
from tests.publisher import Publisher
from tests.readers.ods.test_reader import EXPORT, LIST, dataset, names, records, serve_list

OPTIONS = {"translations": "cy, en", "language": "en"}
PAGE = f"{LIST}?limit={{}}&offset={{}}&order_by=dataset_id&lang={{}}"


def texts(code: str, number: int) -> dict[str, Any]:
    return {"title": f"{code} {number}", "description": f"{code}: all", "keyword": [code]}


def in_language(code: str, *numbers: int) -> list[dict[str, Any]]:
    found = [dataset(number) for number in numbers]
    for number, each in zip(numbers, found, strict=True):
        each["metas"]["default"] |= texts(code, number)
    return found


def serve(publisher: Publisher, code: str, *pages: tuple[int, ...], limit: int = 100) -> None:
    """Serve pages of a portal of 3 datasets in one language."""
    for offset, page in zip((0, 2), pages, strict=False):
        answer = {"total_count": 3, "results": in_language(code, *page)}
        publisher.serve(PAGE.format(limit, offset, code), answer)


def translations(found: list[RawRecord]) -> list[Any]:
    return [json.loads(raw.content or "").get("translations") for raw in found]


def test_each_page_is_read_in_each_language(publisher: Publisher, http: HttpClient) -> None:
    serve(publisher, "en", (1, 2), (3,))
    serve(publisher, "cy", (2, 1), ())
    found, ending = records(publisher.url("/"), http, OPTIONS)
    assert [raw.guid for raw in found] == names(1, 2, 3)
    assert translations(found) == [{"cy": texts("cy", 1)}, {"cy": texts("cy", 2)}, None]
    assert ending.complete
    assert len(publisher.requests) == 4


def test_an_export_is_read_in_each_language(
    publisher: Publisher, http: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "WINDOW", 2)
    serve(publisher, "en", (1, 2), limit=2)
    serve(publisher, "cy", (1, 2), limit=2)
    publisher.serve(f"{EXPORT}?limit=-1&lang=en", in_language("en", 1, 2, 3))
    publisher.serve(f"{EXPORT}?limit=-1&lang=cy", in_language("cy", 3, 1))
    found, ending = records(publisher.url("/"), http, OPTIONS)
    # The first page has the first two.
    assert translations(found) == [{"cy": texts("cy", number)} for number in (1, 2, 3)]
    assert ending.complete


def test_without_the_option_nothing_more_is_read(publisher: Publisher, http: HttpClient) -> None:
    serve_list(publisher, (1, 2), total=2)
    found, _ = records(publisher.url("/"), http)
    assert translations(found) == [None, None]
    assert len(publisher.requests) == 1


def test_a_language_that_is_refused_fails_the_run(publisher: Publisher, http: HttpClient) -> None:
    serve(publisher, "en", (1, 2), (3,))
    publisher.serve(PAGE.format(100, 0, "cy"), {"message": "Unknown lang cy"}, status=400)
    with pytest.raises(SourceError, match="lang=cy answered 400 Bad Request: Unknown lang cy"):
        records(publisher.url("/"), http, OPTIONS)


def test_the_languages_are_checked(publisher: Publisher, http: HttpClient) -> None:
    with pytest.raises(ConfigError, match="'Welsh' is no language"):
        records(publisher.url("/"), http, {"translations": ["cy", "Welsh"]})
