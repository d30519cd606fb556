"""The search index is complete after each tick, whatever was killed or down in between."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from ckan import logic, model
from ckan.common import config
from ckan.lib.search import common

from ckanext.ukharvest import compat, write_batch
from ckanext.ukharvest.harvest.index import pending_index, search_index
from ckanext.ukharvest.harvest.index.pending_index import PendingIndex
from ckanext.ukharvest.harvest.run import sweeper
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Consumers, Portal, act, figures, tick
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


@pytest.fixture
def harvested(ready_source: SourceMaker) -> str:
    """A source with three datasets."""
    return ready_source(PATH, catalogue(3))


@contextmanager
def solr_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make Solr unreachable."""
    url = "http://127.0.0.1:9/solr/ckan"
    with monkeypatch.context() as patch:
        patch.setitem(config, "solr_url", url)
        if hasattr(common, "SolrSettings"):  # CKAN 2.11 keeps it apart
            common.SolrSettings.get()
            patch.setattr(common.SolrSettings, "_url", url)
        yield


def waiting() -> int:
    model.Session.remove()
    return int(model.Session.query(PendingIndex).count())


def wait_for_end(consumers: Consumers) -> None:
    """Wait until the fetch consumer has been killed."""
    process = consumers.processes[-1]
    deadline = time.monotonic() + 120
    while process.poll() is None:
        assert time.monotonic() < deadline, "the consumer was not killed"
        time.sleep(0.1)


def titles_in_the_index() -> set[str]:
    """Return the titles of all search results: documents, not their datasets."""
    found = common.make_connection().search("dataset_type:dataset", fl="title", rows=100)
    return {each["title"] for each in found}


def titles_in_the_database() -> set[str]:
    model.Session.remove()
    query = model.Session.query(model.Package.title).filter_by(type="dataset", state="active")
    return {row[0] for row in query}


@pytest.mark.parametrize("moment", ["before", "after"])
def test_tick_repairs_the_index_after_a_killed_consumer(
    faulty_consumers: Consumers, portal: Portal, publisher: Publisher, moment: str
) -> None:
    title = f"Kill {moment} the index"
    records = [dataset(0, title=title, description="Kill around the index")]
    publisher.serve(PATH, catalogue(records))
    act("ukharvest_run_create", source_id=portal.source(publisher.url(PATH)))
    wait_for_end(faulty_consumers)
    tick()
    assert titles_in_the_index() == titles_in_the_database()


def test_solr_outage_fails_no_record(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with solr_away(monkeypatch):
        job = portal.create_job(source)
        portal.gather(job)
        for object_id in portal.waiting(job):
            portal.deliver(object_id)
        did = " ".join(sweeper.index_pending())
        assert "3 datasets wait for the search index, which does not answer" in did
    assert waiting() == 3
    assert titles_in_the_index() == set()
    assert figures(portal.finish(job)) == {"added": 3}
    assert titles_in_the_index() == titles_in_the_database() != set()
    assert waiting() == 0


def test_a_dataset_deleted_while_solr_was_away_leaves_the_index(
    portal: Portal, publisher: Publisher, harvested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.serve(PATH, catalogue(2))
    portal.run(harvested)
    with solr_away(monkeypatch):
        job = portal.create_job(harvested)
        portal.gather(job)
        for object_id in portal.waiting(job):
            portal.deliver(object_id)
        assert len(titles_in_the_database()) == 2
    assert len(titles_in_the_index()) == 3
    assert figures(portal.finish(job)) == {"not modified": 2, "deleted": 1}
    assert titles_in_the_index() == titles_in_the_database()


def test_dataset_changed_while_indexed_is_indexed_again(
    portal: Portal, harvested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, *_others) = portal.datasets()
    pending = pending_index.add_pending([first["id"]])
    model.Session.commit()
    real, calls = compat.index_packages, []

    def write_meanwhile(ids: list[str], values: Mapping[str, Any]) -> dict[str, str]:
        refused = real(ids, values)
        calls.append(ids)
        if len(calls) == 1:
            pending_index.add_pending([first["id"]])
            model.Session.commit()
        return refused

    monkeypatch.setattr(compat, "index_packages", write_meanwhile)
    assert search_index.index_committed(pending) == {}
    assert calls == [[first["id"]]] * 2
    assert waiting() == 0


def test_refused_document_fails_its_record_alone(
    portal: Portal, publisher: Publisher, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = compat._index

    def spoil_one(package_id: str, **more: Any) -> None:
        real(package_id, **more)
        batch = write_batch.current()
        for document in (batch.documents if batch else None) or ():
            if document["title"] == "Dataset 00001":
                document["metadata_modified"] = "?"  # no date: Solr's schema refuses it

    with monkeypatch.context() as patch:
        patch.setattr(compat, "_index", spoil_one)
        job = portal.run(source)
    assert figures(job) == {"added": 2, "errored": 1}
    assert "the search index does not accept it" in job["object_error_summary"][0]["message"]
    assert waiting() == 1
    tick()
    assert titles_in_the_index() == titles_in_the_database()
    assert waiting() == 0


def test_source_cleared_in_solr_outage_leaves_no_results(
    portal: Portal, harvested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with solr_away(monkeypatch), pytest.raises(Exception):  # noqa: B017, PT011
        act("harvest_source_clear", id=harvested)
    model.Session.remove()
    assert titles_in_the_database() == set()
    tick()
    assert titles_in_the_index() == set()


def test_all_that_waits_since_one_moment_is_caught_up_with(
    portal: Portal, harvested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clearing marks all datasets of a source with one time."""
    pending_index.add_pending([each["id"] for each in portal.datasets()])
    model.Session.commit()
    monkeypatch.setattr(search_index, "BATCH", 2)
    assert search_index.catch_up() == (3, {})
    assert waiting() == 0


def test_a_persons_edit_is_indexed_by_ckan_at_once(portal: Portal, harvested: str) -> None:
    (first, *_others) = portal.datasets()
    act("package_patch", id=first["id"], title="By hand")
    assert "By hand" in titles_in_the_index()
    assert waiting() == 0


@pytest.mark.skipif(not compat.INDEXES_IN_ACTIONS, reason="CKAN 2.11 validates once by itself")
def test_one_validation_finds_what_ckans_two_find(portal: Portal, harvested: str) -> None:
    ids = [dataset["id"] for dataset in portal.datasets()]
    assert len(ids) == 3
    for id_ in [*ids, harvested]:  # sources have a form, and so a schema, of their own
        found = compat.show_by_both_schemas(id_)
        assert found == logic.package_show_default_and_custom_schemas({"ignore_auth": True}, id_)
    assert found[1]["source_type"] == "data_json"
    assert "source_type" not in found[0]
