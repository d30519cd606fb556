"""Opendatasoft: the choice of interface, the same identities from each, and proof of the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import BadStatus, ConfigError, ProtocolError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.credentials import Credential
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers import ods as reader
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.readers.ods import OPTIONS, Ods, Portal
from ckanext.ukharvest.reading.records import FileClient
from tests.conftest import LOOPBACK
from tests.publisher import Publisher

LIST = "/api/explore/v2.1/catalog/datasets"
EXPORT = "/api/explore/v2.1/catalog/exports/json"
SEARCH = "/api/datasets/1.0/search"


def dataset(number: int) -> dict[str, Any]:
    metas = {"default": {"title": f"Parks {number}", "modified": "2026-05-04"}}
    return {"dataset_id": f"parks-{number}", "has_records": True, "metas": metas}


def old_dataset(number: int) -> dict[str, Any]:
    return {"datasetid": f"parks-{number}", "metas": {"title": f"Parks {number}"}}


def records(
    url: str, http: Any, given: dict[str, Any] | None = None, **more: Any
) -> tuple[list[RawRecord], Ending]:
    source = Source(url, options.validate(given or {}, OPTIONS), http, **more)
    reading = Reading(unique(Ods().records(source)))
    found = list(reading)
    assert reading.ending is not None
    return found, reading.ending


class Site:
    """A portal that serves pages, and what reads it."""

    def __init__(self, publisher: Publisher, http: HttpClient) -> None:
        self.publisher = publisher
        self.serve = publisher.serve
        self.http = http

    def explore(self, *pages: Sequence[int], total: int, **limits: str) -> None:
        """Serve pages of Explore API 2.1."""
        offset = 0
        for page in (*pages, ()):
            limit = limits.get(f"at_{offset}", "100")
            path = f"{LIST}?limit={limit}&offset={offset}&order_by=dataset_id"
            self.serve(path, {"total_count": total, "results": list(map(dataset, page))})
            offset += len(page)

    def search(self, *pages: Sequence[int], total: int) -> None:
        offset = 0
        for page in (*pages, ()):
            path = f"{SEARCH}?rows=100&start={offset}&interopmetas=true"
            self.serve(path, {"nhits": total, "datasets": list(map(old_dataset, page))})
            offset += len(page)

    def records(self, path: str = "/", *given: Any, **more: Any) -> tuple[list[RawRecord], Ending]:
        return records(self.publisher.url(path), self.http, *given, **more)

    def read(self, *given: Any, **more: Any) -> tuple[list[str], Ending]:
        found, ending = self.records(*given, **more)
        return [raw.guid for raw in found], ending

    @property
    def asked(self) -> list[str]:
        return [request.path for request in self.publisher.requests]


@pytest.fixture
def site(publisher: Publisher, http: HttpClient) -> Site:
    return Site(publisher, http)


def names(*numbers: int) -> list[str]:
    return [f"parks-{number}" for number in numbers]


def test_datasets_come_in_pages_and_the_total_proves_them(site: Site) -> None:
    site.explore((1, 2), (3,), total=3)
    totals: list[int] = []
    found, ending = site.records(tell_total=totals.append)
    assert [raw.guid for raw in found] == names(1, 2, 3)
    assert [raw.position for raw in found] == ["dataset 1", "dataset 2", "dataset 3"]
    assert found[0].url == site.publisher.url("/explore/dataset/parks-1/")
    assert found[0].modified == "2026-05-04"
    assert ending == Ending(complete=True, interface="explore-2.1")
    assert totals == [3]
    assert len(site.publisher.requests) == 2


@pytest.mark.parametrize(
    ("pages", "total", "reason"),
    [
        pytest.param([(1, 2)], 3, "announces 3 datasets and shows 2", id="too-few"),
        pytest.param([(1, 2)], 1, "announces 1 dataset and shows 2", id="too-many"),
        pytest.param([(1, 2), (1, 2)], 4, "announces 4 datasets and shows 2", id="repeated"),
        pytest.param([()], 0, "has no datasets", id="none"),
    ],
)
def test_a_total_that_does_not_fit_proves_nothing(
    site: Site, pages: list[tuple[int, ...]], total: int, reason: str
) -> None:
    site.explore(*pages, total=total)
    _, ending = site.read()
    assert not ending.complete
    assert reason in ending.reason
    # An answer of 2.1 counts, also an empty one: another interface could ignore the filters.
    assert ending.interface == "explore-2.1"


def test_a_total_that_changes_between_pages_proves_nothing(site: Site) -> None:
    site.explore((1, 2), total=3)
    answer = {"total_count": 2, "results": [dataset(3)]}
    site.serve(f"{LIST}?limit=100&offset=2&order_by=dataset_id", answer)
    found, ending = site.read()
    assert found == names(1, 2, 3)
    assert not ending.complete
    assert "changed while they were read" in ending.reason


def test_more_datasets_than_pages_show_come_by_export(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "WINDOW", 4)
    site.explore((1, 2), total=5, at_0="4")
    site.serve(f"{EXPORT}?limit=-1", [dataset(number) for number in range(1, 6)])
    found, ending = site.read()
    assert found == names(1, 2, 3, 4, 5)
    assert ending == Ending(complete=True, interface="explore-2.1")
    assert len(site.publisher.requests) == 2

    site.serve(f"{EXPORT}?limit=-1", [dataset(number) for number in range(1, 5)])
    _, ending = site.read()
    assert not ending.complete
    assert "announces 5 datasets and shows 4" in ending.reason

    site.serve(f"{EXPORT}?limit=-1", '[{"dataset_id": "parks-1"')
    with pytest.raises(ProtocolError, match="ends in the middle"):
        site.read()


def test_the_last_page_ends_where_pages_end(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "WINDOW", 4)
    site.explore((1, 2), (3, 4), total=4, at_0="4", at_2="2")
    found, ending = site.read()
    assert (found, ending.complete) == (names(1, 2, 3, 4), True)


def test_search_1_0_ends_before_its_datasets_do(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "WINDOW", 2)
    path = f"{SEARCH}?rows=2&start=0&interopmetas=true"
    site.serve(path, {"nhits": 3, "datasets": [old_dataset(1), old_dataset(2)]})
    found, ending = site.read()
    assert found == names(1, 2)
    assert not ending.complete
    assert "this interface ends at 2, and Explore API 2.1 is not there" in ending.reason


@pytest.mark.parametrize("status", [404, 410])
def test_search_1_0_is_read_where_2_1_is_not_there(site: Site, status: int) -> None:
    site.serve(f"{LIST}?limit=100&offset=0&order_by=dataset_id", "gone", status=status)
    site.search((1, 2), (3,), total=3)
    found, ending = site.read()
    assert found == names(1, 2, 3)
    assert ending == Ending(complete=True, interface="search-1.0")


def test_the_interface_of_the_last_run_is_asked_first(site: Site) -> None:
    site.explore((1,), total=1)
    site.search((1,), total=1)
    _, ending = site.read(interface="search-1.0")
    assert ending.interface == "search-1.0"
    assert all(path.startswith(SEARCH) for path in site.asked)
    site.publisher.routes = {
        each: found for each, found in site.publisher.routes.items() if SEARCH not in each
    }
    _, ending = site.read(interface="search-1.0")
    assert ending.interface == "explore-2.1"


@pytest.mark.parametrize("status", [400, 401, 403, 429, 500, 503])
def test_a_fault_does_not_lead_to_another_interface(site: Site, status: int) -> None:
    fault = {"error_code": "ODSQLError", "message": "Unknown facet: colour"}
    site.serve(f"{LIST}?limit=100&offset=0&order_by=dataset_id", fault, status=status)
    site.search((1,), total=1)
    with pytest.raises(SourceError) as caught:
        site.read()
    assert str(status) in caught.value.message
    assert ("credential" in caught.value.message) == (status in (401, 403))
    assert "Unknown facet: colour" in caught.value.message


def test_a_site_that_is_no_portal_is_refused_with_all_tries(site: Site) -> None:
    with pytest.raises(ProtocolError) as caught:
        site.read()
    assert caught.value.code == "no-interface"
    assert all(path in caught.value.message for path in (LIST, SEARCH))


def test_a_page_that_fails_ends_the_read(site: Site) -> None:
    site.explore((1, 2), total=3)
    site.serve(f"{LIST}?limit=100&offset=2&order_by=dataset_id", "", status=404)
    site.search((1,), total=1)
    with pytest.raises(SourceError):
        site.read()
    assert not any(path.startswith(SEARCH) for path in site.asked)


def test_filters_and_language_are_sent_to_each_interface(site: Site) -> None:
    given = {
        "refine": "publisher:Leeds & Bradford; theme:Environment",
        "exclude": ["keyword:test"],
        "language": "cy",
    }
    with pytest.raises(ProtocolError):
        site.read("/explore/?refine.features=geo&sort=modified", given)
    sent = {urlsplit(path).path: parse_qsl(urlsplit(path).query)[-5:] for path in site.asked}
    explore = [
        ("refine", "publisher:Leeds & Bradford"),
        ("refine", "theme:Environment"),
        ("exclude", "keyword:test"),
        ("refine", "features:geo"),
        ("lang", "cy"),
    ]
    search = [
        ("refine.publisher", "Leeds & Bradford"),
        ("refine.theme", "Environment"),
        ("exclude.keyword", "test"),
        ("refine.features", "geo"),
        ("lang", "cy"),
    ]
    assert sent == {LIST: explore, SEARCH: search}


@pytest.mark.parametrize(
    ("name", "value"),
    [("refine", "Environment"), ("refine", "theme:"), ("exclude", ":x"), ("language", "English")],
)
def test_an_option_of_another_form_is_refused(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        options.validate({name: value}, OPTIONS)
    assert caught.value.field == name
    assert "expected" in caught.value.message


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/explore/",
        "/explore/dataset/parks-1/information/",
        "/api/explore/v2.1/catalog/datasets?limit=10",
        "/api/datasets/1.0/search/",
        "/page/home/",
        "/pages/welcome",
    ],
)
def test_any_url_of_a_portal_is_that_of_its_home_page(path: str) -> None:
    portal = Portal.parse(f"https://data.example{path}", {})
    assert portal is not None
    assert portal.base == "https://data.example"


def test_a_key_is_sent_as_the_portal_wants_it_and_is_in_no_url(site: Site) -> None:
    site.explore((1,), total=1)
    parts = urlsplit(site.publisher.base)
    assert parts.hostname is not None
    assert parts.port is not None
    key = "Apikey 0123456789abcdef"
    secret = Credential("http", parts.hostname, parts.port, "Authorization", key)
    with HttpClient(Guard(LOOPBACK), credentials=(secret,)) as site.http:
        found, _ = site.records()
    assert [each.headers["Authorization"] for each in site.publisher.requests] == [key]
    assert "0123456789abcdef" not in repr(found) + repr(site.asked)


@pytest.mark.parametrize(
    ("text", "guids", "reason"),
    [
        ('{"total_count": 1, "results": [{"dataset_id": "a"}]}', ["a"], ""),
        ('{"nhits": 2, "datasets": [{"datasetid": "a"}]}', ["a"], "holds 1 of 2 datasets"),
        ('[{"dataset_id": "a"}, {"dataset_id": "b"}]', ["a", "b"], ""),
        ('{"datasetid": "a", "has_records": true, "metas": {}}', ["a"], ""),
        (
            '{"total_count": 1, "datasets": [{"links": [], "dataset": {"dataset_id": "a"}}]}',
            ["a"],
            "",
        ),
        ('{"total_count": 0, "results": []}', [], "has no datasets"),
    ],
)
def test_a_saved_answer_of_any_interface_is_read(
    tmp_path: Path, text: str, guids: list[str], reason: str
) -> None:
    path = tmp_path / "answer.json"
    path.write_text(text)
    found, ending = records(str(path), FileClient(path))
    assert [raw.guid for raw in found] == guids
    assert ending.complete == (not reason)
    assert reason in ending.reason


def test_ods_dataset_without_id_fails_alone(site: Site) -> None:
    items: list[Any] = [dataset(1), {"metas": {"default": {"title": "Ponds"}}}, "parks-2"]
    path = f"{LIST}?limit=100&offset=0&order_by=dataset_id"
    site.serve(path, {"total_count": 3, "results": items})
    found, ending = site.records()
    assert ending.complete
    messages = [raw.error.message for raw in found if raw.error]
    assert messages == [
        "dataset 2 'Ponds': dataset_id is missing; expected an identifier that never changes",
        "dataset 3 is 'parks-2'; expected an object in { }",
    ]


def test_an_interface_that_is_broken_is_not_taken_for_absent(site: Site) -> None:
    site.serve(f"{SEARCH}?rows=100&start=0&interopmetas=true", "", status=502)
    with pytest.raises(BadStatus, match="502"):
        site.read()
