"""Try cases of one target: ``python -m tests.fuzz.child TARGET CASES SEED FILE``.

FILE always holds the case that is being tried, so that it is there if the process dies. A case that
takes too long ends the process with the stacks of all threads.
"""

from __future__ import annotations

import faulthandler
import json
import pickle
import resource
import sys
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.targets import TARGETS

CASE_SECONDS = 60  # real cases take some milliseconds
MEMORY = 4 << 30  # bytes


def main(name: str, cases: int, number: int, file: Path) -> None:
    """Try the cases and print how many there were, and of how many something was read."""
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
    print(json.dumps(counts))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
