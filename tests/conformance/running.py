"""The installed ``ukharvest check``, in processes of its own without a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = Path(sys.executable).parent / "ukharvest"
GUARD = Path(__file__).parent / "guard"
DEADLINE = 60  # seconds for one document, a start of Python on a busy machine included
AT_ONCE = 2  # processes


@dataclass(frozen=True)
class Outcome:
    """What ``check`` said of a document; messages name it FILE."""

    status: int
    stderr: str
    result: dict[str, Any]

    @property
    def records(self) -> list[dict[str, Any]]:
        return self.result["records"]

    @property
    def errors(self) -> list[dict[str, Any]]:
        return self.result["errors"]


def environment() -> dict[str, str]:
    """The caller's, with the network taken away."""
    return {**os.environ, "PYTHONPATH": str(GUARD)}


def check_all(jobs: Iterable[tuple[str, Path]]) -> Iterator[Outcome]:
    """Check each document, given with the source type, in the order given."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda job: check(*job), jobs)


def check(source_type: str, document: Path) -> Outcome:
    """Check a copy of the document that is alone in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(document, folder))
        done = subprocess.run(
            [PROGRAM, "check", source_type, copy.name, "--format", "json"],
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=DEADLINE,
            check=False,
        )
    stdout, stderr = (text.replace(copy.name, "FILE") for text in (done.stdout, done.stderr))
    if not stdout.startswith("{") or "Traceback" in stderr or "internal error" in stderr:
        raise AssertionError(f"{document.name}: exit code {done.returncode}: {stderr[-2000:]}")
    return Outcome(done.returncode, stderr, json.loads(stdout))
