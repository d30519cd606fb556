"""Organisations and groups of a remote CKAN: ignored, found here, or made; by sysadmins only."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckanext.harvest.model import HarvestSource

from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.test_takeover import RemoteSite, package
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

THERE = {
    "id": "33333333-0000-4000-8000-000000000001",
    "name": "far-council",
    "title": "Far Council",
}
ROADS = {"id": "33333333-0000-4000-8000-000000000002", "name": "roads", "title": "Roads"}
WATER = {"id": "33333333-0000-4000-8000-000000000003", "name": "water", "title": "Water"}


@pytest.fixture
def site(publisher: Publisher) -> RemoteSite:
    fields = {"organization": THERE, "owner_org": THERE["id"], "groups": [ROADS, WATER]}
    site = RemoteSite([package(n, **fields) for n in range(2)])
    publisher.routes = site  # type: ignore[assignment]
    return site


def harvested(portal: Portal, publisher: Publisher, **options: Any) -> tuple[str, set[str]]:
    """Run a source with these options; return the organisation and groups of its datasets."""
    assert figures(portal.run(portal.source(publisher.base, "ckan", config=options))) == {
        "added": 2
    }
    first, second = portal.datasets()
    assert first["organization"]["name"] == second["organization"]["name"]
    return first["organization"]["name"], {each["name"] for each in first["groups"]}


@pytest.mark.usefixtures("site")
def test_without_the_options_they_are_left_aside(portal: Portal, publisher: Publisher) -> None:
    factories.Organization(name="far-council")
    factories.Group(name="roads")
    assert harvested(portal, publisher) == ("somewhere-council", set())


@pytest.mark.usefixtures("site")
def test_only_those_that_are_here(portal: Portal, publisher: Publisher) -> None:
    policy = {"remote_orgs": "only_local", "remote_groups": "only_local"}
    factories.Group(name="roads")
    assert harvested(portal, publisher, **policy) == ("somewhere-council", {"roads"})


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("key", ["id", "name"])
def test_they_are_found_by_id_or_name(portal: Portal, publisher: Publisher, key: str) -> None:
    factories.Organization(**{"name": "another", key: THERE[key]})
    name = "far-council" if key == "name" else "another"
    assert harvested(portal, publisher, remote_orgs="only_local") == (name, set())


@pytest.mark.usefixtures("site")
def test_others_are_made_once_under_their_ids(portal: Portal, publisher: Publisher) -> None:
    policy = {"remote_orgs": "create", "remote_groups": "create"}
    assert harvested(portal, publisher, **policy) == ("far-council", {"roads", "water"})
    for each in (THERE, ROADS, WATER):
        group = model.Group.get(each["id"])
        assert (group.name, group.title) == (each["name"], each["title"])


@pytest.mark.usefixtures("site")
def test_what_cannot_be_made_costs_no_dataset(portal: Portal, publisher: Publisher) -> None:
    # Groups and organisations share their names.
    factories.Group(name="far-council")
    policy = {"remote_orgs": "create", "remote_groups": "create"}
    assert harvested(portal, publisher, **policy)[0] == "somewhere-council"


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("option", ["remote_orgs", "remote_groups"])
def test_a_run_refuses_what_no_sysadmin_confirmed(
    portal: Portal, publisher: Publisher, option: str
) -> None:
    source_id = portal.source(publisher.base, "ckan")
    HarvestSource.get(source_id).config = json.dumps({option: "create"})
    model.Session.commit()
    job = portal.run(source_id)
    assert job["ukharvest"]["outcome"] == "failed"
    assert f"{option}: reaches outside" in job["ukharvest"]["reason"]
    assert portal.datasets() == []
    act("harvest_source_patch", id=source_id, config=json.dumps({option: "create"}))
    assert figures(portal.run(source_id)) == {"added": 2}
