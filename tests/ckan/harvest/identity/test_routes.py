"""Datasets that other portals hand on: back to this one, or by way of two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.harvest.identity import routes
from ckanext.ukharvest.harvest.model import Record
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvest.consuming import consume_twice, together
from tests.ckan.harvest.moved_datasets import ORIGIN, handed, ids, serve
from tests.ckan.harvesting import Portal, act, extras, figures, statements
from tests.ckan.logins import sysadmin
from tests.ckan.remote_site import package
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def of_own(dataset: dict[str, Any], number: int) -> dict[str, Any]:
    """Return the package that another portal made of a dataset of this one."""
    named = {"key": "guid", "value": dataset["id"]}
    made = package(number, title=dataset["title"])
    return {**made, "extras": [*made["extras"], named]}


@pytest.fixture
def second() -> Iterator[Publisher]:
    """Another publisher: the second portal."""
    with Publisher() as publisher:
        yield publisher


def record(source_id: str) -> dict[str, Any]:
    """Return the only record of a source."""
    model.Session.remove()
    row = model.Session.query(Record).filter_by(source_id=source_id).one()
    return dict(act("ukharvest_record_show", id=row.id))


def test_datasets_that_come_back_are_left_out(portal: Portal, publisher: Publisher) -> None:
    own = [factories.Dataset(owner_org=portal.organization_id, title=f"Own {n}") for n in range(2)]
    serve(publisher, [of_own(own[0], 1), of_own(own[1], 2), package(3)])
    source = portal.source(publisher.base, "ckan")
    job = portal.run(source)
    assert figures(job) == {"added": 1, "not modified": 2}
    run = act("ukharvest_run_show", id=job["id"])
    assert (run["counts"]["skipped"], run["counts"]["same"], run["counts"]["lost"]) == (2, 2, 0)
    assert len(portal.datasets()) == 3
    assert figures(portal.run(source)) == {"not modified": 3}


def test_own_dataset_in_a_catalogue_is_left_out(portal: Portal, publisher: Publisher) -> None:
    """As another portal lists what it read in this one's export, in a format without origins."""
    listed = [dataset(2)]
    for number, identifier in enumerate(("{id}", "http://test.ckan.net/dataset/{id}")):
        own = factories.Dataset(owner_org=portal.organization_id)
        listed.append(dataset(number, identifier=identifier.format(id=own["id"])))
    publisher.serve("/data.json", catalogue(listed))
    source = portal.source(publisher.url("/data.json"), "data_json")
    assert figures(portal.run(source)) == {"added": 1, "not modified": 2}
    assert len(portal.datasets()) == 3
    assert figures(portal.run(source)) == {"not modified": 3}


def test_pages_say_that_datasets_are_here_already(
    app: CKANTestApp, portal: Portal, publisher: Publisher
) -> None:
    serve(publisher, [of_own(factories.Dataset(owner_org=portal.organization_id), 1)])
    source = portal.source(publisher.base, "ckan", name="there")
    admin = sysadmin()
    first, second = portal.run(source), portal.run(source)
    for job in (first, second):
        page = app.get(f"/harvest/there/job/{job['id']}", headers=admin).body
        assert "Nothing changed" in page
        assert "No records found" not in page
        assert ("its dataset is here already" in page) is (job == first)
    assert "Skipped: 1" in act("ukharvest_source_show", source_id=source)["text"]


def test_dataset_that_comes_back_under_its_own_id_is_left_out(
    portal: Portal, publisher: Publisher
) -> None:
    """As from a portal with ckanext-harvest's harvester, which keeps ids."""
    own = factories.Dataset(owner_org=portal.organization_id)
    serve(publisher, [package(1, id=own["id"], title=own["title"])])
    source = portal.source(publisher.base, "ckan")
    assert figures(portal.run(source)) == {"not modified": 1}
    assert record(source)["same_as"]["id"] == own["id"]


def test_harvested_dataset_that_comes_back_is_left_out(
    portal: Portal, publisher: Publisher, second: Publisher
) -> None:
    """As from a portal with ckanext-harvest's harvester, which keeps ids and extras."""
    second.serve("/data.json", catalogue(1))
    first = portal.source(second.url("/data.json"))
    portal.run(first)
    (own,) = portal.datasets()
    named = [{"key": "guid", "value": extras(own)["guid"]}]
    serve(publisher, [package(1, id=own["id"], title=own["title"], extras=named)])
    source = portal.source(publisher.base, "ckan")
    for _ in range(2):
        assert figures(portal.run(source)) == {"not modified": 1}
        assert record(source)["same_as"]["id"] == own["id"]
    assert figures(portal.run(first)) == {"not modified": 1}
    assert len(portal.datasets()) == 1


