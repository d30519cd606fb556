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


def serve_list(publisher: Publisher, *pages: Sequence[int], wrapped: bool = False) -> None:
    offset = 0
    for page in (*pages, ()):
        result: list[Any] = [package(number) for number in page]
        answer = {"success": True, "result": [result] if wrapped else result}
        publisher.serve(f"{LIST}?limit=100&offset={offset}", answer)
        offset += len(page)


def serve_names(publisher: Publisher, *names: str) -> None:
    publisher.serve(ACTIONS + "package_list", {"success": True, "result": list(names)})


def serve_package(publisher: Publisher, number: int, name: str = "") -> None:
    path = f"{ACTIONS}package_show?id={name or f'parks-{number}'}"
    publisher.serve(path, {"success": True, "result": package(number)})


def read(
    publisher: Publisher, http: HttpClient, path: str = "/", **more: Any
) -> tuple[list[RawRecord], Ending]:
    source = Source(publisher.url(path), {}, http, **more)
    reading = Reading(unique(READER.records(source)))
    found = list(reading)
    assert reading.ending is not None
    return found, reading.ending


def guids(found: Sequence[RawRecord]) -> list[str]:
    return [raw.guid for raw in found]


def test_packages_come_in_pages(publisher: Publisher, http: HttpClient) -> None:
    serve_list(publisher, (1, 2), (3,))
    serve_names(publisher, "parks-1", "parks-2", "parks-3")
    found, ending = read(publisher, http)
    assert guids(found) == [uuid(1), uuid(2), uuid(3)]
    assert [raw.position for raw in found] == ["dataset 1", "dataset 2", "dataset 3"]
    assert ending == Ending(complete=True, interface="current_package_list_with_resources")


def test_a_list_in_a_list_is_taken_apart(publisher: Publisher, http: HttpClient) -> None:
    serve_list(publisher, (1, 2), wrapped=True)
    found, ending = read(publisher, http)
    assert guids(found) == [uuid(1), uuid(2)]
    assert ending.complete


def test_dataset_missed_between_pages_is_requested(publisher: Publisher, http: HttpClient) -> None:
    """Changed during the read, 3 moved from page 2 to page 1, which was read before."""
    serve_list(publisher, (1, 2), (4,))
    serve_names(publisher, *(f"parks-{number}" for number in (1, 2, 3, 4)))
    serve_package(publisher, 3)
    found, ending = read(publisher, http)
    assert guids(found) == [uuid(number) for number in (1, 2, 4, 3)]
    assert ending.complete


def test_as_many_names_as_packages_may_still_be_others(
    publisher: Publisher, http: HttpClient
) -> None:
    """1 was deleted after it was read, and 3 slipped."""
    serve_list(publisher, (1, 2))
    serve_names(publisher, "parks-2", "parks-3")
    serve_package(publisher, 3)
    found, ending = read(publisher, http)
    assert guids(found) == [uuid(1), uuid(2), uuid(3)]
    assert ending.complete


def test_names_spelt_otherwise_in_the_list_add_no_datasets(
    publisher: Publisher, http: HttpClient
) -> None:
    serve_list(publisher, (1, 2))
    serve_names(publisher, "node/17", "node/18")
    found, ending = read(publisher, http)
    assert len(found) == 2
    assert ending.complete
    assert not any("package_show" in path for path in publisher.paths)


@pytest.mark.parametrize("answer", ["id", "path"])
@pytest.mark.parametrize("shape", ["object", "list"])
def test_packages_come_one_by_one(
    publisher: Publisher, http: HttpClient, answer: str, shape: str
) -> None:
    serve_names(publisher, "parks-2", "parks-1", "parks-2")
    for number in (1, 2):
        result = package(number) if shape == "object" else [package(number)]
        name = f"?id=parks-{number}" if answer == "id" else f"/parks-{number}"
        publisher.serve(f"{ACTIONS}package_show{name}", {"success": True, "result": result})
    found, ending = read(publisher, http)
    assert guids(found) == [uuid(1), uuid(2)]
    assert ending == Ending(complete=True, interface="package_show")


def test_lists_may_hold_ids(publisher: Publisher, http: HttpClient) -> None:
    serve_names(publisher, uuid(1))
    serve_package(publisher, 1, uuid(1))
    assert guids(read(publisher, http)[0]) == [uuid(1)]


def test_listed_dataset_without_package_fails_alone(publisher: Publisher, http: HttpClient) -> None:
    serve_names(publisher, "parks-1", "parks-2", "parks-3")
    serve_package(publisher, 1)
    serve_package(publisher, 3)
    missing = {"success": False, "error": {"__type": "Not Found Error", "message": "Not found"}}
    publisher.serve(f"{ACTIONS}package_show?id=parks-2", missing)
    found, ending = read(publisher, http)
    assert guids(found) == [uuid(1), "", uuid(3)]
    assert found[1].error is not None
    assert "'parks-2' is listed, but" in found[1].error.message
    assert "Not found" in found[1].error.message
    assert not ending.complete
    assert "1 of the listed datasets" in ending.reason


