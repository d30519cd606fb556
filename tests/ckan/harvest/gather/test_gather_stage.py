"""A run that killed three gather consumers fails; the source's schedule starts the next one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.consumers import workers
from ckanext.ukharvest.harvest.model import JobReport
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Consumers, Portal, act, figures, tick, until, work_off
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process]

PATH = "/data.json"
SENTENCE = "Reading this source ended the gather consumer three times"


@pytest.fixture
def move(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Move the clock of the sweeper and the schedules on by this many seconds."""
    now, moved = tables.utcnow, [timedelta(0)]
    database_time = tables.database_time
    monkeypatch.setattr(tables, "utcnow", lambda: now() + moved[0])
    monkeypatch.setattr(tables, "database_time", lambda: database_time() + moved[0])

    def move_on(seconds: float) -> None:
        moved[0] += timedelta(seconds=seconds)

    return move_on


Move = Callable[[float], None]


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(3))
    return portal.source(publisher.url(PATH), frequency="DAILY")


def lose_gathers(portal: Portal, source: str, move: Move, times: int = 3) -> str:
    """Make a job whose gather consumer is dead each time that the sweeper checks it."""
    tick()
    job_id = portal.create_job(source)
    model.Session.add(JobReport(job_id=job_id, source_id=source, heartbeat=tables.utcnow()))
    for _ in range(times):
        job = HarvestJob.get(job_id)
        job.status, job.gather_started = "Running", tables.utcnow()
        job.save()
        move(61)
        portal.finish(job_id)
        queue.purge_queues()  # the consumer took the message and died
    return job_id


def make_due(source: str) -> None:
    """Set the scheduled start a moment ago."""
    row = HarvestSource.get(source)
    row.next_run = datetime.utcnow() - timedelta(minutes=1)  # noqa: DTZ003 - as ckanext-harvest
    row.save()
    model.Session.remove()


def jobs(source: str) -> int:
    model.Session.remove()
    return int(model.Session.query(HarvestJob).filter_by(source_id=source).count())


def show_source(source: str) -> dict[str, Any]:
    return dict(act("ukharvest_source_show", source_id=source))


def test_killed_gather_fails_and_schedule_goes_on(
    portal: Portal, source: str, move: Move, app: CKANTestApp
) -> None:
    job_id = lose_gathers(portal, source, move)
    job = portal.job(job_id)
    assert (job["status"], job["ukharvest"]["outcome"]) == ("Finished", "failed")
    assert SENTENCE in job["gather_error_summary"][0]["message"]
    found = show_source(source)
    assert (found["health"], found["health_reason"]) == ("failing", "failed")
    assert SENTENCE in found["heading"]
    assert found["next_run"]
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    page = app.get(f"/harvest/{model.Package.get(source).name}", headers=headers)
    assert SENTENCE in page.body
    assert "Schedule or command line" in page.body  # without the name of a person
    make_due(source)
    tick()
    assert jobs(source) == 2


def test_gather_starts_again_after_two_dead_consumers(
    portal: Portal, source: str, move: Move
) -> None:
    job_id = lose_gathers(portal, source, move, times=2)
    move(61)
    portal.finish(job_id)
    work_off()
    assert figures(portal.finish(job_id)) == {"added": 3}


def test_a_source_that_kills_real_gather_consumers(
    portal: Portal, publisher: Publisher, ini: str, move: Move, faulty_consumers: Consumers
) -> None:
    """A record whose identity ends the process, as a fault in a C library does."""
    records = [dataset(0), dataset(1, identifier="End the process")]
    publisher.serve(PATH, catalogue(records))
    source = portal.source(publisher.url(PATH), frequency="DAILY")
    tick()  # as cron does: a source without a next start gets one
    job_id = act("ukharvest_run_create", source_id=source)["id"]
    gatherer = faulty_consumers.processes[0]
    for number in range(3):
        assert gatherer.wait(180) != 0
        move(61)
        until(lambda: job_id not in workers.busy_ids(workers.Limits(60)))
        portal.finish(job_id)
        if number < 2:
            faulty_consumers.start_named(["gather-consumer"])
            gatherer = faulty_consumers.processes[-1]
    job = portal.job(job_id)
    assert (job["status"], job["ukharvest"]["outcome"]) == ("Finished", "failed")
    assert SENTENCE in job["gather_error_summary"][0]["message"]
    make_due(source)
    tick()
    assert jobs(source) == 2
