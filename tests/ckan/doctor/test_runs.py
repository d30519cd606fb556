"""The doctor finds what is stuck: consumers, runs, cron."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable

import pytest
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.doctor import runs
from ckanext.ukharvest.harvest.model import Worker, utcnow
from ckanext.ukharvest.harvest.run import sweeper
from tests.ckan.catalogues import catalogue
from tests.ckan.doctor.findings import HOUR, PATH, assert_one, stop_clock, swept
from tests.ckan.harvesting import Consumers, Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_doctor_command_sees_real_consumers(
    consumers: Consumers,
    jobs_worker: None,
    ckan: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    swept(utcnow())
    deadline = time.monotonic() + 60
    while list(runs.workers()):
        assert consumers.are_alive
        assert time.monotonic() < deadline
        model.Session.rollback()
        time.sleep(0.2)
    done = ckan("ukharvest", "doctor", "--format", "json", check=False)
    report = json.loads(done.stdout)
    assert done.returncode == report["status"] == 0, done.stdout


def test_missing_workers_are_an_error_only_when_something_waits(
    portal: Portal, publisher: Publisher
) -> None:
    assert {each.level for each in runs.workers()} == {"warning"}
    model.Session.add(Worker(id="old", kind="fetch", heartbeat=utcnow() - HOUR))
    model.Session.add(Worker(id="new", kind="gather"))
    model.Session.commit()
    publisher.serve(PATH, catalogue(3))
    job = portal.create_job(portal.source(publisher.url(PATH)))
    portal.gather(job)
    HarvestJob.get(job).gather_finished = utcnow()
    model.Session.commit()
    assert_one(runs.workers(), "error", "No fetch consumer", "3 harvest objects", "fetch-consumer")


@pytest.mark.usefixtures("healthy")
def test_runs_that_wait_for_a_busy_gather_consumer_are_found(
    portal: Portal, publisher: Publisher
) -> None:
    source, other = (portal.source(publisher.url(path)) for path in (PATH, "/other.json"))
    waiting = HarvestJob(source_id=other, status="Running")
    busy = HarvestJob(source_id=source, status="Running", gather_started=utcnow())
    model.Session.add_all([waiting, busy])
    model.Session.commit()
    assert not list(runs.workers())
    waiting.created = utcnow() - HOUR
    model.Session.commit()
    assert not list(runs.workers())
    model.Session.get(Worker, "test-gather").busy_with = busy.id
    model.Session.commit()
    assert_one(runs.workers(), "warning", "1 run without", "60 minutes", "Start another")


def test_stuck_runs_are_named_with_the_reason(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(3))
    job = portal.create_job(portal.source(publisher.url(PATH), name="parking"))
    portal.gather(job)
    assert list(runs.stuck_jobs()) == []
    stop_clock(job, 5)
    assert_one(runs.stuck_jobs(), "error", job, "parking", "gathering for 5 h")
    stop_clock(job, 3, gather_finished=True)
    assert_one(runs.stuck_jobs(), "error", "3 harvest objects have waited for 3 h")
    now = utcnow()
    busy = Worker(id="w", kind="fetch", started=now, heartbeat=now, busy_with="of another run")
    model.Session.add(busy)
    model.Session.commit()
    assert list(runs.stuck_jobs()) == []
    model.Session.delete(busy)
    for obj in model.Session.query(HarvestObject):
        obj.state = "COMPLETE"
    model.Session.commit()
    assert_one(runs.stuck_jobs(), "error", "has not been closed", "ckan harvester run")


def test_a_cron_that_does_not_come_is_found() -> None:
    model.Session.query(model.SystemInfo).filter_by(key=sweeper.NOTE).delete()
    model.Session.commit()
    assert_one(runs.cron(), "warning", "never", "cron")
    swept(utcnow() - 7 * HOUR)
    assert_one(runs.cron(), "error", "7 h ago", "ckan harvester run")
    swept(utcnow())
    assert list(runs.cron()) == []
