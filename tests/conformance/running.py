"""Run ``ukharvest check`` in processes without a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from tests.conformance import every_document

PROGRAM = Path(sys.executable).parent / "ukharvest"
GUARD = Path(__file__).parent / "guard"
DEADLINE = 300  # seconds for a command
AT_ONCE = 2  # processes


@dataclass(frozen=True)
class Outcome:
    """Result of ``check`` for a document, which messages call FILE."""

    status: int
    stderr: str
    result: dict[str, Any]

    @property
    def records(self) -> list[dict[str, Any]]:
        return self.result["records"]

    @property
    def errors(self) -> list[dict[str, Any]]:
        return self.result["errors"]


@dataclass(frozen=True)
class Answer:
    """Result of a process, or of one of many calls in a process."""

    status: int
    stdout: str
    stderr: str


def environment() -> dict[str, str]:
    """Return the caller's environment without the network."""
    return {**os.environ, "PYTHONPATH": str(GUARD)}


def run(command: Sequence[str | Path], folder: Path) -> Answer:
    """Run a command in a folder, without a network."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=DEADLINE,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


class Child:
    """A process that calls ``ukharvest`` as often as it is asked; it ends with the tests."""

    def __init__(self) -> None:
        self._errors = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - stays open
        self._process = subprocess.Popen(
            [sys.executable, every_document.__file__],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
        )

    def call(self, folder: Path, arguments: Sequence[str]) -> Answer:
        """Call it in a folder.

        Raises:
            AssertionError: the process ended instead of answering.
        """
        given, answers = self._process.stdin, self._process.stdout
        assert given
        assert answers
        given.write(json.dumps([str(folder), arguments]) + "\n")
        given.flush()
        if line := answers.readline():
            return Answer(**json.loads(line))
        status = self._process.wait(DEADLINE)
        self._errors.seek(0)
        raise AssertionError(arguments, status, self._errors.read()[-2000:])


_free: list[Child] = []


def run_all(calls: Iterable[tuple[Path, list[str]]]) -> list[Answer]:
    """Call ``ukharvest`` once per arguments, in their folder, all in one process.

    Raises:
        AssertionError: the process ended before it had answered each.
    """
    try:
        child = _free.pop()
    except IndexError:
        child = Child()
    answers = [child.call(*each) for each in calls]
    _free.append(child)  # not one that failed
    return answers


def check_all(jobs: Iterable[tuple[str, Path]], scratch: Path) -> Iterator[Outcome]:
    """Check a copy of each document, given with the source type, in the given order.

    Each copy is alone in a folder in ``scratch``.
    """
    calls, names = [], []
    for number, (source_type, document) in enumerate(jobs):
        folder = scratch / str(number)
        folder.mkdir()
        copy = Path(shutil.copy(document, folder))
        calls.append((folder, ["check", source_type, copy.name, "--format", "json"]))
        names.append(copy.name)
    middle = len(calls) // 2
    with ThreadPoolExecutor(AT_ONCE) as pool:
        halves = pool.map(run_all, (calls[:middle], calls[middle:]))
    answers = [answer for half in halves for answer in half]
    return (_outcome(*each) for each in zip(names, answers, strict=True))


def _outcome(name: str, answer: Answer) -> Outcome:
    stdout, stderr = (text.replace(name, "FILE") for text in (answer.stdout, answer.stderr))
    if not stdout.startswith("{") or "Traceback" in stderr or "internal error" in stderr:
        raise AssertionError(f"{name}: exit code {answer.status}: {stderr[-2000:]}")
    return Outcome(answer.status, stderr, json.loads(stdout))
