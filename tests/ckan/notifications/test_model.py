"""Recipients of mails: added, removed and unsubscribed."""

from __future__ import annotations

import pytest
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.notifications import mails
from ckanext.ukharvest.notifications import model as notification_model
from tests.ckan.harvesting import Portal, act
from tests.ckan.inbox import TEAM, Inbox, choose, plain
from tests.ckan.people import member

pytestmark = pytest.mark.in_process


def test_the_link_in_a_mail_ends_them_without_a_login(
    app: CKANTestApp, portal: Portal, source: str, fails: None, inbox: Inbox
) -> None:
    choose(source, addresses=[TEAM, "other@somewhere.example"])
    portal.run(source)
    message = inbox.new_mails()[1]
    assert message["To"] == TEAM
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    # As it was sent: mail programs find no URL in an encoded word.
    line = f"\r\nList-Unsubscribe: {message['List-Unsubscribe']}\r\n".encode()
    assert [line in content for content in inbox.sent].count(True) == 1
    address = message["List-Unsubscribe"].strip("<>")
    assert address in plain(message)
    path = address.partition("://")[2].partition("/")[2]
    page = app.get(f"/{path}")
    assert "Stop emails about Source 1" in page.body
    assert TEAM not in page.body
    assert act("ukharvest_mail_show", source_id=source)["recipients"] == 2
    assert "Done" in app.post(f"/{path}", data={"List-Unsubscribe": "One-Click"}).body
    assert act("ukharvest_mail_show", source_id=source)["addresses"] == ["other@somewhere.example"]
    assert app.get(f"/{path}x").status_code == 404


def test_unsubscribing_removes_an_address_everywhere(
    app: CKANTestApp, portal: Portal, organization: dict[str, str]
) -> None:
    bob = member(organization)
    written = bob["email"].upper()
    person, address, both = (
        portal.source(f"https://data.example/{name}.json", name=name)
        for name in ("person", "address", "both")
    )
    choose(person, people=[bob["id"]], addresses=[], weekly="needed")
    choose(address, addresses=[written], weekly="needed")
    # One mail for whom stands there twice: Bob's and the team's.
    twice = choose(both, people=[bob["id"]], addresses=[written, TEAM], weekly="needed")
    assert twice["recipients"] == 2
    app.post(f"/harvest/unsubscribe/{mails.token(bob['id'], '')}")
    ids = [person, address, both]
    told = {each.id: each for each in notification_model.sources(ids)}
    wanted = {
        (id_, each.address)
        for id_, found in notification_model.recipients(told.values()).items()
        for each in found
        if told[id_].settings.wants_weekly(each)
    }
    assert wanted == {(both, TEAM)}
    app.post(f"/harvest/unsubscribe/{mails.token(bob['id'], both)}")
    shown = act("ukharvest_mail_show", source_id=both)
    assert (shown["addresses"], shown["recipients"]) == ([TEAM], 1)
    # A recipient who unsubscribes and is added again starts without history.
    for people in ([], [bob["id"]]):
        choose(person, people=people, addresses=[TEAM], weekly="needed")
    (told_again,) = notification_model.sources([person])
    assert all(
        told_again.settings.wants_weekly(each)
        for each in notification_model.recipients([told_again])[person]
    )
