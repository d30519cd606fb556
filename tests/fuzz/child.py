"""Try cases of targets, each target in a process of its own: ``python -m tests.fuzz.child``.

Each line of standard input is a JSON list: a target, how many cases, a seed, a file. What targets
need is loaded once, and the process of a target is forked from this one. Its exit code is answered
on a line; its output is in files of the same name with ``.out`` and ``.err``.

The file always holds the case that is being tried, so that it is there if the process dies. A case
that takes too long ends the process with the stacks of all threads.
"""

from __future__ import annotations

import faulthandler
import json
import os
import pickle
import resource
import sys
import traceback
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.targets import TARGETS

CASE_SECONDS = 60  # real cases take some milliseconds
MEMORY = 4 << 30  # bytes


def main() -> None:
    for line in sys.stdin:
        name, cases, number, file = json.loads(line)
        pid = os.fork()
        if not pid:
            try_target(name, cases, number, Path(file))
        _pid, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def try_target(name: str, cases: int, number: int, file: Path) -> None:
    """Try the cases, print how many there were and of how many something was read; end."""
    code = 1
    try:
        for stream, suffix in ((1, ".out"), (2, ".err")):
            os.dup2(os.open(f"{file}{suffix}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        print(json.dumps(try_cases(name, cases, number, file)), flush=True)
        code = 0
    except BaseException:  # noqa: BLE001 - whatever ends a case fails its target
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def try_cases(name: str, cases: int, number: int, file: Path) -> dict[str, int]:
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    target = TARGETS[name]
    counts = {"cases": 0, "read": 0}

    with file.open("wb", buffering=0) as kept:

        @seed(number)
        @settings(
            max_examples=cases,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        @given(target.cases())
        def try_one(case: Any) -> None:
            kept.seek(0)
            kept.truncate()
            kept.write(pickle.dumps(case))
            faulthandler.dump_traceback_later(CASE_SECONDS, exit=True)
            counts["cases"] += 1
            counts["read"] += target.check(case)
            faulthandler.cancel_dump_traceback_later()

        try_one()
    return counts


if __name__ == "__main__":
    main()
