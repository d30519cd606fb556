"""Matching of a dataset's resources with its record's, so that they keep their CKAN ids."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from ckanext.ukharvest.core.records import DatasetRecord, ResourceRecord
from ckanext.ukharvest.mapping.package_mapper import Defaults, MappedDataset, to_package_dict

URL = "https://a.example/file.csv"
OTHER = "https://a.example/other.csv"
NEW = "a new id"
Known = list[tuple[str, str]]


def old(
    ckan_id: str, url: str | None = URL, name: str | None = "", form: str | None = ""
) -> dict[str, Any]:
    """A resource as package_show gives it."""
    return {"id": ckan_id, "url": url, "name": name, "format": form}


def new(url: str = URL, name: str = "", own_id: str = "", form: str = "") -> ResourceRecord:
    return ResourceRecord(url, own_id, name, format=form)


def mapped(
    resources: list[ResourceRecord], before: list[dict[str, Any]] | None, known: Known | None
) -> MappedDataset:
    record = DatasetRecord("guid", "Title", resources=tuple(resources))
    existing = None if before is None else {"resources": before}
    return to_package_dict(record, existing, known, (), Defaults("org"))


def ids(found: MappedDataset, before: list[dict[str, Any]]) -> list[str]:
    """Return the ids of the package's resources, in order; NEW for new resources."""
    earlier = {each["id"] for each in before}
    given = [each["id"] for each in found.package["resources"]]
    assert len(set(given)) == len(given)
    return [each if each in earlier else NEW for each in given]


def keyed(**keys: str) -> Known:
    return list(keys.items())


