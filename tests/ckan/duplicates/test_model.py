"""Likely duplicates are found by files and titles, and joined whole or not at all."""

from __future__ import annotations

import functools
import itertools

import pytest

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.duplicates.joining import FILE, by_hand, listed, own, run
from tests.ckan.harvest.killed_consumers import killed_at
from tests.ckan.harvest.moved_datasets import ids
from tests.ckan.harvesting import Portal, act, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


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
