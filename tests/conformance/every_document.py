"""Run ``ukharvest check`` for many documents in one process, to save Python's starts.

Reads a line of JSON for each, the folder and the arguments, and prints one: exit code, standard
output and standard error.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout

from ckanext.ukharvest.check_command.command import main

DEADLINE = 20  # seconds


class TooLate(BaseException):
    """No Exception, so that the code under test cannot take it for a fault of the document."""


def _too_late(*_: object) -> None:
    raise TooLate


def _check(folder: str, arguments: list[str]) -> tuple[int, str, str]:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    os.chdir(folder)
    signal.alarm(DEADLINE)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = main(arguments)
    except TooLate:
        return -1, "", f"not done after {DEADLINE} seconds"
    finally:
        signal.alarm(0)
    out.seek(0)
    err.seek(0)
    return status, out.read(), err.read()


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _too_late)
    for line in sys.stdin:
        code, said, words = _check(*json.loads(line))
        print(json.dumps({"status": code, "stdout": said, "stderr": words}), flush=True)
