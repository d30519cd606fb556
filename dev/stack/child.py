"""Servers that tests use as publishers: they run within a with block, at a free port."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from .console import StackError, tail, wait_until

STOP_SECONDS = 10


class Child:
    """A process that ends with its parent, however the parent ends.

    Args:
        command: what to run.
        log: file for its output, standard output only if it is not read.
        reads: whether ``line`` or ``ask`` is used.
        env: the process's variables; None: this process's.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        log: Path,
        *,
        reads: bool = False,
        env: dict[str, str] | None = None,
    ) -> None:
        self._log = log
        self._begin = log.stat().st_size if log.is_file() else 0
        with log.open("a") as out:
            self._process: subprocess.Popen[str] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *command],
                stdin=subprocess.PIPE if reads else subprocess.DEVNULL,
                stdout=subprocess.PIPE if reads else out,
                stderr=out,
                text=True,
                env=env,
                cwd="/",
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def line(self) -> str:
        """Return the next line of its output.

        Raises:
            StackError: it has ended without one.
        """
        output: IO[str] | None = self._process.stdout
        found = output.readline() if output else ""
        if not found:
            raise self.failure()
        return found.strip()

    def ask(self, line: str) -> str:
        """Write a line to its input; return the next line of its output, as ``line`` does."""
        with contextlib.suppress(BrokenPipeError):
            print(line, file=self._process.stdin, flush=True)
        return self.line()

    def wait_until(self, answers: Callable[[], bool], seconds: float = 60) -> None:
        """Wait until the server answers.

        Raises:
            StackError: it has ended, or does not answer in that time.
        """
        ready = wait_until(lambda: answers() or not self.is_alive, seconds, 0.02)
        if not ready or not self.is_alive:
            raise self.failure()

    def failure(self) -> StackError:
        """Return an error with the process's output."""
        return StackError(f"{tail(self._log, since=self._begin)}\n\nall of it: {self._log}")

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for stream in filter(None, (self._process.stdin, self._process.stdout)):
            stream.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
