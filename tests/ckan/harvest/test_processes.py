"""The processes that tests of CKAN start."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.ckan import processes

SCRIPT = """
import time
from tests.ckan.processes import Process
process = Process([], program="import time; time.sleep(600)")
print(process.pid, flush=True)
time.sleep(600)
"""


def test_consumers_end_with_killed_tests() -> None:
    root = Path(processes.__file__).parents[2]
    command = [sys.executable, "-c", SCRIPT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as tests:
        assert tests.stdout
        pid = int(tests.stdout.readline())
        os.kill(pid, 0)
        tests.kill()
    deadline = time.monotonic() + 60
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} outlives the tests"
        time.sleep(0.1)


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"  # ended, and not waited for yet
