"""CKAN sites in practice: pages that shift, searches that refuse, URLs of every form."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, ProtocolError, SourceError
from ckanext.ukharvest.readers.ckan_api import reader as ckan
from ckanext.ukharvest.source_types import CKAN
from tests.publisher import Publisher, Request, Response
from tests.readers.ckan_api.sites import ALL, Read, Site, answer, ids, old_site, package, refusal


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
    with pytest.raises(ProtocolError, match="still shows new records after 20 pages"):
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


def test_a_site_without_a_search_is_read_one_by_one(publisher: Publisher, read: Read) -> None:
    old_site(publisher)
    records, ending = read()
    assert ids(records) == ALL[:3]
    assert ending.complete
    assert ending.interface == "package_list"
    again, _ending = read(resume=records[0].resume)
    assert ids(again) == ALL[1:3]


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
