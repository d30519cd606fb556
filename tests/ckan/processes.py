"""Real processes that run ``ckan``, forked to start quickly.

Importing CKAN takes most of the time of a start, so they are forked from a process that has only
imported what they need (preload.py).
"""

from __future__ import annotations

import gc
import io
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import TracebackType
from typing import Any

# The program ``ckan`` that retries failed requests without pauses. redis-py 8 reads its own version
# from the files of its package for each connection (8 ms): once is enough.
# They look for garbage as seldom as bin/test's own process.
PROGRAM = f"""
import functools
import gc
gc.set_threshold(*{gc.get_threshold()})
from redis import utils
utils.get_lib_version = functools.cache(utils.get_lib_version)
from ckan.cli.cli import ckan
from ckanext.ukharvest.core.http import client
client._BACKOFF = 0.01
ckan(prog_name="ckan")
"""
# The same with bugs that no document causes: at some titles the parser raises or hangs.
FAULTY_PROGRAM = f"import tests.ckan.bugs\n{PROGRAM}"
# The program ``ckan`` as it is.
COMMAND = 'from ckan.cli.cli import ckan; ckan(prog_name="ckan")'

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.ckan.preload"])


class Process:
    """A started process, with the methods of ``subprocess.Popen`` that tests use.

    Args:
        words: arguments of ``ckan`` on the command line.
        program: Python code that runs it.
        output: file that it writes to; stderr too, unless ``errors`` is another.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        program: str = PROGRAM,
        output: str | Path = os.devnull,
        errors: str | Path | None = None,
    ) -> None:
        self._words = list(words)
        paths = (str(output), str(errors or output))
        self._process: ForkServerProcess = _context.Process(
            target=_run, args=(program, self._words, paths, dict(os.environ))
        )
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid
        return self._process.pid

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs; below 0: the signal that ended it."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(self._words, timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _value: Any, _traceback: TracebackType | None
    ) -> None:
        self.kill()
        self.wait(30)


def finish(
    words: Sequence[str],
    folder: Path,
    *,
    check: bool = True,
    timeout: float = 300,
    program: str = COMMAND,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and return it with what it printed, as ``subprocess.run`` does.

    Args:
        folder: an empty one for the command's output.
        program: Python code that runs it.

    Raises:
        CalledProcessError: with ``check``, if its exit code is not 0.
    """
    output, errors = folder / "output", folder / "errors"
    with Process(words, program=program, output=output, errors=errors) as process:
        code = process.wait(timeout)
    texts = (output.read_text("utf-8"), errors.read_text("utf-8"))
    done = subprocess.CompletedProcess(["ckan", *words], code, *texts)
    if check:
        done.check_returncode()
    return done


def _end_with_tests() -> None:
    """Wait for the end of the tests, then end this process.

    A consumer that outlives killed tests would work on the messages of the next ones. The process
    it is forked from is no sign of their end: it ends after the last of its children.
    """
    tests = multiprocessing.parent_process()
    assert tests is not None
    tests.join()
    os.kill(os.getpid(), signal.SIGKILL)


def _run(program: str, words: list[str], paths: tuple[str, str], environ: dict[str, str]) -> None:
    threading.Thread(target=_end_with_tests, daemon=True).start()
    os.environ.clear()
    os.environ.update(environ)
    for number, path in enumerate(paths, 1):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), "utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), "utf-8", write_through=True)
    sys.argv = ["ckan", *words]
    exec(compile(program, "<ckan>", "exec"), {"__name__": "__main__"})  # noqa: S102 - a test's own
