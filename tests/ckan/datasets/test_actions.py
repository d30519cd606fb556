"""The extras ``harvest:…`` as udata writes them: in the API's answer, and nowhere else."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.lib.search.common import make_connection
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.core.records import HARVEST_EXTRAS
from ckanext.ukharvest.harvest.model import Record
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.datasets.first_dataset import GUID, PATH, first
from tests.ckan.harvesting import Portal, act, extras, figures, statements
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


@pytest.fixture
def editor(organization: dict[str, str]) -> dict[str, str]:
    user = factories.UserWithToken()
    act("organization_member_create", id=organization["id"], username=user["name"], role="editor")
    return {"Authorization": user["token"]}


def shown(app: CKANTestApp, name: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
    """Return a dataset as the API shows it."""
    model.Session.remove()
    answer = app.get(f"/api/3/action/package_show?id={name}", headers=headers or {})
    return dict(answer.json["result"])


def computed(package: dict[str, Any]) -> dict[str, str]:
    """Return the four extras; fail if one is there twice."""
    found = [each for each in package["extras"] if each["key"] in HARVEST_EXTRAS]
    assert len(found) == len({each["key"] for each in found})
    return {each["key"]: each["value"] for each in found}


def stored(package_id: str) -> dict[str, str]:
    """Return the extras that the database has, whatever plugins would show."""
    model.Session.remove()
    return dict(model.Package.get(package_id).extras)


def documents(name: str) -> str:
    """Return what the search index has stored of a dataset."""
    [found] = make_connection().search(f"name:{name}", fl="*", rows=1).docs
    return json.dumps(found, default=str)


def set_last_seen(time: str) -> None:
    """Set when a run last saw the records."""
    model.Session.execute(sa.text("UPDATE ukharvest_record SET last_seen = :time"), {"time": time})
    model.Session.commit()


def test_a_harvested_dataset(app: CKANTestApp, portal: Portal, source: str) -> None:
    package = shown(app, first(portal)["name"])
    found = computed(package)
    time = dt.datetime.fromisoformat(found.pop("harvest:last_update"))
    assert abs(dt.datetime.now(dt.timezone.utc) - time) < dt.timedelta(hours=1)
    assert found == {
        "harvest:domain": "127.0.0.1",
        "harvest:remote_id": GUID,
        "harvest:source_id": source,
    }
    assert extras(package)["guid"] == GUID
    by_post = app.post("/api/action/package_show", json={"id": package["id"]}).json["result"]
    assert computed(by_post) == computed(package)
    plain = app.get(f"/api/3/action/package_show?id={package['id']}&use_default_schema=true")
    assert computed(plain.json["result"]) == computed(package)


def test_a_dataset_made_by_hand_and_a_harvest_source_have_none(
    app: CKANTestApp, portal: Portal, source: str
) -> None:
    by_hand = factories.Dataset(extras=[{"key": "colour", "value": "green"}])
    assert extras(shown(app, by_hand["name"])) == {"colour": "green"}
    assert computed({"extras": [], **shown(app, "source-1")}) == {}


def test_a_dataset_that_a_stock_harvester_left(
    app: CKANTestApp, portal: Portal, publisher: Publisher
) -> None:
    source_id = portal.source(publisher.url(PATH))
    package = factories.Dataset(
        extras=[{"key": "guid", "value": "g1"}, {"key": "harvest_source_id", "value": source_id}]
    )
    for statement in (
        "INSERT INTO harvest_job (id, source_id, status, created, finished)"
        " VALUES ('stock', :source, 'Finished', '2026-01-02', '2026-01-02')",
        "INSERT INTO harvest_object (id, guid, current, gathered, import_finished, content, state,"
        " retry_times, harvest_job_id, harvest_source_id, package_id, report_status)"
        " VALUES ('stock', 'g1', true, '2026-01-02 03:04', '2026-01-02 03:05:06.5', '{}',"
        " 'COMPLETE', 0, 'stock', :source, :package, 'added')",
    ):
        ids = {"source": source_id, "package": package["id"]}
        model.Session.execute(sa.text(statement), ids)
    model.Session.commit()
    assert computed(shown(app, package["name"])) == {
        "harvest:domain": urlsplit(publisher.url(PATH)).hostname,
        "harvest:remote_id": "g1",
        "harvest:source_id": source_id,
        "harvest:last_update": "2026-01-02T03:05:06+00:00",
    }


def test_an_update_is_each_run_that_confirms_the_record(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str
) -> None:
    name = first(portal)["name"]
    set_last_seen("2026-01-02 03:04:05")
    assert computed(shown(app, name))["harvest:last_update"] == "2026-01-02T03:04:05+00:00"
    before = documents(name)
    assert figures(portal.run(source)) == {"not modified": 2}
    assert computed(shown(app, name))["harvest:last_update"] > "2026-01-03"
    assert documents(name) == before  # nothing that changes nightly is indexed


def test_a_record_that_fails_does_not_update_its_dataset(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str
) -> None:
    name = first(portal)["name"]
    model.Session.execute(sa.text("UPDATE harvest_object SET import_finished = '2026-01-02'"))
    model.Session.commit()
    publisher.serve(PATH, catalogue([dataset(0, title=""), dataset(1)]))
    assert figures(portal.run(source))["errored"] == 1
    assert computed(shown(app, name))["harvest:last_update"] == "2026-01-02T00:00:00+00:00"


def test_computed_extras_sent_back_are_not_stored(
    app: CKANTestApp, portal: Portal, source: str, editor: dict[str, str]
) -> None:
    package = shown(app, first(portal)["name"], editor)
    assert len(computed(package)) == 4
    before = stored(package["id"])
    for more in ({}, {"notes": "By hand."}):
        answer = app.post("/api/3/action/package_update", json={**package, **more}, headers=editor)
        assert answer.status_code == 200
        after = stored(package["id"])
        assert not set(HARVEST_EXTRAS) & after.keys()
        assert {key: after[key] for key in before} == before
        assert not set(HARVEST_EXTRAS) & {each["key"] for each in answer.json["result"]["extras"]}
    assert computed(shown(app, package["name"])) == computed(package)
    assert shown(app, package["name"])["notes"] == "By hand."


def test_a_copy_has_none_of_them(
    app: CKANTestApp, portal: Portal, source: str, editor: dict[str, str]
) -> None:
    package = shown(app, first(portal)["name"])
    sent = {key: package[key] for key in ("title", "notes", "extras", "owner_org")}
    copy = app.post("/api/3/action/package_create", json={**sent, "name": "copy"}, headers=editor)
    assert extras(copy.json["result"])["guid"] == GUID
    assert not set(HARVEST_EXTRAS) & stored(copy.json["result"]["id"]).keys()


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("package_patch", {"notes": "By hand."}),
        ("package_revise", {"match": {}, "update": {"notes": "By hand."}}),
        ("resource_create", {"url": "https://data.example/more.csv"}),
    ],
)
def test_other_ways_to_change_a_dataset_store_none(
    app: CKANTestApp,
    portal: Portal,
    source: str,
    editor: dict[str, str],
    action: str,
    fields: dict[str, Any],
) -> None:
    package = first(portal)
    named = {"package_id": package["id"], "id": package["id"]}
    if action == "package_revise":
        named, fields = {}, {**fields, "match": {"id": package["id"]}}
    if action == "resource_create":
        del named["id"]
    before = stored(package["id"])
    answer = app.post(f"/api/3/action/{action}", json={**named, **fields}, headers=editor)
    assert answer.status_code == 200
    assert stored(package["id"]).keys() >= before.keys()
    assert not set(HARVEST_EXTRAS) & stored(package["id"]).keys()


def test_an_update_that_changes_nothing_is_still_seen_as_such(
    app: CKANTestApp, portal: Portal, source: str, editor: dict[str, str]
) -> None:
    """CKAN 2.12 does not write a dataset that is sent back as it was shown."""
    package = shown(app, first(portal)["name"], editor)
    # The first update stores ckanext-harvest's own extras.
    app.post("/api/3/action/package_update", json=package, headers=editor)
    package = shown(app, package["name"], editor)
    answer = app.post("/api/3/action/package_update", json=package, headers=editor).json["result"]
    if hasattr(model.Package, "extras") and "extras" in model.package_table.c:  # CKAN 2.12
        assert answer["metadata_modified"] == package["metadata_modified"]


def test_runs_ignore_computed_extras(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str
) -> None:
    package = shown(app, first(portal)["name"])
    hashes = [row[0] for row in model.Session.query(Record.package_hash).order_by(Record.id)]
    assert figures(portal.run(source, force=True)) == {"updated": 2}
    assert hashes == [
        row[0] for row in model.Session.query(Record.package_hash).order_by(Record.id)
    ]
    assert not set(HARVEST_EXTRAS) & stored(package["id"]).keys()
    publisher.serve(PATH, catalogue([dataset(0, description="New."), dataset(1)]))
    portal.run(source)
    change = call_action("ukharvest_dataset_change_list", id=package["id"])["results"][0]
    assert {each["field"] for each in change["fields"]} == {"notes"}
    assert "harvest:" not in documents(package["name"])
    assert "harvest:" not in json.dumps(call_action("package_search", q="*:*")["results"])


def test_pages_do_not_show_them(
    app: CKANTestApp, portal: Portal, source: str, editor: dict[str, str]
) -> None:
    name = first(portal)["name"]
    for address in (f"/dataset/{name}", f"/dataset/edit/{name}"):
        assert "harvest:" not in app.get(address, headers=editor).body


def test_private_source_is_not_named(
    app: CKANTestApp, portal: Portal, source: str, editor: dict[str, str]
) -> None:
    act("package_patch", id=source, private=True)
    name = first(portal)["name"]
    assert computed(shown(app, name)).keys() == {"harvest:remote_id", "harvest:last_update"}
    assert computed(shown(app, name, editor)).keys() == set(HARVEST_EXTRAS)


def search(app: CKANTestApp, query: str, headers: dict[str, str] | None = None) -> list[Any]:
    """Return the results of the API's search."""
    model.Session.remove()
    answer = app.get(f"/api/3/action/package_search?{query}", headers=headers or {})
    return list(answer.json["result"]["results"])


