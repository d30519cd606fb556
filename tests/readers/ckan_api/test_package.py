"""Records of packages, and sources that are a single saved answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import FetchError, ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.readers.ckan_api import reader as ckan
from tests.publisher import Publisher
from tests.readers.ckan_api.sites import ALL, Read, Site, answer, ids, package


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
