"""A dataset's origin and what harvests changed in it: actions and pages."""

from __future__ import annotations

import re
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories, helpers
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.harvest.model import Change, Record
from ckanext.ukharvest.harvest.records import changes
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.datasets.first_dataset import GUID, PATH, first, record_id, serve
from tests.ckan.harvesting import Portal, act, figures, statements
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_unchanged_dataset_gets_no_second_history_entry(portal: Portal, source: str) -> None:
    portal.run(source)
    portal.run(source, force=True)
    found = call_action("ukharvest_dataset_change_list", id=first(portal)["name"])
    assert found["count"] == 1
    assert [each["kind"] for each in found["results"]] == ["added"]


def test_a_character_that_no_database_stores_loses_no_record(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    serve(publisher, description="Files lie in C:\\u0000 here.")
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 1}
    found = call_action("ukharvest_dataset_change_list", id=first(portal)["name"])
    assert "C:\\u0000" in str(found["results"][0]["fields"]).replace("\\\\", "\\")


def test_import_changes_are_listed_by_field(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    file = dataset(0)["distribution"][0]
    serve(
        publisher,
        title="Parking in Borchester",
        keyword=["roads", "cars"],
        distribution=[{**file, "description": "All car parks."}],
        temporal="2019-04-01/2020-03-31",
    )
    job = portal.run(source)
    [update, _added] = call_action("ukharvest_dataset_change_list", id=first(portal)["id"])[
        "results"
    ]
    assert update["job_id"] == job["id"]
    assert update["kind"] == "updated"
    told = {(each["field"], each["of"]): (each["old"], each["new"]) for each in update["fields"]}
    assert told["title", "dataset"] == ("Dataset 00000", "Parking in Borchester")
    assert told["tags", "dataset"] == ("parking, roads", "cars, roads")
    assert told["temporal_coverage-from", "dataset"] == ("", "2019-04-01")
    assert told["description", "Table 0"] == ("", "All car parks.")
    # No internal fields of CKAN, and none that stayed the same.
    assert {field for field, _of in told} == {
        *("title", "tags", "description", "temporal_coverage-from", "temporal_coverage-to")
    }
    labels = {each["field"]: each["label"] for each in update["fields"]}
    assert labels["tags"] == "Tags"
    assert labels["temporal_coverage-from"] == "Covers from"


def test_resources_come_and_go(portal: Portal, publisher: Publisher, source: str) -> None:
    other = {**dataset(7)["distribution"][0], "title": "Other table"}
    serve(publisher, distribution=[other])
    portal.run(source)
    [update, _] = call_action("ukharvest_dataset_change_list", id=first(portal)["id"])["results"]
    told = [(each["field"], each["old"], each["new"]) for each in update["fields"]]
    assert ("resources", "Table 0 (https://data.example/files/0.csv)", "") in told
    assert ("resources", "", "Other table (https://data.example/files/7.csv)") in told


def test_the_latest_are_kept_and_come_in_pages(
    portal: Portal, publisher: Publisher, source: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(changes, "KEPT_CHANGES", 4)
    name = first(portal)["name"]
    for number in range(5):
        serve(publisher, description=f"Text {number}.")
        portal.run(source)
    found = call_action("ukharvest_dataset_change_list", id=name, limit=2, offset=1)
    assert found["count"] == 4
    assert [each["fields"][0]["new"] for each in found["results"]] == ["Text 3.", "Text 2."]
    for wrong in ({"limit": "many"}, {"offset": -1}):
        with pytest.raises(tk.ValidationError):
            call_action("ukharvest_dataset_change_list", id=name, **wrong)


def test_a_deleted_dataset_that_comes_back(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    for records in (2, 3, 3):
        publisher.serve(PATH, catalogue(records))
        portal.run(source)
    for _run in range(2):
        publisher.serve(PATH, catalogue([dataset(0), dataset(1)]))
        portal.run(source)
    publisher.serve(PATH, catalogue(3))
    portal.run(source)
    model.Session.remove()
    row = model.Session.get(Record, record_id("https://data.example/id/00002"))
    kinds = model.Session.query(Change.kind).filter_by(record_id=row.id).order_by(Change.id)
    assert [kind for (kind,) in kinds] == ["added", "deleted", "added"]


def test_hidden_extras_stay_hidden_in_the_changes(
    portal: Portal, publisher: Publisher, source: str, ckan_config: dict[str, Any]
) -> None:
    jane = {"fn": "Data team", "hasEmail": "mailto:jane@somewhere.example"}
    serve(publisher, temporal="2019-04-01/2020-03-31", contactPoint=jane)
    portal.run(source)
    ckan_config["package_hide_extras"] = "temporal_coverage-to"
    editor = member({"id": portal.organization_id})["name"]
    [update, _] = changes_for(editor, first(portal)["id"])
    told = {each["field"]: each["new"] for each in update["fields"]}
    assert told["temporal_coverage-from"]
    assert "temporal_coverage-to" not in told
    # The contact is a person's name and address, which the publisher may withdraw.
    assert told["contact-email"] == "jane@somewhere.example"
    assert "data@" in str(update)
    [update, _] = changes_for("", first(portal)["id"])
    assert told.keys() == {each["field"] for each in update["fields"]}
    assert "@" not in str(update)


def changes_for(user: str, dataset_id: str) -> list[dict[str, Any]]:
    found = tk.get_action("ukharvest_dataset_change_list")({"user": user}, {"id": dataset_id})
    assert found["count"] == len(found["results"])
    return list(found["results"])


def test_edit_is_distinguished_from_an_import(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    package = first(portal)
    assert call_action("ukharvest_dataset_show", id=package["id"])["edited_since"] is None
    act("package_patch", id=package["id"], notes="By hand.")
    assert call_action("ukharvest_dataset_show", id=package["id"])["edited_since"]
    portal.run(source, force=True)
    assert call_action("ukharvest_dataset_show", id=package["id"])["edited_since"] is None


def test_dataset_names_source_guid_and_harvest_url(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    shown = call_action("ukharvest_dataset_show", id=first(portal)["name"])
    assert shown["source"]["name"] == "source-1"
    assert shown["source"]["title"] == "Source 1"
    assert shown["source"]["organization"]["name"]
    assert shown["guid"] == GUID
    assert shown["harvest_url"] == publisher.url(PATH)
    assert shown["state"] == "current"
    assert shown["harvested"] <= shown["checked"] or not shown["unchanged"]
    assert shown["next_run"] is None
    assert shown["reference"] == GUID
    kept = [each["field"] for each in shown["kept_fields"]]
    assert kept[:2] == ["theme-primary", "groups"]
    portal.run(source)
    assert call_action("ukharvest_dataset_show", id=first(portal)["name"])["unchanged"]


def test_a_dataset_of_nobodys_is_not_harvested(portal: Portal) -> None:
    other = factories.Dataset()
    shown = call_action("ukharvest_dataset_show", id=other["id"])
    assert shown.keys() == {
        "harvested_by_source",
        "theme",
        "stars",
        "coupled",
        "collections",
        "may_edit",
    }
    assert not shown["harvested_by_source"]


def test_missing_held_and_without_a_source(
    portal: Portal, publisher: Publisher, source: str, app: CKANTestApp
) -> None:
    name = first(portal)["name"]
    publisher.serve(PATH, catalogue([dataset(5)]))
    portal.run(source)
    shown = call_action("ukharvest_dataset_show", id=name)
    assert (shown["state"], shown["missed_runs"], shown["runs_left"]) == ("missing", 1, 1)
    portal.run(source)
    assert call_action("ukharvest_dataset_show", id=name)["state"] == "held"
    act("harvest_source_delete", id=source)
    editor = member({"id": portal.organization_id})
    show = tk.get_action("ukharvest_dataset_show")
    for user, sees in (("", False), (editor["name"], True)):
        shown = show({"user": user}, {"id": name})
        assert (shown["state"], shown["next_run"]) == ("off", None)
        assert bool(shown["source"]) is sees
        assert shown["harvest_url"] == publisher.url(PATH)
    for end in ("", "/source-record"):
        assert "/harvest/source-1" not in app.get(f"/dataset/{name}{end}").body
    assert "The source is switched off, so this" in app.get(f"/dataset/{name}").body
    page = app.get(f"/dataset/{name}", headers=editor["headers"]).body
    assert "so this dataset is not being updated. When the record" in re.sub(r"\s+", " ", page)
    act("dataset_purge", id=source)
    assert call_action("ukharvest_dataset_show", id=name)["state"] == "source_deleted"
    model.Session.query(Change).delete()
    model.Session.commit()
    page = app.get(f"/dataset/{name}/harvest-changes", headers=editor["headers"]).body
    assert "No changes recorded." in page
    assert (
        "was removed, so it is no longer updated"
        in app.get(f"/dataset/edit/{name}", headers=editor["headers"]).body
    )


def test_a_private_source_is_named_to_its_organisation(
    portal: Portal, source: str, app: CKANTestApp
) -> None:
    name = first(portal)["name"]
    assert "Source 1</a>" in app.get(f"/dataset/{name}/source-record").body
    model.Package.get(source).private = True
    model.Session.commit()
    person = member({"id": portal.organization_id}, "member")
    show = tk.get_action("ukharvest_dataset_show")
    for headers, user, sees in (({}, "", False), (person["headers"], person["name"], True)):
        shown = show({"user": user}, {"id": name})
        assert bool(shown["source"]) is bool(shown["harvest_url"]) is sees
        for page in ("/dataset/", f"/dataset/{name}", f"/dataset/{name}/source-record"):
            told = "/harvest/source-1" in app.get(page, headers=headers).body
            # A list is the same for everybody.
            assert told is (sees and page != "/dataset/")


def test_problem_counts_need_the_right_to_edit(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    serve(publisher, modified="10/03")
    portal.run(source)
    package = first(portal)
    editor = member({"id": portal.organization_id})
    stranger = factories.User()
    show = tk.get_action("ukharvest_dataset_show")
    for name, told in ((editor["name"], True), (stranger["name"], False), ("", False)):
        shown = show({"user": name}, {"id": package["id"]})
        assert bool(shown["problems_count"]) is told
        assert (shown["problems_count"] is None) is not told
        is_insider = (len(shown["problems"]) == shown["problems_count"], shown["may_see_record"])
        assert is_insider == (told, told)
        assert shown["may_edit"] is told


def test_a_private_dataset_is_for_its_members(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    package = first(portal)
    act("package_patch", id=package["id"], private=True)
    for action in ("ukharvest_dataset_show", "ukharvest_dataset_change_list"):
        with pytest.raises(tk.NotAuthorized):
            helpers.call_auth(action, {"user": "", "model": model}, id=package["id"])
        person = member({"id": portal.organization_id}, "member")
        assert helpers.call_auth(action, {"user": person["name"], "model": model}, id=package["id"])
    serve(publisher, description="Not for everybody.")
    portal.run(source)
    assert len(changes_for(person["name"], package["id"])) == 2
    act("package_patch", id=package["id"], private=False)
    serve(publisher, description="For everybody.")
    portal.run(source)
    for user, count in ((person["name"], 2), ("", 2)):
        assert len(changes_for(user, package["id"])) == count
    editor = member({"id": portal.organization_id})
    assert len(changes_for(editor["name"], package["id"])) == 3


def test_changes_for_everybody(
    portal: Portal, publisher: Publisher, source: str, app: CKANTestApp
) -> None:
    name = first(portal)["name"]
    address = f"/dataset/{name}/harvest-changes"
    assert "No changes recorded." in app.get(address).body
    assert f'href="{address}"' in app.get(f"/dataset/{name}").body
    serve(publisher, description="What is said about number 0.")
    portal.run(source)
    page = re.sub(r"\s+", " ", app.get(address).body)
    assert "</i>&nbsp;Updated" in page
    assert "What is <del><span" in page
    assert 'Deleted: </span>known</del><ins><span class="visually-hidden">Added: ' in page
    assert app.get(f"/dataset/{factories.Dataset()['name']}/harvest-changes").status_code == 404
    act("package_patch", id=first(portal)["id"], private=True)
    assert app.get(address).status_code == 404


def test_the_tab_is_not_on_other_datasets(app: CKANTestApp, portal: Portal) -> None:
    other = factories.Dataset()["name"]
    assert "harvest-changes" not in app.get(f"/dataset/{other}").body


def test_notice_and_problems_are_for_editors(
    portal: Portal, publisher: Publisher, source: str, app: CKANTestApp
) -> None:
    serve(publisher, modified="10/03")
    portal.run(source)
    address = f"/dataset/{first(portal)['name']}"
    page = app.get(address).body
    assert "ukharvest-box" in page
    for word in ("edits to fields that the source", "Problems: "):
        assert word not in page
    editor = member({"id": portal.organization_id})["headers"]
    page = app.get(address, headers=editor).body
    assert "edits to fields that the source supplies are lost" in page
    assert "Problems: 1" in page
    assert f"/harvest/source-1/record/{record_id()}" in page
    form = app.get(address.replace("/dataset/", "/dataset/edit/"), headers=editor).body
    assert form.index("edits to fields that the source supplies") < form.index('name="title"')


def test_the_page_asks_the_database_once_more(
    portal: Portal, source: str, app: CKANTestApp
) -> None:
    address = f"/dataset/{first(portal)['name']}"
    app.get(address)
    with statements("ukharvest_record") as sent:
        app.get(address)
    assert len([each for each in sent if "ukharvest_source" in each]) == 1
