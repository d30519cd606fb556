"""The same with the queues in RabbitMQ, which goes away, and is emptied."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from ckanext.harvest import queue

from tests.ckan.chaos.faults import FAULTS, Fault, Kinds
from tests.ckan.chaos.storm import Storm
from tests.ckan.servers import rabbitmq

pytestmark = pytest.mark.in_process


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[rabbitmq.Server]:
    with rabbitmq.serve(tmp_path_factory.mktemp("rabbitmq")) as server:
        yield server


@pytest.fixture
def settings(
    server: rabbitmq.Server, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """The settings of RabbitMQ, which this process has too."""
    given = {
        "ckan.harvest.mq.type": "amqp",
        "ckan.harvest.mq.hostname": "127.0.0.1",
        "ckan.harvest.mq.port": str(server.port),
        "ckan.harvest.mq.user_id": "guest",
        "ckan.harvest.mq.password": "guest",
        "ckan.harvest.mq.virtual_host": "/",
    }
    for key, value in given.items():
        monkeypatch.setitem(ckan_config, key, value)
    queue.get_gather_consumer()  # declares the queue
    queue.get_fetch_consumer()
    return given


def kinds(server: rabbitmq.Server) -> Kinds:
    """Return the faults of RabbitMQ, of which one strikes at a time, and those of consumers."""
    alone = threading.Lock()

    def close(*_: object) -> None:
        with alone:
            server.close_connections()

    def restart(fault: Fault, *_: object, empty: bool = False) -> None:
        with alone:
            server.restart(fault.seconds, empty=empty)

    of_rabbitmq: Kinds = {
        "close RabbitMQ's connections": (2, close),
        "restart RabbitMQ": (2, restart),
        "restart RabbitMQ, no data": (2, partial(restart, empty=True)),
    }
    return {**of_rabbitmq, **{name: each for name, each in FAULTS.items() if "consumer" in name}}


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("batch_size", [100, 1])
def test_fourteen_faults_with_rabbitmq(
    storm: Storm, server: rabbitmq.Server, settings: dict[str, str], batch_size: int
) -> None:
    storm.settings, storm.kinds = settings, kinds(server)
    storm.harvest("rabbit", 14, batch_size)
    storm.prove()
