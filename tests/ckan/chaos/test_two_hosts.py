"""Consumers on two hosts, of which one is cut off from Redis, and then from PostgreSQL.

Each host has a checkout, a host name and settings of its own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from ckan.common import config

import ckanext.ukharvest
from tests.ckan.chaos.cable import Cable
from tests.ckan.chaos.storm import RECORDS, Storm
from tests.ckan.chaos.supervisor import HURRIED, HURRIED_SETTINGS, Supervisor
from tests.ckan.harvesting import write_ini

pytestmark = pytest.mark.in_process

HOSTS = ("harvest-a", "harvest-b")
# A process with a host name of its own; the kernel keeps it apart from the machine's.
ON_HOST = """
import ctypes, socket
CLONE_NEWUTS = 0x04000000
assert ctypes.CDLL(None).unshare(CLONE_NEWUTS) == 0
socket.sethostname("{host}")
print("on", socket.gethostname(), flush=True)
"""
AWAY = 60.0  # seconds
SETTINGS = {"ckanext.ukharvest.batch_size": "20"}


class OtherCheckout:
    """Starts ``ckan`` with the code in another folder.

    Args:
        folder: for the copy.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        package = Path(ckanext.ukharvest.__file__).parent
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(package, folder / "ckanext" / "ukharvest", ignore=skipped)

    def program(self, host: str) -> str:
        return f"""
import ckanext
ckanext.__path__ = [{str(self.folder / "ckanext")!r}, *ckanext.__path__]
import ckanext.ukharvest
print("with the code in", ckanext.ukharvest.__file__, flush=True)
{ON_HOST.format(host=host)}
{HURRIED}
"""


class Command:
    """A process as ``processes.Process``, in an interpreter of its own."""

    def __init__(self, words: list[str], *, program: str, output: Path) -> None:
        with output.open("a") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-c", program, *words], stdout=out, stderr=out
            )
        self.pid = self._process.pid
        self.poll = self._process.poll
        self.wait = self._process.wait
        self.terminate = self._process.terminate
        self.kill = self._process.kill
        self.send_signal = self._process.send_signal


def can_name_hosts() -> bool:
    words = [sys.executable, "-c", ON_HOST.format(host="a")]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


class Hosts:
    """Two hosts with a fetch consumer each, and the cables of the second one."""

    def __init__(self, storm: Storm, stack: ExitStack) -> None:
        if not can_name_hosts():
            pytest.skip("processes may not have host names of their own here")
        self.redis = stack.enter_context(Cable(config["ckan.redis.url"]))
        self.postgres = stack.enter_context(Cable(config["sqlalchemy.url"]))
        given = {**HURRIED_SETTINGS, **SETTINGS}
        first = write_ini(storm.ini, given, storm.folder / "a.ini")
        cables = {
            "ckan.redis.url": self.redis.url,
            "sqlalchemy.url": self.postgres.url.replace("%", "%%"),
        }
        second = write_ini(storm.ini, {**given, **cables}, storm.folder / "b.ini")
        inis = {"gather-1": first, "fetch-a": first}
        self.supervisor = stack.enter_context(
            Supervisor(
                inis,
                storm.log,
                program=ON_HOST.format(host=HOSTS[0]) + HURRIED,
                begin=Command,
            )
        )
        other = OtherCheckout(storm.folder / "checkout")
        stack.enter_context(
            Supervisor(
                {"fetch-b": second},
                storm.log,
                program=other.program(HOSTS[1]),
                begin=Command,
                ticks=False,
            )
        )


@pytest.fixture
def hosts(storm: Storm) -> Iterator[Hosts]:
    with ExitStack() as stack:
        yield Hosts(storm, stack)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("service", ["redis", "postgres"])
def test_a_host_is_cut_off_for_a_minute(storm: Storm, hosts: Hosts, service: str) -> None:
    cable: Cable = getattr(hosts, service)
    made = storm.make_sources("hosts")
    after = storm.evidence.last()
    until(lambda: {row[0] for row in storm.evidence.rows(WORKERS)} >= {*HOSTS})
    storm.start(made)
    until(lambda: storm.evidence.imported("created", after) > RECORDS // 4)
    until(lambda: storm.evidence.rows(CLAIMED, host=HOSTS[1]))
    storm.say(f"{HOSTS[1]} is cut off from {service}")
    cable.pull_out()
    time.sleep(AWAY)
    storm.say(f"{storm.evidence.imported('created', after)} imported; the cable is back")
    assert cable.held_back, "nothing was held back: it was not cut off"
    cable.plug_in()
    storm.wait(made, hosts.supervisor)
    storm.expect("created", "hosts", after)
    storm.prove()
    assert "with the code in " + str(storm.folder / "checkout") in storm.log.read_text()


WORKERS = "SELECT split_part(id, ':', 1) FROM ukharvest_worker WHERE kind = 'fetch'"
CLAIMED = "SELECT 1 FROM ukharvest_claim WHERE split_part(worker_id, ':', 1) = :host"


def until(is_true: Any) -> None:
    deadline = time.monotonic() + 120
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
