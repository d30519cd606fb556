"""Permissions to stop a run, purge datasets and reactivate a source: buttons and routes agree."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.harvest.model import JobReport
from ckanext.ukharvest.harvest.sources import source_status
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act
from tests.ckan.people import Person, member
from tests.ckan.portal_copies import SourceMaker

pytestmark = pytest.mark.in_process

PATH = "/data.json"
PAGE = "/harvest/parking"
PURGING = {"name": "parking", "count": "3"}
SENTENCE = "Only administrators of the organisation may do this."
Session = model.Session


@pytest.fixture
def admin(organization: dict[str, str]) -> Person:
    return member(organization, "admin")


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    return ready_source(PATH, catalogue(3), name="parking")


def lines(page: str) -> str:
    return " ".join(page.split())


def user_of(person: Person) -> dict[str, Any]:
    return {"user": person["name"], "ignore_auth": False}


@pytest.mark.parametrize("role", ["editor", "admin"])
def test_stop_button_works_for_each_role_that_sees_it(
    app: CKANTestApp, portal: Portal, source: str, organization: dict[str, str], role: str
) -> None:
    person = member(organization, role)
    app.post("/harvest/refresh/parking", headers=person["headers"])
    job = (
        Session.query(HarvestJob)
        .filter_by(source_id=source)
        .order_by(HarvestJob.created.desc())
        .first()
    )
    address = f"{PAGE}/job/{job.id}/abort"
    assert address in app.get(PAGE, headers=person["headers"]).body
    assert "Stop the run: " in app.get(address, headers=person["headers"], status=200).body
    page = app.post(address, headers=person["headers"], status=200).body
    assert "The run was stopped." in page
    Session.remove()
    assert Session.query(JobReport).filter_by(job_id=job.id).one().stopped_by == person["name"]


PURGES = ("/harvest/clear/parking", "/harvest/delete/parking?clear=true")


def test_editors_may_neither_purge_nor_approve(
    app: CKANTestApp, portal: Portal, source: str, editor: Person
) -> None:
    form = app.get("/harvest/edit/parking", headers=editor["headers"]).body
    assert "harvest/parking/switch-off" in form
    assert "delete all its datasets" not in form
    for route in PURGES:
        assert route not in form
        for page in (
            app.get(route, headers=editor["headers"], status=403),
            app.post(route, data=PURGING, headers=editor["headers"], status=403),
        ):
            assert SENTENCE in page.body
    with pytest.raises(tk.NotAuthorized, match="Only administrators of the organisation"):
        call_action("harvest_source_clear", user_of(editor), id=source)
    with pytest.raises(tk.NotAuthorized):
        call_action("harvest_source_job_history_clear", user_of(editor), id="parking")
    with pytest.raises(tk.NotAuthorized):
        call_action("harvest_source_delete", {**user_of(editor), "clear_source": True}, id=source)
    with pytest.raises(tk.NotAuthorized):
        call_action(
            "ukharvest_pending_decide", user_of(editor), source_id=source, decision="approve"
        )
    Session.remove()
    assert len(portal.datasets()) == 3
    assert (
        source_status.load_statuses([source])[source].value == "healthy"
    )  # nor was it switched off


def test_administrators_may_do_both(
    app: CKANTestApp, portal: Portal, source: str, admin: Person
) -> None:
    form = app.get("/harvest/edit/parking", headers=admin["headers"]).body
    assert all(route in form for route in PURGES)
    tk.check_access("ukharvest_pending_decide", user_of(admin), {"source_id": source})
    page = app.post(PURGES[0], data=PURGING, headers=admin["headers"], status=200).body
    assert "3 datasets were deleted." in page
    portal.run(source)
    page = app.post(PURGES[1], data=PURGING, headers=admin["headers"], status=200).body
    assert "Switched off" in page
    assert "datasets are kept" not in page
    assert portal.datasets() == []


@pytest.mark.ckan_config("ckan.auth.allow_dataset_collaborators", "true")
@pytest.mark.ckan_config("ckan.auth.allow_admin_collaborators", "true")
def test_collaborators_are_no_administrators(portal: Portal, source: str) -> None:
    for capacity in ("editor", "admin"):
        user = factories.User()
        act("package_collaborator_create", id=source, user_id=user["id"], capacity=capacity)
        context = {"user": user["name"], "ignore_auth": False}
        tk.check_access("harvest_source_update", dict(context), {"id": source})
        with pytest.raises(tk.NotAuthorized):
            call_action("harvest_source_clear", context, id=source)
    assert len(portal.datasets()) == 3


def test_a_source_that_is_switched_off_stays_on_its_editors_list(
    app: CKANTestApp, portal: Portal, source: str, editor: Person
) -> None:
    app.post(f"{PAGE}/switch-off", headers=editor["headers"])
    found = call_action("ukharvest_source_list", user_of(editor))
    assert (found["count"], found["managed"], found["switched_off"]) == (0, 0, 1)
    off = call_action("ukharvest_source_list", user_of(editor), health="off")
    assert [(each["name"], each["health"]) for each in off["results"]] == [("parking", "off")]

    page = lines(app.get("/harvest/", headers=editor["headers"]).body)
    assert "Switched off (1)</a>" in page
    assert "/harvest/?health=off" in page
    assert "No harvest sources yet" not in page
    listed = app.get("/harvest/?health=off", headers=editor["headers"]).body
    assert '<a href="/harvest/parking">Source 1</a>' in listed
    assert "Not scheduled" not in listed

    page = app.get(PAGE, headers=editor["headers"], status=200).body
    assert "Switched off" in page
    assert "Its datasets are kept as they are." in page
    assert "Run again in full" not in page
    assert f'action="{PAGE}/switch-on"' in page
    for route in ("job", "datasets", "problems", "deletions", "notifications"):
        app.get(f"{PAGE}/{route}", headers=editor["headers"], status=200)
    app.get("/harvest/edit/parking", headers=editor["headers"], status=200)
    app.get("/harvest/about/parking", headers=editor["headers"], status=200)
    assert "Switched on" in app.post(f"{PAGE}/switch-on", headers=editor["headers"]).body
    found = call_action("ukharvest_source_list", user_of(editor))
    assert (found["count"], found["switched_off"]) == (1, 0)
    assert "Switched off (" not in app.get("/harvest/", headers=editor["headers"]).body


def test_others_do_not_see_what_is_switched_off(
    app: CKANTestApp, portal: Portal, source: str
) -> None:
    act("harvest_source_delete", id=source)
    member_of_another = member(factories.Organization(), "editor")
    for person in ({}, member_of_another["headers"]):
        assert "parking" not in app.get("/harvest/?health=off", headers=person).body
        assert "Switched off" not in app.get("/harvest/", headers=person).body
        app.get(PAGE, headers=person, status=404)
    for user in ("", member_of_another["name"]):
        found = call_action(
            "ukharvest_source_list", {"user": user, "ignore_auth": False}, include_inactive=True
        )
        assert (found["count"], found["switched_off"]) == (0, 0)