def test_own_dataset_that_was_deleted_does_not_come_back(
    portal: Portal, publisher: Publisher
) -> None:
    own = factories.Dataset(owner_org=portal.organization_id)
    act("package_delete", id=own["id"])
    serve(publisher, [of_own(own, 1)])
    assert figures(portal.run(portal.source(publisher.base, "ckan"))) == {"not modified": 1}
    assert portal.datasets() == []


@pytest.mark.parametrize("type_", ["ckan", "data_json"])
def test_purged_dataset_that_comes_back_is_counted(
    app: CKANTestApp, portal: Portal, publisher: Publisher, type_: str
) -> None:
    own = factories.Dataset(owner_org=portal.organization_id)
    act("dataset_purge", id=own["id"])
    page = f"http://test.ckan.net/dataset/{own['id']}"
    if type_ == "ckan":
        back = of_own(own, 1)
        back["extras"].append({"key": "harvest_source_reference", "value": page})
        serve(publisher, [back])
    else:
        publisher.serve("/", catalogue([dataset(1, identifier=page)]))
    source = portal.source(publisher.base, type_, name="there")
    job = portal.run(source)
    assert figures(job) == {"not modified": 1}
    assert act("ukharvest_run_show", id=job["id"])["counts"]["same"] == 1
    shown = app.get(f"/harvest/there/job/{job['id']}", headers=sysadmin()).body
    assert "is here already by another route, or was deleted here" in shown
    row = record(source)
    assert row["came_back"]
    shown = app.get(f"/harvest/there/record/{row['id']}", headers=sysadmin()).body
    assert "or was deleted here" in shown


def test_new_records_with_uuids_cost_one_statement_a_batch(portal: Portal) -> None:
    """One that looks for datasets of this portal with these ids."""
    guids = [ORIGIN.format(number) for number in range(3)]
    with statements() as sent:
        records = {
            ("source", guid): routes.NewRecord(guid, "Rivers", None, "https://a.example/", "none")
            for guid in guids
        }
        assert routes.lock_and_find(records) == ({}, {}, {})
    assert len(sent) == 3  # for locks, datasets of this portal with these ids, and routes


@pytest.fixture
def two_routes(portal: Portal, publisher: Publisher, second: Publisher) -> tuple[str, str]:
    """Two sources, other portals, that hand on one dataset; both have run once."""
    serve(publisher, [handed(1, version="7"), *(package(n) for n in range(50, 54))])
    first = portal.source(publisher.base, "ckan", name="first")
    portal.run(first)
    serve(second, [handed(1, 10)])
    other = portal.source(second.base, "ckan", name="second")
    assert figures(portal.run(other)) == {"not modified": 1}
    return first, other


def test_dataset_by_way_of_two_portals_is_one(
    app: CKANTestApp, portal: Portal, two_routes: tuple[str, str]
) -> None:
    rivers = [each for each in portal.datasets() if each["title"] == "Rivers 1"]
    assert len(rivers) == 1
    shown = record(two_routes[1])
    assert (shown["outcome"], shown["error"]) == ("skipped", None)
    assert shown["same_as"]["id"] == rivers[0]["id"]
    page = app.get(f"/harvest/second/record/{shown['id']}", headers=sysadmin()).body
    assert "its dataset is here already" in page
    told = call_action("ukharvest_dataset_show", id=rivers[0]["id"])
    assert (told["source"]["name"], [each["name"] for each in told["also_in"]]) == (
        "first",
        ["second"],
    )
    page = app.get(f"/dataset/{rivers[0]['name']}").body
    assert "/harvest/first" in page
    assert "/harvest/second" in page
    for source in two_routes:
        assert set(figures(portal.run(source))) == {"not modified"}


