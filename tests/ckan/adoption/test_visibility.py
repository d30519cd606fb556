"""Adoption opens nothing: new datasets of closed sources are private, and filters stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan import model

from ckanext.ukharvest.cli import ukharvest
from tests.ckan.adoption.stock_harvests import Stock, numbered, of_another, stored
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

# Of the records below stock harvesters with these options imported the first alone.
CLOSED = [{"private_datasets": "True"}, {"private_datasets": True}, {"private_datasets": "true"}]
FILTERED = [
    {"filters": {"accessLevel": ["public"]}},
    {"filters": {"accessLevel": ["public"], "title": ["Dataset 00000", "Another"]}},
    {"private_datasets": "True", "filters": {"title": ["Dataset 00000"]}},
]
LOST = [
    {"filters": {"title": "Dataset 00000"}},
    {"private_datasets": "only some"},
    {"default_visibility": "private"},
    {"resources_required": True},
    {"excluded_license": "other-closed"},
    {"excluded_dataset_identifiers": ["https://data.example/id/00001"]},
]
RECORDS = [
    dataset(0),
    dataset(1, accessLevel="restricted public", title="Closed", license="", distribution=[]),
]


def visible(**query: Any) -> list[str]:
    """Return the titles of the datasets that everybody sees."""
    found = act("package_search", q="type:dataset", rows=100, **query)["results"]
    return sorted(each["title"] for each in found if not each["private"])


@pytest.mark.parametrize("options", [*CLOSED, *FILTERED, *LOST], ids=json.dumps)
def test_adoption_opens_no_dataset_and_lets_no_record_in(
    portal: Portal, publisher: Publisher, cli: Any, options: dict[str, Any]
) -> None:
    publisher.serve("/data.json", catalogue(RECORDS))
    source_id = portal.source(publisher.url("/data.json"), name="closed")
    Stock(source_id, portal.organization_id).fill(RECORDS[:1])
    (first,) = portal.datasets()
    is_private = "private_datasets" in options
    act("package_patch", id=first["id"], private=is_private)
    before = visible()
    of_another(source_id, "datajson", json.dumps(options))
    other = of_another(portal.source(publisher.url("/b.json"), name="open"), "datajson", "{}")
    done = cli.invoke(ukharvest, ["adopt", "--all"])
    assert stored(other)[0][0] == "data_json"
    if options in LOST:
        assert done.exit_code == 2
        assert f"Error: closed: {next(iter(options))}: without this" in done.output
        assert stored(source_id)[0] == ("datajson", json.dumps(options))
        accepted = cli.invoke(ukharvest, ["adopt", "--all", "--accept-losses", "closed"])
        assert (accepted.exit_code, stored(source_id)[0][0]) == (0, "data_json")
        return
    assert done.exit_code == 0, done.output
    is_filtered = "filters" in options
    expected = {"updated": 1, "not modified": 1} if is_filtered else {"added": 1, "updated": 1}
    assert figures(portal.run(source_id)) == expected
    assert visible() == before
    assert len(portal.datasets()) == (1 if is_filtered else 2)


def test_source_whose_code_makes_private_datasets_stays_closed(
    portal: Portal, publisher: Publisher, cli: Any
) -> None:
    publisher.serve("/data.json", catalogue(3))
    source_id = portal.source(publisher.url("/data.json"), name="closed")
    Stock(source_id, portal.organization_id).fill(numbered(2))
    for number, package in enumerate(portal.datasets()):
        of_another(source_id, "delwp", "{}")
        tried = cli.invoke(ukharvest, ["adopt", "closed", "--as", "data_json", "--dry-run"]).output
        assert "visibility" not in tried, number
        act("package_patch", id=package["id"], private=True)
    done = cli.invoke(ukharvest, ["adopt", "closed", "--as", "data_json"])
    assert 'Option visibility: added: "private" (all datasets that its harvester' in done.output
    assert figures(portal.run(source_id)) == {"added": 1, "updated": 2}
    assert visible() == []


def test_source_decides_on_new_datasets_and_people_afterwards(
    portal: Portal, publisher: Publisher
) -> None:
    publisher.serve("/data.json", catalogue(2))
    source_id = portal.source(publisher.url("/data.json"), config={"visibility": "private"})
    assert figures(portal.run(source_id)) == {"added": 2}
    assert visible() == []
    first, second = sorted(portal.datasets(), key=lambda each: each["title"])
    act("package_patch", id=first["id"], private=False)
    written = {each["id"]: each["metadata_modified"] for each in portal.datasets()}
    act("harvest_source_patch", id=source_id, config="{}")
    assert figures(portal.run(source_id)) == {"not modified": 2}
    assert {each["id"]: each["metadata_modified"] for each in portal.datasets()} == written
    publisher.serve("/data.json", catalogue([dataset(n, description="New") for n in range(3)]))
    assert figures(portal.run(source_id)) == {"added": 1, "updated": 2}
    assert visible() == ["Dataset 00000", "Dataset 00002"]
    act("package_delete", id=second["id"])
    portal.run(source_id, force=True)
    model.Session.expire_all()
    assert visible() == ["Dataset 00000", "Dataset 00002"]


def test_defaults_fill_what_a_record_leaves_empty(portal: Portal, publisher: Publisher) -> None:
    publisher.serve("/data.json", catalogue([dataset(0), dataset(1, license="")]))
    theirs = {"license": "cc-by", "defaults": {"Author": "Roads team", "Agency": "Roads"}}
    source_id = of_another(
        portal.source(publisher.url("/data.json")), "datajson", json.dumps(theirs)
    )
    act("ukharvest_source_adopt", source_id=source_id)
    assert figures(portal.run(source_id)) == {"added": 2}
    first, second = sorted(portal.datasets(), key=lambda each: each["title"])
    assert (first["license_id"], second["license_id"]) == ("uk-ogl", "cc-by")
    assert {each["author"] for each in (first, second)} == {"Roads team"}
    assert extras(first)["Agency"] == "Roads"
