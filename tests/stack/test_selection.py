"""The tests that arguments of bin/test select."""

from __future__ import annotations

from pathlib import Path

import pytest
from stack import reports, testing
from stack.paths import ROOT


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


BOTH, WITHOUT, WITH = (True, True), (True, False), (False, True)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ([], BOTH),
        (["-x", "-q"], BOTH),
        (["-k", "guard"], BOTH),
        (["-m", "not ckan"], WITHOUT),
        (["-mnot ckan"], WITHOUT),
        (["-m", "slow and not  ckan"], WITHOUT),
        (["-m", "ckan"], WITH),
        (["-m", "slow"], BOTH),
        (["tests"], BOTH),
        (["tests/core"], WITHOUT),
        (["tests/core/xml/test_parser.py::test_a_thing"], WITHOUT),
        (["tests/ckan"], WITH),
        (["tests/ckan/test_run.py::test_a_thing"], WITH),
        (["tests/core", "tests/ckan"], BOTH),
        (["tests/core", "-m", "ckan"], WITH),
        (["--chaos", "--seed", "42", "-k", "hosts"], WITH),
    ],
    ids=str,
)
def test_only_the_parts_that_are_asked_for_are_run(
    words: list[str], parts: tuple[bool, bool]
) -> None:
    selection = testing.select(words, only_ckan=False)

    assert (selection.without_ckan, selection.with_ckan) == parts


def test_naming_a_version_of_ckan_leaves_out_what_needs_none() -> None:
    selection = testing.select(["-k", "run"], only_ckan=True)

    assert (selection.without_ckan, selection.with_ckan) == WITH
    assert selection.arguments == ("-k", "run")


def test_an_expression_of_the_caller_is_narrowed_to_each_part() -> None:
    selection = testing.select(["-q", "-m", "slow or wide"], only_ckan=False)

    assert selection.arguments == ("-q",)
    assert selection.marked("ckan") == ["-m", "(slow or wide) and ckan"]
    assert selection.marked("not ckan") == ["-m", "(slow or wide) and not ckan"]


def test_the_version_is_ours_and_all_else_is_for_pytest() -> None:
    words = ["-k", "a b", "--ckan=2.11", "--co", "tests/ckan"]

    assert testing.take_versions(words) == (["2.11"], "", ["-k", "a b", "--co", "tests/ckan"])
    assert testing.take_versions(["-x"]) == (None, "", ["-x"])


def test_all_stands_for_every_version_of_ckan() -> None:
    assert testing.take_versions(["--all", "-x"]) == (["2.12", "2.11"], "", ["-x"])
    assert testing.take_versions(["--all", "--once", "ours"]) == (["2.12", "2.11"], "ours", [])
    for words in (["--all", "--ckan", "2.11"], ["--once", "ours"]):
        with pytest.raises(SystemExit):
            testing.take_versions(words)


def test_what_is_run_once_is_left_out_on_the_older_versions() -> None:
    selection = testing.select(["-m", "slow"], only_ckan=False)

    assert selection.without("ours").marked("ckan") == ["-m", "((slow) and not ours) and ckan"]
    assert selection.without("").marked("ckan") == ["-m", "(slow) and ckan"]


@pytest.mark.parametrize(
    ("statuses", "code"),
    [([0, 0, 0], 0), ([0, 5, 0], 0), ([5, 5], 5), ([5, 1, 0], 1), ([0, -9], 1), ([0, 3, 1], 3)],
    ids=str,
)
def test_one_part_that_fails_fails_the_whole(statuses: list[int], code: int) -> None:
    assert testing.exit_code(statuses) == code


def test_an_unknown_version_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        testing.take_versions(["--ckan", "1.8"])

    assert "2.11" in capsys.readouterr().err


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


def test_the_folder_of_real_documents_is_no_folder_of_tests(tmp_path: Path) -> None:
    selection = testing.select(["--samples", str(tmp_path)], only_ckan=False)

    assert selection.with_ckan
    assert selection.without_ckan
    assert selection.arguments == (f"--samples={tmp_path}",)


def test_a_part_with_batches_of_its_own_size() -> None:
    selection = testing.select(["-m", "not slow"], only_ckan=False).only("engine").batches(1)

    assert selection.expression == "(not slow) and engine"
    assert selection.batch_size == "1"
    assert testing.select(["--batch-size", "7"], only_ckan=False).batches(1).batch_size == "7"


def test_ci_calls_the_command_that_contributors_are_told() -> None:
    tests = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## The tests")[2]
    command = tests.split("\n    ")[1].partition("  #")[0].strip()

    assert command == "bin/test --all"
    assert f" {command} " in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert command in testing.USAGE


def test_the_long_form_of_faults_is_a_folder_of_its_own() -> None:
    selection = testing.select(["--chaos", "--seed", "42"], only_ckan=False)
    assert selection.arguments == ("--chaos", "--seed=42", str(testing.CHAOS))
    narrowed = testing.select(["--chaos", "tests/ckan/chaos/test_two_hosts.py"], only_ckan=False)
    assert narrowed.arguments == ("--chaos", "tests/ckan/chaos/test_two_hosts.py")
