"""A week on a live portal, the clock moved: what the catalogue is at its end."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob
from freezegun import freeze_time

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Channel, Portal, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
MONDAY = datetime(2026, 11, 23, 2, 25)  # noqa: DTZ001 - naive UTC, as ckanext-harvest keeps time


class Clock:
    """The portal's clock, and what happens as it moves: cron's ticks and the consumers' work."""

    def __init__(self, frozen: Any) -> None:
        self._frozen = frozen
        self.gather_dies = False

    def to(self, day: int, hour: int, minute: int) -> None:
        """Move to a time of the week (day 0 is Monday), a tick of cron every ten minutes.

        The ticks of the nights alone are played: nothing is due at other hours.
        """
        target = MONDAY.replace(hour=hour, minute=minute) + timedelta(days=day)
        while self.now < target:
            is_night = self.now.hour in (2, 3)
            step = timedelta(minutes=10) if is_night else timedelta(hours=1)
            self._frozen.move_to(min(self.now + step, target))
            if is_night or self.now == target:
                self.tick()

    @property
    def now(self) -> datetime:
        return datetime.now()  # noqa: DTZ005 - frozen, in UTC

    def tick(self) -> None:
        """``ckan harvester run``, and everything on the queues worked off."""
        user = factories.Sysadmin()["name"]
        context = {"user": user, "model": model, "session": model.Session}
        tk.get_action("harvest_jobs_run")(context, {})
        self._work("gather")
        self._work("fetch")
        model.Session.remove()

    def _work(self, kind: str) -> None:
        consumer = getattr(queue, f"get_{kind}_consumer")()
        while body := consumer.redis.lpop(consumer.routing_key):
            if kind == "gather" and self.gather_dies:
                self.gather_dies = False
                job = HarvestJob.get(json.loads(body)["harvest_job_id"])
                job.gather_started = datetime.utcnow()  # noqa: DTZ003 - as ckanext-harvest does
                job.save()
                continue  # the process was killed here
            callback = getattr(queue, f"{kind}_callback")
            callback(Channel(), queue.FakeMethod(body), None, body)


@pytest.fixture
def clock() -> Iterator[Clock]:
    with freeze_time(MONDAY, tick=False) as frozen:
        yield Clock(frozen)


def jobs(source: str) -> list[dict[str, Any]]:
    """The source's jobs, oldest first."""
    context = {"ignore_auth": True, "model": model, "session": model.Session}
    return list(reversed(call_action("harvest_job_list", context, source_id=source)))


def last(source: str) -> dict[str, int]:
    job = jobs(source)[-1]
    assert job["status"] == "Finished"
    return figures(job)


def served(publisher: Publisher) -> dict[str, str]:
    """identifier → title of what the publisher serves now, read by no code of ours."""
    with urllib.request.urlopen(publisher.url(PATH)) as reply:
        return {each["identifier"]: each["title"] for each in json.load(reply)["dataset"]}


def test_a_week(clock: Clock, portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(30))
    source = portal.source(publisher.url(PATH), frequency="DAILY")
    call_action(
        "ukharvest_schedule_update",
        {"ignore_auth": True},
        source_id=source,
        time="02:30",
        zone="Europe/London",
    )

    clock.to(0, 4, 0)
    assert last(source) == {"added": 30}
    clock.to(1, 4, 0)
    assert last(source) == {"not modified": 30}

    publisher.fail(PATH, status=503, times=1000)  # an outage for one night
    clock.to(2, 4, 0)
    assert last(source) == {"errored": 1}
    assert len(portal.datasets()) == 30
    publisher.recover()

    publisher.serve(PATH, catalogue([dataset(n) for n in range(10)]))
    clock.to(3, 4, 0)
    assert last(source) == {"not modified": 10, "missing": 20}
    clock.to(4, 4, 0)
    assert last(source) == {"not modified": 10, "missing": 20}
    assert jobs(source)[-1]["ukharvest"]["outcome"] == "held"
    assert len(portal.datasets()) == 30
    call_action("ukharvest_deletions_approve", {"ignore_auth": True}, source_id=source)
    assert len(portal.datasets()) == 10

    # Everything is restarted in the middle of a gather: processes gone, queues lost.
    records = [dataset(n, description="Changed.") for n in range(5)]
    records += [dataset(n) for n in range(5, 12)]
    publisher.serve(PATH, catalogue(records))
    clock.gather_dies = True
    clock.to(5, 2, 36)
    queue.purge_queues()
    clock.to(5, 4, 0)
    assert last(source) == {"updated": 7, "not modified": 5}

    clock.to(6, 4, 0)
    assert last(source) == {"not modified": 12}

    assert len(jobs(source)) == 8  # one a night, and the approved deletions
    catalogue_now = {
        next(e["value"] for e in each["extras"] if e["key"] == "guid"): each["title"]
        for each in portal.datasets()
    }
    assert catalogue_now == served(publisher)
    assert len(portal.found()) == len(catalogue_now)
