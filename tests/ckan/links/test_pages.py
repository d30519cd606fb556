"""Results of link checks on pages, in actions, by the command and by the doctor."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action, call_auth

from ckanext.ukharvest import doctor
from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.core.link_states import Layer, LinkResult
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.links import doctor as link_checks
from tests.ckan import looks
from tests.ckan.browser import Visitor, as_sysadmin
from tests.ckan.harvesting import act
from tests.ckan.links.place import RIVERS, Place, work
from tests.ckan.people import member

pytestmark = pytest.mark.in_process


def test_internal_link_is_reported_to_its_editors(
    place: Place, app: CKANTestApp, organization: dict[str, str]
) -> None:
    place.publish("http://10.20.30.40/maps")
    place.harvest()
    # The run's own tick has queued a job.
    asked = call_action("ukharvest_link_check", id=place.dataset["id"])
    assert asked == {"links": 1, "queued": False}
    assert place.link() == {}
    work()
    assert place.formats == [""]
    editor, stranger = member(organization), factories.UserWithToken()
    why = place.link(user=editor["name"], ignore_auth=False)["why"]
    assert "10.20.30.40" in why
    assert place.link(user=stranger["name"], ignore_auth=False)["why"] == ""
    assert place.link(user="", ignore_auth=False)["why"] == ""
    page = f"/dataset/{place.dataset['name']}/resource/{place.resource['id']}"
    assert (
        "could not be identified" in app.get(page, headers={"Authorization": editor["token"]}).body
    )
    assert "could not be identified" not in app.get(page).body
    (row,) = call_action("ukharvest_link_list", source="rivers", unknown=True)["results"]
    assert (row["why"], row["dataset"]) == (why, place.dataset["name"])


def test_the_page_says_what_a_link_is(place: Place, app: CKANTestApp) -> None:
    hostile = "<script>alert(1)</script>"
    found = LinkResult(
        place.publisher.url(RIVERS),
        format="WMS",
        version="1.3.0" + hostile,
        layers=(Layer("rivers", "Rivers" + hostile), Layer("\0" + hostile)),
        title="Service" + hostile,
    )
    place.harvest()
    page = f"/dataset/{place.dataset['name']}/resource/{place.resource['id']}"
    assert "WMS 1.3.0" not in app.get(page).body
    link_results.save_link_results([found], 30)
    model.Session.commit()
    body = app.get(page).body
    for part in ("WMS 1.3.0", "2 items", "Checked on", "<details>"):
        assert part in body
    assert "<script>alert(1)" not in body


def test_checked_link_pages_are_accessible_and_harmless(place: Place, visitor: Visitor) -> None:
    texts = looks.HOSTILE
    place.harvest()
    page = f"/dataset/{place.dataset['name']}/resource/{place.resource['id']}"
    looks.know_stock(visitor, page)  # the link was not checked yet
    layers = tuple(Layer(text, text) for text in texts)
    url = place.publisher.url(RIVERS)
    found = LinkResult(url, format="WMS", version=texts[0], layers=layers, title=texts[2])
    link_results.save_link_results([found], 30)
    model.Session.commit()
    looks.check(visitor, "resource", page, beside=page, region=".ukharvest-link", is_own=False)
    looks.assert_harmless(visitor.page)
    as_sysadmin(visitor)
    looks.check(visitor, "resource-edit", f"{page}/edit", is_own=False)


def test_link_actions_check_the_user(place: Place, organization: dict[str, str]) -> None:
    place.harvest()
    act("package_patch", id=place.dataset["id"], private=True)
    editor, stranger = member(organization), factories.User()
    asked = {
        "ukharvest_link_show": {"id": place.resource["id"]},
        "ukharvest_link_check": {"id": place.dataset["id"]},
        "ukharvest_link_list": {"source": "rivers"},
    }
    for name, fields in asked.items():
        assert call_auth(name, {"user": editor["name"], "model": model}, **fields)
        for other in (stranger["name"], ""):
            with pytest.raises(tk.NotAuthorized):
                call_auth(name, {"user": other, "model": model}, **fields)
    with pytest.raises(tk.NotAuthorized):
        call_auth("ukharvest_link_list", {"user": editor["name"], "model": model})
    resource_id = place.resource["id"]
    work()
    act("resource_delete", id=resource_id)
    for name, id_ in (
        ("ukharvest_link_show", "nowhere"),
        ("ukharvest_link_show", resource_id),
        ("ukharvest_link_check", "nowhere"),
    ):
        with pytest.raises(tk.ObjectNotFound):
            call_action(name, id=id_)


def test_command_lists_and_checks_links(place: Place, cli: Any) -> None:
    place.harvest()
    done = cli.invoke(ukharvest, ["links", "rivers", "--check"])
    assert "WMS 1.3.0, 2 layers" in done.output
    assert "Checked 1 link; identified 1." in done.output
    assert place.formats == ["WMS"]
    assert "Checked 0 links" in cli.invoke(ukharvest, ["links", "--check"]).output
    (row,) = json.loads(cli.invoke(ukharvest, ["links", "--format", "json"]).output)
    assert (row["format"], row["url"]) == ("WMS", place.publisher.url(RIVERS))
    unknown = cli.invoke(ukharvest, ["links", "--unknown", "--format", "json"])
    assert json.loads(unknown.output) == []
    assert "WMS" in cli.invoke(ukharvest, ["links", "rivers"]).output
    assert cli.invoke(ukharvest, ["links", "nobody"]).exit_code == 2


def test_doctor_reports_that_no_links_are_checked(
    place: Place, move: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.harvest()
    assert list(link_checks.waiting_links()) == []
    move(2)
    monkeypatch.setattr(link_checks, "utcnow", tables.utcnow)
    (finding,) = link_checks.waiting_links()
    assert (finding.level, finding.code) == ("warning", "links")
    assert "ckan jobs worker" in finding.what_to_do
    work()
    (finding,) = link_checks.waiting_links()
    assert finding.level == "info"
    assert finding.message == "1 link of resources checked. No link is waiting to be checked."
    assert "links" in {each.code for each in doctor.examine()}
