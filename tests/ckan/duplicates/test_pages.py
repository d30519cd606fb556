"""Likely duplicates: found by files and titles, joined by a person, and parted again."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.core.outcomes import DecisionKind
from ckanext.ukharvest.duplicates import actions
from ckanext.ukharvest.harvest.model import Pending
from ckanext.ukharvest.harvest.sources import decision_log
from tests.ckan.adoption.stock_harvests import Stock
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvest.killed_consumers import killed_at
from tests.ckan.harvest.moved_datasets import ids
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.logins import sysadmin
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

FILE = "https://data.example/files/1.csv"


def own(number: int, **fields: Any) -> dict[str, Any]:
    """Return a record of another publisher: another identifier."""
    return dataset(number, identifier=f"https://other.example/id/{number}", **fields)


def run(portal: Portal, publisher: Publisher, path: str, records: list[dict[str, Any]]) -> str:
    publisher.serve(path, catalogue(records))
    source = portal.source(publisher.url(path))
    assert figures(portal.run(source)) == {"added": len(records)}
    return source


def by_hand(portal: Portal, title: str, *urls: str) -> dict[str, Any]:
    resources = [{"url": url, "name": "Table"} for url in urls]
    made = factories.Dataset(owner_org=portal.organization_id, title=title, resources=resources)
    return dict(made)


def listed() -> dict[str, Any]:
    return dict(act("ukharvest_duplicate_list"))


def post(app: CKANTestApp, **form: Any) -> str:
    answer = app.post("/harvest/duplicates", params=form, headers=sysadmin())
    return str(answer.body)


def test_same_title_and_file_are_listed(portal: Portal, publisher: Publisher) -> None:
    hand = by_hand(portal, "  dataset 00001", FILE, "https://data.example/more.csv")
    by_hand(portal, "Dataset 00001", "https://data.example/another.csv")
    by_hand(portal, "Another title", "https://data.example/files/2.csv", "https://x.example/3.csv")
    run(portal, publisher, "/a.json", [dataset(1), dataset(2)])
    (pair,) = listed()["results"]
    assert {each["id"] for each in pair["datasets"]} > {hand["id"]}
    assert (pair["keep"], pair["may_decide"]) == (hand["id"], True)


def test_same_files_are_listed_once(portal: Portal, publisher: Publisher) -> None:
    run(portal, publisher, "/a.json", [dataset(1)])
    first = portal.datasets()[0]["id"]
    second = run(portal, publisher, "/b.json", [own(1, title="Other words")])
    (pair,) = listed()["results"]
    assert (pair["keep"], len(pair["datasets"])) == (first, 2)
    publisher.serve("/b.json", catalogue([own(1, title="Other words", description="New")]))
    portal.run(second)
    assert listed()["count"] == 1
    publisher.serve("/b.json", catalogue([own(1, title="Other words", distribution=[])]))
    portal.run(second)
    assert listed()["count"] == 0


def test_url_of_many_datasets_is_no_evidence(portal: Portal, publisher: Publisher) -> None:
    files = [{"downloadURL": FILE, "title": "Home page"}]
    run(portal, publisher, "/a.json", [dataset(n, distribution=files) for n in range(20)])
    run(portal, publisher, "/b.json", [own(n, distribution=files) for n in range(2)])
    assert listed()["count"] == 0


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


def test_page_leads_on_over_two_joins(
    app: CKANTestApp, portal: Portal, publisher: Publisher
) -> None:
    run(portal, publisher, "/1.json", [dataset(1)])
    (first,) = portal.datasets()
    for number in (2, 3):
        there = {each["id"] for each in portal.datasets()}
        record = dataset(1, identifier=f"https://{number}.example/id/1")
        run(portal, publisher, f"/{number}.json", [record])
        (last,) = [each for each in portal.datasets() if each["id"] not in there]
        (pair,) = listed()["results"]
        act("ukharvest_duplicate_decide", id=pair["id"], decision="same", keep=last["id"])
    page = app.get(f"/dataset/{first['name']}", follow_redirects=False)
    assert page.headers["Location"].endswith(f"/dataset/{last['name']}")
    # Another dataset has taken the name, and visitors do not see it.
    act("dataset_purge", id=first["id"])
    factories.Dataset(name=first["name"], owner_org=portal.organization_id, private=True)
    page = app.get(f"/dataset/{first['name']}", follow_redirects=False)
    assert not page.headers.get("Location", "").endswith(f"/dataset/{last['name']}")


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


# The tests above join and part without a fault.
@pytest.mark.giant
@pytest.mark.timeout(1800)
def test_killed_at_any_statement_datasets_are_joined_or_not(
    portal: Portal, publisher: Publisher
) -> None:
    hand = by_hand(portal, "Dataset 00001", FILE)
    source = run(portal, publisher, "/a.json", [dataset(1)])
    before, given = ids(portal), {"id": listed()["results"][0]["id"]}
    given |= {"decision": "same", "keep": hand["id"]}
    state = (2, 1, 0)
    for action, ended in (("decide", (1, 0, 1)), ("undo", (2, 0, 0))):
        work = functools.partial(act, f"ukharvest_duplicate_{action}", **given)
        for statement in itertools.count(1):
            killed_at(statement, work)
            now = listed()
            found = (len(portal.datasets()), now["count"], len(now["joined"]))
            if found == ended:
                break
            assert found == state
        assert statement > 5
        state, given = ended, {"id": now["joined"][0]["id"] if now["joined"] else 0}
    assert ids(portal) == before
    assert figures(portal.run(source)) == {"updated": 1}
    assert ids(portal) == before
