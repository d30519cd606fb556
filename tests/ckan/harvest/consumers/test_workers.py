"""Heartbeats: work of processes that live is left alone, that of dead ones goes on."""

from __future__ import annotations

import signal
import threading

import pytest
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.harvest.consumers import workers
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.harvest.model import Worker
from ckanext.ukharvest.harvest.run import sweeper
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvest.dead_workers import killed_gather, set_state
from tests.ckan.harvest.sweeping import PATH, Move, gathered, state
from tests.ckan.harvesting import Consumers, Portal, figures, to_gather, to_import, until, work_off
from tests.ckan.processes import FAULTY_PROGRAM
from tests.publisher import Publisher

# With batches a message is no longer about one object: test_batch_transaction.py.
pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "1"),
]


def test_object_of_a_live_worker_is_left_alone(portal: Portal, source: str, move: Move) -> None:
    """Stock sends an import again after 180 s although it still runs (decision 0004)."""
    job_id, (first, *_) = gathered(portal, source)
    queue.purge_queues()
    set_state(first, "IMPORT")
    move(3600)
    with Heart("fetch") as heart:
        heart.work_on(first)
        portal.finish(job_id)
        assert state(first)[0] == "IMPORT"
        assert first not in to_import()
    portal.finish(job_id)
    assert state(first)[0] == "WAITING"


def test_a_gather_that_lives_is_left_alone(portal: Portal, source: str, move: Move) -> None:
    job_id = killed_gather(portal, source)
    move(100_000)
    with Heart("gather") as heart:
        heart.work_on(job_id)
        portal.finish(job_id)
    assert to_gather() == []
    assert portal.job(job_id)["status"] == "Running"


def test_heartbeats_survive_a_database_outage(move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    with Heart("fetch", interval=0.05) as heart:
        heart.work_on("something")
        assert workers.busy_ids(workers.Limits(60)) == {"something"}
        before = model.Session.query(Worker).one().heartbeat
        model.Session.rollback()

        has_failed = threading.Event()

        class Away:
            def begin(self) -> None:
                if threading.current_thread() is heart._thread:
                    has_failed.set()
                raise OSError("no database")

        with monkeypatch.context() as patch:
            patch.setattr(model.meta, "engine", Away())
            heart.work_on("something else")
            assert has_failed.wait(60)
        until(lambda: workers.busy_ids(workers.Limits(60)) == {"something else"})
        assert model.Session.query(Worker).one().heartbeat > before
        model.Session.rollback()
        heart.work_on("")
        assert workers.busy_ids(workers.Limits(60)) == set()
    assert model.Session.query(Worker).count() == 0
    model.Session.add(Worker(id="dead", kind="fetch", busy_with="x"))
    model.Session.commit()
    move(60)
    assert workers.busy_ids(workers.Limits(60)) == set()
    sweeper.sweep()
    assert model.Session.query(Worker).count() == 1
    move(24 * 3600)
    sweeper.sweep()
    assert model.Session.query(Worker).count() == 0


def test_real_consumers_killed_in_gather_and_in_import(
    portal: Portal, publisher: Publisher, faulty_consumers: Consumers, ini: str, move: Move
) -> None:
    """SIGKILL while the publisher hangs, then while the parser does."""
    gatherer, fetcher = faulty_consumers.processes
    publisher.serve(PATH, catalogue(3), hang=True)
    source = portal.source(publisher.url(PATH))
    context = {"ignore_auth": True, "session": model.Session, "model": model}
    job_id = call_action("harvest_job_create", context, source_id=source, run=True)["id"]
    until(lambda: publisher.requests and workers.busy_ids(workers.Limits(60)) == {job_id})
    gatherer.send_signal(signal.SIGKILL)
    gatherer.wait(10)

    records = [dataset(n) for n in range(3)]
    records[1]["title"] = "Make the parser hang"
    publisher.serve(PATH, catalogue(records))
    with Consumers(ini, program=FAULTY_PROGRAM) as others:
        move(61)
        portal.finish(job_id)
        until(lambda: portal.job(job_id)["gather_finished"])
        stuck = model.Session.query(HarvestObject).filter(
            HarvestObject.content.like("%Make the parser hang%")
        )
        until(lambda: stuck.one().state == "FETCH")  # of a batch
        hanging = stuck.one().id
        query = model.Session.query(Worker.id).filter(Worker.busy_with == hanging)
        until(lambda: query.first())
        number = int(query.one()[0].split(":")[1])
        for process in (fetcher, *others.processes):
            process.send_signal(signal.SIGKILL)
            process.wait(10)
        assert number in (fetcher.pid, others.processes[1].pid)

    move(61)
    portal.finish(job_id)
    assert hanging in to_import()
    work_off()  # in this process the parser works
    job = portal.finish(job_id)
    assert (job["status"], figures(job)) == ("Finished", {"added": 3})
