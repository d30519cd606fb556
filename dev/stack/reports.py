"""Reports of pytest: counts, why tests were skipped, and which are flaky: fail, then pass alone.

run_tests.py writes the ids of failed tests into a file beside the JUnit XML report; what passes
when it is run again is written into another.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TextIO

from .paths import ROOT

LISTED = ROOT / "tests" / "flaky.txt"
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

    In a process of its own: pytest-rerunfailures takes the one in which it failed, whose consumers
    and connections may be broken.

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


def begin(report: Path) -> None:
    """Make an empty file until pytest writes the report, so that a crash of pytest is seen."""
    report.write_text("")
    for old in (failures_of(report), flaky_of(report), report.with_suffix(".json")):
        old.unlink(missing_ok=True)


def write_one(report: Path, name: str, *, is_passed: bool, seconds: float) -> None:
    """Write the report of something that is no test of pytest."""
    failures = 0 if is_passed else 1
    suite = ET.Element("testsuite", tests="1", failures=str(failures), time=f"{seconds:.1f}")
    ET.SubElement(suite, "testcase", name=name)
    ET.ElementTree(suite).write(report)


def count(reports: Iterable[Path]) -> str:
    """Return the sum of the reports, in the words of pytest's closing line.

    What passed when it was run again counts as passed.
    """
    total = failed = skipped = unfinished = 0
    for report in reports:
        unfinished += _is_unfinished(report)
        failed -= len(_flaky(report))
        for suite in _suites(report):
            total += int(suite.get("tests", 0))
            failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            skipped += int(suite.get("skipped", 0))
    counts = f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped"
    return f"{counts}, {unfinished} ended without a report" if unfinished else counts


def skips(reports: Iterable[Path]) -> list[str]:
    """Return a line for each reason of skipped tests, with their number."""
    reasons = Counter(
        skipped.get("message", "").removeprefix("Skipped: ")
        for report in reports
        for suite in _suites(report)
        for skipped in suite.iter("skipped")
    )
    return [f"NOT TESTED ({number} skipped): {reason}" for reason, number in reasons.most_common()]


def flaky(reports: Iterable[Path]) -> list[str]:
    """Return a line for each test that failed and then passed by itself."""
    listed = LISTED.read_text("utf-8") if LISTED.is_file() else ""
    return [
        f"FLAKY ({report.stem}): {test}" + ("" if test in listed else "; add it to tests/flaky.txt")
        for report in reports
        for test in dict.fromkeys(_flaky(report))
    ]


def _flaky(report: Path) -> list[str]:
    """Return the ids of a report's flaky tests, one for each phase that failed."""
    path = flaky_of(report)
    return path.read_text().splitlines() if path.is_file() else []


def _suites(report: Path) -> Iterator[ET.Element]:
    if report.is_file() and not _is_unfinished(report):
        yield from ET.parse(report).getroot().iter("testsuite")


def _is_unfinished(report: Path) -> bool:
    return report.is_file() and not report.stat().st_size
