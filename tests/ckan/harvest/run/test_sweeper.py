"""Recovery of what got stuck: dead consumers, lost queues, jobs that were never sent."""

from __future__ import annotations

import logging
from datetime import datetime

import pytest
from ckan import model
from ckanext.harvest import queue
from ckanext.harvest.logic.action import update
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestObjectError

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.consumers import lost_work
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.harvest.model import JobReport, Record
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.patches import consumers
from tests.ckan.harvest.dead_workers import killed_gather, set_state
from tests.ckan.harvest.sweeping import Move, gathered, on_queue, state
from tests.ckan.harvesting import Portal, figures, to_gather, to_import, work_off
from tests.publisher import Publisher

# With batches a message is no longer about one object: test_batch_transaction.py.
pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "1"),
]


@pytest.mark.parametrize("under_way", ["FETCH", "IMPORT"])
def test_an_object_whose_worker_is_gone_is_sent_again(
    portal: Portal,
    source: str,
    move: Move,
    under_way: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, sweeper.__name__)
    job_id, (first, *others) = gathered(portal, source)
    for each in others:
        portal.deliver(each)
    set_state(first, under_way)
    assert figures(portal.finish(job_id)) == {"added": 2}
    assert to_import() == []  # its consumer may still live
    move(61)
    job = portal.finish(job_id)
    assert job["status"] == "Running"
    assert to_import() == [first]
    assert state(first) == ("WAITING", None, 0)
    assert "its consumer is gone" in caplog.text
    work_off()
    job = portal.finish(job_id)
    assert (job["status"], figures(job)) == ("Finished", {"added": 3})


def test_a_record_that_ends_its_worker_each_time_is_given_up(
    portal: Portal, source: str, move: Move
) -> None:
    job_id, (first, *others) = gathered(portal, source)
    for each in others:
        portal.deliver(each)
    for _ in range(3):
        set_state(first, "IMPORT")
        move(61)
        portal.finish(job_id)
        queue.purge_queues()
    assert state(first)[:2] == ("ERROR", "errored")
    job = portal.finish(job_id)
    assert (job["status"], figures(job)) == ("Finished", {"added": 2, "errored": 1})
    assert "ended the consumer three times" in job["object_error_summary"][0]["message"]
    row = model.Session.query(Record).filter_by(outcome="errored").one()
    assert row.package_id is None
    # The next run tries it again.
    assert figures(portal.run(source)) == {"added": 1, "not modified": 2}


def test_waiting_objects_need_no_message(portal: Portal, source: str) -> None:
    job_id, ids = gathered(portal, source)
    portal.finish(job_id)
    assert on_queue("fetch") == []
    assert sorted(to_import()) == sorted(ids)
    work_off()
    assert figures(portal.finish(job_id)) == {"added": 3}


def test_objects_of_a_gather_that_is_at_work_are_not_sent(portal: Portal, source: str) -> None:
    """Stock sends them, and the gather does again (ckanext-harvest issue 446)."""
    job_id, _ids = gathered(portal, source)
    with Heart("gather") as heart:
        heart.work_on(job_id)
        portal.finish(job_id)
        job = HarvestJob.get(job_id)
        job.gather_finished = None
        job.save()
    portal.finish(job_id)
    assert on_queue("fetch") == []


def test_dead_gather_fails_at_the_third_start(portal: Portal, source: str, move: Move) -> None:
    job_id = killed_gather(portal, source)
    portal.finish(job_id)
    assert to_gather() == []
    for _ in range(2):
        move(61)
        portal.finish(job_id)
        assert to_gather() == [job_id]
        assert model.Session.query(HarvestObject).count() == 0
        portal.finish(job_id)
        assert to_gather() == [job_id]
        job = HarvestJob.get(job_id)
        job.gather_started = tables.utcnow()
        job.save()
    move(61)
    job = portal.finish(job_id)
    assert job["status"] == "Finished"
    assert job["ukharvest"]["outcome"] == "failed"
    assert "three times" in job["gather_error_summary"][0]["message"]
    assert figures(portal.run(source)) == {"added": 3}


