"""Adopt datasets by their guid: those that the source lists, in its own organisation, no others."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.model import JobReport, Record
from tests.ckan.adoption.stock_harvests import Stock, delete_source, ids, numbered, without_source
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
Ckan = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def elsewhere() -> str:
    """Another organisation's id."""
    return str(factories.Organization(name="elsewhere", title="Elsewhere Council")["id"])


@pytest.fixture
def refused(
    portal: Portal, publisher: Publisher, elsewhere: str, ready_source: SourceMaker
) -> tuple[str, dict[str, Any]]:
    """A source of another organisation that was refused the datasets of a deleted source.

    Returns its id and its run.
    """
    delete_source(ready_source(PATH, catalogue(4)))
    new = portal.source(
        publisher.url(PATH), owner_org=elsewhere, config={"default_tags": ["again"]}
    )
    job = portal.run(new)
    assert figures(job) == {"errored": 4}
    return new, job


def give(source_id: str, organization_id: str) -> None:
    act("harvest_source_patch", id=source_id, owner_org=organization_id)


def commands(job: dict[str, Any]) -> list[str]:
    """Return the commands that the message of a run's failed records advises."""
    return re.findall(r"'(ckan [^']+)'", job["object_error_summary"][0]["message"])


def adopt(cli: Any, *words: str) -> str:
    done = cli.invoke(ukharvest, ["adopt", "source-2", *words])
    assert done.exit_code == 0, done.output
    return str(done.output)


def rows(source_id: str) -> list[Record]:
    model.Session.expire_all()
    return list(model.Session.query(Record).filter_by(source_id=source_id).order_by(Record.guid))


def test_adopted_datasets_of_a_given_source_are_imported(
    portal: Portal, refused: tuple[str, dict[str, Any]], ckan: Ckan, cli: Any
) -> None:
    source_id, job = refused
    before = ids(portal)
    message = job["object_error_summary"][0]["message"]
    assert "is deleted" in message
    assert "it belongs to the organisation '" in message
    give(source_id, portal.organization_id)
    (command,) = [each for each in commands(job) if " adopt " in each]
    assert "4 datasets would be adopted." in adopt(cli, "--by-guid", "--dry-run")
    assert [row.package_id for row in rows(source_id)] == [None] * 4
    assert "4 datasets adopted." in ckan(*shlex.split(command)[1:]).stdout
    assert {row.package_id for row in rows(source_id)} == {id_ for id_, *_ in before.values()}
    assert [row.error for row in rows(source_id)] == [None] * 4
    assert figures(portal.run(source_id)) == {"updated": 4}
    assert ids(portal) == before
    assert figures(portal.run(source_id)) == {"not modified": 4}
    assert "0 datasets adopted." in adopt(cli, "--by-guid")


def test_by_guid_never_adopts_from_another_organisation(
    portal: Portal, refused: tuple[str, dict[str, Any]], cli: Any
) -> None:
    source_id, _job = refused
    before = portal.datasets()
    assert "0 datasets would be adopted." in adopt(cli, "--by-guid", "--dry-run")
    assert "0 datasets adopted." in adopt(cli, "--by-guid")
    assert figures(portal.run(source_id)) == {"errored": 4}
    assert portal.datasets() == before


def test_advice_to_clear_a_deleted_source_works(
    portal: Portal, refused: tuple[str, dict[str, Any]], ckan: Ckan
) -> None:
    source_id, job = refused
    (command,) = [each for each in commands(job) if " clear " in each]
    ckan(*shlex.split(command)[1:])
    assert portal.datasets() == []
    assert figures(portal.run(source_id)) == {"added": 4}


def test_datasets_of_a_deleted_source_of_the_same_organisation_change_hands(
    portal: Portal, publisher: Publisher, ready_source: SourceMaker
) -> None:
    old = ready_source(PATH, catalogue(4))
    before = ids(portal)
    delete_source(old)
    publisher.serve("/moved.json", catalogue(4))
    new = portal.source(publisher.url("/moved.json"))
    assert figures(portal.run(new)) == {"updated": 4}
    assert ids(portal) == before


def test_advice_to_give_a_record_its_own_identifier_works(
    portal: Portal, publisher: Publisher
) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.run(portal.source(publisher.url(PATH)))
    publisher.serve("/copy.json", catalogue([dataset(0, title="A copy")]))
    job = portal.run(copy := portal.source(publisher.url("/copy.json")))
    assert "such as a new UUID" in job["object_error_summary"][0]["message"]
    own = dataset(0, title="A copy", identifier="5f3b6f0e-1c1c-4a57-9c52-0f3a5ab6a9d7")
    publisher.serve("/copy.json", catalogue([own]))
    assert portal.run(copy)["stats"]["added"] == 1
    assert sorted(each["title"] for each in portal.datasets()) == ["A copy", "Dataset 00000"]


