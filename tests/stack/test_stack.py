"""Parts of bin/stack that can be tested without a running service."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from stack import cli, console, paths, process, site, state
from stack.process import Daemon
from stack.solr import SOURCES, write_schema

from tests.conftest import SERVICES
from tests.ports import own_port

CKAN_SCHEMA = """\
<schema name="ckan-9.9" version="1.6">
  <types><fieldType name="float" class="solr.FloatPointField"/></types>
  <fields><field name="id" type="string"/></fields>
</schema>
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stack's folder of its own."""
    monkeypatch.setattr(paths, "STACK", tmp_path)
    return tmp_path


@pytest.fixture
def sleeper(folder: Path) -> Iterator[Daemon]:
    """A background process that ends on request."""
    daemon = Daemon("sleeper")
    daemon.start([sys.executable, "-c", "import time; time.sleep(600)"], folder / "log")
    yield daemon
    daemon.stop(signal.SIGKILL)


def test_a_taken_port_gives_way_to_the_next_free_one() -> None:
    with socket.socket() as neighbour:
        neighbour.bind(("127.0.0.1", 0))
        neighbour.listen()
        taken = neighbour.getsockname()[1]

        assert taken < state.free_port(taken) < taken + state.PORTS_TO_TRY


def test_port_of_a_stopped_service_is_kept_for_it(folder: Path) -> None:
    known = state.State(folder / "state.json")
    port = own_port()
    known.write("postgres-demo", port=port)
    known.write("postgres-test")
    assert known.ports_of_others("postgres-demo") == set()
    assert state.free_port(port, known.ports_of_others("postgres-test")) > port


def test_port_for_own_server_is_given_once() -> None:
    ports = [own_port() for _ in range(50)]
    assert len(set(ports)) == 50
    with socket.create_server(("127.0.0.1", ports[0])):  # reuses addresses
        pass
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", ports[0]))


def test_no_stack_starts_a_server_while_another_restarts_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "PORTS_LOCK", tmp_path / "lock")

    def others_may_start() -> bool:
        with state.PORTS_LOCK.open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    with state.choosing_ports():
        assert others_may_start()
    with state.choosing_ports(alone=True):
        assert not others_may_start()
        with state.choosing_ports():  # its own services
            assert not others_may_start()
    assert others_may_start()


def test_ports_are_remembered_by_service(tmp_path: Path) -> None:
    state.State(tmp_path / "state.json").write("redis", port=1)
    state.State(tmp_path / "state.json").write("solr", port=2)

    known = state.State(tmp_path / "state.json")

    assert (known.port("redis"), known.port("solr"), known.port("postgres")) == (1, 2, None)


def test_a_process_is_known_again_and_stopped(sleeper: Daemon) -> None:
    assert Daemon("sleeper").pid() is not None

    assert Daemon("sleeper").stop() is True
    assert sleeper.pid() is None
    assert Daemon("sleeper").stop() is False


def test_other_process_with_the_same_pid_is_left_alone(folder: Path) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        daemon = Daemon("redis")
        daemon.pid_file.write_text(f"{stranger.pid} 1")

        assert daemon.has_stale_pid()
        assert daemon.stop() is False
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_zombie_process_counts_as_gone(folder: Path) -> None:
    zombie = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)  # wait() would reap it

    assert process.birth(zombie.pid) == ""
    zombie.wait()


def test_a_stamp_is_current_until_one_of_its_files_changes(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("ckan")
    paths.Stamp(tmp_path / "stamp", paths.digest([requirements])).write()
    assert paths.Stamp(tmp_path / "stamp", paths.digest([requirements])).is_current()

    requirements.write_text("ckan==2.12.0")

    assert not paths.Stamp(tmp_path / "stamp", paths.digest([requirements])).is_current()


def test_a_failed_step_shows_only_its_own_output(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("of last week\n")

    with pytest.raises(console.StackError) as caught:
        console.run([sys.executable, "-c", "print('no such package'); raise SystemExit(3)"], log)

    assert "no such package" in str(caught.value)
    assert "ended with 3" in str(caught.value)
    assert "of last week" not in str(caught.value)


def test_env_prints_a_sites_urls_as_variables_of_ckan(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {name: f"value of {name}" for name in cli.VARIABLES}
    monkeypatch.setattr(site.Site, "settings", lambda _: settings)

    assert cli.main(["env", "--purpose", "test"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert "export CKAN_SOLR_URL='value of solr_url'" in lines
    assert {*SERVICES.items()} <= {*cli.VARIABLES.items()}


def test_the_core_gets_the_fields_of_the_spatial_search(tmp_path: Path) -> None:
    (tmp_path / "ckan.xml").write_text(CKAN_SCHEMA)

    write_schema(tmp_path / "ckan.xml", SOURCES / "conf" / "spatial.xml", tmp_path / "schema.xml")

    schema = ET.parse(tmp_path / "schema.xml").getroot()
    assert schema.get("name") == "ckan-9.9"
    fields = {field.get("name"): field.get("type") for field in schema.iter("field")}
    assert fields == {
        "id": "string",
        **dict.fromkeys(("minx", "maxx", "miny", "maxy"), "float"),
        "spatial_geom": "location_rpt",
    }
    types = {kind.get("name") for kind in schema.iter("fieldType")}
    assert {kind for kind in fields.values() if kind != "string"} <= types


def test_something_that_is_no_schema_of_ckan_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ckan.xml").write_text("<schema/>")

    with pytest.raises(console.StackError, match="is it CKAN's schema"):
        write_schema(tmp_path / "ckan.xml", SOURCES / "conf" / "spatial.xml", tmp_path / "out.xml")