def _stored_extras(package: dict[str, Any]) -> dict[str, str]:
    """Return the extras, without those that ckanext-harvest adds to the index alone."""
    names = ("harvest_object_id", "harvest_source_id", "harvest_source_title")
    return {key: value for key, value in extras(package).items() if key not in names}


def test_search_shows_the_same_extras(
    app: CKANTestApp, portal: Portal, source: str, editor: dict[str, str]
) -> None:
    factories.Dataset(extras=[{"key": "colour", "value": "green"}])
    # CKAN shows a dataset from the database if its time is another than Solr's, which leaves out a
    # fraction of less than a millisecond: that of one dataset in a thousand.
    model.Session.execute(
        sa.text(
            "UPDATE package SET metadata_modified = date_trunc('second', metadata_modified)"
            " + interval '400 microseconds'"
        )
    )
    model.Session.commit()
    results = search(app, "sort=name+asc&include_private=true", editor)
    answers = [shown(app, each["name"], editor) for each in results]
    assert [_stored_extras(each) for each in results] == [_stored_extras(each) for each in answers]
    assert [len(computed(each)) for each in results].count(4) == 2
    assert search(app, "fl=id,title&rows=1")[0].keys() == {"id", "title"}
    act("package_patch", id=source, private=True)
    hidden, visible = search(app, "q=guid:*00000"), search(app, "q=guid:*00000", editor)
    assert computed(hidden[0]).keys() == {"harvest:remote_id", "harvest:last_update"}
    assert computed(visible[0]).keys() == set(HARVEST_EXTRAS)


def test_page_of_results_needs_one_statement(app: CKANTestApp, portal: Portal, source: str) -> None:
    search(app, "rows=2")
    with statements("ukharvest_record") as sent:
        assert len(search(app, "rows=2")) == 2
    assert len(sent) == 1
    with statements("ukharvest_record") as sent:
        search(app, "q=nothing-has-this-word")
    assert sent == []


def test_one_statement_more(app: CKANTestApp, portal: Portal, source: str) -> None:
    name = first(portal)["name"]
    shown(app, name)
    with statements() as sent:
        shown(app, name)
    ours = [each for each in sent if "ukharvest_" in each]
    assert len(ours) == 1
    with statements("ukharvest_") as sent:
        call_action("package_show", id=name)
        call_action("package_search", q="*:*")
    assert [each for each in sent if "ukharvest_record" in each] == []


@pytest.mark.parametrize("action", ["package_create", "package_update", "organization_update"])
def test_ckans_documentation_of_its_actions_stays(app: CKANTestApp, action: str) -> None:
    answer = app.get(f"/api/3/action/help_show?name={action}").json["result"]
    assert ":rtype: dictionary" in answer
