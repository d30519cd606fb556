"""Mails about the approval of sources."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from ckan.tests import factories
from ckan.tests.helpers import call_action
from freezegun import freeze_time

from ckanext.ukharvest.notifications import due
from tests.ckan.harvesting import Portal, act, tick
from tests.ckan.inbox import TEAM, Inbox, choose, plain
from tests.ckan.previews.previewing import as_

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.approval", "true"),
]

URL = "http://127.0.0.1/data.json?token=abcdef"
SHOWN = "http://127.0.0.1/data.json?token=…"
SEEN = {"url": URL, "source_type": "data_json"}
User = dict[str, Any]


@pytest.fixture
def waiting(portal: Portal, inbox: Inbox, editor: User) -> str:
    made = {**SEEN, "name": "parking", "title": "Parking", "owner_org": portal.organization_id}
    return str(as_(editor, "harvest_source_create", **made)["id"])


def test_who_asked_and_recipients_hear_the_answer(waiting: str, inbox: Inbox, editor: User) -> None:
    choose(waiting, events=[])
    tick()
    assert inbox.new_mails() == []
    act("ukharvest_source_refuse", source_id=waiting, **SEEN, reason="No agreement")
    tick()
    mails = inbox.new_mails()
    assert sorted(mail["To"].rpartition("<")[2].strip(">") for mail in mails) == sorted(
        [editor["email"], TEAM]
    )
    assert mails[0]["Subject"] == f"[CKAN] Parking: Source not accepted: {SHOWN}"
    assert "Reason: No agreement" in plain(mails[0])
    assert "/harvest/parking\n" in plain(mails[0])
    assert "List-Unsubscribe" not in mails[0]
    tick()
    assert inbox.new_mails() == []
    act("ukharvest_source_approve", source_id=waiting, **SEEN)
    tick()
    assert inbox.subjects() == [f"[CKAN] Parking: Source accepted: {SHOWN}"] * 2


def test_an_answer_waits_for_the_mail_server(
    waiting: str, inbox: Inbox, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    act("ukharvest_source_refuse", source_id=waiting, **SEEN, reason="No agreement")
    with monkeypatch.context() as patch:
        patch.setitem(ckan_config, "smtp.server", "")
        tick()
    shown = call_action("ukharvest_source_show", source_id=waiting)
    assert shown["heading"] == "Not accepted: No agreement"
    tick()
    assert len(inbox.new_mails()) == 1
    act("ukharvest_source_approve", source_id=waiting, **SEEN)
    inbox.is_away = True
    with freeze_time(dt.datetime.now(dt.timezone.utc) + dt.timedelta(hours=3)):
        tick()
    inbox.is_away = False
    tick()
    assert inbox.new_mails() == []  # given up


def test_sysadmins_are_reminded_every_week(waiting: str, inbox: Inbox) -> None:
    chief = factories.Sysadmin(image_url="")
    tick()  # the week of the installation
    assert inbox.new_mails() == []
    monday = dt.datetime.fromisoformat(due.week()) + dt.timedelta(days=7, hours=7)
    with freeze_time(monday):
        tick()
        (mail,) = (each for each in inbox.new_mails() if chief["email"] in each["To"])
        tick()
        assert inbox.new_mails() == []
    assert mail["Subject"] == "[CKAN] Waits for approval: 1"
    assert f"- Parking: {SHOWN}" in plain(mail)
    assert "/harvest/parking/approval\n" in plain(mail)
    act("ukharvest_source_refuse", source_id=waiting, **SEEN, reason="No")
    tick()
    inbox.new_mails()
    with freeze_time(monday + dt.timedelta(days=7)):
        tick()
    assert inbox.new_mails() == []
