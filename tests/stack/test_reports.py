"""The closing lines of bin/test: sums, what was skipped, what is flaky."""

from __future__ import annotations

from pathlib import Path

import pytest
from stack import reports
from stack.paths import ROOT


def test_reports_are_summed_up_in_the_words_of_a_closing_line(tmp_path: Path) -> None:
    one, two = tmp_path / "one.xml", tmp_path / "two.xml"
    one.write_text(
        '<testsuites><testsuite tests="5" failures="1" errors="1" skipped="1"/></testsuites>'
    )
    two.write_text(
        '<testsuites><testsuite tests="3" failures="0" errors="0" skipped="0"/></testsuites>'
    )

    counts = reports.count([one, two, tmp_path / "never-begun.xml"])

    assert counts == "5 passed, 2 failed, 1 skipped"


def test_a_part_that_died_is_in_the_closing_line(tmp_path: Path) -> None:
    reports.begin(tmp_path / "one.xml")

    counts = reports.count([tmp_path / "one.xml"])

    assert counts == "0 passed, 0 failed, 0 skipped, 1 ended without a report"
    assert reports.skips([tmp_path / "one.xml"]) == []


def test_the_closing_lines_say_what_was_not_tested_and_why(tmp_path: Path) -> None:
    case = '<testcase><skipped type="pytest.skip" message="{}">where</skipped></testcase>'
    cases = [case.format(reason) for reason in ("no documents", "no nginx", "no documents")]
    (tmp_path / "one.xml").write_text(
        f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"
    )

    assert reports.skips([tmp_path / "one.xml"]) == [
        "NOT TESTED (2 skipped): no documents",
        "NOT TESTED (1 skipped): no nginx",
    ]


def failed_run(folder: Path, *ids: str) -> Path:
    """Write the report of a run in which tests of these ids failed, each in one phase."""
    report = folder / "one.xml"
    report.write_text(f'<testsuites><testsuite tests="9" failures="{len(ids)}"/></testsuites>')
    reports.failures_of(report).write_text("".join(f"{test}\n" for test in ids))
    return report


def test_passing_rerun_is_named_flaky(tmp_path: Path) -> None:
    report = failed_run(tmp_path, "tests/test_a.py::test_one[a b]", "tests/test_a.py::test_two")
    run: list[str] = []

    assert reports.run_again(report, lambda test: run.append(test) or 0, None) == 0
    assert run == ["tests/test_a.py::test_one[a b]", "tests/test_a.py::test_two"]
    assert reports.count([report]) == "9 passed, 0 failed, 0 skipped"
    first, _ = reports.flaky([report])
    assert first.startswith("FLAKY (one): tests/test_a.py::test_one[a b]; add it to tests/flaky")


def test_failing_rerun_fails_the_run(tmp_path: Path) -> None:
    report = failed_run(tmp_path, "tests/test_a.py::test_one", "tests/test_a.py::test_two")

    assert reports.run_again(report, lambda test: int(test.endswith("one")), None) == 1
    assert reports.count([report]) == "8 passed, 1 failed, 0 skipped"
    assert len(reports.flaky([report])) == 1


def test_many_failures_are_not_run_again(tmp_path: Path) -> None:
    report = failed_run(tmp_path, *(f"test_a.py::test_{n}" for n in range(reports.MOST + 1)))

    assert reports.run_again(report, lambda _: pytest.fail("it was run"), None) == 1
    assert reports.flaky([report]) == []


def test_each_listed_flaky_test_exists() -> None:
    for line in reports.LISTED.read_text("utf-8").splitlines():
        test = line.partition("#")[0].strip()
        if test:
            path, _, name = test.partition("::")
            assert f"def {name.partition('[')[0]}(" in (ROOT / path).read_text("utf-8"), test
