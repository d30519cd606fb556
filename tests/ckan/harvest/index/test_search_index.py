"""The run after a change of the portal, counted in database, index and page (decision 0001)."""

from __future__ import annotations

import re

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest import compat
from ckanext.ukharvest.harvest.index import search_index
from ckanext.ukharvest.harvest.model import Record
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.publisher import Publisher

PATH = "/data.json"
Session = model.Session


class Counted:
    """Compares the three places that show datasets."""

    def __init__(self, portal: Portal, app: CKANTestApp) -> None:
        self._portal = portal
        self._app = app

    def is_(self, number: int, name: str = "somewhere") -> None:
        datasets = self._portal.datasets()
        assert len(datasets) == number, "database"
        assert sorted(each["name"] for each in datasets) == self._portal.search_names(), "index"
        page = self._app.get(f"/harvest/{name}").body
        shown = re.search(r"(\d+) datasets? comes? from this source", page)
        assert (int(shown[1]) if shown else 0) == number, "source page"
        guids = [
            extra["value"]
            for each in datasets
            for extra in each["extras"]
            if extra["key"] == "guid"
        ]
        assert len(set(guids)) == number, "a record has two datasets"


@pytest.fixture
def counted(portal: Portal, app: CKANTestApp) -> Counted:
    return Counted(portal, app)


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(6), etag='"one"')
    source = portal.source(publisher.url(PATH), name="somewhere")
    assert figures(portal.run(source)) == {"added": 6}
    return source


def ids(portal: Portal) -> dict[str, str]:
    return {each["name"]: each["id"] for each in portal.datasets()}


def age_datasets() -> None:
    """Let the datasets be changed before: a run leaves what the index may show in a moment."""
    at = model.Package.metadata_modified - search_index.MOMENT
    Session.query(model.Package).update({"metadata_modified": at}, synchronize_session=False)
    Session.commit()


def test_after_clear_all_datasets_are_made_anew(
    portal: Portal, source: str, counted: Counted
) -> None:
    before = ids(portal)
    act("harvest_source_clear", id=source)
    counted.is_(0)
    assert figures(portal.run(source)) == {"added": 6}
    counted.is_(6)
    after = ids(portal)
    assert after.keys() == before.keys()
    assert not set(after.values()) & set(before.values())
    assert figures(portal.run(source)) == {"not modified": 6}


@pytest.mark.parametrize("keep_current", [False, True])
@pytest.mark.parametrize("action", ["harvest_source", "harvest_sources"])
def test_after_history_clear_nothing_is_imported_again(
    action: str, keep_current: bool, portal: Portal, source: str, counted: Counted
) -> None:
    before = ids(portal)
    fields = {"id": source} if action == "harvest_source" else {}
    act(f"{action}_job_history_clear", keep_current=keep_current, **fields)
    counted.is_(6)
    assert figures(portal.run(source)) == {"not modified": 6}
    counted.is_(6)
    assert ids(portal) == before


def test_datasets_survive_a_history_removed_by_sql(
    portal: Portal, source: str, counted: Counted
) -> None:
    # Deletes all objects, as ckanext-harvest's own action does, which portals have in their cron.
    before = ids(portal)
    Session.query(HarvestObject).delete()
    Session.query(HarvestJob).delete()
    Session.commit()
    assert figures(portal.run(source)) == {"updated": 6}
    counted.is_(6)
    assert ids(portal) == before
    assert figures(portal.run(source)) == {"not modified": 6}


def test_after_a_purge_the_dataset_is_made_anew(
    portal: Portal, source: str, counted: Counted
) -> None:
    before = ids(portal)
    name = sorted(before)[2]
    act("dataset_purge", id=name)
    counted.is_(5)
    assert figures(portal.run(source)) == {"not modified": 5, "added": 1}
    counted.is_(6)
    after = ids(portal)
    assert after.keys() == before.keys()
    assert {key for key in after if after[key] != before[key]} == {name}


def test_dataset_deleted_by_hand_returns_only_if_forced(
    portal: Portal, publisher: Publisher, source: str, counted: Counted
) -> None:
    before = ids(portal)
    act("package_delete", id=sorted(before)[2])
    for _ in range(2):
        job = portal.run(source)
        assert figures(job) == {"not modified": 6}
        assert job["ukharvest"]["counts"]["kept_deleted"] == 1
        counted.is_(5)
    publisher.serve(PATH, catalogue([dataset(n, description="New.") for n in range(6)]))
    assert figures(portal.run(source)) == {"updated": 5, "not modified": 1}
    counted.is_(5)
    assert figures(portal.run(source, force=True)) == {"updated": 6}
    counted.is_(6)
    assert ids(portal) == before


def test_recreated_source_makes_no_duplicates(
    portal: Portal, publisher: Publisher, source: str, counted: Counted
) -> None:
    before = ids(portal)
    call_action("harvest_source_delete", {"ignore_auth": True}, id=source)
    # ckanext-harvest#449: a deleted source blocked a new one with the same URL
    again = portal.source(publisher.url(PATH), name="somewhere-again")
    portal.run(again)
    portal.run(again)
    counted.is_(6, "somewhere-again")
    assert ids(portal) == before


def test_after_the_source_was_deleted_and_cleared_it_begins_anew(
    portal: Portal, publisher: Publisher, source: str, counted: Counted
) -> None:
    context = {"ignore_auth": True, "user": factories.Sysadmin()["name"], "clear_source": True}
    context.update(model=model, session=Session)
    tk.get_action("harvest_source_delete")(context, {"id": source})
    Session.remove()
    again = portal.source(publisher.url(PATH), name="somewhere-again")
    assert figures(portal.run(again)) == {"added": 6}
    counted.is_(6, "somewhere-again")


def test_run_repairs_lost_and_stale_index_entries(
    portal: Portal, source: str, counted: Counted
) -> None:
    first, second, *_others = portal.datasets()
    compat.remove_from_index([first["id"]])
    assert len(portal.search_names()) == 5
    age_datasets()
    query = sa.text("UPDATE package SET state = 'deleted' WHERE id = :id")
    Session.execute(query, {"id": second["id"]})
    Session.query(Record).filter_by(package_id=second["id"]).update({"removed": False})
    Session.commit()
    assert figures(portal.run(source)) == {"not modified": 6}
    counted.is_(5)
