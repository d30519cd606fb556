"""Likely duplicates in the list of what there is to do."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action

from ckanext.ukharvest.notifications import mails
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.ckan.inbox import Inbox
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def to_do(user: dict[str, Any]) -> list[dict[str, Any]]:
    model.Session.remove()
    context = {"user": user["name"], "ignore_auth": False}
    return list(call_action("ukharvest_to_do_list", context)["results"])


def test_duplicates_are_for_who_may_decide(
    portal: Portal, publisher: Publisher, editor: dict[str, Any]
) -> None:
    file = {"url": "https://data.example/files/1.csv", "name": "Table"}
    other = factories.Organization(image_url="")
    factories.Dataset(owner_org=other["id"], title="Dataset 00001", resources=[file])
    publisher.serve("/data.json", catalogue([dataset(1)]))
    portal.run(portal.source(publisher.url("/data.json"), name="parking"))
    assert to_do(editor) == []
    assert to_do(member(other)) == []
    act("organization_member_create", id=other["id"], username=editor["name"], role="editor")
    (task,) = to_do(editor)
    assert (task["text"], task["url"]) == ("Likely duplicates: 1", "/harvest/duplicates")
    assert task["source"]["name"] == "parking"


def test_weekly_mails_say_what_there_is_to_do(
    portal: Portal, publisher: Publisher, inbox: Inbox, editor: dict[str, Any]
) -> None:
    file = {"url": "https://data.example/files/1.csv", "name": "Table"}
    factories.Dataset(owner_org=portal.organization_id, title="Dataset 00001", resources=[file])
    publisher.serve("/data.json", catalogue([dataset(1)]))
    source = portal.source(publisher.url("/data.json"), name="parking")
    portal.run(source)
    ((note,),) = mails.notes_of([source]).values()
    assert [note.text] == [task["text"] for task in to_do(editor)]
    assert mails.notes_of(["another"]) == {}
