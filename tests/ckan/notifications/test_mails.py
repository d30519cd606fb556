"""Mails about sources, as a mail server gets them."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from freezegun import freeze_time
from markupsafe import escape

from ckanext.ukharvest import doctor
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.model import JobReport, SourceState
from ckanext.ukharvest.notifications import due, mails
from ckanext.ukharvest.notifications.actions import TESTS_A_DAY
from ckanext.ukharvest.notifications.due import MAX_TRIES
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, tick
from tests.ckan.inbox import TEAM, Inbox, choose, marked_up, plain
from tests.ckan.notifications.mailed_runs import PATH, Session
from tests.ckan.people import member
from tests.publisher import Publisher, Response

pytestmark = pytest.mark.in_process


def test_one_mail_for_a_streak_of_failures_and_one_when_it_works(
    portal: Portal, publisher: Publisher, source: str, inbox: Inbox
) -> None:
    choose(source)
    publisher.serve(PATH, Response(b"{", status=200))
    job = portal.run(source)
    (first,) = inbox.new_mails()
    assert first["To"] == TEAM
    assert first["Subject"] == "[CKAN] Source 1: Last run failed"
    text = plain(first)
    start = text.split("\n\n")[:5]
    assert job["ukharvest"]["reason"].rstrip(".") in start[0]
    assert start[1].startswith("Check the server's name and port")
    assert start[2] == "This often resolves itself."
    assert start[3] == "Nothing was imported, and nothing was deleted."
    assert start[4] == "Next run: Not scheduled"
    assert f"/harvest/somewhere/job/{job['id']}\n" in text
    portal.run(source)
    tick()
    assert inbox.new_mails() == []
    publisher.serve(PATH, catalogue(4))
    portal.run(source)
    (second,) = inbox.new_mails()
    assert second["Subject"] == "[CKAN] Source 1: Working again"
    assert re.search("^Failed runs since .+: 2$", plain(second), re.MULTILINE)
    assert "Last run: Added: 1, Unchanged: 3" in plain(second)
    tick()
    assert inbox.new_mails() == []


def test_waiting_deletions_are_reported_once(
    portal: Portal, publisher: Publisher, source: str, inbox: Inbox
) -> None:
    choose(source)
    publisher.serve(PATH, catalogue(1))
    for _ in range(3):
        portal.run(source)
    warning, message = inbox.new_mails()  # after the first run without them, and after the second
    assert warning["Subject"] == "[CKAN] Source 1: Many records missing: 2 of 3"
    subject = "[CKAN] Source 1: Waiting for a decision: 2 datasets would be deleted"
    assert message["Subject"] == subject
    assert "2 of 3 datasets are no longer in the source" in plain(message)
    assert "Nothing has been deleted." in plain(message)
    assert "/harvest/somewhere/deletions\n" in plain(message)
    state = Session.get(SourceState, source)
    assert state.mailed["held"]["number"] == 2
    # As if three had waited before: one more or less is no news.
    state.mailed = {"held": {**state.mailed["held"], "number": 3}}
    Session.commit()
    tick()
    assert inbox.subjects() == []
    # As if one had: twice as many are.
    state = Session.get(SourceState, source)
    state.mailed = {"held": {**state.mailed["held"], "number": 1}}
    Session.commit()
    tick()
    tick()
    assert inbox.subjects() == [subject]


def test_plain_text_and_html_say_the_same(
    portal: Portal, source: str, fails: None, inbox: Inbox
) -> None:
    title = "<b>Roads</b> & “Paths”\u202e " + "long " * 40
    act("harvest_source_patch", id=source, title=title)
    choose(source)
    portal.run(source)
    (message,) = inbox.new_mails()
    page = marked_up(message)
    assert "<b>Roads" not in page
    assert '<html lang="en">' in page
    assert "<img" not in page
    links = re.findall(r'href="([^"]+)"', page)
    assert links == re.findall(r"https?://\S+$", plain(message), re.MULTILINE)
    assert len(links) == 2
    assert len(message["Subject"]) < 180
    for line in plain(message).split("\n"):
        text = line.removesuffix(":").removeprefix("- ")
        if text and not text.startswith(("http", "-- ")):
            assert str(escape(text)) in page


def test_a_mail_server_that_is_away_fails_no_tick(
    portal: Portal, source: str, fails: None, inbox: Inbox
) -> None:
    choose(source)
    inbox.is_away = True
    assert portal.run(source)["status"] == "Finished"
    inbox.is_away = False
    tick()
    assert len(inbox.new_mails()) == 1
    Session.get(SourceState, source).mailed = {"tries": MAX_TRIES - 1}
    Session.commit()
    inbox.is_away = True
    tick()
    inbox.is_away = False
    tick()
    assert inbox.new_mails() == []  # given up after so many tries


def test_who_got_a_mail_does_not_get_it_again_for_others(
    portal: Portal, source: str, fails: None, inbox: Inbox
) -> None:
    choose(source, addresses=[TEAM, "full@somewhere.example"])
    inbox.full = "full@somewhere.example"
    portal.run(source)
    assert [each["To"] for each in inbox.new_mails()] == [TEAM]
    inbox.full = ""
    tick()
    assert inbox.new_mails() == []


def test_a_weekly_summary(portal: Portal, publisher: Publisher, source: str, inbox: Inbox) -> None:
    publisher.serve("/other.json", Response(b"gone", status=410))
    other = portal.source(publisher.url("/other.json"), name="elsewhere")
    portal.run(other)
    Session.query(JobReport).filter_by(source_id=other).one().progress = {"fixed": 6, "new": 1}
    for each in (source, other):
        choose(each, events=[], weekly="needed")
    tick()  # the week of the installation
    assert inbox.new_mails() == []
    monday = dt.datetime.fromisoformat(due.week()) + dt.timedelta(days=7)
    with freeze_time(monday + dt.timedelta(minutes=14)):  # 05:59 in Kathmandu
        tick()
        assert inbox.new_mails() == []
    with freeze_time(monday + dt.timedelta(minutes=16)):
        tick()
        (message,) = inbox.new_mails()
        tick()
        assert inbox.new_mails() == []
    assert message["Subject"] == "[CKAN] Weekly summary: Needs your attention: 1, Fine: 1"
    text = plain(message)
    lines = re.findall(r"^- .*", text, re.MULTILINE)
    since = "Since last time: 6 problems fixed, 1 new problem"
    assert re.match(rf"- Source 2: (Failing|Last run failed): .*, Datasets: 0, {since}$", lines[0])
    assert lines[1] == "- Source 1: Healthy, Datasets: 3"
    assert text.startswith("Needs your attention:\n")
    token = message["List-Unsubscribe"].strip("<>").rpartition("/")[2]
    assert mails.read_token(token) == (TEAM, "")


@pytest.mark.parametrize(
    "answer",
    [Response(b"gone", status=410), catalogue([*map(dataset, range(7)), dataset(7, title="")])],
    ids=["run-failed", "record-failed"],
)
def test_weekly_summary_needs_a_reason_and_a_recipient(  # noqa: PLR0913
    portal: Portal, publisher: Publisher, source: str, inbox: Inbox, app: CKANTestApp, answer: Any
) -> None:
    choose(source, events=[], weekly="needed", addresses=[TEAM])
    tick()
    monday = dt.datetime.fromisoformat(due.week()) + dt.timedelta(days=7, hours=7)
    with freeze_time(monday):
        tick()
        assert inbox.new_mails() == []
    publisher.serve(PATH, answer)
    portal.run(source)
    both = [TEAM, "other@somewhere.example"]
    choose(source, events=[], weekly="needed", addresses=both)
    app.post(f"/harvest/unsubscribe/{mails.token(TEAM, '')}")
    choose(source, events=[], weekly="needed", addresses=both)
    inbox.new_mails()
    with freeze_time(monday + dt.timedelta(days=7)):
        tick()
        (message,) = inbox.new_mails()
    assert message["To"] == "other@somewhere.example"
    assert plain(message).startswith("Needs your attention:\n")


def test_the_stock_mail_of_a_failed_run_is_not_sent_as_well(
    portal: Portal,
    source: str,
    organization: dict[str, str],
    fails: None,
    inbox: Inbox,
    ckan_config: Any,
    monkeypatch: Any,
) -> None:
    monkeypatch.setitem(ckan_config, "ckan.harvest.status_mail.errored", True)
    told, untold = member(organization, "admin"), member(organization, "admin")
    choose(source, addresses=[], people=[told["name"]])
    portal.run(source)
    found = {
        (each["To"].rpartition("<")[2].strip(">"), each["Subject"]) for each in inbox.new_mails()
    }
    ours = "[CKAN] Source 1: Last run failed"
    stock = "CKAN - Harvesting Job - Error Notification"
    assert (told["email"], ours) in found
    assert (told["email"], stock) not in found
    assert (untold["email"], stock) in found
    # Ours report only the first failure.
    portal.run(source)
    assert {each["Subject"] for each in inbox.new_mails() if told["email"] in each["To"]} == {stock}


def test_the_page(
    app: CKANTestApp, source: str, organization: dict[str, str], server: Inbox
) -> None:
    user = member(organization)
    headers = {"Authorization": user["token"]}
    address = "/harvest/somewhere/notifications"
    assert "No one gets emails about this source yet" in app.get(address, headers=headers).body
    form = {"people": user["id"], "addresses": "nobody", "events": "failed", "weekly": "never"}
    page = app.post(address, data=form, headers=headers)
    assert "nobody is not an email address" in page.body
    assert "<title>Error: " in page.body
    assert f'id="field-people" name="people" value="{user["id"]}" checked' in page.body
    form["addresses"] = f"{TEAM}\n{TEAM}"
    page = app.post(address, data=form, headers=headers)
    assert "Recipients: 2" in page.body
    page = app.post(f"{address}/test", headers=headers)
    assert page.body.count("It is sent within 10 minutes.") >= 1
    assert "test email is waiting" in app.post(f"{address}/test", headers=headers).body
    assert server.new_mails() == []  # no web request waits for a mail server
    with app.flask_app.test_request_context():
        tick()
        tick()
    assert server.subjects() == ["[CKAN] Source 1: Test"] * 2
    assert act("ukharvest_mail_show", source_id=source)["test"]["sent"] == 2
    assert ": Sent: 2" in app.get(address, headers=headers).body
    http_client.delete_from_redis(f"mail-tests:{user['name']}")
    for _ in range(TESTS_A_DAY):
        http_client.count_in_redis(f"mail-tests:{user['name']}", 60)
    assert "Try again tomorrow" in app.post(f"{address}/test", headers=headers).body
    http_client.delete_from_redis(f"mail-tests:{user['name']}")


def test_the_page_is_for_insiders(app: CKANTestApp, source: str) -> None:
    choose(source)
    address = "/harvest/somewhere/notifications"
    stranger = {"Authorization": factories.UserWithToken()["token"]}
    assert app.get(address, headers=stranger).status_code == 403
    assert app.post(address, headers=stranger, data={"weekly": "never"}).status_code == 403
    assert app.post(f"{address}/test", headers=stranger).status_code == 403
    anonymous = app.get(address, follow_redirects=False)
    assert anonymous.status_code in (302, 303)
    assert act("ukharvest_mail_show", source_id=source)["addresses"] == [TEAM]


@pytest.mark.parametrize("option", ["smtp.mail_from", "smtp.server"])
def test_a_missing_mail_option_is_named_wherever_mails_are_set(
    app: CKANTestApp,
    source: str,
    server: Inbox,
    organization: dict[str, str],
    ckan_config: Any,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
) -> None:
    choose(source)
    monkeypatch.setitem(ckan_config, option, None)
    headers = member(organization)["headers"]
    words = f"{option} is not set"
    assert words in app.get("/harvest/somewhere/notifications", headers=headers).body
    assert words in app.get("/harvest/new", headers=headers).body
    assert words in act("ukharvest_mail_show", source_id=source)["obstacle"]
    with pytest.raises(tk.ValidationError, match=words):
        act("ukharvest_mail_update", source_id=source, test=True)
    [finding] = doctor.examine(["mail"])
    assert words in finding.message
    assert option in finding.what_to_do


@pytest.mark.parametrize("option", ["smtp.mail_from", "smtp.server"])
def test_mails_without_a_mail_option_count_as_not_sent(
    source: str, inbox: Inbox, ckan_config: Any, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    choose(source)
    act("ukharvest_mail_update", source_id=source, test=True)
    with monkeypatch.context() as patch:
        patch.setitem(ckan_config, option, None)
        tick()
        assert inbox.new_mails() == []
        test = act("ukharvest_mail_show", source_id=source)["test"]
        assert (test["sent"], test["failed"]) == (0, 1)
        [finding] = doctor.examine(["mail"])
        assert f"{option} is not set" in finding.message


def test_a_mail_server_that_is_away_is_named_on_the_page(
    app: CKANTestApp,
    source: str,
    server: Inbox,
    organization: dict[str, str],
    ckan_config: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choose(source)
    headers = member(organization)["headers"]
    address = "/harvest/somewhere/notifications"
    with monkeypatch.context() as patch:
        patch.setitem(ckan_config, "smtp.server", "127.0.0.1:1")  # where nothing listens
        act("ukharvest_mail_update", source_id=source, test=True)
        with app.flask_app.test_request_context():
            tick()
        assert (
            "Failed: 1; the mail server could not be reached"
            in app.get(address, headers=headers).body
        )
    server.is_away = True
    act("ukharvest_mail_update", source_id=source, test=True)
    with app.flask_app.test_request_context():
        tick()
    page = app.get(address, headers=headers).body
    assert "Failed: 1; the mail server refused the email" in page
    assert "Come back later" not in page  # the answer may name addresses of other people
