"""CKAN sites in practice: pages that shift, searches that refuse, URLs of every form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, FetchError, ProtocolError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.ckan_api import reader as ckan
from ckanext.ukharvest.readers.ckan_api import site as ckan_site
from ckanext.ukharvest.source_types import CKAN
from tests.publisher import Publisher, Request, Response


def package(number: int, **more: Any) -> dict[str, Any]:
    day = f"2024-01-{number % 28 + 1:02}T10:00:00.000000"
    own = {"id": f"id-{number:04}", "name": f"name-{number}", "title": f"Title {number}"}
    return {**own, "metadata_modified": day, **more}


class Site(dict[str, Any]):
    """Routes of a CKAN site with a search.

    Attributes:
        packages: its packages; a test may change them between pages by ``before_page``.
        most: the largest page that it returns.
    """

    def __init__(self, count: int, most: int = 1000) -> None:
        super().__init__()
        self.packages = [package(number) for number in range(count)]
        self.most = most
        self.asked: list[dict[str, str]] = []
        self.before_page: Callable[[int], None] = lambda _number: None

    def get(self, key: str, default: Any = None) -> Any:
        if "/package_search" not in key or key.startswith("GET "):
            return super().get(key, default)
        return self.search

    def search(self, request: Request) -> Response:
        query = parse_qs(urlsplit(request.path).query)
        params = {name: values[0] for name, values in query.items()}
        self.asked.append(params)
        self.before_page(len(self.asked))
        found = sorted(self.packages, key=lambda each: each["id"])
        since = re.search(r"metadata_modified:\[(\S+) TO \*\]", params.get("fq", ""))
        if since:
            found = [each for each in found if each["metadata_modified"] >= since[1].rstrip("Z")]
        start, rows = int(params["start"]), min(int(params["rows"]), self.most)
        result = {"count": len(found), "results": found[start : start + rows]}
        return answer(result)


def answer(result: Any, status: int = 200) -> Response:
    body = {"help": "", "success": True, "result": result}
    return Response(json.dumps(body).encode(), status)


def refusal(status: int, message: str) -> Response:
    body = {"success": False, "error": {"__type": "Search Error", "message": message}}
    return Response(json.dumps(body).encode(), status)


Read = Callable[..., tuple[list[RawRecord], Ending]]


@pytest.fixture
def read(publisher: Publisher, http: HttpClient) -> Read:
    def read_site(
        path: str = "", *, since: str = "", resume: str = "", **given: Any
    ) -> tuple[list[RawRecord], Ending]:
        found = options.validate({"rows": 4, **given}, ckan.OPTIONS)
        source = Source(publisher.url(path), found, http, since=since, resume=resume)
        reading = Reading(ckan.CkanSite().records(source))
        records = list(reading)
        assert reading.ending is not None
        return records, reading.ending

    return read_site


@pytest.fixture
def site(publisher: Publisher) -> Site:
    publisher.routes = routes = Site(10)
    return routes


def ids(records: list[RawRecord]) -> list[str]:
    return [raw.guid for raw in records]


ALL = [f"id-{number:04}" for number in range(10)]


def test_pages_overlap_and_the_count_is_proven(
    site: Site, publisher: Publisher, read: Read
) -> None:
    records, ending = read()
    assert ids(records) == ALL
    assert ending.complete
    assert ending.interface == "package_search"
    assert [params["start"] for params in site.asked] == ["0", "3", "6"]
    assert {params["sort"] for params in site.asked} == {"id asc"}
    assert records[3].url == publisher.url("/dataset/name-3")
    assert records[3].modified == "2024-01-04T10:00:00.000000"


def test_a_site_with_smaller_pages_than_asked_is_read_whole(site: Site, read: Read) -> None:
    site.most = 2
    records, ending = read(rows=100)
    assert ids(records) == ALL
    assert ending.complete


def test_datasets_removed_between_pages_hide_no_other(site: Site, read: Read) -> None:
    def remove(number: int) -> None:
        if number == 2:
            del site.packages[:3]

    site.before_page = remove
    records, ending = read()
    assert ids(records) == ALL
    assert ending.complete


def test_datasets_added_between_pages_are_read_too(site: Site, read: Read) -> None:
    def add(number: int) -> None:
        if number == 2:
            site.packages.append(package(0, id="id-0000a"))

    site.before_page = add
    records, ending = read()
    assert sorted(ids(records)) == sorted([*ALL, "id-0000a"])
    assert ending.complete


def test_pages_that_do_not_overlap_prove_nothing(site: Site, read: Read) -> None:
    site.most = 1
    records, ending = read()
    assert ids(records) == ALL
    assert not ending.complete
    assert ending.reason.endswith("/api/3/action/package_search moved while they were read")


def test_wrong_total_proves_nothing(publisher: Publisher, read: Read) -> None:
    routes = {"count": 9, "results": [package(0)]}
    publisher.routes = Site(0)
    publisher.routes.search = lambda request: answer(  # type: ignore[attr-defined]
        routes if "start=0" in request.path else {"count": 9, "results": []}
    )
    records, ending = read()
    assert ids(records) == ["id-0000"]
    assert not ending.complete
    assert "announces 9 datasets and shows 1" in ending.reason


def test_a_site_that_shows_one_page_for_ever_is_left(publisher: Publisher, read: Read) -> None:
    publisher.routes = site = Site(0)
    site.search = lambda _request: answer(  # type: ignore[method-assign]
        {"count": 10_000_000, "results": [package(0), package(1)]}
    )
    records, ending = read()
    assert ids(records) == ["id-0000", "id-0001"]
    assert not ending.complete
    assert len(publisher.requests) < 10


@pytest.mark.parametrize("announced", [{}, {"count": 10_000_000}])
def test_a_site_that_repeats_one_page_for_ever_is_given_up(
    read: Read, announced: dict[str, int], publisher: Publisher
) -> None:
    publisher.routes = site = Site(0)
    first = {"count": 10_000_000, "results": [package(0), package(1)]}
    site.search = lambda request: answer(  # type: ignore[method-assign]
        first if "start=0&" in f"{request.path}&" else {**announced, "results": [package(2)]}
    )
    records, ending = read()
    assert ids(records) == ["id-0000", "id-0001", "id-0002"]
    assert not ending.complete
    assert len(publisher.requests) < 50


def test_new_datasets_without_end_are_refused(
    publisher: Publisher, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ckanext.ukharvest.readers.walk.MAX_PAGES", 20)
    publisher.routes = site = Site(0)

    def endless(request: Request) -> Response:
        start = int(parse_qs(urlsplit(request.path).query)["start"][0])
        found = [package(number) for number in range(start, start + 4)]
        return answer({"count": start + 100, "results": found})

    site.search = endless  # type: ignore[method-assign]
    with pytest.raises(ProtocolError, match="still shows new datasets after 20 pages"):
        read()


def test_an_empty_site_is_not_complete(publisher: Publisher, read: Read) -> None:
    publisher.routes = Site(0)
    records, ending = read()
    assert records == []
    assert not ending.complete
    assert "the list is empty, so nothing was deleted" in ending.reason


def test_an_interrupted_read_goes_on_where_it_stopped(site: Site, read: Read) -> None:
    whole, _ending = read()
    site.asked.clear()
    records, ending = read(resume=whole[6].resume)
    assert ids(records) == ALL[7:]
    assert ending.complete
    assert site.asked[0]["start"] == "6"


def test_an_interrupted_read_can_go_on_after_every_dataset(site: Site, read: Read) -> None:
    whole, first = read()
    for number, raw in enumerate(whole, 1):
        assert json.loads(raw.resume) == [raw.guid, raw.modified, number]
        records, ending = read(resume=raw.resume)
        assert records == whole[number:]
        assert ending == first


def test_a_read_goes_on_although_datasets_vanished_meanwhile(site: Site, read: Read) -> None:
    whole, _ending = read()
    del site.packages[:5]
    records, ending = read(resume=whole[6].resume)
    assert ids(records) == ALL[7:]
    assert ending.complete


def test_an_unknown_resume_point_begins_at_the_beginning(site: Site, read: Read) -> None:
    records, _ending = read(resume="something else")
    assert ids(records) == ALL


def test_changes_alone_are_asked_for_and_the_mark_goes_on(site: Site, read: Read) -> None:
    _records, first = read()
    assert first.mark == "2024-01-10T09:00:00Z"
    assert not first.changes_only
    site.packages[2]["metadata_modified"] = "2024-02-01T00:30:00"
    records, ending = read(since=first.mark)
    assert ids(records) == ["id-0002", "id-0009"]
    assert ending.changes_only
    assert ending.complete
    assert ending.mark == "2024-01-31T23:30:00Z"


def test_no_change_keeps_the_mark(site: Site, read: Read) -> None:
    records, ending = read(since="2025-01-01T00:00:00Z")
    assert records == []
    assert ending.complete
    assert ending.mark == "2025-01-01T00:00:00Z"


def test_a_stamp_in_the_future_does_not_hide_changes(site: Site, read: Read) -> None:
    site.packages[0]["metadata_modified"] = "2999-01-01T00:00:00"
    _records, ending = read()
    assert ending.mark < "2999"


def test_force_all_asks_for_everything(site: Site, read: Read) -> None:
    records, ending = read(since="2025-01-01T00:00:00Z", force_all=True)
    assert len(records) == 10
    assert not ending.changes_only


def test_a_site_that_refuses_to_tell_changes_tells_all(site: Site, read: Read) -> None:
    search = site.search

    def choosy(request: Request) -> Response:
        if "metadata_modified" in request.path:
            return refusal(409, "undefined field metadata_modified")
        return search(request)

    site.search = choosy  # type: ignore[method-assign]
    records, ending = read(since="2024-01-01T00:00:00Z")
    assert len(records) == 10
    assert not ending.changes_only


def test_filters_become_one_query(site: Site, read: Read) -> None:
    read(
        organizations_filter_include=["a", 'b"c'],
        groups_filter_exclude=["d"],
        tags_filter_include=["two words"],
        types_filter_exclude=["map"],
        fq="res_format:CSV OR res_format:JSON",
    )
    assert site.asked[0]["fq"] == (
        '+(organization:"a" OR organization:"b\\"c") -groups:"d" +(tags:"two words")'
        ' -dataset_type:"map" +(res_format:CSV OR res_format:JSON)'
    )


@pytest.mark.parametrize(
    ("path", "bases", "fq"),
    [
        ("", [""], ""),
        ("/", [""], ""),
        ("/api", [""], ""),
        ("/api/3/", [""], ""),
        ("/api/3/action/package_search?q=x&fq=tags:a", [""], "+(tags:a)"),
        ("/data/api/action", ["/data", ""], ""),
        ("/en/dataset", ["/en", ""], ""),
        ("/dataset?q=roads", [""], ""),
        ("/organization/a-council", [""], '+organization:"a-council"'),
        ("/group/health", [""], '+groups:"health"'),
    ],
)
def test_any_address_of_a_site_will_do(path: str, bases: list[str], fq: str) -> None:
    site = ckan_site.Site.parse("https://data.example" + path)
    assert list(site.bases) == ["https://data.example" + base for base in bases]
    assert " ".join(site.fq) == fq
    assert not site.is_document


def test_a_site_under_a_path_is_found(publisher: Publisher, read: Read) -> None:
    publisher.serve(
        "/data/api/3/action/package_search?rows=4&start=0&sort=id+asc",
        {"success": True, "result": {"count": 1, "results": [package(1)]}},
    )
    records, ending = read("/data/dataset")
    assert [raw.url for raw in records] == [publisher.url("/data/dataset/name-1")]
    assert ending.complete


def old_site(publisher: Publisher, count: int = 3) -> None:
    names = [f"name-{number}" for number in range(count)]
    publisher.serve("/api/3/action/package_list", {"success": True, "result": names})
    for number, name in enumerate(names):
        found = package(number, organization={"name": "a" if number else "b"})
        path = f"/api/3/action/package_show?id={name}"
        publisher.serve(path, {"success": True, "result": found})


def test_a_site_without_a_search_is_read_one_by_one(publisher: Publisher, read: Read) -> None:
    old_site(publisher)
    records, ending = read()
    assert ids(records) == ALL[:3]
    assert ending.complete
    assert ending.interface == "package_list"
    again, _ending = read(resume=records[0].resume)
    assert ids(again) == ALL[1:3]


def test_filters_hold_without_a_search_too(publisher: Publisher, read: Read) -> None:
    old_site(publisher)
    assert ids(read(organizations_filter_include=["b"])[0]) == ALL[:1]
    assert ids(read(organizations_filter_exclude=["b"])[0]) == ALL[1:3]
    with pytest.raises(ProtocolError, match="the filter of this source needs that search"):
        read(fq="tags:a")


def test_dataset_gone_since_the_listing_is_no_error(publisher: Publisher, read: Read) -> None:
    old_site(publisher)
    del publisher.routes["/api/3/action/package_show?id=name-1"]
    publisher.routes["/api/3/action/package_show?id=name-2"] = refusal(403, "Not allowed")
    records, _ending = read()
    assert ids(records) == ["id-0000", ""]
    assert records[1].error is not None
    assert "Not allowed" in records[1].error.message


def test_the_interface_of_ckan_1_is_read(publisher: Publisher, read: Read) -> None:
    publisher.serve("/api/2/rest/package", json.dumps(["id-0001"]))
    publisher.serve("/api/2/rest/package/id-0001", package(1, extras={"a": "b"}))
    records, ending = read()
    assert ids(records) == ["id-0001"]
    assert ending.interface == "rest"


PAGE = b"<!DOCTYPE html><html><head><title>Our portal</title></head></html>"


@pytest.mark.parametrize(
    ("answered", "words"),
    [
        (refusal(409, "Invalid search query"), "answered 409 Conflict: Invalid search query"),
        (refusal(200, "down"), "success: false: down"),
        (Response(PAGE), "HTML page instead of JSON, title 'Our portal'"),
    ],
)
def test_refusal_is_reported_in_the_words_of_the_site(
    site: Site, read: Read, answered: Response, words: str
) -> None:
    site.search = lambda _request: answered  # type: ignore[method-assign]
    with pytest.raises(SourceError, match=words):
        read()


def test_dataset_without_id_fails_alone(site: Site, read: Read) -> None:
    site.search = lambda _request: answer(  # type: ignore[method-assign]
        {"count": 3, "results": [package(1), {"title": "No id"}, 7]}
    )
    records, ending = read()
    assert ending.complete
    assert [raw.error.message if raw.error else "" for raw in records] == [
        "",
        "dataset 2 'No id': id is missing; expected the package's id",
        "dataset 3 is 7; expected an object in { }",
    ]


def test_visits_and_words_about_the_organisation_are_no_change(site: Site, read: Read) -> None:
    before = read()[0][0].content
    site.packages[0]["tracking_summary"] = {"total": 7}
    site.packages[0]["organization"] = None
    assert read()[0][0].content == before


def test_a_sites_own_harvest_extras_are_no_change(site: Site, read: Read) -> None:
    own = {"key": "guid", "value": "a"}
    site.packages[0]["extras"] = [own]
    before = read()[0][0].content
    assert '"guid"' in str(before)
    night = {"key": "harvest:last_update", "value": "2026-11-25T02:00:00+00:00"}
    site.packages[0]["extras"] = [{"key": "harvest:domain", "value": "a.example"}, own, night]
    assert read()[0][0].content == before
    site.packages[0]["extras"] = {"guid": "a"}  # as the old REST API gives them
    assert "guid" in str(read()[0][0].content)


@pytest.mark.parametrize(
    ("document", "count", "complete"),
    [
        ({"success": True, "result": package(1)}, 1, True),
        ({"success": True, "result": {"count": 1, "results": [package(1)]}}, 1, True),
        ({"success": True, "result": {"count": 7, "results": [package(1)]}}, 1, False),
        ({"success": True, "result": [package(1), package(2)]}, 2, True),
        ({"success": True, "result": [[package(1), package(2)]]}, 2, True),
        ({"count": 1, "results": [{"data_dict": json.dumps(package(1))}]}, 1, True),
        ([package(1)], 1, True),
        (package(1), 1, True),
    ],
)
def test_a_saved_answer_is_a_source(
    publisher: Publisher, read: Read, document: Any, count: int, complete: bool
) -> None:
    publisher.serve("/saved.json", json.dumps(document))
    records, ending = read("/saved.json")
    assert ids(records) == ALL[1 : count + 1]
    assert ending.complete is complete


def test_a_list_of_names_names_what_it_lacks(
    publisher: Publisher, read: Read, http: HttpClient
) -> None:
    publisher.serve("/saved.json", {"success": True, "result": ["a", "b"]})
    records, ending = read("/saved.json")
    assert ids(records) == ["a", "b"]
    assert not ending.complete
    source = Source(publisher.url("/saved.json"), {}, http)
    with pytest.raises(FetchError, match="only names a; expected an answer of package_search"):
        ckan.CkanSite().fetch(source, records[0])


@pytest.mark.parametrize(
    "document",
    [
        {"help": "https://x.example/api/3/action/help_show?name=tag_list", "result": ["a"]},
        {"success": True, "result": [{"id": "1", "name": "a-council"}]},
        {"success": True, "result": {"is_organization": True, "title": "A council"}},
        {"success": True, "result": 7},
        {"success": True},
    ],
)
def test_answers_without_datasets_are_refused(
    publisher: Publisher, read: Read, document: Any
) -> None:
    publisher.serve("/saved.json", document)
    with pytest.raises(ProtocolError, match="expected"):
        read("/saved.json")


def test_ckanext_harvests_options_are_used_or_refused_in_words() -> None:
    given = {
        "api_version": 1,
        "read_only": True,
        "user": "x",
        "default_group_dicts": [{"name": "g"}],
    }
    assert options.validate(given, CKAN.all_options)["read_only"] is None
    with pytest.raises(
        ConfigError, match="api_key: keys are not stored in a source's configuration"
    ):
        options.validate({"api_key": "secret"}, ckan.OPTIONS)
    with pytest.raises(ConfigError, match="override_extras: default_extras never replace"):
        options.validate({"override_extras": True}, ckan.OPTIONS)
