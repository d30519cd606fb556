"""The doctor finds record rows, datasets and search documents that differ."""

from __future__ import annotations

import pytest
from ckan import model
from ckan.lib import search
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import config
from ckanext.ukharvest.doctor import datasets
from ckanext.ukharvest.harvest.model import Record
from tests.ckan.adoption.stock_harvests import Stock, numbered
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.doctor.findings import PATH, assert_one
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_records_that_lost_their_dataset_are_found(source: str) -> None:
    assert list(datasets.records()) == []
    purged, deleted, forgotten = model.Session.query(Record).order_by(Record.guid).all()
    forgotten_guid, purged_guid, deleted_id = forgotten.guid, purged.guid, deleted.package_id
    user = factories.Sysadmin()["name"]
    call_action("dataset_purge", {"user": user}, id=purged.package_id)
    call_action("package_delete", {"user": user}, id=deleted_id)
    model.Session.query(Record).filter_by(guid=forgotten_guid).delete()
    model.Session.commit()
    lost, by_hand, unknown = datasets.records()
    assert_one([lost], "warning", "Records whose dataset was purged (1)", purged_guid)
    assert_one([by_hand], "info", "dataset-00001", "forced run")
    assert_one([unknown], "warning", "Current harvest objects without a record (1)", forgotten_guid)


def test_datasets_not_read_by_us_yet_are_no_fault(portal: Portal, publisher: Publisher) -> None:
    source = portal.source(publisher.url(PATH))
    Stock(source, portal.organization_id).fill(numbered(2))
    publisher.serve(PATH, "no JSON")
    assert portal.run(source)["ukharvest"]["outcome"] == "failed"
    assert list(datasets.records()) == []


def test_the_index_is_compared_in_batches(
    source: str, portal: Portal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "BATCH", 2)
    assert list(datasets.index()) == []
    assert [len(batch) for batch in datasets._harvested_ids()] == [2, 1]
    assert sorted(len(batch) for batch in datasets._solr_ids()) == [1, 2]
    for each in portal.datasets():
        search.clear(each["id"])
    names = ", ".join(sorted(each["name"] for each in portal.datasets()))
    assert_one(
        datasets.index(), "error", f"3 harvested datasets missing from the search index: {names}"
    )


def test_two_datasets_of_one_record_are_found(source: str, publisher: Publisher) -> None:
    assert list(datasets.duplicates()) == []
    first, second, _third = model.Session.query(HarvestObject).order_by(HarvestObject.guid)
    guid = second.guid = first.guid
    model.Session.commit()
    assert_one(datasets.duplicates(), "error", "Records of one source with more", guid)


def test_one_guid_twice_in_an_organisation_is_found(
    source: str, organization: dict[str, str]
) -> None:
    guid = dataset(0)["identifier"]
    extras = [{"key": "guid", "value": guid}]
    factories.Dataset(owner_org=organization["id"], extras=extras)
    assert_one(datasets.duplicates(), "warning", "GUIDs of more than one dataset", guid)
    factories.Dataset(owner_org=factories.Organization()["id"], extras=extras)
    assert_one(datasets.duplicates(), "warning", "GUIDs of more than one dataset", guid)


def test_several_current_objects_of_a_dataset_are_found(
    source: str, portal: Portal, publisher: Publisher
) -> None:
    assert list(datasets.current_objects()) == []
    other = portal.source(publisher.url("/other.json"))
    first, second, third = model.Session.query(HarvestObject).order_by(HarvestObject.guid)
    second.package_id = first.package_id
    model.Session.commit()
    assert_one(
        datasets.current_objects(),
        "warning",
        "Datasets with more than one current",
        "dataset-00000",
    )
    third.package_id = first.package_id
    third.harvest_source_id = other
    model.Session.commit()
    assert_one(datasets.current_objects(), "error", "more than one harvest source", "dataset-00000")


def test_doctor_says_what_prune_would_free(
    source: str, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(datasets.sizes()) == []
    publisher.serve(PATH, catalogue([dataset(number, title="New") for number in range(3)]))
    portal.run(source)
    monkeypatch.setattr(config, "prune_keep_runs", lambda: 1)
    assert_one(datasets.sizes(), "info", "3 of its rows", "1 jobs", "ckan ukharvest prune")
    monkeypatch.setattr(datasets, "MANY_ROWS", 2)
    assert_one(datasets.sizes(), "warning")