def test_a_failed_first_run_does_not_keep_datasets_from_adoption(
    portal: Portal, publisher: Publisher, refused: tuple[str, dict[str, Any]]
) -> None:
    """A source that no run has read to its end adopts by itself, also what was refused before."""
    source_id, _job = refused
    before = ids(portal)
    model.Session.query(JobReport).filter_by(source_id=source_id).update({"outcome": "failed"})
    model.Session.commit()
    give(source_id, portal.organization_id)
    assert figures(portal.run(source_id)) == {"updated": 4}
    assert ids(portal) == before


@pytest.fixture
def by_hand(portal: Portal, publisher: Publisher) -> str:
    """A source, beside four datasets with a guid of its records but without a source."""
    publisher.serve(PATH, catalogue(3))
    portal.number = 1
    source_id = portal.source(publisher.url(PATH))
    without_source(Stock(source_id, portal.organization_id))
    return source_id


def test_only_datasets_that_the_source_lists_are_adopted(
    portal: Portal, by_hand: str, cli: Any
) -> None:
    before = ids(portal)
    assert "3 datasets would be adopted." in adopt(cli, "--by-guid", "--dry-run")
    assert rows(by_hand) == []
    assert "3 datasets adopted." in adopt(cli, "--by-guid")
    assert [row.guid for row in rows(by_hand)] == [each["identifier"] for each in numbered(3)]
    assert figures(portal.run(by_hand)) == {"updated": 3}
    assert ids(portal) == before


def test_datasets_of_another_organisation_stay_with_it(
    portal: Portal, by_hand: str, elsewhere: str, cli: Any
) -> None:
    first = portal.datasets()[0]
    act("package_patch", id=first["id"], owner_org=elsewhere)
    assert "2 datasets would be adopted." in adopt(cli, "--by-guid", "--dry-run")
    assert "2 datasets adopted." in adopt(cli, "--by-guid")
    assert first["id"] not in {row.package_id for row in rows(by_hand)}


@pytest.mark.parametrize(
    ("served", "reason"),
    [
        (b"<html>Sign in</html>", "HTML"),
        (b'{"dataset": [{"identifier": "https://data.example/id/00000"', "JSON"),
        (catalogue(0), "the list is empty"),
    ],
    ids=["page", "cut", "empty"],
)
def test_a_listing_that_is_not_whole_adopts_nothing(
    publisher: Publisher, by_hand: str, cli: Any, served: Any, reason: str
) -> None:
    publisher.serve(PATH, served)
    for words in (["--dry-run"], []):
        done = cli.invoke(ukharvest, ["adopt", "source-2", "--by-guid", *words])
        assert done.exit_code == 2, done.output
        assert reason in done.output
        assert "nothing was adopted" in done.output
    assert rows(by_hand) == []


def test_datasets_adopted_by_guid_can_be_released(
    portal: Portal, publisher: Publisher, by_hand: str, cli: Any
) -> None:
    before = portal.datasets()
    assert "ckan ukharvest adopt source-2 --undo" in adopt(cli, "--by-guid")
    assert "3 datasets no longer adopted" in adopt(cli, "--undo")
    assert rows(by_hand) == []
    assert portal.datasets() == before
    assert cli.invoke(ukharvest, ["adopt", "source-2", "--undo"]).exit_code == 2
    assert "3 datasets adopted." in adopt(cli, "--by-guid")
    portal.run(by_hand)
    assert "3 datasets restored" in adopt(cli, "--undo")
    assert rows(by_hand) == []


def test_undo_returns_datasets_to_the_deleted_source(
    portal: Portal, refused: tuple[str, dict[str, Any]], cli: Any
) -> None:
    source_id, _job = refused
    give(source_id, portal.organization_id)
    before = portal.datasets()
    (old,) = model.Session.scalars(sa.select(HarvestSource.id).filter_by(active=False))
    resources = {row.package_id: row.resources for row in rows(old)}
    assert len(resources) == 4
    adopt(cli, "--by-guid")
    assert "4 datasets no longer adopted" in adopt(cli, "--undo")
    assert rows(source_id) == []
    assert portal.datasets() == before
    assert {row.package_id: row.resources for row in rows(old)} == resources
    assert "4 datasets adopted." in adopt(cli, "--by-guid")
    assert {row.package_id: row.resources for row in rows(source_id)} == resources
    assert figures(portal.run(source_id)) == {"updated": 4}


@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")
def test_options_never_delete_a_dataset_adopted_by_guid(
    portal: Portal, publisher: Publisher, by_hand: str, cli: Any
) -> None:
    publisher.serve(PATH, catalogue([dataset(0, keyword=["test"]), dataset(1), dataset(2)]))
    act("harvest_source_patch", id=by_hand, config='{"exclude_values": ["keyword:test"]}')
    adopt(cli, "--by-guid")
    for _ in range(3):
        portal.run(by_hand)
    assert len(portal.datasets()) == 4
