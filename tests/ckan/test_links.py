"""What the links of resources are: found out in the background, kept, shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action, call_auth

from ckanext.ukharvest import doctor, link_job, store
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.doctor import links as check
from ckanext.ukharvest.links.look import Layer, Look
from ckanext.ukharvest.model import Link, links, locks, prune, rows
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures, tick
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
RIVERS = "/rivers"
WMS = """<?xml version="1.0" encoding="UTF-8"?>
<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"
    xmlns:xlink="http://www.w3.org/1999/xlink">
  <Service><Name>WMS</Name><Title>Rivers of Somewhere</Title></Service>
  <Capability>
    <Request><GetMap><Format>image/png</Format><DCPType><HTTP><Get>
      <OnlineResource xlink:type="simple" xlink:href="{address}?"/>
    </Get></HTTP></DCPType></GetMap></Request>
    <Layer><Title>All</Title>{layers}</Layer>
  </Capability>
</WMS_Capabilities>
"""
LAYER = "<Layer><Name>{0}</Name><Title>{0}</Title><CRS>EPSG:27700</CRS></Layer>"


class Routes(dict[str, Any]):
    """Routes that answer a path with any query."""

    def get(self, key: str, default: Any = None) -> Any:
        path = key if key.startswith(PATH) else key.partition("?")[0]
        return super().get(key, super().get(path, default))


class Place:
    """A publisher whose one dataset points to RIVERS without saying what that is."""

    def __init__(self, portal: Portal, publisher: Publisher) -> None:
        self.portal = portal
        self.publisher = publisher
        publisher.routes = Routes()
        self.serve_wms("rivers", "lakes")
        self.publish(RIVERS)
        self.source = portal.source(publisher.url(PATH), name="rivers")

    def serve_wms(self, *layers: str) -> None:
        address = self.publisher.url(RIVERS)
        text = WMS.format(address=address, layers="".join(map(LAYER.format, layers)))
        self.publisher.serve(RIVERS, text, headers={"Content-Type": "text/xml"})

    def publish(self, *addresses: str, **fields: Any) -> None:
        urls = [self.publisher.url(each) if each[0] == "/" else each for each in addresses]
        distribution = [{"title": f"Link {n}", "accessURL": url} for n, url in enumerate(urls)]
        given = dataset(1, distribution=distribution, **fields)
        self.publisher.serve(PATH, catalogue([given]))

    def harvest(self) -> dict[str, int]:
        return figures(self.portal.run(self.source))

    @property
    def dataset(self) -> dict[str, Any]:
        [shown] = self.portal.datasets()
        return shown

    @property
    def resource(self) -> dict[str, Any]:
        return dict(self.dataset["resources"][0])

    @property
    def formats(self) -> list[str]:
        return [each["format"] for each in self.dataset["resources"]]

    def asked(self) -> list[str]:
        """What was asked for since the last call, beside the catalogue."""
        paths = [path for path in self.publisher.paths if not path.startswith(PATH)]
        self.publisher.requests.clear()
        return paths

    def link(self, **context: Any) -> dict[str, Any]:
        return dict(call_action("ukharvest_link_show", context, id=self.resource["id"]))


@pytest.fixture
def place(portal: Portal, publisher: Publisher) -> Place:
    return Place(portal, publisher)


@pytest.fixture(autouse=True)
def _at_once(clean: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_job, "HOST_DELAY", 0.0)
    call_action("job_clear")


@pytest.fixture
def move(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Move the clock on by so many days."""
    now, moved = tables.utcnow, [timedelta(0)]

    def later() -> datetime:
        return now() + moved[0]

    def move_on(days: float) -> None:
        moved[0] += timedelta(days=days)

    monkeypatch.setattr(tables, "utcnow", later)
    return move_on


def queued() -> list[str]:
    """Titles of the background jobs that wait."""
    return [job["title"] for job in call_action("job_list")]


def work() -> None:
    """Do what a background worker does with the job that waits, or as if one did."""
    call_action("job_clear")
    link_job.look_at_due()
    model.Session.remove()


