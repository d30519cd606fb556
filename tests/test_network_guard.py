"""Tests that contact another machine fail, in every thread and process (tests/network_guard)."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import SERVICES, hosts_of_services
from tests.network_guard import sitecustomize as network_guard
from tests.network_guard.attempts import in_multiprocessing, in_subprocess, in_thread, look_up

ROOT = Path(__file__).parents[1]
Take = Callable[[], list[str]]


@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_connection_to_another_machine_is_refused(method: str, network_attempts: Take) -> None:
    with socket.socket() as sock, pytest.raises(pytest.fail.Exception, match="tried to connect"):
        getattr(sock, method)(("192.0.2.1", 80))
    assert network_attempts() == ["a test tried to connect to ('192.0.2.1', 80)"]


def test_look_up_of_another_machine_is_refused(network_attempts: Take) -> None:
    with pytest.raises(pytest.fail.Exception, match="tried to look up"):
        socket.getaddrinfo("data.example.org", 80)
    assert network_attempts() == ["a test tried to look up 'data.example.org'"]


@pytest.mark.parametrize(
    "attempt",
    [
        pytest.param(look_up, id="main thread"),
        pytest.param(in_thread, id="thread"),
        pytest.param(lambda: in_multiprocessing("fork"), id="fork"),
        pytest.param(lambda: in_multiprocessing("spawn"), id="spawn"),
        pytest.param(in_subprocess, id="subprocess"),
    ],
)
def test_swallowed_attempt_is_recorded(attempt: Callable[[], None], network_attempts: Take) -> None:
    attempt()
    assert network_attempts() == ["a test tried to look up 'data.example.org'"]


def test_services_on_other_machines_may_be_contacted(
    monkeypatch: pytest.MonkeyPatch, network_attempts: Take, tmp_path: Path
) -> None:
    for name in SERVICES.values():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CKAN_SOLR_URL", "http://solr.example.org:8983/solr/ckan")
    ini = tmp_path / "test.ini"
    ini.write_text("[app:main]\nsqlalchemy.url = postgresql://ckan:pass@db/ckan\nsolr_url = x\n")
    hosts = hosts_of_services(str(ini))
    assert hosts == {"solr.example.org", "db"}
    assert hosts_of_services(None) == {"solr.example.org"}

    # A name that only this child's look-up knows; nothing is sent to its address.
    code = (
        "import socket;"
        "socket.getaddrinfo = lambda *_, **__: [(2, 1, 6, '', ('192.0.2.1', 8983))];"
        "socket.socket.connect_ex = lambda *_: 111;"
        "import sitecustomize;"
        "socket.getaddrinfo('solr.example.org', 8983);"
        "print(socket.socket().connect_ex(('192.0.2.1', 8983)))"
    )
    monkeypatch.setenv(network_guard.SERVICES, " ".join(hosts))
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "111\n"
    assert network_attempts() == []


def test_recorded_attempt_fails_its_own_test(tmp_path: Path) -> None:
    module = tmp_path / "test_inner.py"
    module.write_text(
        "from tests.network_guard.attempts import in_subprocess, in_thread\n"
        "def test_thread(): in_thread()\n"
        "def test_nothing(): pass\n"
        "def test_subprocess(): in_subprocess()\n"
    )
    plugins = ["-p", "tests.conftest", "-p", "no:ckan", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "-c", os.devnull, "--rootdir", tmp_path, module],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert "3 passed, 2 errors" in done.stdout, done.stdout
    assert re.findall(r"^ERROR .*::(\w+)", done.stdout, re.M) == ["test_thread", "test_subprocess"]
    # At a line's beginning: pytest's summary has it too, in CI.
    failures = re.findall(r"^a test tried to look up 'data.example.org'", done.stdout, re.M)
    assert len(failures) == 2
