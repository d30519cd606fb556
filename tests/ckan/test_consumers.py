"""A thousand datasets through the real queue, and consumers that stay up whatever happens."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import redis
from ckan import model
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestObject

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Consumers, Portal, figures, of_a_long_run
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process  # the consumers are each test's own

PATH = "/data.json"
FAULTY = Path(__file__).parent / "faulty"


def seconds(job: dict[str, Any]) -> float:
    """From the start of the gather to the end of the job."""
    started = datetime.fromisoformat(job["gather_started"])
    return (datetime.fromisoformat(job["finished"]) - started).total_seconds()


def count() -> int:
    return int(call_action("package_search", rows=0)["count"])


def test_a_thousand_datasets(
    portal: Portal, publisher: Publisher, consumers: Consumers, app: CKANTestApp
) -> None:
    publisher.serve(PATH, catalogue(1000))
    source = portal.source(publisher.url(PATH), name="thousand")
    assert figures(consumers.run(source, timeout=900)) == {"added": 1000}
    assert count() == 1000
    assert "1,000 datasets found" in app.get("/dataset/").body
    assert "Dataset 00" in app.get("/harvest/thousand").body

    job = consumers.run(source)
    assert figures(job) == {"not modified": 1000}
    assert seconds(job) < 5, "an unchanged source has to cost next to nothing"

    # Of 1,000, 2 are gone and 3 changed: 995 are as they were.
    records = [dataset(n) for n in range(998)]
    for number in (10, 20, 30):
        records[number]["description"] = "Changed."
    publisher.serve(PATH, catalogue([*records, dataset(5000)]))
    job = consumers.run(source)
    assert figures(job) == {"updated": 3, "added": 1, "not modified": 995, "missing": 2}
    assert count() == 1001

    assert figures(consumers.run(source)) == {"not modified": 999, "deleted": 2}
    assert count() == 999

    publisher.serve(PATH, catalogue([dataset(n, title="Renamed") for n in range(998)]))
    publisher.fail(f"{PATH}?page=2", status=500, times=20)
    job = consumers.run(source)
    assert figures(job) == {"errored": 1}
    assert "500" in job["gather_error_summary"][0]["message"]
    assert count() == 999
    assert call_action("package_search", rows=0, fq="title:Renamed")["count"] == 0


def test_many_records_delivered_twice_to_two_consumers_are_written_once(
    portal: Portal, publisher: Publisher, ini: str
) -> None:
    many = of_a_long_run(1000)
    publisher.serve(PATH, catalogue(many))
    source = portal.source(publisher.url(PATH))
    job_id = portal.create_job(source)
    ids = portal.gather(job_id)
    # Near enough to each other that both consumers often hold the same record.
    portal.send([each for object_id in ids for each in (object_id, object_id)])
    with Consumers(ini, fetchers=2) as consumers:
        consumers.wait(job_id, timeout=900)
        consumers.wait_for_messages(ids)
    assert figures(portal.finish(job_id)) == {"added": many}
    assert count() == many
    assert model.Session.query(HarvestObject).filter_by(current=True).count() == many


@pytest.fixture
def own_redis(tmp_path: Path, ckan_config: Any, monkeypatch: Any) -> Iterator[_Redis]:
    """A Redis of this test's own, which it may stop; consumers get its address too."""
    if not shutil.which("redis-server"):
        pytest.skip("no redis-server here to stop and start")
    with _Redis(tmp_path) as server:
        monkeypatch.setitem(ckan_config, "ckan.redis.url", server.url)
        monkeypatch.setenv("CKAN_REDIS_URL", server.url)
        yield server


class _Redis:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        words = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1"]
        words += ["--dir", str(self._folder), "--save", "", "--appendonly", "yes"]
        self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        client = redis.Redis.from_url(self.url)
        for _ in range(100):
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
        self._process.wait(20)

    def __enter__(self) -> _Redis:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def test_consumers_outlive_idleness_a_restart_of_redis_and_a_parser_that_fails(
    own_redis: _Redis, portal: Portal, publisher: Publisher, ini: str, monkeypatch: Any
) -> None:
    # A fault in our own code, which no document brings about: the module there makes the parser
    # of the consumers' processes raise at one title.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(FAULTY), str(Path.cwd())]))
    records = [dataset(n) for n in range(5)]
    records[2]["title"] = "Make the parser fail"
    publisher.serve(PATH, catalogue(records))
    source = portal.source(publisher.url(PATH))
    with Consumers(ini) as consumers:
        time.sleep(65)
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
