"""Likely duplicates: found by files and titles, joined by a person, and parted again."""

from __future__ import annotations

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.core.outcomes import DecisionKind
from ckanext.ukharvest.duplicates import actions
from ckanext.ukharvest.harvest.model import Pending
from ckanext.ukharvest.harvest.sources import decision_log
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.duplicates.joining import FILE, by_hand, listed, post, run
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.logins import sysadmin
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_joined_dataset_leads_to_the_one_that_stays(
    app: CKANTestApp, portal: Portal, publisher: Publisher
) -> None:
    hand = by_hand(portal, "Dataset 00001", FILE)
    source = run(portal, publisher, "/a.json", [dataset(1)])
    (gone,) = [each for each in portal.datasets() if each["id"] != hand["id"]]
    page = app.get("/harvest/duplicates", headers=sysadmin()).body
    assert "They are the same" in page
    (pair,) = listed()["results"]
    assert "Saved." in post(app, id=pair["id"], choice="same", keep=hand["id"])
    assert [each["id"] for each in portal.datasets()] == [hand["id"]]
    moved = app.get(f"/dataset/{gone['name']}", follow_redirects=False)
    assert moved.headers["Location"].endswith(f"/dataset/{hand['name']}")
    # The record is skipped from now on, whatever its source says.
    for description in ("New", "Newer"):
        publisher.serve("/a.json", catalogue([dataset(1, description=description)]))
        assert figures(portal.run(source)) == {"not modified": 1}
    assert len(portal.datasets()) == 1
    # One click parts them again.
    (joined,) = listed()["joined"]
    assert "Saved." in post(app, id=joined["id"], choice="undo")
    back = {each["id"]: each for each in portal.datasets()}
    assert back.keys() == {hand["id"], gone["id"]}
    assert back[gone["id"]]["name"] == gone["name"]
    assert figures(portal.run(source)) == {"updated": 1}
    assert len(portal.datasets()) == 2
    assert (listed()["count"], listed()["joined"]) == (0, [])


def test_editors_get_the_pairs_of_their_organisation(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = by_hand(portal, "Dataset 00001", FILE)["id"]
    source = run(portal, publisher, "/a.json", [dataset(1)])
    contexts = []
    for organization in (portal.organization_id, factories.Organization(image_url="")["id"]):
        user = factories.User(image_url="")["name"]
        act("organization_member_create", id=organization, username=user, role="editor")
        contexts.append({"user": user, "ignore_auth": False})
    counts = [call_action("ukharvest_duplicate_list", each)["count"] for each in contexts]
    assert counts == [1, 0]
    assert model.Session.query(Pending).count() == 1
    monkeypatch.setattr(actions, "JOINS", 1)
    act("ukharvest_duplicate_decide", id=listed()["results"][0]["id"], decision="same", keep=id_)
    other = {"kept": factories.Dataset()["id"], "gone": factories.Dataset()["id"], "title": ""}
    decision_log.add_decision(source, "", DecisionKind.JOINED, options=other)
    model.Session.commit()
    lists = [call_action("ukharvest_duplicate_list", each)["joined"] for each in contexts]
    assert [[each["kept"] for each in joined] for joined in lists] == [[id_], []]
