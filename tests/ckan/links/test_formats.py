"""Formats found by link checks: into datasets that lack them, and nowhere else."""

from __future__ import annotations

import datetime as dt
import json

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.lib import search
from ckan.tests.helpers import call_action
from ckanext.harvest import queue

from ckanext.ukharvest.core.link_states import LinkResult
from ckanext.ukharvest.harvest.batch import dataset_writer, new_files
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.harvest.model import Link
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.harvest.records import record_rows
from ckanext.ukharvest.links import jobs as link_jobs
from ckanext.ukharvest.patches import polling
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Channel, Portal, act, statements, tick
from tests.ckan.links.place import PATH, RIVERS, Place, queued, work

pytestmark = pytest.mark.in_process


def test_changed_url_is_checked_and_the_old_one_forgotten(place: Place) -> None:
    place.harvest()
    work()
    place.publisher.serve("/table", "a,b\n1,2\n", headers={"Content-Type": "text/csv"})
    place.publish("/table")
    assert place.harvest() == {"updated": 1}
    assert place.formats == [""]
    work()
    assert place.formats == ["CSV"]
    assert link_jobs.forget_unused() == [], "it may come back, and then was not mistyped"
    model.Session.query(Link).update({"worked": Link.worked - dt.timedelta(days=60)})
    assert link_jobs.forget_unused() == ["Forgot 1 links that no resource has any more"]
    assert [link.format for link in model.Session.query(Link)] == ["CSV"]


def test_a_changed_record_keeps_the_format_without_a_request(place: Place) -> None:
    place.harvest()
    work()
    place.new_requests()
    place.publish(RIVERS, title="Rivers and lakes")
    with statements("ukharvest_link") as sent:
        (object_id,) = place.portal.gather(place.portal.create_job(place.source))
        assert sent == []
        place.portal.deliver(object_id)
    assert len(sent) == 1
    assert (place.dataset["title"], place.formats) == ("Rivers and lakes", ["WMS"])
    assert place.new_requests() == []
    assert not link_results.is_link_due()


def test_a_batch_asks_once_for_what_is_known_of_its_links(place: Place, portal: Portal) -> None:
    """To note that links are due costs nothing: those without a check are found without a note."""
    place.publisher.serve(PATH, catalogue(20))
    (*_others, last) = portal.gather(portal.create_job(place.source))
    body = json.dumps({"harvest_object_id": last})
    with (
        Heart("fetch") as heart,
        polling.use_heart(heart),
        statements("ukharvest_link") as sent,
    ):
        queue.fetch_callback(Channel(), queue.FakeMethod(body), None, body)
    assert len(sent) == 1
    assert len(link_results.due_links(100)) == 20


def test_a_format_that_somebody_gave_stays(place: Place) -> None:
    place.publish(RIVERS, RIVERS + "?2")
    place.harvest()
    act("resource_patch", id=place.resource["id"], format="ZIP")
    work()
    assert place.formats == ["ZIP", "WMS"]
    dataset_id = place.dataset["id"]
    assert call_action("ukharvest_link_check", id=dataset_id) == {"links": 2, "queued": True}
    assert call_action("ukharvest_link_check", id=dataset_id) == {"links": 2, "queued": False}
    act("resource_patch", id=place.resource["id"], format="")
    call_action("ukharvest_link_check", id=dataset_id)
    work()
    assert place.formats == ["WMS", "WMS"]


def test_formats_are_read_without_the_spaces_around_them(place: Place) -> None:
    place.publish(RIVERS, RIVERS + "?2")
    place.harvest()
    for resource, format_ in zip(place.dataset["resources"], ["Wms ", "  "], strict=True):
        act("resource_patch", id=resource["id"], format=format_)
    work()
    assert place.formats == ["Wms ", "WMS"]
    assert place.link()["layers"] != []
    assert not link_results.is_link_due()


def test_found_formats_are_written_by_the_next_job(place: Place) -> None:
    """After a job that was killed, and after an import during the link check."""
    place.harvest()
    link_results.save_link_results([LinkResult(place.resource["url"], format="WMS")], 30)
    model.Session.commit()
    assert not link_results.is_link_due()
    tick()
    assert len(queued()) == 1
    work()
    assert place.formats == ["WMS"]
    assert place.new_requests() == []


