"""Gives every document of a folder to one source type, in one process: TYPE FOLDER.

Prints a line of JSON for each: its name, the exit code, what went to standard error.
"""

from __future__ import annotations

import io
import json
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from ckanext.ukharvest.check import main

DEADLINE = 20  # seconds


class TooLate(BaseException):
    """No Exception, so that the code under test cannot take it for a fault of the document."""


def _too_late(*_: object) -> None:
    raise TooLate


def _check(source_type: str, document: Path) -> tuple[int, str]:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    signal.alarm(DEADLINE)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = main(["check", source_type, str(document)])
    except TooLate:
        return -1, f"not done after {DEADLINE} seconds"
    finally:
        signal.alarm(0)
    err.seek(0)
    return status, err.read()


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _too_late)
    for path in sorted(path for path in Path(sys.argv[2]).rglob("*") if path.is_file()):
        code, words = _check(sys.argv[1], path)
        print(json.dumps({"name": path.name, "status": code, "stderr": words}), flush=True)
