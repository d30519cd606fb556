"""A source with no records, or far fewer than before, has the same text everywhere."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.doctor import dashboard as portal_dashboard
from ckanext.ukharvest.doctor import pages as doctor_pages
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.model import SourceState
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.inbox import Inbox, choose, plain
from tests.ckan.people import member
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher, Response

pytestmark = pytest.mark.in_process

PATH = "/data.json"
PAGE = "/harvest/parking"
Session = model.Session

EMPTY_HEADING = "No records found"
EMPTY_TEXT = "Nothing was imported, and nothing was deleted."
SHRUNK_HEADING = "Many records missing: 9 of 11"
SHRUNK_TEXT = (
    "If they are missing from the next complete run too, an administrator of the organisation "
    "will be asked before they are deleted."
)


@pytest.fixture
def admin(organization: dict[str, str]) -> dict[str, Any]:
    return member(organization, "admin")


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    return ready_source(PATH, catalogue(12), name="parking")


def show_source(source: str) -> dict[str, Any]:
    Session.remove()
    return dict(act("ukharvest_source_show", source_id=source))


def dashboard() -> dict[str, Any]:
    for name in (portal_dashboard.SNAPSHOT, portal_dashboard.CHECKS, portal_dashboard.THOROUGHLY):
        http_client.delete_from_redis(name)
    return dict(act("ukharvest_dashboard_show"))


def list_sources(user: str) -> dict[str, Any]:
    Session.remove()
    return dict(call_action("ukharvest_source_list", {"user": user, "ignore_auth": False}))


def lines(page: str) -> str:
    return " ".join(page.split())


def test_an_emptied_source_needs_attention_everywhere(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str, admin: dict[str, Any]
) -> None:
    publisher.serve(PATH, catalogue(0))
    job = portal.run(source)

    found = show_source(source)
    assert (found["health"], found["health_reason"]) == ("empty", "no-records")
    assert (found["heading"], found["text"][0]) == (EMPTY_HEADING, EMPTY_TEXT)
    assert found["text"][1] == "Nothing is deleted as long as the source lists no records."
    assert (found["css"], found["badge"]) == ("is-warning", {"kind": "health", "value": "empty"})
    assert found["last_run"]["outcome"] == "empty"
    assert found["last_good_run"]["id"] != job["id"]

    of_list = list_sources(admin["name"])
    assert of_list["results"][0]["health"] == "empty"
    assert of_list["results"][0]["last_run"]["outcome"] == "empty"
    assert of_list["needs_attention"]["empty"] == 1
    page = lines(app.get("/harvest/to-do", headers=admin["headers"]).body)
    assert EMPTY_HEADING in page

    page = app.get(PAGE, headers=admin["headers"]).body
    assert EMPTY_HEADING in page
    assert "Healthy" not in page
    page = app.get(f"{PAGE}/job/{job['id']}", headers=admin["headers"]).body
    assert EMPTY_TEXT in page
    assert "is-warning" in page

    state = dashboard()
    assert (state["health"]["empty"], state["health"]["healthy"]) == (1, 0)
    assert 'ukharvest_sources{health="empty"} 1' in doctor_pages.metrics_text(state)
    assert len(portal.datasets()) == 12


def test_nearly_all_records_missing_need_attention_everywhere(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str, admin: dict[str, Any]
) -> None:
    publisher.serve(PATH, catalogue(11))
    portal.run(source)
    portal.run(source)
    assert len(portal.datasets()) == 11
    publisher.serve(PATH, catalogue(2))
    job = portal.run(source)
    assert figures(job) == {"not modified": 2, "missing": 9}

    found = show_source(source)
    assert (found["health"], found["health_reason"]) == ("shrunk", "records-missing")
    assert (found["heading"], found["text"][0]) == (SHRUNK_HEADING, SHRUNK_TEXT)
    assert found["css"] == "is-warning"
    assert found["missing"] == {"records": 9, "of": 11, "asks_after": 1}
    assert found["last_run"]["outcome"] == "shrunk"
    assert list_sources(admin["name"])["needs_attention"]["shrunk"] == 1
    assert dashboard()["health"]["shrunk"] == 1
    page = app.get(f"{PAGE}/job/{job['id']}", headers=admin["headers"]).body
    assert SHRUNK_HEADING in page

    portal.run(source)  # and the announced deletions happen
    found = show_source(source)
    assert (found["health"], found["held"]) == ("held", 9)
    assert len(portal.datasets()) == 11

    publisher.serve(PATH, catalogue(11))
    portal.run(source)
    assert show_source(source)["health"] == "healthy"


def test_few_missing_records_are_no_news(portal: Portal, publisher: Publisher, source: str) -> None:
    publisher.serve(PATH, catalogue(8))
    portal.run(source)
    assert (show_source(source)["health"], show_source(source)["missing"]) == ("healthy", None)


@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "3")
def test_as_many_runs_as_the_portal_waits_for(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.run(source)
    assert show_source(source)["text"][0] == (
        "If they are missing from the next 2 complete runs too, an administrator of the "
        "organisation will be asked before they are deleted."
    )
    portal.run(source)
    assert show_source(source)["text"][0].startswith(
        "If they are missing from the next complete run too"
    )
    portal.run(source)
    assert show_source(source)["held"] == 11


def test_a_failure_is_not_over_because_of_an_empty_read(
    portal: Portal,
    publisher: Publisher,
    source: str,
    inbox: Inbox,
) -> None:
    choose(source)
    good = show_source(source)["last_good_run"]["id"]
    publisher.serve(PATH, Response(b"{", status=200))
    portal.run(source)
    assert show_source(source)["health"] == "hiccup"
    assert inbox.subjects() == ["[CKAN] Source 1: Last run failed"]

    publisher.serve(PATH, catalogue(0))
    portal.run(source)
    found = show_source(source)
    assert (found["health"], found["last_good_run"]["id"]) == ("empty", good)
    (mail,) = inbox.new_mails()
    assert mail["Subject"] == "[CKAN] Source 1: No records found"
    assert EMPTY_TEXT in plain(mail)
    assert "/harvest/parking/job/" in plain(mail)

    portal.run(source)
    assert inbox.new_mails() == []
    assert show_source(source)["held"] == 0
    publisher.serve(PATH, catalogue(12))
    portal.run(source)
    assert inbox.subjects() == ["[CKAN] Source 1: Working again"]
    assert show_source(source)["health"] == "healthy"


def test_missing_records_are_mailed_once(
    portal: Portal,
    publisher: Publisher,
    source: str,
    inbox: Inbox,
) -> None:
    choose(source)
    publisher.serve(PATH, catalogue(2))
    portal.run(source)
    (mail,) = inbox.new_mails()
    assert mail["Subject"] == "[CKAN] Source 1: Many records missing: 10 of 12"
    text = plain(mail)
    assert "Many records missing: 10 of 12" in text
    assert "will be asked before they are deleted" in text
    act("harvest_jobs_run")
    assert inbox.new_mails() == []
    publisher.serve(PATH, catalogue(12))
    portal.run(source)
    assert inbox.new_mails() == []  # no run had failed
    publisher.serve(PATH, catalogue(2))
    portal.run(source)
    assert inbox.subjects() == ["[CKAN] Source 1: Many records missing: 10 of 12"]
    assert "missing" in Session.get(SourceState, source).mailed


def test_all_is_not_well_where_records_failed(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str, admin: dict[str, Any]
) -> None:
    publisher.serve(PATH, catalogue([dataset(0, title=""), *map(dataset, range(1, 12))]))
    portal.run(source)
    assert show_source(source)["health"] == "errors"
    assert not any(list_sources(admin["name"])["needs_attention"].values())
    page = lines(app.get("/harvest/", headers=admin["headers"]).body)
    assert "Some records failed" in page
    assert dashboard()["health"]["errors"] == 1


def test_all_is_well_where_nothing_failed(
    app: CKANTestApp, portal: Portal, source: str, admin: dict[str, Any]
) -> None:
    portal.run(source)
    assert not any(act("ukharvest_source_list")["needs_attention"].values())
    page = app.get("/harvest/to-do", headers=admin["headers"]).body
    assert "There is nothing to do." in page


def test_a_source_that_never_had_any_records(
    app: CKANTestApp, portal: Portal, publisher: Publisher, admin: dict[str, Any]
) -> None:
    publisher.serve(PATH, catalogue(0))
    source = portal.source(publisher.url(PATH))
    portal.run(source)
    found = show_source(source)
    assert (found["health"], found["heading"]) == ("empty", EMPTY_HEADING)
    assert found["text"][0] == EMPTY_TEXT
    assert found["last_good_run"] is None