@contextmanager
def statements(word: str) -> Iterator[list[str]]:
    """What is sent to the database that has this word in it."""
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if word in statement:
            sent.append(statement)

    sa.event.listen(model.meta.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        sa.event.remove(model.meta.engine, "before_cursor_execute", note)


def test_a_link_is_looked_at_by_a_background_worker_and_never_in_the_import(place: Place) -> None:
    assert place.harvest() == {"added": 1}
    assert place.formats == [""]
    assert place.link() == {}
    assert place.asked() == []
    tick()
    assert queued() == ["Look at links of harvested resources"]  # the run's own tick asked
    jobs.Worker().work(burst=True)
    assert place.formats == ["WMS"]
    assert RIVERS in place.asked()[0]
    found = call_action("package_search", fq="res_format:WMS")
    assert found["count"] == 1
    link = place.link()
    assert (link["format"], link["version"]) == ("WMS", "1.3.0")
    assert [layer["name"] for layer in link["layers"]] == ["rivers", "lakes"]
    assert link["base_url"].startswith(place.publisher.url(RIVERS))
    assert link["checked"] < link["due"]
    tick()
    assert queued() == []


def test_an_unchanged_night_costs_one_query_and_no_request(place: Place) -> None:
    place.harvest()
    work()
    modified = place.dataset["metadata_modified"]
    tick()  # prunes, once an hour
    place.asked()
    with statements("ukharvest_link") as sent:
        assert place.harvest() == {"not modified": 1}
    assert len(sent) == 1
    assert place.asked() == []
    assert queued() == []
    assert place.dataset["metadata_modified"] == modified


def test_a_service_is_looked_at_again_after_a_month(
    place: Place, move: Callable[[float], None]
) -> None:
    place.harvest()
    work()
    modified = place.dataset["metadata_modified"]
    place.serve_wms("rivers")
    place.asked()
    move(29)
    assert not links.is_due()
    move(2)
    tick()
    assert len(queued()) == 1
    work()
    assert [layer["name"] for layer in place.link()["layers"]] == ["rivers"]
    assert place.asked() != []
    assert place.dataset["metadata_modified"] == modified
    assert not links.is_due()


def test_a_fault_that_may_pass_is_tried_again_and_takes_nothing_away(
    place: Place, move: Callable[[float], None]
) -> None:
    place.publisher.serve(RIVERS, "busy", status=503)
    place.harvest()
    work()
    assert place.formats == [""]
    assert place.link()["why"]
    for days in (1, 2):  # each pause is twice the last
        assert not links.is_due()
        move(days - 0.5)
        assert not links.is_due()
        move(0.6)
        assert links.is_due()
        work()
    move(5)
    place.serve_wms("rivers")
    work()
    assert place.formats == ["WMS"]
    move(31)
    place.publisher.serve(RIVERS, "busy", status=503)
    work()
    assert place.link()["format"] == "WMS"
    assert place.link()["why"]
    assert place.formats == ["WMS"]


def test_a_silent_server_is_left_alone_for_the_rest_of_the_job(place: Place) -> None:
    paths = [f"/silent/{number}" for number in range(6)]
    for path in paths:
        place.publisher.serve(path, "busy", status=503)
    place.publish(*paths)
    place.harvest()
    work()
    asked = {path.partition("?")[0] for path in place.asked()}
    assert len(asked) == link_job.SILENT_AFTER
    assert not links.is_due()


def test_another_address_is_another_look_and_the_old_one_is_forgotten(place: Place) -> None:
    place.harvest()
    work()
    place.publisher.serve("/table", "a,b\n1,2\n", headers={"Content-Type": "text/csv"})
    place.publish("/table")
    assert place.harvest() == {"updated": 1}
    assert place.formats == [""]
    work()
    assert place.formats == ["CSV"]
    assert prune.prune_links() == 1
    assert [link.format for link in model.Session.query(Link)] == ["CSV"]


def test_a_changed_record_keeps_the_format_without_a_request(place: Place) -> None:
    place.harvest()
    work()
    place.asked()
    place.publish(RIVERS, title="Rivers and lakes")
    with statements("ukharvest_link") as sent:
        (object_id,) = place.portal.gather(place.portal.create_job(place.source))
        assert sent == []
        place.portal.deliver(object_id)
    assert len(sent) == 1
    assert (place.dataset["title"], place.formats) == ("Rivers and lakes", ["WMS"])
    assert place.asked() == []
    assert not links.is_due()


def test_an_import_whose_resources_have_formats_does_not_ask_for_links(
    place: Place, portal: Portal
) -> None:
    place.publisher.serve(PATH, catalogue(1))
    with statements("ukharvest_link") as sent:
        for object_id in portal.gather(portal.create_job(place.source)):
            portal.deliver(object_id)
    assert sent == []
    assert not links.is_due()


def test_a_format_that_somebody_gave_stays(place: Place) -> None:
    place.publish(RIVERS, RIVERS + "?2")
    place.harvest()
    act("resource_patch", id=place.resource["id"], format="ZIP")
    work()
    assert place.formats == ["ZIP", "WMS"]
    dataset_id = place.dataset["id"]
    assert call_action("ukharvest_links_look", id=dataset_id) == {"links": 1, "queued": True}
    assert call_action("ukharvest_links_look", id=dataset_id) == {"links": 1, "queued": False}
    act("resource_patch", id=place.resource["id"], format="")
    call_action("ukharvest_links_look", id=dataset_id)
    work()
    assert place.formats == ["WMS", "WMS"]


def test_an_import_at_the_same_time_is_not_overwritten(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.harvest()
    real = rows.lock_all_of

    def after_an_import(package_id: str) -> None:
        place.publish(RIVERS, title="Rivers and lakes")
        (object_id,) = place.portal.gather(place.portal.create_job(place.source))
        with monkeypatch.context() as patch:
            patch.setattr(links, "formats_of", lambda _urls: {})  # what was found came later
            place.portal.deliver(object_id)
        real(package_id)

    with monkeypatch.context() as patch:
        patch.setattr(rows, "lock_all_of", after_an_import)
        work()
    assert (place.dataset["title"], place.formats) == ("Rivers and lakes", ["WMS"])


def test_of_two_jobs_at_once_one_works(place: Place, cli: Any) -> None:
    place.harvest()
    with locks.alone(locks.LINKS) as is_alone:
        assert is_alone
        work()
        refused = cli.invoke(ukharvest, ["links", "--look"])
    assert "already" in refused.output
    assert refused.exit_code == 1
    assert place.asked() == []
    work()
    assert place.formats == ["WMS"]


def test_a_job_ends_after_its_minutes_and_queues_another(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.harvest()
    monkeypatch.setattr(link_job, "BUDGET", -1.0)
    work()
    assert place.asked() == []
    assert len(queued()) == 1


def test_a_database_that_is_away_ends_the_job_and_queues_none(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise sa.exc.OperationalError("SELECT 1", {}, Exception("gone"))

    place.harvest()
    monkeypatch.setattr(links, "save", away)
    work()
    assert queued() == []
    assert links.is_due()  # for the next tick


def test_a_dataset_that_the_portal_refuses_holds_up_no_other(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = dataset(2, distribution=[{"title": "L", "accessURL": place.publisher.url(RIVERS)}])
    body = json.loads(place.publisher.routes[PATH].body)
    place.publisher.serve(PATH, catalogue([*body["dataset"], other]))
    assert place.harvest() == {"added": 2}
    real = store.fill_formats
    refused = place.portal.datasets()[0]["id"]

    def fill(package_id: str) -> list[str]:
        if package_id == refused:
            raise ValueError("a plugin of the portal")
        return real(package_id)

    monkeypatch.setattr(store, "fill_formats", fill)
    work()
    formats = [each["resources"][0]["format"] for each in place.portal.datasets()]
    assert formats == ["", "WMS"]
    assert not links.is_due()
    monkeypatch.setattr(store, "fill_formats", real)
    place.asked()
    work()  # whenever the next job comes
    assert [each["resources"][0]["format"] for each in place.portal.datasets()] == ["WMS", "WMS"]
    assert place.asked() == []


def test_the_portal_can_do_without(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tk.config, "ckanext.ukharvest.links.look", False)
    place.harvest()
    tick()
    work()
    assert queued() == place.asked() == []
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_links_look", id=place.dataset["id"])


@pytest.mark.ckan_config("ckan.views.default_views", ["ukharvest_map_view"])
def test_a_service_that_was_found_gets_the_portals_views(place: Place) -> None:
    place.harvest()
    assert call_action("resource_view_list", id=place.resource["id"]) == []
    work()
    views = call_action("resource_view_list", id=place.resource["id"])
    assert [view["view_type"] for view in views] == ["ukharvest_map_view"]


def test_an_internal_address_is_told_to_those_who_can_mend_it(
    place: Place, app: CKANTestApp, organization: dict[str, str]
) -> None:
    place.publish("http://10.20.30.40/maps")
    place.harvest()
    # The run's own tick has queued a job.
    asked = call_action("ukharvest_links_look", id=place.dataset["id"])
    assert asked == {"links": 1, "queued": False}
    assert place.link() == {}
    work()
    assert place.formats == [""]
    editor, stranger = factories.UserWithToken(), factories.UserWithToken()
    act("organization_member_create", id=organization["id"], username=editor["id"], role="editor")
    why = place.link(user=editor["name"], ignore_auth=False)["why"]
    assert "10.20.30.40" in why
    assert place.link(user=stranger["name"], ignore_auth=False)["why"] == ""
    assert place.link(user="", ignore_auth=False)["why"] == ""
    page = f"/dataset/{place.dataset['name']}/resource/{place.resource['id']}"
    assert "could not be told" in app.get(page, headers={"Authorization": editor["token"]}).body
    assert "could not be told" not in app.get(page).body
    (row,) = call_action("ukharvest_link_list", source="rivers", untold=True)["results"]
    assert (row["why"], row["dataset"]) == (why, place.dataset["name"])


def test_the_page_says_what_a_link_is(place: Place, app: CKANTestApp) -> None:
    hostile = "<script>alert(1)</script>"
    found = Look(
        place.publisher.url(RIVERS),
        format="WMS",
        version="1.3.0" + hostile,
        layers=(Layer("rivers", "Rivers" + hostile), Layer("\0" + hostile)),
        title="Service" + hostile,
    )
    place.harvest()
    page = f"/dataset/{place.dataset['name']}/resource/{place.resource['id']}"
    assert "What this link is" not in app.get(page).body
    links.save(found, 30)
    model.Session.commit()
    body = app.get(page).body
    for part in ("What this link is:", "WMS 1.3.0", "2 layers", "looked at on", "<details>"):
        assert part in body
    assert "<script>alert(1)" not in body


def test_who_may_ask_for_what(place: Place, organization: dict[str, str]) -> None:
    place.harvest()
    act("package_patch", id=place.dataset["id"], private=True)
    editor, stranger = factories.User(), factories.User()
    act("organization_member_create", id=organization["id"], username=editor["id"], role="editor")
    asked = {
        "ukharvest_link_show": {"id": place.resource["id"]},
        "ukharvest_links_look": {"id": place.dataset["id"]},
        "ukharvest_link_list": {"source": "rivers"},
    }
    for name, fields in asked.items():
        assert call_auth(name, {"user": editor["name"], "model": model}, **fields)
        for other in (stranger["name"], ""):
            with pytest.raises(tk.NotAuthorized):
                call_auth(name, {"user": other, "model": model}, **fields)
    with pytest.raises(tk.NotAuthorized):
        call_auth("ukharvest_link_list", {"user": editor["name"], "model": model})
    for name in ("ukharvest_link_show", "ukharvest_links_look"):
        with pytest.raises(tk.ObjectNotFound):
            call_action(name, id="nowhere")


def test_the_command_lists_links_and_looks_at_them(place: Place, cli: Any) -> None:
    place.harvest()
    done = cli.invoke(ukharvest, ["links", "rivers", "--look"])
    assert "WMS 1.3.0, 2 layers" in done.output
    assert "Looked at 1 links; 1 could be told." in done.output
    assert place.formats == ["WMS"]
    assert "Looked at 0 links" in cli.invoke(ukharvest, ["links", "--look"]).output
    (row,) = json.loads(cli.invoke(ukharvest, ["links", "--format", "json"]).output)
    assert (row["format"], row["url"]) == ("WMS", place.publisher.url(RIVERS))
    assert json.loads(cli.invoke(ukharvest, ["links", "--untold", "--format", "json"]).output) == []
    assert "WMS" in cli.invoke(ukharvest, ["links", "rivers"]).output
    assert cli.invoke(ukharvest, ["links", "nobody"]).exit_code == 1


def test_the_doctor_sees_that_nobody_looks(
    place: Place, move: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.harvest()
    assert list(check.looked_at()) == []
    move(2)
    monkeypatch.setattr(check, "utcnow", tables.utcnow)
    (finding,) = check.looked_at()
    assert (finding.level, finding.code) == ("warning", "links")
    assert "ckan jobs worker" in finding.what_to_do
    work()
    (finding,) = check.looked_at()
    assert finding.level == "info"
    assert "1 links" in finding.message
    assert "links" in {each.code for each in doctor.examine()}
