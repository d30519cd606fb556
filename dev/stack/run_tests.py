"""pytest as bin/test starts it: its process ends when the tests have ended.

Python waits at its end for every thread and child process that is left, without a bound. In a run
on a busy machine all tests passed, and pytest's process was still there half an hour later.
"""

from __future__ import annotations

import atexit
import faulthandler
import gc
import multiprocessing
import os
import sys
import threading
import time
from pathlib import Path

import pytest

REPORT_SECONDS = 300
EXIT_SECONDS = 60
LEFT_SECONDS = 15


class Session:
    """A plugin: what lasts as long as the tests and what must not, and ``--failures FILE``."""

    failures: Path | None = None

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        parser.addoption("--failures", metavar="FILE", help="write the ids of failed tests there")

    def pytest_configure(self, config: pytest.Config) -> None:
        if name := config.getoption("failures"):
            self.failures = Path(name)
            self.failures.write_text("")

    def pytest_collection_finish(self) -> None:
        """Take the tests and their modules out of what Python looks for garbage in."""
        gc.collect()
        gc.freeze()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write a failed test's id as it fails."""
        if report.failed and self.failures:
            with self.failures.open("a") as out:
                out.write(f"{report.nodeid}\n")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """End pytest, with the stacks of all threads, if its report takes longer."""
        faulthandler.dump_traceback_later(REPORT_SECONDS, exit=True, file=2)


def leftovers() -> list[str]:
    """Return what Python would wait for: threads and processes that tests did not end."""
    threads = [
        f"thread {each.name}"
        for each in threading.enumerate()
        if each is not threading.current_thread() and not each.daemon
    ]
    return threads + [f"process {each.pid}" for each in multiprocessing.active_children()]


# Objects made before Python looks for cycles of new ones, instead of 700: CKAN has so many objects
# that the tests take 10 to 20 % less time.
GARBAGE = 10_000


def main() -> None:
    gc.set_threshold(GARBAGE, 20, 50)
    # As in `python -m pytest`: tests are imported from the folder it is started in.
    sys.path[0] = os.getcwd()
    status = pytest.main(plugins=[Session()])
    faulthandler.cancel_dump_traceback_later()
    until = time.monotonic() + LEFT_SECONDS
    while (left := leftovers()) and time.monotonic() < until:
        time.sleep(0.1)
    if left:
        print(f"\nleft by the tests, and ended: {', '.join(left)}", flush=True)
        faulthandler.dump_traceback(file=2)
    for child in multiprocessing.active_children():
        child.kill()
    cleaning = threading.Thread(target=atexit._run_exitfuncs, daemon=True)
    cleaning.start()
    cleaning.join(EXIT_SECONDS)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
