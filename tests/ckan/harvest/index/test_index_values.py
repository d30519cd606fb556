"""Documents for the search index by rows read in bulk; what a run repairs in the index."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pysolr
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.lib.search.common import make_connection

from ckanext.ukharvest import compat
from ckanext.ukharvest.harvest.gather import gather_state
from ckanext.ukharvest.harvest.index import pending_index, search_index
from ckanext.ukharvest.harvest.index.pending_index import PendingIndex
from ckanext.ukharvest.harvest.records.record_rows import known_records
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, figures
from tests.ckan.portal_copies import SourceMaker

pytestmark = pytest.mark.in_process

PATH = "/data.json"


@pytest.fixture
def harvested(ready_source: SourceMaker) -> str:
    """A source with three datasets."""
    return ready_source(PATH, catalogue(3))


def test_deleted_datasets_leave_the_index_in_one_request(
    portal: Portal, harvested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = [dataset["id"] for dataset in portal.datasets()]
    model.Session.query(model.Package).filter(model.Package.id.in_([first, second])).update(
        {"state": "deleted"}
    )
    model.Session.commit()
    sent: list[str] = []
    delete = pysolr.Solr.delete

    def count(self: Any, *args: Any, **more: Any) -> Any:
        sent.append(more["q"])
        return delete(self, *args, **more)

    monkeypatch.setattr(pysolr.Solr, "delete", count)
    assert compat.index_packages([first, second, third, "purged"]) == {}
    assert len(sent) == 1
    assert search_index.indexed_ids(harvested) == {third}


def test_a_failed_query_of_the_comparison_fails_no_run(
    portal: Portal, harvested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: Any) -> set[str]:
        model.Session.execute(sa.text("SELECT 1 / 0"))
        return set()

    monkeypatch.setattr(search_index, "_changed", fail)
    job = portal.run(harvested)
    assert figures(job) == {"not modified": 3}
    assert job["gather_error_summary"] == []


@pytest.fixture
def unindexed(portal: Portal, harvested: str) -> list[str]:
    """Ids of three datasets changed long ago that the index lacks."""
    ids = [dataset["id"] for dataset in portal.datasets()]
    long_ago = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - as CKAN stores it
    model.Session.query(model.Package).update({"metadata_modified": long_ago})
    model.Session.commit()
    compat.remove_from_index(ids)
    return ids


def mended(source_id: str, **more: Any) -> int:
    return search_index.mend_source(source_id, known_records(source_id).values(), **more)


def test_run_leaves_pending_datasets_to_their_own_request(
    harvested: str, unindexed: list[str]
) -> None:
    pending_index.add_pending(unindexed[:1])
    model.Session.commit()
    assert mended(harvested) == 2
    assert search_index.indexed_ids(harvested) == set(unindexed[1:])
    assert model.Session.query(PendingIndex).count() == 1


def test_run_leaves_what_solr_shows_a_moment_later(harvested: str, unindexed: list[str]) -> None:
    now = dt.datetime.now(dt.timezone.utc).replace(tzinfo=None)
    query = model.Session.query(model.Package).filter_by(id=unindexed[0])
    query.update({"metadata_modified": now})
    model.Session.commit()
    assert mended(harvested) == 2
    query.update({"metadata_modified": now - search_index.MOMENT})
    model.Session.commit()
    assert mended(harvested) == 1


def test_repair_of_the_index_shows_signs_of_life(
    harvested: str, unindexed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "BATCH", 2)
    shown: list[int] = []
    assert mended(harvested, show_life=lambda: shown.append(1)) == 3
    assert len(shown) == 2


def test_stopped_run_stops_repairing_the_index(
    portal: Portal, harvested: str, unindexed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "BATCH", 2)

    def stop() -> None:
        raise gather_state.RunStopped

    with pytest.raises(gather_state.RunStopped):
        mended(harvested, show_life=stop)
    assert len(make_connection().search("*:*", fq="dataset_type:dataset")) == 2
