"""Clocks that are wrong, differ from host to host, or are moved while work goes on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.model import Retry, Worker
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Consumers, Portal, act, figures, tick, until
from tests.ckan.processes import FAULTY_PROGRAM
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

Session = model.Session

PATH = "/data.json"
MANY = 40
HOUR = timedelta(hours=1)
# The program ``ckan`` on a host whose clock is wrong by some hours.
WRONG = """
import datetime
from ckanext.ukharvest.harvest import model as tables
import ckanext.ukharvest.harvest.batch.import_stage, ckanext.ukharvest.harvest.consumers.claims
_now = tables.utcnow
def utcnow():
    return _now() + datetime.timedelta(hours={hours})
import sys
for module in list(sys.modules.values()):
    if getattr(module, "utcnow", None) is _now:
        module.utcnow = utcnow
"""


@pytest.fixture
def go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "go-on"
    monkeypatch.setenv("UKHARVEST_TEST_GO_ON", str(path))
    yield path
    path.touch()


@pytest.mark.parametrize("hours", [-3, 3])
def test_a_consumer_whose_clock_is_wrong_keeps_its_work(
    portal: Portal, publisher: Publisher, ini: str, go_on: Path, hours: int
) -> None:
    """The database's clock says whether it lives; nobody takes its work while it does."""
    records = [dataset(n) for n in range(MANY - 1)] + [dataset(99, title="Make the parser hang")]
    publisher.serve(PATH, catalogue(records))
    source = portal.source(publisher.url(PATH))
    program = WRONG.format(hours=hours) + FAULTY_PROGRAM
    with Consumers(ini, program=program) as consumers:
        job_id = act("ukharvest_run_create", source_id=source)["id"]
        until(lambda: states().get("IMPORT") or states().get("FETCH"))
        until(lambda: Session.query(Worker).filter(Worker.busy_with != "").count())
        for _ in range(3):
            tick()
            assert taken_back() == 0
        go_on.touch()
        consumers.wait(job_id)
    assert figures(portal.finish(job_id)) == {"added": MANY}
    assert len(portal.datasets()) == MANY


@pytest.mark.parametrize("hours", [-30, 30])
def test_moved_clock_does_not_delay_a_run(portal: Portal, publisher: Publisher, hours: int) -> None:
    """All that is stored looks ``hours`` older or newer; its consumers died."""
    publisher.serve(PATH, catalogue(3))
    source = portal.source(publisher.url(PATH))
    job_id = portal.create_job(source)
    portal.gather(job_id)
    _first, second, _third = portal.waiting(job_id)
    then = tables.utcnow() - timedelta(hours=hours)
    Session.query(HarvestObject).update({"gathered": then, "state": "FETCH", "fetch_started": then})
    Session.query(HarvestObject).filter_by(id=second).update({"state": "WAITING"})
    Session.add(
        Retry(harvest_object_id=second, attempts=1, due=then, service="database", message="?")
    )
    Session.query(HarvestJob).update({"created": then, "gather_started": then})
    Session.commit()
    until(lambda: tick() or states() == {"WAITING": 3})
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"added": 3}


@pytest.mark.parametrize("hours", [-30, 30])
def test_moved_clock_does_not_delay_a_gather(
    portal: Portal, publisher: Publisher, hours: int
) -> None:
    publisher.serve(PATH, catalogue(3))
    job_id = portal.create_job(portal.source(publisher.url(PATH)))
    then = tables.utcnow() - timedelta(hours=hours)
    job = HarvestJob.get(job_id)
    job.status, job.created, job.gather_started = "Running", then, then
    Session.add(tables.JobReport(job_id=job_id, source_id=job.source_id, heartbeat=then))
    Session.commit()
    tick()
    Session.remove()
    assert HarvestJob.get(job_id).gather_started is None  # sent again


def states() -> dict[str, int]:
    Session.remove()
    query = Session.query(HarvestObject.state, sa.func.count()).group_by(HarvestObject.state)
    return {row[0]: row[1] for row in query}


def taken_back() -> int:
    """Return how many objects the sweeper took from a consumer."""
    Session.remove()
    query = sa.text("SELECT count(*) FROM harvest_object_extra WHERE key = 'ended_workers'")
    return int(Session.execute(query).scalar())
