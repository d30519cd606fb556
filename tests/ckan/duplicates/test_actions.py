"""Datasets joined by a person, and parted again."""

from __future__ import annotations

import pytest
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from tests.ckan.adoption.stock_harvests import Stock
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.duplicates.joining import FILE, by_hand, listed, own, run
from tests.ckan.harvesting import Portal, act, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


@pytest.mark.ckan_config("ckan.auth.allow_dataset_collaborators", "true")
def test_hand_made_dataset_can_go(app: CKANTestApp, portal: Portal, publisher: Publisher) -> None:
    hand = by_hand(portal, "Dataset 00001", FILE)
    group, user = factories.Group(image_url="")["id"], factories.User(image_url="")["id"]
    act("package_patch", id=hand["id"], groups=[{"id": group}])
    act("package_collaborator_create", id=hand["id"], user_id=user, capacity="editor")
    source = run(portal, publisher, "/a.json", [dataset(1)])
    (stays,) = [each["id"] for each in portal.datasets() if each["id"] != hand["id"]]
    act("ukharvest_duplicate_decide", id=listed()["results"][0]["id"], decision="same", keep=stays)
    assert [each["id"] for each in portal.datasets()] == [stays]
    assert figures(portal.run(source)) == {"not modified": 1}
    moved = app.get(f"/dataset/{hand['name']}", follow_redirects=False)
    assert "/dataset/dataset-00001" in moved.headers["Location"]
    act("ukharvest_duplicate_undo", id=listed()["joined"][0]["id"])
    assert len(portal.datasets()) == 2
    back = call_action("package_show", id=hand["id"])
    assert ([each["id"] for each in back["groups"]], back["owner_org"]) == (
        [group],
        portal.organization_id,
    )
    people = act("package_collaborator_list", id=hand["id"])
    assert [(each["user_id"], each["capacity"]) for each in people] == [(user, "editor")]


def test_dataset_that_stays_is_not_a_deleted_one(portal: Portal, publisher: Publisher) -> None:
    hand = by_hand(portal, "Dataset 00001", FILE)
    for path, records in (("/a.json", [dataset(1)]), ("/b.json", [own(1)])):
        run(portal, publisher, path, records)
    first, second = listed()["results"]
    (stays,) = [each["id"] for each in first["datasets"] if each["id"] != hand["id"]]
    act("ukharvest_duplicate_decide", id=first["id"], decision="same", keep=stays)
    # On a page that was open before.
    with pytest.raises(tk.ValidationError):
        act("ukharvest_duplicate_decide", id=second["id"], decision="same", keep=hand["id"])
    assert len(portal.datasets()) == 2


def test_dataset_of_another_harvester_can_stay(portal: Portal, publisher: Publisher) -> None:
    Stock(portal.source(publisher.url("/stock")), portal.organization_id).fill([own(1)])
    (stays,) = portal.datasets()
    source = run(portal, publisher, "/a.json", [dataset(1)])
    (pair,) = listed()["results"]
    act("ukharvest_duplicate_decide", id=pair["id"], decision="same", keep=stays["id"])
    publisher.serve("/a.json", catalogue([dataset(1, description="New")]))
    assert figures(portal.run(source)) == {"not modified": 1}
    assert [each["id"] for each in portal.datasets()] == [stays["id"]]


def test_undo_gives_a_dataset_its_other_routes_back(portal: Portal, publisher: Publisher) -> None:
    hand = by_hand(portal, "Dataset 00001", FILE)
    run(portal, publisher, "/a.json", [dataset(1)])
    publisher.serve("/b.json", catalogue([dataset(1)]))
    other = portal.source(publisher.url("/b.json"))
    assert figures(portal.run(other)) == {"not modified": 1}
    (pair,) = listed()["results"]
    act("ukharvest_duplicate_decide", id=pair["id"], decision="same", keep=hand["id"])
    act("ukharvest_duplicate_undo", id=listed()["joined"][0]["id"])
    (back,) = [each["id"] for each in portal.datasets() if each["id"] != hand["id"]]
    also = call_action("ukharvest_dataset_show", id=back)["also_in"]
    assert [each["id"] for each in also] == [other]


def test_different_datasets_are_not_listed_again(portal: Portal, publisher: Publisher) -> None:
    by_hand(portal, "Dataset 00001", FILE)
    source = run(portal, publisher, "/a.json", [dataset(1)])
    act("ukharvest_duplicate_decide", id=listed()["results"][0]["id"], decision="different")
    publisher.serve("/a.json", catalogue([dataset(1, description="New")]))
    portal.run(source)
    assert listed()["count"] == 0
    texts = [each["text"] for each in act("ukharvest_decision_list", source_id=source)["results"]]
    assert texts == ["Different datasets: Dataset 00001"]


def test_copy_of_a_record_can_be_joined(portal: Portal, publisher: Publisher) -> None:
    run(portal, publisher, "/a.json", [dataset(1)])
    publisher.serve("/b.json", catalogue([dataset(1, title="Other words")]))
    source = portal.source(publisher.url("/b.json"))
    for _ in range(2):
        assert figures(portal.run(source)) == {"errored": 1}
    (pair,) = listed()["results"]
    (stays,) = pair["datasets"]
    act("ukharvest_duplicate_decide", id=pair["id"], decision="same", keep=stays["id"])
    assert figures(portal.run(source)) == {"not modified": 1}
    also = call_action("ukharvest_dataset_show", id=stays["id"])["also_in"]
    assert [each["id"] for each in also] == [source]