# What the dataset has, which of it the last import wrote, what the record has → their ids.
Case = tuple[list[dict[str, Any]], Known | None, list[ResourceRecord], list[str]]
MATCHES: dict[str, Case] = {
    "its own id is enough, whatever else changed": (
        [old("a", URL, "Before")],
        keyed(a="id:7"),
        [new(OTHER, "After", "7")],
        ["a"],
    ),
    "its own id goes before the URL": (
        [old("a", URL), old("b", OTHER)],
        keyed(a="id:1", b="id:2"),
        [new(OTHER, own_id="1"), new(URL, own_id="2")],
        ["a", "b"],
    ),
    "its own id goes before a CKAN id of the same text": (
        [old("a"), old("b")],
        keyed(a="id:b", b="id:x"),
        [new(OTHER, own_id="b")],
        ["a"],
    ),
    "its own id is the CKAN id, as ckanext-harvest gave it": (
        [old("a", URL)],
        None,
        [new(OTHER, "Renamed", "a")],
        ["a"],
    ),
    "the CKAN id goes before the URL": (
        [old("a", URL), old("b", OTHER)],
        None,
        [new(OTHER, own_id="a"), new(URL, own_id="b")],
        ["a", "b"],
    ),
    "the source has begun to give ids": (
        [old("a")],
        keyed(a=f"url:{URL}"),
        [new(own_id="7")],
        ["a"],
    ),
    "the source gives ids no longer": ([old("a")], keyed(a="id:7"), [new()], ["a"]),
    "the source gives other ids": ([old("a")], keyed(a="id:7"), [new(own_id="8")], ["a"]),
    "URL and name tell two of one URL apart": (
        [old("a", name="First"), old("b", name="Second")],
        None,
        [new(name="Second"), new(name="First")],
        ["b", "a"],
    ),
    "no name is a name too": (
        [old("a", f"{URL}?v=1", None), old("b", f"{URL}?v=2", None)],
        None,
        [new(f"{URL}?v=2")],
        ["b"],
    ),
    "the same URL goes before another version of it": (
        [old("a", f"{URL}?v=1"), old("b", f"{URL}?v=2")],
        None,
        [new(f"{URL}?v=2"), new(f"{URL}?v=3")],
        ["b", "a"],
    ),
    "the same URL goes first though another version of it stands before": (
        [old("a", f"{URL}?v=1")],
        None,
        [new(f"{URL}?v=2"), new(f"{URL}?v=1")],
        [NEW, "a"],
    ),
    "names tell two of one file's versions apart": (
        [old("a", f"{URL}?v=1", "First"), old("b", f"{URL}?v=1", "Second")],
        None,
        [new(f"{URL}?v=2", "Second"), new(f"{URL}?v=2", "First")],
        ["b", "a"],
    ),
    "no name is a name of a version too": (
        [old("a", f"{URL}?v=1", "First"), old("b", f"{URL}?v=1", None)],
        None,
        [new(f"{URL}?v=2")],
        ["b"],
    ),
    "a renamed one is known by its URL": ([old("a", name="Old")], None, [new(name="New")], ["a"]),
    "a renamed one is known by another version of its URL": (
        [old("a", f"{URL}?v=1", "Old")],
        None,
        [new(f"{URL}?v=2", "New")],
        ["a"],
    ),
    "the fragment of a URL does not count": ([old("a", f"{URL}#x")], None, [new()], ["a"]),
    "a query of its own is another file": ([old("a", f"{URL}?year=1")], None, [new()], [NEW]),
    "a blank in the query counts": ([old("a", f"{URL}?year=")], None, [new()], [NEW]),
    "another path is another file": ([old("a", OTHER)], None, [new()], [NEW]),
    "a file keeps its name on another host": (
        [old("a", "http://b.example/2026/file.csv", form="csv")],
        None,
        [new(f"{URL}?v=2", form="CSV")],
        ["a"],
    ),
    "another format of a file's name is another file": (
        [old("a", "http://b.example/file.csv", form="CSV")],
        None,
        [new(form="TSV")],
        [NEW],
    ),
    "a file keeps its title at another URL": (
        [old("a", OTHER, " The Rivers", "CSV"), old("b", URL, "Guide", "CSV")],
        None,
        [
            new("https://b.example/2", "The rivers", form="csv"),
            new("https://b.example/1", "Guide", form="PDF"),
        ],
        ["a", NEW],
    ),
    "a file without a stated format keeps its title at another URL": (
        [old("a", OTHER, "Rivers", "CSV"), old("b", URL, "Guide", "PDF")],
        None,
        [new("https://b.example/2", "Rivers"), new("https://b.example/1", "Map", form="PDF")],
        ["a", NEW],
    ),
    "a title of two formats is no evidence for a file without a stated one": (
        [old("a", OTHER, "Data", "CSV"), old("b", f"{OTHER}?id=1", "Data", "JSON")],
        None,
        [new("https://b.example/1", "Data")],
        [NEW],
    ),
    "another digit of a title is another file": (
        [old("a", OTHER, "Spend 2024", "CSV")],
        None,
        [new(URL, "Spend 2025", form="CSV")],
        [NEW],
    ),
    "a title that two files had is no evidence": (
        [old("a", OTHER, "Data", "CSV"), old("b", f"{OTHER}?id=1", "Data", "CSV")],
        None,
        [new(f"{OTHER}?id=1", "Data", form="CSV"), new(URL, "Data 2", form="CSV")],
        ["b", NEW],
    ),
    "a title that two files have is no evidence": (
        [old("a", OTHER, "Data", "CSV")],
        None,
        [new(URL, "Data", form="CSV"), new(f"{URL}?id=1", "Data", form="CSV")],
        [NEW, NEW],
    ),
    "a title that two files had and have is no evidence": (
        [old("a", OTHER, "Data", "CSV"), old("b", f"{OTHER}?id=1", "Data", "CSV")],
        None,
        [new(URL, "Data", form="CSV"), new(f"{URL}?id=1", "Data", form="CSV")],
        [NEW, NEW],
    ),
    "the format alone is no evidence": (
        [old("a", "https://a.example/get?id=1", form="CSV")],
        None,
        [new("https://a.example/get?id=2", form="CSV")],
        [NEW],
    ),
    "a title does not take what the URL has matched": (
        [old("a", URL, "Rivers", "CSV")],
        None,
        [new(URL, "Brooks", form="CSV"), new(OTHER, "Rivers", form="CSV")],
        ["a", NEW],
    ),
    "what is no URL is compared as text": (
        [old("a", "http://[1"), old("b", "http://[2")],
        None,
        [new("http://[2", "Renamed")],
        ["b"],
    ),
    "one without URL is known by its name": (
        [old("a", None, "First"), old("b", None, "Second")],
        None,
        [new("", "Second")],
        ["b"],
    ),
    "two that are the same in all keep their order": (
        [old("a"), old("b")],
        None,
        [new(), new()],
        ["a", "b"],
    ),
    "the third of two is new": ([old("a"), old("b")], None, [new()] * 3, ["a", "b", NEW]),
    "one is the earlier self of one alone": ([old("a")], None, [new(), new(name="B")], ["a", NEW]),
    "what the source has no longer goes": ([old("a"), old("b", OTHER)], None, [new()], ["a"]),
    "the order is the source's": (
        [old("a"), old("b", OTHER)],
        None,
        [new(OTHER), new(), new("https://a.example/third.csv")],
        ["b", "a", NEW],
    ),
    "one added by hand stays, behind the source's": (
        [old("hand", OTHER), old("a")],
        keyed(a=f"url:{URL}"),
        [new()],
        ["a", "hand"],
    ),
    "one added by hand stays though the source has nothing": (
        [old("hand", OTHER), old("a")],
        keyed(a=f"url:{URL}"),
        [],
        ["hand"],
    ),
    "one added by hand does not become the source's": (
        [old("hand")],
        [],
        [new(), new(own_id="hand")],
        [NEW, NEW, "hand"],
    ),
    "nothing is known to be added by hand where nobody knows what was written": (
        [old("a"), old("b", OTHER)],
        None,
        [],
        [],
    ),
    "one whose URL a person changed is known by what was written": (
        [old("a", "https://b.example/mended.csv", "Table")],
        keyed(a=f"url:{URL}"),
        [new(name="Table")],
        ["a"],
    ),
    "one of the URL goes before one that was written of that URL": (
        [old("a", OTHER), old("b", URL)],
        keyed(a=f"url:{URL}", b=f"url:{OTHER}"),
        [new()],
        ["b"],
    ),
}


