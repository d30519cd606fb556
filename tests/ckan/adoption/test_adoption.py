"""Sources of another harvester, deleted sources made again, identifiers in several sources."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.model import Record
from tests.ckan.adoption.stock_harvests import Stock, delete_source, ids, numbered, without_source
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("consumer")]

PATH = "/data.json"
AT_ONCE = pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(4))
    return portal.source(publisher.url(PATH))


@pytest.fixture
def harvested(ready_source: SourceMaker) -> str:
    """A source of ours that was harvested."""
    return ready_source(PATH, catalogue(4))


@pytest.fixture
def stock(portal: Portal, source: str) -> Stock:
    return Stock(source, portal.organization_id)


@pytest.mark.parametrize("objects", [True, False], ids=["harvest-objects", "extra"])
def test_first_run_after_adoption_only_updates(
    portal: Portal, source: str, stock: Stock, objects: bool
) -> None:
    stock.fill(numbered(4), objects=objects)
    before = ids(portal)
    assert figures(portal.run(source)) == {"updated": 4}
    assert ids(portal) == before
    assert portal.datasets()[0]["notes"] == "What is known about number 0."
    assert len(portal.search_names()) == 4
    assert figures(portal.run(source)) == {"not modified": 4}
    assert model.Session.query(HarvestObject).filter_by(current=True).count() == 4


@pytest.mark.parametrize("objects", [True, False], ids=["harvest-objects", "extra"])
def test_resource_added_by_a_person_stays(
    portal: Portal, publisher: Publisher, source: str, stock: Stock, objects: bool
) -> None:
    stock.fill(numbered(2), objects=objects)
    first = portal.datasets()[0]
    mine = {"url": "https://elsewhere.example/notes.pdf?a=1&b=2", "name": "My notes"}
    begins = {"url": "https://data.example/files/", "name": "Page"}  # so do the record's
    for file in (mine, begins):
        act("resource_create", package_id=first["id"], **file)
    records = numbered(2)
    records[0]["distribution"] = [{"downloadURL": "https://data.example/new.csv", "title": "New"}]
    publisher.serve(PATH, catalogue(records))
    portal.run(source)
    expected = ["New", "My notes", "Page"] if objects else ["New"]
    assert [each["name"] for each in portal.datasets()[0]["resources"]] == expected


@AT_ONCE
def test_adopted_dataset_not_listed_is_deleted_on_second_run(
    portal: Portal, publisher: Publisher, source: str, stock: Stock
) -> None:
    stock.fill(numbered(4))
    publisher.serve(PATH, catalogue(3))
    assert figures(portal.run(source)) == {"updated": 3, "missing": 1}
    assert len(portal.datasets()) == 4
    assert figures(portal.run(source)) == {"not modified": 3, "deleted": 1}


def test_a_dataset_that_a_person_deleted_stays_deleted(
    portal: Portal, source: str, stock: Stock
) -> None:
    stock.fill(numbered(4))
    call_action("package_delete", {"ignore_auth": True}, id=portal.datasets()[0]["id"])
    assert figures(portal.run(source)) == {"updated": 3, "not modified": 1}
    assert len(portal.datasets()) == 3


def test_newest_active_dataset_of_a_guid_is_adopted(
    portal: Portal, source: str, stock: Stock
) -> None:
    stock.fill([dataset(0), dataset(0), *numbered(4)[1:]])
    assert figures(portal.run(source)) == {"updated": 4}
    assert [each["notes"] for each in portal.datasets()].count(
        "As the stock harvester wrote it."
    ) == 1


def test_a_dataset_that_another_source_wrote_last_is_not_adopted(
    portal: Portal, publisher: Publisher, source: str, stock: Stock
) -> None:
    stock.fill(numbered(4))
    publisher.serve("/other.json", catalogue(1))
    other = portal.source(publisher.url("/other.json"))
    job_id = portal.create_job(other)
    Stock(other, portal.organization_id).add_object(job_id, dataset(0), portal.datasets()[0]["id"])
    job = portal.run(source)
    assert figures(job) == {"updated": 3, "errored": 1}
    assert "Source 2" in job["object_error_summary"][0]["message"]


def test_extra_adopts_no_dataset_of_another_organisation(portal: Portal, source: str) -> None:
    elsewhere = factories.Organization()
    Stock(source, elsewhere["id"]).fill(numbered(4), objects=False)
    assert figures(portal.run(source)) == {"added": 4}
    assert {each["owner_org"] for each in portal.datasets()} == {
        elsewhere["id"],
        portal.organization_id,
    }


def test_by_guid_alone_only_on_an_explicit_command(
    portal: Portal,
    publisher: Publisher,
    source: str,
    stock: Stock,
    ckan: Callable[..., subprocess.CompletedProcess[str]],
    cli: Any,
) -> None:
    without_source(stock)
    before = ids(portal)
    words = ["adopt", "source-1", "--dry-run"]
    assert "0 datasets" in cli.invoke(ukharvest, words).output
    trial = cli.invoke(ukharvest, [*words, "--by-guid"]).output
    assert "4 datasets would be adopted" in trial
    assert model.Session.query(Record).count() == 0
    done = ckan("ukharvest", "adopt", "source-1", "--by-guid").stdout
    assert "4 datasets adopted" in done
    publisher.serve(PATH, catalogue(3))
    assert figures(portal.run(source)) == {"updated": 3}
    assert ids(portal) == before
    # The fourth only has a guid of the same shape as the source's: it is never touched.
    assert figures(portal.run(source)) == {"not modified": 3}
    assert figures(portal.run(source)) == {"not modified": 3}
    assert len(portal.datasets()) == 4


def test_a_guid_of_two_organisations_changes_neither_dataset(
    portal: Portal, publisher: Publisher, harvested: str
) -> None:
    # ckanext-harvest issues 162 and 377: look-ups by guid ignored the source.
    before = portal.datasets()
    elsewhere = factories.Organization()
    mine = [dataset(0, title="Mine now"), dataset(1), dataset(9)]
    publisher.serve("/other.json", catalogue(mine))
    other = portal.source(publisher.url("/other.json"), owner_org=elsewhere["id"])
    job = portal.run(other)
    # The one has another title here; the other the same: it is the same dataset by another route.
    assert figures(job) == {"added": 1, "errored": 1, "not modified": 1}
    (message,) = [each["message"] for each in job["object_error_summary"]]
    for part in ("Source 1", "Source 2", publisher.url(PATH), publisher.url("/other.json")):
        assert part in message
    assert "an identifier of its own here" in message
    assert portal.datasets()[:4] == before
    assert figures(portal.run(other)) == {"not modified": 2, "errored": 1}
    assert figures(portal.run(harvested)) == {"not modified": 4}
    assert portal.datasets()[:4] == before


def test_source_that_is_only_switched_off_is_not_called_deleted(
    portal: Portal, publisher: Publisher, harvested: str
) -> None:
    source = HarvestSource.get(harvested)
    source.active = False
    source.save()
    publisher.serve("/other.json", catalogue([dataset(0, title="Mine now")]))
    job = portal.run(portal.source(publisher.url("/other.json")))
    (message,) = [each["message"] for each in job["object_error_summary"]]
    assert "an identifier of its own here" in message
    assert "deleted" not in message
    assert "source clear" not in message


def test_a_dataset_moves_on_once_its_first_source_lets_it_go(
    portal: Portal, publisher: Publisher, harvested: str
) -> None:
    publisher.serve("/other.json", catalogue([dataset(3)]))
    other = portal.source(publisher.url("/other.json"))
    assert figures(portal.run(other)) == {"not modified": 1}
    publisher.serve(PATH, catalogue(3))
    portal.run(harvested)
    portal.run(harvested)
    before = {each["id"] for each in portal.datasets()}
    assert figures(portal.run(other)) == {"updated": 1}
    # And if the first source lists it again, it comes second.
    publisher.serve(PATH, catalogue(4))
    assert figures(portal.run(harvested)) == {"not modified": 4}
    assert {each["id"] for each in portal.datasets()} == before
    assert len(portal.datasets()) == 4


def test_local_identifiers_may_repeat_between_sources(portal: Portal, publisher: Publisher) -> None:
    for number, path in enumerate(("/one.json", "/two.json")):
        data = [dataset(number, identifier="parking"), dataset(number + 5, identifier="1")]
        publisher.serve(path, catalogue(data))
        assert figures(portal.run(portal.source(publisher.url(path)))) == {"added": 2}
    assert len(portal.datasets()) == 4


@pytest.mark.parametrize("is_stock", [False, True], ids=["ours", "stock"])
def test_a_source_made_anew_takes_over_what_the_deleted_one_left(
    portal: Portal, publisher: Publisher, source: str, stock: Stock, is_stock: bool
) -> None:
    if is_stock:
        stock.fill(numbered(4))
    else:
        portal.run(source)
    before = ids(portal)
    delete_source(source)
    # ckanext-harvest issue 449 counts deleted sources: the configuration has to differ there.
    new = portal.source(publisher.url(PATH), config={"default_tags": ["again"]})
    assert figures(portal.run(new)) == {"updated": 4}
    assert ids(portal) == before
    assert len(portal.search_names()) == 4
    assert figures(portal.run(new)) == {"not modified": 4}
    assert model.Session.query(Record).filter_by(source_id=source).count() == 0
    assert call_action("harvest_source_show_status", id=new)["total_datasets"] == 4
