"""Organisations and groups of a remote CKAN: ignored, found here, or made; by sysadmins only."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.harvest.model import RecordProblem
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.remote_site import THERE, RemoteSite, package
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

OURS = (
    "bad-default-extra",
    "default-group-missing",
    "group-not-created",
    "organisation-not-created",
)
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
    assert problems() == []


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


def problems() -> list[tuple[str, str]]:
    """Return code and message of the records' problems, the same of all records."""
    model.Session.remove()
    found: dict[int, list[tuple[str, str]]] = {}
    query = model.Session.query(RecordProblem).filter_by(current=True)
    query = query.order_by(RecordProblem.code, RecordProblem.message)
    for each in query:
        if each.code in OURS:
            found.setdefault(each.record_id, []).append((each.code, each.message))
    assert len(found) in (0, 2)
    first, second = found.values() or ([], [])
    assert first == second
    return first


@pytest.mark.usefixtures("site")
def test_a_refused_organisation_is_a_problem_of_each_record(
    portal: Portal, publisher: Publisher
) -> None:
    # Groups and organisations share their names.
    factories.Group(name="far-council")
    deleted = factories.Group(name="roads")
    act("group_delete", id=deleted["id"])
    policy = {"remote_orgs": "create", "remote_groups": "create"}
    assert harvested(portal, publisher, **policy) == ("somewhere-council", {"water"})
    assert [code for code, _message in problems()] == [
        "group-not-created",
        "organisation-not-created",
    ]
    of_group, of_organisation = (message for _code, message in problems())
    assert "'roads' could not be created on this portal: a deleted group has" in of_group
    assert "'far-council' could not be created on this portal: a group has" in of_organisation
    assert "source's own organisation" in of_organisation
    # Unchanged records keep their problems, each once.
    source_id = model.Session.query(HarvestSource.id).scalar()
    assert figures(portal.run(source_id)) == {"not modified": 2}
    assert len(problems()) == 2
    shown = act("ukharvest_problem_list", source_id=source_id)
    assert "Group or organisation not created" in json.dumps(shown)


@pytest.mark.usefixtures("site")
def test_a_mended_organisation_clears_the_problem(portal: Portal, publisher: Publisher) -> None:
    taken = factories.Group(name="far-council")
    harvested(portal, publisher, remote_orgs="create")
    assert [code for code, _message in problems()] == ["organisation-not-created"]
    act("group_purge", id=taken["id"])
    source_id = model.Session.query(HarvestSource.id).scalar()
    portal.run(source_id, force=True)
    assert problems() == []
    assert {each["organization"]["name"] for each in portal.datasets()} == {"far-council"}


@pytest.mark.usefixtures("site")
def test_defaults_that_cannot_be_set_are_problems(portal: Portal, publisher: Publisher) -> None:
    group = factories.Group(name="bygone")
    factories.Group(name="present")
    defaults = {"default_groups": ["bygone", "present"], "default_extras": ["region", "a=b"]}
    source_id = portal.source(publisher.base, "ckan", config=defaults)
    act("group_delete", id=group["id"])
    assert figures(portal.run(source_id)) == {"added": 2}
    extra, missing = problems()
    assert (extra[0], "'region' has no equals sign" in extra[1]) == ("bad-default-extra", True)
    assert (missing[0], "'bygone'" in missing[1]) == ("default-group-missing", True)


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
