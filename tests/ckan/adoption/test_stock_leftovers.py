"""Leftovers of stock harvesters: sources without our rows, runs that have not ended."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestObjectExtra

from ckanext.ukharvest.harvest.database import ensure_source_state
from ckanext.ukharvest.harvest.model import Record, SourceState, utcnow
from tests.ckan.adoption.stock_harvests import Stock, ids, numbered
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

Session = model.Session
PATH = "/data.json"


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    """A source as it was created before our plugins were installed."""
    publisher.serve(PATH, catalogue(4))
    source = portal.source(publisher.url(PATH))
    forget_state(source)
    return source


@pytest.fixture
def stock(portal: Portal, source: str) -> Stock:
    stock = Stock(source, portal.organization_id)
    stock.fill(numbered(4))
    return stock


def forget_state(source_id: str) -> None:
    Session.query(SourceState).filter_by(source_id=source_id).delete()
    Session.commit()


def leave_run(source_id: str, *, is_gathered: bool = True) -> tuple[str, list[str]]:
    """Leave a stock run that ended after its gather, or within it; return its job and objects."""
    job = HarvestJob(source_id=source_id, status="Running", gather_started=utcnow())
    job.gather_finished = utcnow() if is_gathered else None
    Session.add(job)
    Session.flush()
    old = Session.query(HarvestObject).filter_by(harvest_source_id=source_id, current=True)
    statuses = ("change", "change", "change", "delete")
    waiting = []
    for status, each in zip(statuses, old.order_by(HarvestObject.guid), strict=True):
        content = json.dumps({**json.loads(each.content), "title": "As the stock run read it"})
        obj = HarvestObject(guid=each.guid, job=job, content=content, package_id=each.package_id)
        obj.extras = [HarvestObjectExtra(key="status", value=status)]
        Session.add(obj)
        waiting.append(obj)
    Session.commit()
    left = job.id, [obj.id for obj in waiting]
    Session.remove()
    return left


@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")
def test_first_run_of_a_source_made_by_other_plugins(
    portal: Portal, source: str, stock: Stock
) -> None:
    before = ids(portal)
    job = portal.run(source)
    assert not job["gather_error_summary"]
    assert figures(job) == {"updated": 4}
    assert ids(portal) == before
    assert figures(portal.run(source)) == {"not modified": 4}


def test_settings_of_a_source_that_our_plugins_did_not_create(source: str) -> None:
    assert act("ukharvest_schedule_update", source_id=source, time="03:00")["time"] == "03:00"
    forget_state(source)
    act("ukharvest_mail_update", source_id=source, addresses=["data@somewhere.example"])
    assert act("ukharvest_mail_show", source_id=source)["addresses"] == ["data@somewhere.example"]


@pytest.mark.parametrize("lock", [False, True], ids=["unlocked", "locked"])
def test_two_processes_that_make_one_sources_state(source: str, lock: bool) -> None:
    found: list[Any] = []

    def make() -> None:
        found.append(ensure_source_state(source, lock=lock).schedule)
        Session.commit()
        Session.remove()

    other = threading.Thread(target=make)
    with model.meta.engine.connect() as connection:
        transaction = connection.begin()
        insert = (
            'INSERT INTO ukharvest_source (source_id, schedule) VALUES (:id, \'{"time": "1"}\')'
        )
        connection.execute(sa.text(insert), {"id": source})
        other.start()
        other.join(0.5)
        assert other.is_alive(), "it waits for the other's transaction"
        transaction.commit()
    other.join(30)
    assert found == [{"time": "1"}]


def test_objects_that_a_stock_run_left_make_no_second_datasets(
    portal: Portal, source: str, stock: Stock
) -> None:
    before = portal.datasets()
    job_id, objects = leave_run(source)
    for object_id in objects:
        portal.deliver(object_id)
    job = portal.finish(job_id)
    assert (job["status"], job["ukharvest"]["outcome"]) == ("Finished", "stopped")
    assert "another harvester began this run" in job["ukharvest"]["reason"]
    assert figures(job) == {}
    assert portal.datasets() == before
    assert not Session.query(Record).filter_by(source_id=source).count()

    known = ids(portal)
    assert figures(portal.run(source)) == {"updated": 4}
    assert ids(portal) == known


def test_a_stock_gather_that_was_ended_is_gathered_anew(
    portal: Portal, source: str, stock: Stock
) -> None:
    before = ids(portal)
    job_id, objects = leave_run(source, is_gathered=False)
    assert len(portal.gather(job_id)) == 4
    assert not set(objects) & set(portal.objects(job_id))
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"updated": 4}
    assert ids(portal) == before


def test_a_source_with_rows_of_failed_records_is_still_adopted(
    portal: Portal, source: str, stock: Stock
) -> None:
    before = ids(portal)
    Session.add(Record(source_id=source, guid=numbered(1)[0]["identifier"], outcome="errored"))
    Session.commit()
    assert figures(portal.run(source)) == {"updated": 4}
    assert ids(portal) == before
