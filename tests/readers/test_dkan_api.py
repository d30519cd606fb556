"""DKAN: the choice of interface, the same records from each, and proof of the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from ckanext.ukharvest.core.errors import BadStatus, FetchError, ProtocolError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.parsers.dkan import parser as dkan
from ckanext.ukharvest.readers.dkan_api import Dkan, home
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.reading.records import FileClient
from tests.publisher import Publisher

READER = Dkan(dkan.identifier, dkan.names, dkan.is_left_out)
ACTIONS = "/api/3/action/"
LIST = ACTIONS + "current_package_list_with_resources"
ITEMS = "/api/1/metastore/schemas/dataset/items"


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def package(number: int) -> dict[str, Any]:
    return {
        "id": uuid(number),
        "name": f"parks-{number}",
        "title": f"Parks {number}",
        "private": "Published",
        "metadata_modified": "Tue, 01/09/2024 - 10:00",
        "resources": [{"id": f"file-{number}", "url": f"https://data.example/{number}.csv"}],
    }


def entry(number: int) -> dict[str, Any]:
    return {
        "identifier": uuid(number),
        "title": f"Parks {number}",
        "accessLevel": "public",
        "distribution": [{"downloadURL": f"https://data.example/{number}.csv"}],
    }


class Site:
    """A site that serves datasets, and what reads it."""

    def __init__(self, publisher: Publisher, http: HttpClient) -> None:
        self.publisher = publisher
        self.serve = publisher.serve
        self.http = http

    def packages(self, *pages: Sequence[int], wrapped: bool = False) -> None:
        """Serve pages of packages."""
        offset = 0
        for page in (*pages, ()):
            result: list[Any] = [package(number) for number in page]
            answer = {"success": True, "result": [result] if wrapped else result}
            self.serve(f"{LIST}?limit=100&offset={offset}", answer)
            offset += len(page)

    def names(self, *names: str) -> None:
        """Serve the list of all datasets."""
        self.serve(ACTIONS + "package_list", {"success": True, "result": list(names)})

    def package(self, number: int, name: str = "") -> None:
        path = f"{ACTIONS}package_show?id={name or f'parks-{number}'}"
        self.serve(path, {"success": True, "result": package(number)})

    def read(self, path: str = "/", **more: Any) -> tuple[list[RawRecord], Ending]:
        source = Source(self.publisher.url(path), {}, self.http, **more)
        reading = Reading(unique(READER.records(source)))
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending


@pytest.fixture
def site(publisher: Publisher, http: HttpClient) -> Site:
    return Site(publisher, http)


def guids(found: Sequence[RawRecord]) -> list[str]:
    return [raw.guid for raw in found]


def test_packages_come_in_pages(site: Site) -> None:
    site.packages((1, 2), (3,))
    site.names("parks-1", "parks-2", "parks-3")
    found, ending = site.read()
    assert guids(found) == [uuid(1), uuid(2), uuid(3)]
    assert [raw.position for raw in found] == ["dataset 1", "dataset 2", "dataset 3"]
    assert ending == Ending(complete=True, interface="current_package_list_with_resources")


def test_a_list_in_a_list_is_taken_apart(site: Site) -> None:
    site.packages((1, 2), wrapped=True)
    found, ending = site.read()
    assert guids(found) == [uuid(1), uuid(2)]
    assert ending.complete


def test_dataset_missed_between_pages_is_requested(site: Site) -> None:
    """Changed during the read, 3 moved from page 2 to page 1, which was read before."""
    site.packages((1, 2), (4,))
    site.names(*(f"parks-{number}" for number in (1, 2, 3, 4)))
    site.package(3)
    found, ending = site.read()
    assert guids(found) == [uuid(number) for number in (1, 2, 4, 3)]
    assert ending.complete


def test_as_many_names_as_packages_may_still_be_others(site: Site) -> None:
    """1 was deleted after it was read, and 3 slipped."""
    site.packages((1, 2))
    site.names("parks-2", "parks-3")
    site.package(3)
    found, ending = site.read()
    assert guids(found) == [uuid(1), uuid(2), uuid(3)]
    assert ending.complete


def test_names_spelt_otherwise_in_the_list_add_no_datasets(site: Site) -> None:
    site.packages((1, 2))
    site.names("node/17", "node/18")
    found, ending = site.read()
    assert len(found) == 2
    assert ending.complete
    assert not any("package_show" in path for path in site.publisher.paths)


@pytest.mark.parametrize("answer", ["id", "path"])
@pytest.mark.parametrize("shape", ["object", "list"])
def test_packages_come_one_by_one(site: Site, answer: str, shape: str) -> None:
    site.names("parks-2", "parks-1", "parks-2")
    for number in (1, 2):
        result = package(number) if shape == "object" else [package(number)]
        name = f"?id=parks-{number}" if answer == "id" else f"/parks-{number}"
        site.serve(f"{ACTIONS}package_show{name}", {"success": True, "result": result})
    found, ending = site.read()
    assert guids(found) == [uuid(1), uuid(2)]
    assert ending == Ending(complete=True, interface="package_show")


def test_lists_may_hold_ids(site: Site) -> None:
    site.names(uuid(1))
    site.package(1, uuid(1))
    assert guids(site.read()[0]) == [uuid(1)]


def test_listed_dataset_without_package_fails_alone(site: Site) -> None:
    site.names("parks-1", "parks-2", "parks-3")
    site.package(1)
    site.package(3)
    missing = {"success": False, "error": {"__type": "Not Found Error", "message": "Not found"}}
    site.serve(f"{ACTIONS}package_show?id=parks-2", missing)
    found, ending = site.read()
    assert guids(found) == [uuid(1), "", uuid(3)]
    assert found[1].error is not None
    assert "'parks-2' is listed, but" in found[1].error.message
    assert "Not found" in found[1].error.message
    assert not ending.complete
    assert "1 of the listed datasets" in ending.reason


def test_package_show_that_never_answers_is_not_there(site: Site) -> None:
    site.names(*(f"parks-{number}" for number in range(100)))
    site.serve("/data.json", {"dataset": [entry(1)]})
    found, ending = site.read()
    assert guids(found) == [uuid(1)]
    assert ending.interface == "data.json"
    assert len(site.publisher.requests) < 20


@pytest.mark.parametrize("place", ["/data.json", ITEMS])
def test_dkan_2_is_read(site: Site, place: str) -> None:
    datasets = [entry(1), entry(2)]
    site.serve(place, {"dataset": datasets} if place == "/data.json" else datasets)
    found, ending = site.read()
    assert guids(found) == [uuid(1), uuid(2)]
    assert ending.complete
    assert ending.interface == ("data.json" if place == "/data.json" else "metastore")


def test_the_interface_of_the_last_run_is_asked_at_once(site: Site) -> None:
    site.serve("/data.json", {"dataset": [entry(1)]}, etag='"1"')
    _found, first = site.read()
    site.publisher.requests.clear()
    found, ending = site.read(interface=first.interface, validators=first.validators)
    assert site.publisher.paths == ["/data.json"]
    assert found == []
    assert ending.unchanged
    assert ending.interface == "data.json"


def test_a_site_keeps_its_datasets_when_it_becomes_dkan_2(site: Site) -> None:
    site.packages((1, 2, 3))
    before, ending = site.read()
    site.publisher.routes.clear()
    site.serve("/data.json", {"dataset": [entry(number) for number in (1, 2, 3)]})
    after, ending = site.read(interface=ending.interface)
    assert ending.interface == "data.json"
    assert guids(before) == guids(after)
    first, second = (dkan.parse(found[0], {}) for found in (before, after))
    assert first.title == second.title
    assert first.resources[0].url == second.resources[0].url


def test_a_bad_day_of_a_known_interface_ends_the_run(site: Site) -> None:
    site.publisher.fail(f"{LIST}?limit=100&offset=0", status=503, times=20)
    site.serve("/data.json", {"dataset": [entry(1)]})
    with pytest.raises(BadStatus):
        site.read(interface="current_package_list_with_resources")
    found, _ending = site.read()  # while one that never answered may be broken for good
    assert guids(found) == [uuid(1)]


def test_a_read_that_broke_off_goes_on(site: Site) -> None:
    site.names("parks-1", "parks-2", "parks-3")
    for number in (1, 2, 3):
        site.package(number)
    site.publisher.fail(f"{ACTIONS}package_show?id=parks-3", times=20)
    records = READER.records(Source(site.publisher.url("/"), {}, site.http))
    found = [next(records), next(records)]
    with pytest.raises(BadStatus):
        next(records)
    assert [raw.resume for raw in found] == ["parks-1", "parks-2"]
    site.publisher.recover()
    more, ending = site.read(interface="package_show", resume=found[-1].resume)
    assert guids(more) == [uuid(3)]
    assert ending.complete


def test_an_empty_site_proves_nothing(site: Site) -> None:
    site.packages()
    site.names()
    site.serve("/data.json", {"dataset": []})
    found, ending = site.read()
    assert found == []
    assert not ending.complete
    assert "has no datasets" in ending.reason


def test_an_empty_interface_gives_way_to_a_filled_one(site: Site) -> None:
    site.packages()
    site.serve("/data.json", {"dataset": [entry(1)]})
    assert guids(site.read()[0]) == [uuid(1)]


def test_a_refused_later_page_proves_nothing_without_a_list(site: Site) -> None:
    site.packages((1, 2))
    del site.publisher.routes[f"{LIST}?limit=100&offset=2"]
    _found, ending = site.read()
    assert not ending.complete
    site.names("parks-1", "parks-2")
    _found, ending = site.read()
    assert ending.complete


def test_missing_api_is_reported_with_each_answer(site: Site) -> None:
    page = "<html><head><title>Site under maintenance</title></head></html>"
    site.serve("/data.json", page)
    with pytest.raises(ProtocolError) as caught:
        site.read()
    assert caught.value.code == "no-interface"
    assert "current_package_list_with_resources" in caught.value.message
    assert "'Site under maintenance'" in caught.value.message


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://data.example", "https://data.example"),
        ("https://data.example/", "https://data.example"),
        ("https://data.example/open/?q=1#top", "https://data.example/open"),
        ("https://data.example/data.json", "https://data.example"),
        ("https://data.example/api/3", "https://data.example"),
        ("https://data.example/api/3/action/package_list", "https://data.example"),
        ("https://data.example" + LIST + "?limit=10", "https://data.example"),
        ("https://data.example" + ITEMS, "https://data.example"),
        ("https://data.example/api/3/action/package_show?id=parks", ""),
        ("https://data.example/files/catalogue.json", ""),
        ("saved.json", ""),
    ],
)
def test_the_home_page_is_found(url: str, expected: str) -> None:
    assert home(url) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"result": {"id": "a", "title": "A", "resources": []}}', ["a"]),
        ('{"result": [{"id": "a", "notes": "A"}]}', ["a"]),
        ('{"result": [[{"id": "a", "notes": "A"}, {"id": "b", "notes": "B"}]]}', ["a", "b"]),
        ('{"result": ["parks", "trees"]}', ["parks", "trees"]),
        ('{"id": "a", "title": "A", "notes": "B", "resources": []}', ["a"]),
        ('{"dataset": [{"identifier": "a", "title": "A"}]}', ["a"]),
        ('[{"identifier": "a", "title": "A"}]', ["a"]),
        ('{"identifier": "a", "title": "A", "distribution": []}', ["a"]),
    ],
)
def test_a_saved_answer_is_read(tmp_path: Path, text: str, expected: list[str]) -> None:
    found, ending = saved(tmp_path, text)
    assert guids(found) == expected
    assert ending.complete


def test_a_name_in_a_saved_list_has_nothing_behind_it(tmp_path: Path) -> None:
    file = tmp_path / "list.json"
    file.write_text('{"result": ["parks"]}', encoding="utf-8")
    source = Source(str(file), {}, cast(HttpClient, FileClient(file)))
    (raw,) = READER.records(source)
    with pytest.raises(FetchError, match="list.json only names parks; expected"):
        READER.fetch(source, raw)


def test_a_group_is_no_dataset(tmp_path: Path) -> None:
    found, _ending = saved(tmp_path, '{"result": {"id": "g", "title": "Parks team"}}')
    assert found[0].error is not None
    assert "'Parks team' is not a dataset" in found[0].error.message


@pytest.mark.parametrize("text", ["", "[]", '["catalog", "dataset"]', '{"type": "object"}', "5"])
def test_a_saved_document_without_datasets_is_no_complete_source(tmp_path: Path, text: str) -> None:
    try:
        _found, ending = saved(tmp_path, text)
    except SourceError as exc:
        assert "saved.json" in exc.message
    else:
        assert not ending.complete


def saved(folder: Path, text: str) -> tuple[list[RawRecord], Ending]:
    file = folder / "saved.json"
    file.write_text(text, encoding="utf-8")
    source = Source(str(file), {}, cast(HttpClient, FileClient(file)))
    reading = Reading(READER.records(source))
    found = list(reading)
    assert reading.ending is not None
    return found, reading.ending
