"""Who gets emails about a source, and about which events."""

from __future__ import annotations

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories

from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act
from tests.ckan.inbox import Inbox, choose
from tests.ckan.notifications.mailed_runs import PATH, Session
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_people_get_mails_as_long_as_they_are_editors(
    portal: Portal, source: str, organization: dict[str, str], fails: None, inbox: Inbox
) -> None:
    editor, admin = member(organization), member(organization, "admin")
    other = member(organization, "member")
    shown = choose(source, addresses=[], people=[editor["name"], admin["name"]])
    assert shown["recipients"] == 2
    assert other["id"] not in [each["id"] for each in shown["people"]]
    with pytest.raises(tk.ValidationError):
        choose(source, people=[other["name"]])
    act("organization_member_delete", id=organization["id"], username=editor["name"])
    portal.run(source)
    (message,) = inbox.new_mails()
    assert admin["email"] in message["To"]


def test_unwanted_events_are_not_mailed(
    portal: Portal, publisher: Publisher, source: str, fails: None, inbox: Inbox
) -> None:
    choose(source, events=["recovered"])
    portal.run(source)
    assert inbox.new_mails() == []
    publisher.serve(PATH, catalogue(3))
    portal.run(source)
    assert inbox.subjects() == ["[CKAN] Source 1: Working again"]


def test_addresses_are_those_of_the_organisation_that_chose_them(
    portal: Portal, organization: dict[str, str]
) -> None:
    source = portal.source("https://data.example/data.json")
    choose(source)
    other = factories.Organization()
    model.Package.get(source).owner_org = other["id"]
    Session.commit()
    shown = act("ukharvest_mail_show", source_id=source)
    assert (shown["addresses"], shown["recipients"]) == ([], 0)