def test_dataset_by_two_routes_at_once_is_one(
    portal: Portal, publisher: Publisher, second: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = []
    for each, shift in ((publisher, 0), (second, 10)):
        serve(each, [handed(1, shift)])
        jobs.append(portal.create_job(portal.source(each.base, "ckan")))
        portal.gather(jobs[-1])
    monkeypatch.setattr(routes, "lock_and_find", together(routes.lock_and_find))
    consume_twice("ckan")
    done = sum((Counter(figures(portal.finish(job))) for job in jobs), Counter[str]())
    assert done == {"added": 1, "not modified": 1}
    assert len(portal.datasets()) == 1


def test_origin_is_known_over_several_stations(
    portal: Portal, publisher: Publisher, second: Publisher
) -> None:
    serve(publisher, [handed(1)])
    portal.run(portal.source(publisher.base, "ckan"))
    # The second portal harvested another one, whose identifier it names too.
    further = handed(1, 10)
    further["extras"] += [{"key": "original_guid", "value": ORIGIN.format(1)}]
    further["extras"][1]["value"] = package(77)["id"]
    serve(second, [further])
    assert figures(portal.run(portal.source(second.base, "ckan"))) == {"not modified": 1}
    (dataset,) = portal.datasets()
    assert extras(dataset)["original_guid"] == ORIGIN.format(1)


def test_records_that_name_no_origin_are_not_the_same(
    portal: Portal, publisher: Publisher, second: Publisher
) -> None:
    serve(publisher, [package(1, title="Rivers")])
    serve(second, [package(2, title="Rivers")])
    for each in (publisher, second):
        assert figures(portal.run(portal.source(each.base, "ckan"))) == {"added": 1}


def test_local_numbers_are_no_origin(
    portal: Portal, publisher: Publisher, second: Publisher
) -> None:
    for number, each in enumerate((publisher, second)):
        serve(each, [package(number, extras=[{"key": "guid", "value": "17"}])])
        assert figures(portal.run(portal.source(each.base, "ckan"))) == {"added": 1}


def test_second_route_takes_over_what_the_first_no_longer_lists(
    portal: Portal, publisher: Publisher, second: Publisher, two_routes: tuple[str, str]
) -> None:
    before = ids(portal)
    first = next(each for each in portal.datasets() if each["title"] == "Rivers 1")
    act("package_patch", id=first["id"], author="A person")
    serve(publisher, [package(n) for n in range(50, 54)])
    for _ in range(2):
        portal.run(two_routes[0], force=True)
    assert ids(portal) == before
    assert figures(portal.run(two_routes[1])) == {"updated": 1}
    assert ids(portal).keys() == before.keys()
    rivers = next(each for each in portal.datasets() if each["title"] == "Rivers 1")
    assert before[rivers["id"]] == (rivers["name"], [r["id"] for r in rivers["resources"]])
    assert extras(rivers)["guid"] == handed(1, 10)["id"]
    assert (first["version"], rivers["version"]) == ("7", ""), "only the first route supplied it"
    assert rivers["author"] == "A person"
    told = call_action("ukharvest_dataset_show", id=rivers["id"])
    assert (told["source"]["name"], told["also_in"]) == ("second", [])
    changes = call_action("ukharvest_dataset_change_list", id=rivers["id"])["results"]
    assert [each["kind"] for each in changes] == ["updated", "added"]
    assert figures(portal.run(two_routes[1])) == {"not modified": 1}
    # The first lists it again: it is the second route now.
    serve(publisher, [handed(1), *(package(n) for n in range(50, 54))])
    portal.run(two_routes[0], force=True)
    assert ids(portal) == before | ids(portal)
    assert len(portal.datasets()) == 5


def test_editor_is_asked_before_another_organisation_gets_it(
    app: CKANTestApp, portal: Portal, publisher: Publisher, second: Publisher
) -> None:
    serve(publisher, [handed(1), *(package(n) for n in range(50, 54))])
    first = portal.source(publisher.base, "ckan", name="first")
    portal.run(first)
    other = factories.Organization(image_url="")["id"]
    serve(second, [handed(1, 10)])
    elsewhere = portal.source(second.base, "ckan", name="second", owner_org=other)
    portal.run(elsewhere)
    serve(publisher, [package(n) for n in range(50, 54)])
    portal.run(first, force=True)
    job = portal.run(first, force=True)
    assert job["ukharvest"]["outcome"] == "held"
    assert "of another organisation" in job["ukharvest"]["reason"]
    assert len(portal.datasets()) == 5
    listed = call_action("ukharvest_pending_list", source_id=first)
    assert [each["also_in"] for each in listed["results"]] == ["Source 2"]
    assert "Also listed by Source 2" in app.get("/harvest/first/deletions", headers=sysadmin()).body
    context = {"user": factories.Sysadmin()["name"], "ignore_auth": False}
    decision = {"source_id": first, "decision": "approve"}
    assert call_action("ukharvest_pending_decide", context, **decision)["deleted"] == 1
    assert len(portal.datasets()) == 4
    assert figures(portal.run(elsewhere)) == {"added": 1}


def test_dataset_that_is_purged_comes_from_the_second_route(
    portal: Portal, two_routes: tuple[str, str]
) -> None:
    act("harvest_source_clear", id=two_routes[0])
    assert portal.datasets() == []
    assert figures(portal.run(two_routes[1])) == {"added": 1}
