"""A week on a live portal, by cron's ticks and real consumers: the catalogue at its end.

The clock is not moved, because the consumers and PostgreSQL have it too: a day passes when all
times in the database become a day older.
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
from ckan.common import config
from ckan.tests.helpers import call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config as settings
from ckanext.ukharvest.harvest.consumers import workers as harvest_workers
from ckanext.ukharvest.harvest.model import utcnow
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, Workers, act, extras, figures, tick
from tests.ckan.servers import services_of_tests, state
from tests.publisher import Publisher

PATH = "/data.json"
PATIENCE = 600  # seconds until a run of a few dozen records has ended, on a slow machine


class Week:
    """A source that runs every night, and the nights that pass."""

    def __init__(self, source: str) -> None:
        self.source = source

    def night(self) -> dict[str, Any]:
        """Let time pass until the source is due, and cron tick until its run has ended."""
        self.start()
        self.until(lambda: self.jobs()[-1]["status"] == "Finished")
        return self.jobs()[-1]

    def start(self) -> None:
        """Let time pass until cron starts the source's run."""
        next_run = model.Session.get(HarvestSource, self.source).next_run
        self.pass_(next_run - utcnow() + timedelta(seconds=1))
        tick()

    def until(self, condition: Callable[[], Any]) -> None:
        """Tick until a condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.2)
            tick()

    def jobs(self) -> list[dict[str, Any]]:
        """Return the source's jobs, oldest first."""
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
    """Return identifier → title of what the publisher serves now, read without our code."""
    with urllib.request.urlopen(publisher.url(PATH)) as reply:
        return {each["identifier"]: each["title"] for each in json.load(reply)["dataset"]}


def restart_services() -> None:
    """Stop and start PostgreSQL, Redis and Solr, as on a night of updates."""
    services = services_of_tests(config)  # none if they run elsewhere
    if not services:
        return
    model.Session.remove()
    before = [(service.port, service.daemon.pid()) for service in services]
    # So that no other start takes a port in between: the portal's ini names it.
    with state.locked(), state.choosing_ports(alone=True):
        for service in reversed(services):
            service.stop()
        for service in services:
            service.start()
    for service, (port, pid) in zip(services, before, strict=True):
        assert service.port == port, "it was taken while the service was stopped"
        assert service.daemon.pid() != pid
    # CKAN's web server, which this process plays, is restarted as well.
    model.meta.engine.dispose()


@pytest.mark.giant
@pytest.mark.timeout(1500)
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
    decision = {"source_id": week.source, "decision": "approve"}
    call_action("ukharvest_pending_decide", {"ignore_auth": True}, **decision)
    assert len(portal.datasets()) == 10

    # Everything is restarted in the middle of a gather: processes killed, queues lost, and
    # PostgreSQL, Redis and Solr stopped and started.
    publisher.serve(PATH, b"", hang=True)
    week.start()
    job_id = week.jobs()[-1]["id"]
    week.until(lambda: harvest_workers.busy_ids(harvest_workers.Limits(PATIENCE)) == {job_id})
    for process in portal.consumers.processes:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
    queue.purge_queues()
    restart_services()
    records = [dataset(n, description="Changed.") for n in range(5)]
    records += [dataset(n) for n in range(5, 12)]
    publisher.serve(PATH, catalogue(records))
    workers.running({})
    week.pass_(timedelta(seconds=settings.worker_timeout() + 1))
    week.until(lambda: week.jobs()[-1]["status"] == "Finished")
    assert week.jobs()[-1]["id"] == job_id
    assert figures(week.jobs()[-1]) == {"updated": 7, "not modified": 5}

    # And again with idle consumers; a supervisor restarts them when they end.
    restart_services()
    publisher.serve(PATH, catalogue([*records, dataset(40)]))
    workers.running({})
    assert figures(week.night()) == {"added": 1, "not modified": 12}
    assert figures(week.night()) == {"not modified": 13}

    assert len(week.jobs()) == 9  # one a night, and the approved deletions
    catalogue_now = {extras(each)["guid"]: each["title"] for each in portal.datasets()}
    assert catalogue_now == served(publisher)
    assert len(portal.search_names()) == len(catalogue_now)

    if not services_of_tests(config):
        pytest.skip("all but restarts of PostgreSQL, Redis and Solr, which run elsewhere")
