"""A thousand datasets through the real queue, and consumers that survive every fault."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import redis
from ckan import model
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestObject

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Consumers, Portal, act, figures, until
from tests.ckan.processes import FAULTY_PROGRAM
from tests.ports import own_port
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process  # the consumers are each test's own

PATH = "/data.json"


def count() -> int:
    return int(call_action("package_search", rows=0)["count"])


@pytest.mark.giant
@pytest.mark.timeout(1200)
def test_thousand_datasets_delivered_twice_are_imported_once(
    portal: Portal, publisher: Publisher, ini: str, app: CKANTestApp
) -> None:
    many = 1000
    publisher.serve(PATH, catalogue(many))
    source = portal.source(publisher.url(PATH), name="thousand")
    with Consumers(ini, fetchers=0) as consumers:
        job_id = act("ukharvest_run_create", source_id=source)["id"]
        until(lambda: portal.waiting(job_id))
        # As a gather consumer from before our consumers looked by themselves sends them.
        portal.send([id_ for id_ in portal.waiting(job_id)[:8] for _ in range(2)])
        consumers.start_fetchers(2)
        consumers.wait(job_id, timeout=900)
        consumers.wait_for_messages(portal.objects(job_id))
        assert figures(portal.finish(job_id)) == {"added": many}
        assert count() == many
        assert model.Session.query(HarvestObject).filter_by(current=True).count() == many
        assert f"{many:,} datasets found" in app.get("/dataset/").body
        assert "Dataset 00" in app.get("/harvest/thousand").body
        changes(consumers, publisher, source, many)


def changes(consumers: Consumers, publisher: Publisher, source: str, many: int) -> None:
    """Of many datasets few change or go, and a page fails."""
    publisher.requests.clear()
    job = consumers.run(source)
    assert figures(job) == {"not modified": many}
    # An unchanged source costs next to nothing: it is read, without any message or object.
    assert len(publisher.requests) <= 2
    objects = model.Session.query(HarvestObject).filter_by(harvest_job_id=job["id"])
    assert objects.count() == 0

    # 2 are gone and 3 changed, all others are as they were.
    left = many - 2
    records = [dataset(n) for n in range(left)]
    for number in (10, 20, 30):
        records[number]["description"] = "Changed."
    publisher.serve(PATH, catalogue([*records, dataset(5000)]))
    job = consumers.run(source)
    assert figures(job) == {"updated": 3, "added": 1, "not modified": left - 3, "missing": 2}
    assert count() == many + 1

    assert figures(consumers.run(source)) == {"not modified": left + 1, "deleted": 2}
    assert count() == left + 1

    publisher.serve(PATH, catalogue([dataset(n, title="Renamed") for n in range(left)]))
    publisher.fail(f"{PATH}?page=2", status=500, times=20)
    job = consumers.run(source)
    assert figures(job) == {"errored": 1}
    assert "500" in job["gather_error_summary"][0]["message"]
    assert count() == left + 1
    assert call_action("package_search", rows=0, fq="title:Renamed")["count"] == 0


class Idle(NamedTuple):
    """Consumers that have been idle since their start, and their Redis."""

    redis: _Redis
    consumers: Consumers
    since: float


@pytest.fixture(scope="module", autouse=True)
def idle(ini: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Idle | None]:
    """Consumers that idle during the other test; their Redis may be stopped."""
    if not shutil.which("redis-server"):
        yield None
        return
    with _Redis(tmp_path_factory.mktemp("redis")) as server:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CKAN_REDIS_URL", server.url)
            consumers = Consumers(ini, program=FAULTY_PROGRAM)
            consumers.start()
        try:
            yield Idle(server, consumers, time.monotonic())
        finally:
            consumers.stop()


class _Redis:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Also during a restart: the end of each of its connections waits there for a minute.
        self._port = own_port()
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        words = ["redis-server", "--port", str(self._port), "--bind", "127.0.0.1"]
        words += ["--dir", str(self._folder), "--save", "", "--appendonly", "yes"]
        self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        client = redis.Redis.from_url(self.url)
        for _ in range(600):
            try:
                client.ping()
            except redis.ConnectionError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError("redis-server did not start")

    def stop(self) -> None:
        assert self._process
        self._process.terminate()
        self._process.wait(60)

    def __enter__(self) -> _Redis:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@pytest.mark.giant
def test_consumers_survive_idleness_restarts_and_parser_errors(
    idle: Idle | None, portal: Portal, publisher: Publisher, ckan_config: Any, monkeypatch: Any
) -> None:
    if idle is None:
        pytest.skip("no redis-server here to stop and start")
    own_redis, consumers, since = idle
    monkeypatch.setitem(ckan_config, "ckan.redis.url", own_redis.url)
    records = [dataset(n) for n in range(5)]
    records[2]["title"] = "Make the parser fail"
    publisher.serve(PATH, catalogue(records))
    source = portal.source(publisher.url(PATH))
    time.sleep(max(0.0, since + 65 - time.monotonic()))
    assert consumers.are_alive, "a consumer ended while it was idle"

    job = consumers.run(source)
    assert figures(job) == {"added": 4, "errored": 1}
    assert "Internal error" in job["object_error_summary"][0]["message"]

    own_redis.stop()
    time.sleep(8)
    assert consumers.are_alive, "a consumer ended with Redis"
    own_redis.start()
    records[2]["title"] = "Nothing wrong"
    publisher.serve(PATH, catalogue(records))
    assert figures(consumers.run(source)) == {"added": 1, "not modified": 4}
    assert consumers.are_alive


def test_documents_that_break_the_parser_end_no_consumer(
    portal: Portal, publisher: Publisher, ini: str
) -> None:
    values = {
        "number of more than 1,000 characters": "9" * 500_000,
        "more than 100 levels deep": "[" * 100_000,
    }
    with Consumers(ini, fetchers=0) as consumers:
        for number, (type_, words) in enumerate(itertools.product(("data_json", "ckan"), values)):
            value = values[words]
            listed = f'"dataset": [{{"identifier": {value}}}]'
            path = f"/{number}.json"
            publisher.serve(path, f'{{{listed}, "success": true, "result": {value}}}')
            job = consumers.run(portal.source(publisher.url(path), type_))
            assert consumers.are_alive, (type_, words)
            assert job["ukharvest"]["outcome"] == "failed"
            (error,) = job["gather_error_summary"]
            assert words in error["message"]
            assert publisher.url(path) in error["message"]
