"""Tests that fail and then pass by themselves: run again, and named in the closing lines.

run_tests.py writes the ids of failed tests into a file beside the report; what passes when it is
run again is written into another, from which the closing lines are made (reports.py).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TextIO

# pytest's exit code for "tests were run, and some failed".
TESTS_FAILED = 1
# So many failures are no luck.
MOST = 10


def failures_of(report: Path) -> Path:
    """Return the file with the ids of the report's failed tests, a line for each failed phase."""
    return report.with_suffix(".failures")


def flaky_of(report: Path) -> Path:
    """Return the file with those ids whose tests passed when they were run again."""
    return report.with_suffix(".flaky")


def run_again(report: Path, run: Callable[[str], int], out: TextIO | None) -> int:
    """Run each failed test once more, by itself.

    Args:
        report: of the run that failed.
        run: runs the test with that id and returns pytest's exit code.
        out: where the tests' output goes.

    Returns:
        The exit code of the whole: 0 if each of them passed.
    """
    failed = failures_of(report).read_text().splitlines()
    tests = dict.fromkeys(failed)
    if not tests or len(tests) > MOST:
        return TESTS_FAILED
    passed = set()
    for test in tests:
        print(f"\nOnce more, by itself: {test}", flush=True, file=out)
        if run(test) == 0:
            passed.add(test)
    flaky_of(report).write_text("".join(f"{test}\n" for test in failed if test in passed))
    return 0 if passed == set(tests) else TESTS_FAILED
