"""Heartbeats: work of processes that live is left alone, that of dead ones goes on."""

from __future__ import annotations

import threading

import pytest
from ckan import model
from ckanext.harvest import queue

from ckanext.ukharvest.harvest.consumers import workers
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.harvest.model import Worker
from ckanext.ukharvest.harvest.run import sweeper
from tests.ckan.harvest.dead_workers import set_state
from tests.ckan.harvest.sweeping import Move, gathered, state
from tests.ckan.harvesting import Portal, to_import, until

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