def test_package_show_that_never_answers_is_not_there(
    publisher: Publisher, http: HttpClient
) -> None:
    serve_names(publisher, *(f"parks-{number}" for number in range(100)))
    publisher.serve("/data.json", {"dataset": [entry(1)]})
    found, ending = read(publisher, http)
    assert guids(found) == [uuid(1)]
    assert ending.interface == "data.json"
    assert len(publisher.requests) < 20


@pytest.mark.parametrize("place", ["/data.json", ITEMS])
def test_dkan_2_is_read(publisher: Publisher, http: HttpClient, place: str) -> None:
    datasets = [entry(1), entry(2)]
    publisher.serve(place, {"dataset": datasets} if place == "/data.json" else datasets)
    found, ending = read(publisher, http)
    assert guids(found) == [uuid(1), uuid(2)]
    assert ending.complete
    assert ending.interface == ("data.json" if place == "/data.json" else "metastore")


def test_the_interface_of_the_last_run_is_asked_at_once(
    publisher: Publisher, http: HttpClient
) -> None:
    publisher.serve("/data.json", {"dataset": [entry(1)]}, etag='"1"')
    _found, first = read(publisher, http)
    publisher.requests.clear()
    found, ending = read(publisher, http, interface=first.interface, validators=first.validators)
    assert publisher.paths == ["/data.json"]
    assert found == []
    assert ending.unchanged
    assert ending.interface == "data.json"


def test_a_site_keeps_its_datasets_when_it_becomes_dkan_2(
    publisher: Publisher, http: HttpClient
) -> None:
    serve_list(publisher, (1, 2, 3))
    before, ending = read(publisher, http)
    publisher.routes.clear()
    publisher.serve("/data.json", {"dataset": [entry(number) for number in (1, 2, 3)]})
    after, ending = read(publisher, http, interface=ending.interface)
    assert ending.interface == "data.json"
    assert guids(before) == guids(after)
    first, second = (dkan.parse(found[0], {}) for found in (before, after))
    assert first.title == second.title
    assert first.resources[0].url == second.resources[0].url


def test_a_bad_day_of_a_known_interface_ends_the_run(
    publisher: Publisher, http: HttpClient
) -> None:
    publisher.fail(f"{LIST}?limit=100&offset=0", status=503, times=20)
    publisher.serve("/data.json", {"dataset": [entry(1)]})
    with pytest.raises(BadStatus):
        read(publisher, http, interface="current_package_list_with_resources")
    found, _ending = read(publisher, http)  # while one that never answered may be broken for good
    assert guids(found) == [uuid(1)]


def test_a_read_that_broke_off_goes_on(publisher: Publisher, http: HttpClient) -> None:
    serve_names(publisher, "parks-1", "parks-2", "parks-3")
    for number in (1, 2, 3):
        serve_package(publisher, number)
    publisher.fail(f"{ACTIONS}package_show?id=parks-3", times=20)
    records = READER.records(Source(publisher.url("/"), {}, http))
    found = [next(records), next(records)]
    with pytest.raises(BadStatus):
        next(records)
    assert [raw.resume for raw in found] == ["parks-1", "parks-2"]
    publisher.recover()
    more, ending = read(publisher, http, interface="package_show", resume=found[-1].resume)
    assert guids(more) == [uuid(3)]
    assert ending.complete


def test_an_empty_site_proves_nothing(publisher: Publisher, http: HttpClient) -> None:
    serve_list(publisher)
    serve_names(publisher)
    publisher.serve("/data.json", {"dataset": []})
    found, ending = read(publisher, http)
    assert found == []
    assert not ending.complete
    assert "has no datasets" in ending.reason


def test_an_empty_interface_gives_way_to_a_filled_one(
    publisher: Publisher, http: HttpClient
) -> None:
    serve_list(publisher)
    publisher.serve("/data.json", {"dataset": [entry(1)]})
    assert guids(read(publisher, http)[0]) == [uuid(1)]


def test_a_refused_later_page_proves_nothing_without_a_list(
    publisher: Publisher, http: HttpClient
) -> None:
    serve_list(publisher, (1, 2))
    del publisher.routes[f"{LIST}?limit=100&offset=2"]
    _found, ending = read(publisher, http)
    assert not ending.complete
    serve_names(publisher, "parks-1", "parks-2")
    _found, ending = read(publisher, http)
    assert ending.complete


def test_missing_api_is_reported_with_each_answer(publisher: Publisher, http: HttpClient) -> None:
    page = "<html><head><title>Site under maintenance</title></head></html>"
    publisher.serve("/data.json", page)
    with pytest.raises(ProtocolError) as caught:
        read(publisher, http)
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
    assert "'Parks team' is no dataset" in found[0].error.message


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