@pytest.mark.parametrize(("before", "known", "now", "expected"), MATCHES.values(), ids=MATCHES)
def test_a_resource_keeps_its_id(
    before: list[dict[str, Any]],
    known: Known | None,
    now: list[ResourceRecord],
    expected: list[str],
) -> None:
    assert ids(mapped(now, before, known), before) == expected


VOLATILE = ["version", "v", "ver", "t", "ts", "timestamp", "_", "cachebuster", "sid"]


@pytest.mark.parametrize("name", VOLATILE)
def test_a_volatile_parameter_does_not_make_another_file(name: str) -> None:
    before = [old("a", f"{URL}?year=1&{name.upper()}=1")]
    assert ids(mapped([new(f"{URL}?{name}=2&year=1")], before, None), before) == ["a"]


def test_resources_of_a_new_dataset_get_their_ids_from_ckan() -> None:
    found = mapped([new(), new()], None, None)
    assert not any("id" in each for each in found.package["resources"])
    assert [id_ for id_, _key in found.resources] == ["", ""]


def test_a_new_resource_of_a_dataset_has_an_id_of_its_own() -> None:
    found = mapped([new(), new(OTHER)], [old("a", URL)], None)
    kept, added = (each["id"] for each in found.package["resources"])
    assert kept == "a"
    assert str(uuid.UUID(added)) == added


def test_one_added_by_hand_is_kept_as_it_is() -> None:
    hand = {**old("hand", OTHER), "colour": "blue"}
    assert mapped([new()], [hand], []).package["resources"][1] == hand


KEYS = {
    "its own id": (new(own_id="7"), "id:7"),
    "its URL": (new(), f"url:{URL}"),
    "its URL without what is volatile": (new(f"{URL}?a=1&v=2#top"), f"url:{URL}?a=1"),
    "its text where that is no URL": (new("http://[1"), "url:http://[1"),
}


@pytest.mark.parametrize(("resource", "key"), KEYS.values(), ids=KEYS)
def test_resource_is_recognised_at_the_next_import(resource: ResourceRecord, key: str) -> None:
    before = [old("hand", OTHER)]
    found = mapped([resource], before, [])
    assert found.resources == [(found.package["resources"][0]["id"], key)]
