"""A consumer that hangs and still sends heartbeats is found, and its work continues."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestObject, HarvestObjectExtra

from ckanext.ukharvest import doctor
from ckanext.ukharvest.doctor import dashboard
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.consumers import claims
from ckanext.ukharvest.harvest.model import Record, Worker
from ckanext.ukharvest.harvest.run import sweeper
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Consumers, Portal, act, figures, tick, write_ini
from tests.ckan.processes import FAULTY_PROGRAM, PROGRAM
from tests.publisher import Publisher, Request, Response

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.sweeper.object_timeout", "5"),
    pytest.mark.ckan_config("ckanext.ukharvest.sweeper.gather_timeout", "5"),
    pytest.mark.ckan_config("ckanext.ukharvest.sweeper.worker_timeout", "12"),
    # One record at a time, so that it is known which one hangs.
    pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "1"),
]

PATH = "/data.json"
PATIENCE = 240.0  # seconds
# A heartbeat every second instead of ten, so that none is missed within the timeouts above.
BEATS = (
    "from ckanext.ukharvest.harvest.consumers.workers import Heart\n"
    "Heart.__init__.__defaults__ = (1.0,)\n"
)
Session = model.Session


@pytest.fixture
def go_on(tmp_path: Path) -> Path:
    """The file that ends the hang."""
    return tmp_path / "go-on"


@pytest.fixture
def single(ini: str, tmp_path: Path) -> str:
    """The portal's settings, with one record at a time for all consumers."""
    return write_ini(ini, {"ckanext.ukharvest.batch_size": "1"}, tmp_path / "one.ini")


@pytest.fixture
def faulty(single: str, go_on: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Consumers]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UKHARVEST_TEST_GO_ON", str(go_on))
        consumers = Consumers(single, program=BEATS + FAULTY_PROGRAM)
        consumers.start()
    yield consumers
    go_on.touch()
    for process in consumers.processes:
        process.kill()
    consumers.stop()


def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        Session.remove()
        time.sleep(0.2)


def sweep_until(caplog: pytest.LogCaptureFixture, text: str) -> None:
    """Run cron's command again and again until the sweeper logs a text."""

    def is_logged() -> bool:
        tick()
        return text in caplog.text

    until(is_logged)


def state(id_: str) -> str:
    Session.remove()
    return str(HarvestObject.get(id_).state)


def findings() -> list[doctor.Finding]:
    Session.remove()
    return [each for each in doctor.examine(["hung"]) if each.level == "error"]


def hanging(portal: Portal, publisher: Publisher, title: str) -> tuple[str, str]:
    """Return the run and the object, of three records, at which its consumer hangs."""
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, title=title), dataset(2)]))
    source = portal.source(publisher.url(PATH), name="parking")
    job_id = portal.create_job(source)
    ids = portal.gather(job_id)
    portal.send(ids)
    stuck = Session.query(HarvestObject).filter(HarvestObject.content.like(f"%{title}%")).one().id
    others = [id_ for id_ in ids if id_ != stuck]
    until(lambda: state(stuck) == "FETCH")
    if ids.index(stuck) == 0:
        return job_id, stuck
    until(lambda: state(others[0]) == "COMPLETE" or state(others[1]) == "COMPLETE")
    return job_id, stuck


def test_another_consumer_imports_the_object_of_a_hung_one(
    portal: Portal,
    publisher: Publisher,
    faulty: Consumers,
    go_on: Path,
    app: CKANTestApp,
    single: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, sweeper.__name__)
    job_id, stuck = hanging(portal, publisher, "Make the parser hang")
    until(findings)
    (finding,) = findings()
    pid = faulty.processes[1].pid
    for part in (f"process {pid}", stuck, "Source 1", "fetch consumer"):
        assert part in finding.message
    assert f"kill -9 {pid}" in finding.what_to_do
    http_client.delete_from_redis(dashboard.SNAPSHOT)
    sysadmin = {"Authorization": factories.SysadminWithToken()["token"]}
    until(lambda: f"({pid}): Stuck" in app.get("/ckan-admin/ukharvest", headers=sysadmin).body)
    sweep_until(caplog, f"sent harvest object {stuck} again")
    assert faulty.processes[1].poll() is None  # it hangs, with heartbeats
    with Consumers(single, program=BEATS + PROGRAM) as others:
        others.wait(job_id)
        assert figures(portal.finish(job_id)) == {"added": 3}
        before = [each["id"] for each in portal.datasets()]
        go_on.touch()
        idle = Session.query(Worker.id).filter_by(busy_with="")
        until(lambda: idle.count() == 4)
    assert figures(portal.job(job_id)) == {"added": 3}
    assert [each["id"] for each in portal.datasets()] == before
    assert Session.query(Record).count() == 3
    assert Session.query(HarvestObject).filter_by(current=True).count() == 3
    assert findings() == []
    assert figures(portal.run(Session.query(HarvestObject).first().harvest_source_id)) == {
        "not modified": 3
    }


@pytest.mark.giant
def test_sweeper_gives_up_an_object_that_hung_three_times(
    portal: Portal,
    publisher: Publisher,
    faulty: Consumers,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It hangs in the transaction that writes the record, under the record's lock."""
    caplog.set_level(logging.INFO, sweeper.__name__)
    job_id, stuck = hanging(portal, publisher, "Make the writer hang")
    Session.add(HarvestObjectExtra(harvest_object_id=stuck, key=claims.KILLS, value="2"))
    Session.commit()
    sweep_until(caplog, f"left harvest object {stuck}: its consumer hangs")
    assert state(stuck) == "FETCH"
    faulty.processes[1].send_signal(signal.SIGKILL)
    sweep_until(caplog, f"gave up harvest object {stuck}")
    assert state(stuck) == "ERROR"
    assert "three times" in portal.job(job_id)["object_error_summary"][0]["message"]


@pytest.mark.giant
def test_another_consumer_does_the_gather_of_a_hung_one(
    portal: Portal,
    publisher: Publisher,
    faulty: Consumers,
    single: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, sweeper.__name__)
    go_on = threading.Event()

    def hang(_request: Request) -> Response:
        go_on.wait(PATIENCE)
        return Response(cut=-1)

    publisher.routes[PATH] = hang
    source = portal.source(publisher.url(PATH), name="parking")
    job_id = act("ukharvest_run_create", source_id=source)["id"]
    until(lambda: publisher.requests)
    until(findings)
    (finding,) = findings()
    for part in (f"process {faulty.processes[0].pid}", job_id, "Source 1", "gather consumer"):
        assert part in finding.message
    publisher.serve(PATH, catalogue(3))
    sweep_until(caplog, f"sent job {job_id} to the gather consumers again")
    with Consumers(single, program=BEATS + PROGRAM) as others:

        def is_done() -> bool:
            tick()  # a consumer that seemed gone may be back: its job is then sent once more
            return others._is_worked_off(job_id)

        until(is_done)
        others.wait_for_messages(portal.objects(job_id))
        assert figures(portal.finish(job_id)) == {"added": 3}
        go_on.set()
        assert faulty.processes[0].wait(PATIENCE) != 0
    assert figures(portal.job(job_id)) == {"added": 3}
    assert portal.job(job_id)["ukharvest"]["outcome"] == "finished"