def test_gather_killed_at_its_end_is_not_read_again(
    portal: Portal, publisher: Publisher, source: str, move: Move
) -> None:
    job_id, ids = gathered(portal, source)
    job = HarvestJob.get(job_id)
    job.gather_finished = None
    job.save()
    requests = len(publisher.requests)
    move(61)
    portal.finish(job_id)
    assert sorted(to_import()) == sorted(ids)
    work_off()
    assert figures(portal.finish(job_id)) == {"added": 3}
    assert len(publisher.requests) == requests


def test_jobs_without_a_message_are_sent(portal: Portal, source: str, move: Move) -> None:
    job_id = portal.create_job(source)
    portal.finish(job_id)
    assert to_gather() == []
    move(61)
    portal.finish(job_id)
    assert to_gather() == [job_id]
    work_off()
    assert figures(portal.finish(job_id)) == {"added": 3}


def test_objects_abandoned_silently_count_as_errored(portal: Portal, source: str) -> None:
    """State ERROR, no report_status, no error: stats of {None: 1}, as stock gathers leave them."""
    job_id, ids = gathered(portal, source)
    for each in ids:
        obj = HarvestObject.get(each)
        obj.state = "ERROR"
        obj.save()
    job = portal.finish(job_id)
    assert (job["status"], figures(job)) == ("Finished", {"errored": 3})
    assert model.Session.query(HarvestObjectError).count() == 3


def test_nothing_but_the_sweeper_sends_again() -> None:
    """Stock's own re-sending is disabled in both places that name it."""
    assert "one-sweeper (ckanext-harvest#420, #446)" in compat.applied_patches
    for module in (queue, update):
        assert module.resubmit_jobs is module.resubmit_objects is consumers.leave_to_the_sweeper


def test_a_step_that_fails_does_not_stop_the_tick(
    portal: Portal,
    source: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken() -> list[str]:
        raise ZeroDivisionError

    caplog.set_level(logging.INFO, sweeper.__name__)
    monkeypatch.setattr(sweeper, "STEPS", (broken, lost_work.end_leftovers))
    job_id, _ids = gathered(portal, source)
    job = HarvestJob.get(job_id)
    job.status = "Finished"
    job.save()
    model.Session.query(HarvestObject).update({"gathered": datetime(2020, 1, 1)})  # noqa: DTZ001
    model.Session.commit()
    portal.finish(job_id)
    said = [each.message for each in caplog.records if each.name == sweeper.__name__]
    assert [words.split(";")[0] for words in said] == [
        "Sweeper: broken failed",
        "Sweeper: ended 3 harvest objects of ended runs",
    ]


def test_of_two_sweeps_at_once_one_waits_for_the_next_tick(
    portal: Portal, source: str, move: Move
) -> None:
    _job_id, ids = gathered(portal, source)
    set_state(ids[0], "FETCH")
    move(61)
    with database.hold_alone(database.SWEEPER) as is_alone:
        assert is_alone
        assert sweeper.sweep() == []
        assert ids[0] not in to_import()
    sweeper.sweep()
    assert sorted(to_import()) == sorted(ids)


def test_a_lock_gives_its_connection_back_as_it_was() -> None:
    """Otherwise each transaction and each test of the connection would send a statement more."""
    model.Session.remove()
    model.meta.engine.dispose()
    with database.hold_alone(database.SWEEPER) as is_alone:
        assert is_alone
    with model.meta.engine.connect() as connection:
        psycopg2s = connection.connection.dbapi_connection
        assert (psycopg2s.autocommit, psycopg2s.isolation_level) == (False, None)


def test_work_of_other_harvesters_is_swept_too(
    portal: Portal, source: str, move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their interrupted gathers end: an unknown part of the objects may be visible."""
    monkeypatch.setattr(config, "our_type_names", frozenset)
    job_id, ids = gathered(portal, source)
    for _ in range(3):
        set_state(ids[0], "FETCH")
        move(61)
        portal.finish(job_id)
        queue.purge_queues()
    assert state(ids[0])[:2] == ("ERROR", "errored")
    assert state(ids[1])[0] == "WAITING"
    assert model.Session.query(Record).count() == 0

    job = HarvestJob.get(job_id)
    job.gather_finished = None
    job.save()
    model.Session.query(JobReport).delete()
    model.Session.commit()
    move(61)
    job = portal.finish(job_id)
    assert (job["status"], figures(job)) == ("Finished", {"errored": 2})  # object and run
    assert "ended before it was done" in job["gather_error_summary"][0]["message"]
    assert model.Session.query(HarvestObject).count() == 1