def test_an_import_at_the_same_time_is_not_overwritten(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.harvest()
    real = record_rows.lock_all_of

    def after_an_import(package_id: str) -> None:
        place.publish(RIVERS, title="Rivers and lakes")
        (object_id,) = place.portal.gather(place.portal.create_job(place.source))
        with monkeypatch.context() as patch:
            patch.setattr(
                link_results, "load_link_evidence", lambda _urls: {}
            )  # the result came later
            place.portal.deliver(object_id)
        real(package_id)

    with monkeypatch.context() as patch:
        patch.setattr(record_rows, "lock_all_of", after_an_import)
        work()
    assert (place.dataset["title"], place.formats) == ("Rivers and lakes", ["WMS"])


def test_a_dataset_that_the_portal_refuses_holds_up_no_other(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = dataset(2, distribution=[{"title": "L", "accessURL": place.publisher.url(RIVERS)}])
    body = json.loads(place.publisher.routes[PATH].body)
    place.publisher.serve(PATH, catalogue([*body["dataset"], other]))
    assert place.harvest() == {"added": 2}
    real = dataset_writer.fill_formats
    refused = place.portal.datasets()[0]["id"]

    def fill(package_id: str) -> list[str]:
        if package_id == refused:
            raise ValueError("a plugin of the portal")
        return real(package_id)

    monkeypatch.setattr(dataset_writer, "fill_formats", fill)
    work()
    formats = [each["resources"][0]["format"] for each in place.portal.datasets()]
    assert formats == ["", "WMS"]
    assert not link_results.is_link_due()
    monkeypatch.setattr(dataset_writer, "fill_formats", real)
    place.new_requests()
    for jobs in (1, 0):  # only one an hour tries again
        call_action("job_clear")
        tick()
        assert len(queued()) == jobs
    work()
    assert [each["resources"][0]["format"] for each in place.portal.datasets()] == ["WMS", "WMS"]
    assert place.new_requests() == []


def rename(package_id: str, name: str) -> None:
    """Give a dataset a name past CKAN's validation and search index."""
    of_id = model.Package.id == package_id
    model.Session.execute(sa.update(model.Package).where(of_id).values(name=name))
    model.Session.commit()
    model.Session.remove()


def shown_problems(place: Place) -> list[tuple[str, str]]:
    """Return code and message of the source's problems."""
    found = call_action("ukharvest_problem_list", source_id=place.source)
    return [(each["code"], each["message"]) for each in found["results"]]


def test_a_format_that_ckan_refuses_is_a_problem_of_the_record(place: Place) -> None:
    place.harvest()
    before = shown_problems(place)
    package_id, name = place.dataset["id"], place.dataset["name"]
    rename(package_id, "Not a name")
    for _times in range(2):  # it stays one problem
        work()
        assert place.formats == [""]
        ((code, message),) = set(shown_problems(place)) - set(before)
        assert code == "format-not-saved"
        assert "CKAN does not accept the dataset: name: " in message
    rename(package_id, name)
    work()
    assert place.formats == ["WMS"]
    assert shown_problems(place) == before


def test_a_format_given_by_a_person_ends_the_problem(place: Place) -> None:
    place.harvest()
    before = shown_problems(place)
    package_id, name = place.dataset["id"], place.dataset["name"]
    rename(package_id, "Not a name")
    work()
    rename(package_id, name)
    search.rebuild(package_id)
    act("resource_patch", id=place.resource["id"], format="ZIP")
    work()
    assert shown_problems(place) == before


def test_old_refusals_are_looked_for_once_in_a_link_check(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not after each batch of links: all problems are read for it."""
    place.publish(RIVERS, f"{RIVERS}?2", f"{RIVERS}?3")
    place.harvest()
    monkeypatch.setattr(link_jobs, "BATCH", 1)
    with statements("DELETE FROM ukharvest_problem") as sent:
        work()
    assert place.formats == ["WMS", "WMS", "WMS"]
    refusals = [each for each in sent if "ukharvest_link" in each]
    assert len(refusals) == 1


@pytest.mark.ckan_config("ckan.views.default_views", ["ukharvest_map_view"])
def test_views_that_a_plugin_refuses_are_a_problem_of_the_record(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_more: object) -> None:
        raise ValueError("a plugin of the portal")

    place.harvest()
    before = shown_problems(place)
    monkeypatch.setattr(new_files, "create_views", refuse)
    work()
    assert place.formats == ["WMS"]
    ((code, message),) = set(shown_problems(place)) - set(before)
    assert (code, "ValueError" in message) == ("view-not-created", True)


@pytest.mark.ckan_config("ckan.views.default_views", ["ukharvest_map_view"])
def test_a_service_that_was_found_gets_the_portals_views(place: Place) -> None:
    place.harvest()
    assert call_action("resource_view_list", id=place.resource["id"]) == []
    work()
    views = call_action("resource_view_list", id=place.resource["id"])
    assert [view["view_type"] for view in views] == ["ukharvest_map_view"]
