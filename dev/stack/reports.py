"""Summaries of pytest's JUnit XML reports: counts, and why tests were skipped."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path


def begin(report: Path) -> None:
    """Make an empty file until pytest writes the report, so that a crash of pytest is seen."""
    report.write_text("")


def count(reports: Iterable[Path]) -> str:
    """Return the sum of the reports, in the words of pytest's closing line."""
    total = failed = skipped = unfinished = 0
    for report in reports:
        unfinished += _is_unfinished(report)
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


def seconds(reports: Iterable[Path]) -> float:
    """Return the time that the tests of the reports took."""
    return sum(float(suite.get("time", 0)) for report in reports for suite in _suites(report))


def _suites(report: Path) -> Iterator[ET.Element]:
    if report.is_file() and not _is_unfinished(report):
        yield from ET.parse(report).getroot().iter("testsuite")


def _is_unfinished(report: Path) -> bool:
    return report.is_file() and not report.stat().st_size
