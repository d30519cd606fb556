"""Portals whose queues are in RabbitMQ: batches, heartbeats and lost work as with Redis."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ckan import model
from ckanext.harvest import queue

from ckanext.ukharvest.doctor import services
from ckanext.ukharvest.harvest.model import Claim, Worker
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvest.killed_consumers import an_hour_later, start_run
from tests.ckan.harvesting import Consumers, Portal, figures, tick, until, write_ini
from tests.ckan.servers import rabbitmq
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
MANY = 40
PATIENCE = 60.0  # seconds


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[rabbitmq.Server]:
    with rabbitmq.serve(tmp_path_factory.mktemp("rabbitmq")) as server:
        yield server


@pytest.fixture
def rabbit(
    ini: str,
    server: rabbitmq.Server,
    ckan_config: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> str:
    """Path of an ini with RabbitMQ's settings, which this process has too."""
    given = {
        "ckan.harvest.mq.type": "amqp",
        "ckan.harvest.mq.hostname": "127.0.0.1",
        "ckan.harvest.mq.port": str(server.port),
        "ckan.harvest.mq.user_id": "guest",
        "ckan.harvest.mq.password": "guest",
        "ckan.harvest.mq.virtual_host": "/",
        # Small: one consumer must not have done all before the other has begun.
        "ckanext.ukharvest.batch_size": "2",
    }
    for key, value in given.items():
        monkeypatch.setitem(ckan_config, key, value)
    queue.get_gather_consumer()  # declares the queue, which can be purged only then
    queue.get_fetch_consumer()
    queue.purge_queues()
    return write_ini(ini, given, tmp_path / "rabbit.ini")


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(MANY))
    return portal.source(publisher.url(PATH))


def kinds() -> list[str]:
    """Return the kinds of the consumers; this process may have a heartbeat as well."""
    others = Worker.id.notlike(f"%:{os.getpid()}:%")
    return sorted(row[0] for row in model.Session.query(Worker.kind).filter(others))


def claims_of() -> dict[str, int]:
    """Return worker id → number of its claims."""
    model.Session.remove()
    found: dict[str, int] = {}
    for (id_,) in model.Session.query(Claim.worker_id):
        found[id_] = found.get(id_, 0) + 1
    return found


def test_consumers_share_the_batches_and_have_heartbeats(rabbit: str, source: str) -> None:
    workers: set[str] = set()
    with Consumers(rabbit, 2) as consumers:
        until(lambda: kinds() == ["fetch", "fetch", "gather"])
        job_id = start_run(source)
        until(lambda: workers.update(claims_of()) or len(workers) == 2)
        consumers.wait(job_id)
    assert figures(Portal("").finish(job_id)) == {"added": MANY}


def test_the_work_of_a_killed_consumer_is_done_by_another(rabbit: str, source: str) -> None:
    with Consumers(rabbit) as consumers:
        job_id = start_run(source)
        until(claims_of)
        consumers.processes[-1].kill()
        consumers.processes[-1].wait(30)
        left = set(claims_of())
        assert left
    an_hour_later()
    with Consumers(rabbit) as consumers:
        until(lambda: kinds() == ["fetch", "gather"])
        until(lambda: tick() or not left & set(claims_of()))
        consumers.wait(job_id)
    assert figures(Portal("").finish(job_id)) == {"added": MANY}


def test_lost_messages_and_connections_are_replaced(
    rabbit: str, server: rabbitmq.Server, portal: Portal, publisher: Publisher, source: str
) -> None:
    job_id = portal.create_job(source)
    portal.gather(job_id)
    queue.purge_queues()
    with Consumers(rabbit) as consumers:
        until(lambda: kinds() == ["fetch", "gather"])
        tick()
        consumers.wait(job_id)
        assert figures(portal.finish(job_id)) == {"added": MANY}, "messages are sent again"
        server.close_connections()
        publisher.serve(PATH, catalogue([dataset(n, title=f"New {n}") for n in range(MANY)]))
        job_id = start_run(source)
        consumers.wait(job_id)
    assert figures(portal.finish(job_id)) == {"updated": MANY}, "consumers connect again"


def test_the_doctor_says_whether_rabbitmq_answers(
    rabbit: str, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rabbit
    assert list(services.redis_queue()) == []
    monkeypatch.setitem(ckan_config, "ckan.harvest.mq.port", "1")
    [finding] = services.redis_queue()
    assert "RabbitMQ does not answer" in finding.message
