"""Servers that end with their parent process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from stack.child import Child
from stack.console import StackError
from stack.process import birth

from tests.ports import listens

SLEEP = "import time; print('ready', flush=True); time.sleep(600)"


def test_a_child_is_read_and_ends_with_its_block(tmp_path: Path) -> None:
    with Child([sys.executable, "-c", SLEEP], tmp_path / "log", reads=True) as child:
        assert child.line() == "ready"
        assert child.is_alive
    assert not child.is_alive


def test_a_child_that_fails_says_why(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("of last week\n")
    with (
        Child([sys.executable, "-c", "raise SystemExit('no records')"], log, reads=True) as child,
        pytest.raises(StackError) as caught,
    ):
        child.line()
    assert "no records" in str(caught.value)
    assert "of last week" not in str(caught.value)


def test_a_server_that_never_answers_fails_with_its_output(tmp_path: Path) -> None:
    log = tmp_path / "log"
    ends = [sys.executable, "-c", "raise SystemExit('port in use')"]
    with Child(ends, log) as child, pytest.raises(StackError, match="port in use"):
        child.wait_until(lambda: False)
    with Child([sys.executable, "-c", SLEEP], log) as child:
        with pytest.raises(StackError):
            child.wait_until(lambda: False, seconds=0.1)
        child.wait_until(lambda: True)


def test_free_port_is_distinguished_from_a_used_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert listens(port)
    assert not listens(port)


def test_a_child_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from stack.child import Child
child = Child([sys.executable, "-c", {SLEEP!r}], Path({str(tmp_path / "log")!r}), reads=True)
child.line()
print(child.pid, flush=True)
child.line()
"""
    folder = Path(__file__).resolve().parents[2] / "dev"
    with subprocess.Popen(
        [sys.executable, "-B", "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder)},
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert birth(pid)
        parent.kill()
    deadline = time.monotonic() + 10
    while birth(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not birth(pid)
