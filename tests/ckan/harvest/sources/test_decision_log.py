"""What people decide about a source is stored, shown in its history, and downloaded as CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.harvest.model import Decision
from ckanext.ukharvest.harvest.sources import decision_log
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(10))
    source_id = portal.source(publisher.url(PATH), name="somewhere")
    portal.run(source_id)
    return source_id


@pytest.fixture
def admin() -> str:
    return str(factories.Sysadmin()["name"])


def decide(action: str, user: str, **fields: Any) -> Any:
    return call_action(action, {"user": user, "ignore_auth": False}, **fields)


def decisions(**of: str) -> list[dict[str, Any]]:
    model.Session.remove()
    return list(call_action("ukharvest_decision_list", **of)["results"])


@pytest.mark.parametrize(
    ("choice", "kind", "text"),
    [
        ("keep", "datasets kept", "Datasets kept: 6"),
        ("approve", "deletions approved", "Deletions approved: 6"),
    ],
)
def test_decision_about_deletions_is_stored(
    portal: Portal, publisher: Publisher, source: str, admin: str, choice: str, kind: str, text: str
) -> None:
    publisher.serve(PATH, catalogue(4))
    portal.run(source)
    run = portal.run(source)["id"]
    decide("ukharvest_pending_decide", admin, source_id=source, decision=choice)
    [decision] = decisions(source="somewhere")
    assert (decision["user"], decision["decision"], decision["text"]) == (admin, kind, text)
    assert (decision["number"], decision["run_id"]) == (6, run)
    assert call_action("ukharvest_run_show", id=run)["decisions"][0]["text"] == text


@pytest.mark.parametrize(
    ("choice", "kind"), [("same", "same datasets"), ("different", "different datasets")]
)
def test_decision_about_identifiers_is_stored(
    portal: Portal, publisher: Publisher, admin: str, choice: str, kind: str
) -> None:
    old = [dataset(n, identifier=f"http://old.example/{n}") for n in range(8)]
    publisher.serve(PATH, {"dataset": old})
    source = portal.source(publisher.url(PATH))
    portal.run(source)
    publisher.serve(PATH, catalogue(8))
    run = portal.run(source)["id"]
    decide("ukharvest_pending_decide", admin, source_id=source, decision=choice)
    [decision] = decisions(source=source)
    assert (decision["user"], decision["decision"]) == (admin, kind)
    assert (decision["number"], decision["run_id"]) == (8, run)


def test_switching_a_source_off_and_on_is_stored(portal: Portal, source: str, admin: str) -> None:
    decide("harvest_source_patch", admin, id=source, title="Renamed")
    assert decisions(source=source) == []
    decide("harvest_source_delete", admin, id=source)
    decide("harvest_source_patch", admin, id=source, state="active")
    rows = decisions(source=source)
    assert [(row["user"], row["decision"]) for row in rows] == [
        (admin, "switched on"),
        (admin, "switched off"),
    ]


def test_changed_url_is_stored(
    portal: Portal, publisher: Publisher, source: str, admin: str
) -> None:
    old, new = publisher.url(PATH), publisher.url("/new.json")
    decide("harvest_source_patch", admin, id=source, url=new)
    [decision] = decisions(source=source)
    assert (decision["user"], decision["decision"]) == (admin, "moved")
    assert decision["text"] == f"URL changed: {old} → {new}"


def test_stopped_run_is_stored_once_and_is_no_decision_about_it(
    portal: Portal, source: str, admin: str
) -> None:
    run = call_action("harvest_job_create", source_id=source, run=False)["id"]
    decide("ukharvest_run_stop", admin, id=run)
    [decision] = decisions(source=source)
    assert (decision["user"], decision["decision"], decision["run_id"]) == (
        admin,
        "run stopped",
        run,
    )
    assert call_action("ukharvest_run_show", id=run)["decisions"] == []


def test_options_are_confirmed_once(portal: Portal, publisher: Publisher, admin: str) -> None:
    factories.Group(name="transport")
    publisher.serve(PATH, catalogue(1))
    options = json.dumps({"default_groups": ["transport"]})
    owner = {"owner_org": portal.organization_id, "url": publisher.url(PATH)}
    given = {"name": "grouped", "title": "Grouped", "source_type": "data_json", **owner}
    made = decide("harvest_source_create", admin, config=options, **given)
    decide("harvest_source_patch", admin, id=made["id"], title="Renamed")
    [decision] = decisions(source="grouped")
    assert (decision["user"], decision["options"]) == (admin, {"default_groups": ["transport"]})
    assert decision["text"] == "Options confirmed: default_groups"
    decide("harvest_source_patch", admin, id=made["id"], config="{}")
    assert decision_log.confirmed_options(made["id"]) == {}
    assert [row["options"] for row in decisions(source="grouped")] == [
        {},
        {"default_groups": ["transport"]},
    ]


def test_runs_page_shows_decisions(
    app: CKANTestApp, portal: Portal, source: str, organization: dict[str, str], admin: str
) -> None:
    headers = dict(member(organization)["headers"])
    assert "Decisions" not in app.get("/harvest/somewhere/job", headers=headers).body
    decide("harvest_source_delete", admin, id=source)
    page = app.get("/harvest/somewhere/job", headers=headers).body
    assert f"{admin}: Switched off" in page
    assert "/harvest/decisions.csv?source=somewhere" in page


def test_sysadmin_downloads_all_decisions_and_editor_those_of_a_source(
    app: CKANTestApp, portal: Portal, source: str, organization: dict[str, str], admin: str
) -> None:
    decide("harvest_source_delete", admin, id=source)
    editor = dict(member(organization)["headers"])
    sysadmin = {"Authorization": factories.SysadminWithToken()["token"]}
    for url, headers in (
        ("/harvest/decisions.csv", sysadmin),
        ("/harvest/decisions.csv?source=somewhere", editor),
    ):
        answer = app.get(url, headers=headers, status=200)
        [row] = csv.DictReader(io.StringIO(answer.body))
        assert (row["user"], row["source"], row["decision"]) == (admin, "somewhere", "switched off")
    app.get("/harvest/decisions.csv", headers=editor, status=403)


def test_decision_goes_with_its_source_and_outlives_the_run(
    portal: Portal, publisher: Publisher, source: str, admin: str
) -> None:
    publisher.serve(PATH, catalogue(4))
    portal.run(source)
    portal.run(source)
    decide("ukharvest_pending_decide", admin, source_id=source, decision="keep")
    call_action("harvest_source_job_history_clear", id=source)
    assert len(decisions(source=source)) == 1
    call_action("harvest_source_clear", id=source)
    assert len(decisions(source=source)) == 1
    model.Session.execute(sa.text("DELETE FROM harvest_source"))
    assert model.Session.query(Decision).count() == 0
    model.Session.rollback()
