"""A week on a live portal, by cron's ticks and real consumers: what the catalogue is at its end.

Not the clock is moved, which the consumers' processes and PostgreSQL have too, but everything
that happened: a day passes when all times in the database become a day older.
"""

from __future__ import annotations

import json
import signal
import time
import urllib.request
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.model import utcnow, worker
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, Workers, act, extras, figures, tick
from tests.publisher import Publisher

pytestmark = pytest.mark.ours

PATH = "/data.json"
PATIENCE = 180  # seconds until a run of a few dozen records has ended, on a slow machine


class Week:
    """One source that runs every night, and the nights that pass."""

    def __init__(self, source: str) -> None:
        self.source = source

    def night(self) -> dict[str, Any]:
        """Let the time pass until the source is due, and cron tick until its run has ended."""
        self.start()
        self.until(lambda: self.jobs()[-1]["status"] == "Finished")
        return self.jobs()[-1]

    def start(self) -> None:
        """Let the time pass until cron starts the source's run."""
        next_run = model.Session.get(HarvestSource, self.source).next_run
        self.pass_(next_run - utcnow() + timedelta(seconds=1))
        tick()

    def until(self, condition: Callable[[], Any]) -> None:
        """Tick until it is so."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.2)
            tick()

    def jobs(self) -> list[dict[str, Any]]:
        """The source's jobs, oldest first."""
        return list(reversed(act("harvest_job_list", source_id=self.source)))

    @staticmethod
    def pass_(interval: timedelta) -> None:
        model.Session.remove()
        inspector = sa.inspect(model.meta.engine)
        with model.meta.engine.begin() as connection:
            for table in inspector.get_table_names():
                columns = [
                    column["name"]
                    for column in inspector.get_columns(table)
                    if isinstance(column["type"], sa.DateTime)
                ]
                if columns:
                    moved = ", ".join(f'"{name}" = "{name}" - :by' for name in columns)
                    connection.execute(sa.text(f'UPDATE "{table}" SET {moved}'), {"by": interval})


@pytest.fixture
def week(portal: Portal, publisher: Publisher) -> Week:
    publisher.serve(PATH, catalogue(30))
    source = portal.source(publisher.url(PATH), frequency="DAILY")
    now = datetime.now(timezone.utc)
    act("ukharvest_schedule_update", source_id=source, time=f"{now:%H:%M}", zone="UTC")
    return Week(source)


def served(publisher: Publisher) -> dict[str, str]:
    """identifier → title of what the publisher serves now, read by no code of ours."""
    with urllib.request.urlopen(publisher.url(PATH)) as reply:
        return {each["identifier"]: each["title"] for each in json.load(reply)["dataset"]}


def test_a_week(week: Week, portal: Portal, publisher: Publisher, workers: Workers) -> None:
    assert figures(week.night()) == {"added": 30}
    assert figures(week.night()) == {"not modified": 30}

    publisher.fail(PATH, status=503, times=1000)  # an outage for one night
    assert figures(week.night()) == {"errored": 1}
    assert len(portal.datasets()) == 30
    publisher.recover()

    publisher.serve(PATH, catalogue([dataset(n) for n in range(10)]))
    assert figures(week.night()) == {"not modified": 10, "missing": 20}
    held = week.night()
    assert figures(held) == {"not modified": 10, "missing": 20}
    assert held["ukharvest"]["outcome"] == "held"
    assert len(portal.datasets()) == 30
    call_action("ukharvest_deletions_approve", {"ignore_auth": True}, source_id=week.source)
    assert len(portal.datasets()) == 10

    # Everything is restarted in the middle of a gather: processes killed, queues lost.
    publisher.serve(PATH, b"", hang=True)
    week.start()
    job_id = week.jobs()[-1]["id"]
    week.until(lambda: worker.busy(PATIENCE) == {job_id})
    for process in portal.consumers.processes:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
    queue.purge_queues()
    records = [dataset(n, description="Changed.") for n in range(5)]
    records += [dataset(n) for n in range(5, 12)]
    publisher.serve(PATH, catalogue(records))
    workers.running({})
    week.pass_(timedelta(seconds=config.worker_timeout() + 1))
    week.until(lambda: week.jobs()[-1]["status"] == "Finished")
    assert week.jobs()[-1]["id"] == job_id
    assert figures(week.jobs()[-1]) == {"updated": 7, "not modified": 5}

    assert figures(week.night()) == {"not modified": 12}

    assert len(week.jobs()) == 8  # one a night, and the approved deletions
    catalogue_now = {extras(each)["guid"]: each["title"] for each in portal.datasets()}
    assert catalogue_now == served(publisher)
    assert len(portal.found()) == len(catalogue_now)
