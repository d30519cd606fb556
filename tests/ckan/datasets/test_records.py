"""A record of a source: its problems, its runs and its page."""

from __future__ import annotations

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.harvest.model import Record
from tests.ckan.datasets.first_dataset import GUID, first, record_id, serve
from tests.ckan.gemini_records import dataset as gemini
from tests.ckan.harvesting import Portal, act, statements
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

XML = {"Content-Type": "text/xml"}


def test_record_has_its_title_and_error(portal: Portal, publisher: Publisher, source: str) -> None:
    serve(publisher, title="")
    portal.run(source)
    row = model.Session.get(Record, record_id())
    assert (row.title, row.outcome) == ("Dataset 00000", "errored")
    assert row.error["code"] == "missing-title"
    assert row.error["message"]
    serve(publisher, title="Better")
    portal.run(source)
    row = model.Session.get(Record, record_id(), populate_existing=True)
    assert (row.title, row.error) == ("Better", None)


def test_a_record_that_is_refused_has_its_title_too(portal: Portal, publisher: Publisher) -> None:
    publisher.serve("/a.xml", gemini("a", "Brooks").encode(), headers=XML)
    reject = {"validation": "reject"}
    portal.run(portal.source(publisher.url("/a.xml"), "gemini-single", config=reject))
    row = model.Session.query(Record).one()
    assert (row.title, row.outcome, row.error["code"]) == ("Brooks", "errored", "not-valid")


def test_record_shows_its_problems_and_runs(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    serve(publisher, description="Second.", modified="10/03")
    updated = portal.run(source)
    serve(publisher, title="")
    lost = portal.run(source)
    shown = act("ukharvest_record_show", id=record_id())
    assert (shown["title"], shown["guid"]) == ("Dataset 00000", GUID)
    assert shown["outcome"] == "lost"
    assert shown["error"]["code"] == "missing-title"
    assert shown["error"]["tip"]
    assert shown["dataset"]["name"] == first(portal)["name"]
    assert [each["code"] for each in shown["problems"]] == ["bad-date"]
    assert shown["problems"][0]["severity"] == "problem"
    assert shown["content_type"] == "JSON"
    assert shown["content_size"] > 100
    told = [(each["outcome"], each["job_id"]) for each in shown["history"]]
    assert told[:2] == [("lost", lost["id"]), ("updated", updated["id"])]
    assert told[2][0] == "added"
    assert shown["history"][0]["message"]
    assert "notes" in [each["field"] for each in shown["history"][1]["fields"]]


def test_it_is_brought_in_again(
    portal: Portal, publisher: Publisher, source: str, app: CKANTestApp
) -> None:
    act("package_patch", id=first(portal)["id"], notes="By hand.")
    editor = member({"id": portal.organization_id})["headers"]
    address = f"/harvest/source-1/record/{record_id()}"
    answer = app.post(address, headers=editor, follow_redirects=False)
    assert answer.status_code == 302
    [job] = [
        each for each in act("harvest_job_list", source_id=source) if each["status"] != "Finished"
    ]
    portal.gather(job["id"])
    for object_id in portal.waiting(job["id"]):
        portal.deliver(object_id)
    assert len(portal.objects(job["id"])) == 1
    assert first(portal)["notes"] == "What is known about number 0."
    # During that run there is no other.
    app.post(address, headers=editor, follow_redirects=False)
    model.Session.remove()
    assert model.Session.get(Record, record_id()).fingerprint


def test_another_organisations_private_dataset_is_not_shown(portal: Portal, source: str) -> None:
    package = first(portal)
    elsewhere = factories.Organization()
    act("package_patch", id=package["id"], private=True, owner_org=elsewhere["id"])
    editor = member({"id": portal.organization_id})
    shown = tk.get_action("ukharvest_record_show")({"user": editor["name"]}, {"id": record_id()})
    assert (shown["title"], shown["dataset"], shown["history"]) == ("", None, [])
    assert shown["content_size"] == 0


def test_a_record_with_lines_is_marked_there(
    portal: Portal, publisher: Publisher, source: str, app: CKANTestApp
) -> None:
    editor = member({"id": portal.organization_id})["headers"]
    row = model.Session.get(Record, record_id())
    row.error, row.outcome = {"code": "xml-syntax", "message": "Wrong.", "line": 2}, "errored"
    model.Session.query(HarvestObject).filter_by(guid=GUID).update(
        {"content": "<a>\n<b onload='x'>\n</a>"}
    )
    model.Session.commit()
    with statements() as sent:
        page = app.get(f"/harvest/source-1/record/{record_id()}", headers=editor).body
    assert '<li id="L2" value="2"><mark>&lt;b onload=' in page
    assert 'href="#L2"' in page
    assert "<h1>Dataset 00000</h1>" in page
    assert len(sent) < 50
