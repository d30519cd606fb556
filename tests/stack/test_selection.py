"""The tests that arguments of bin/test select."""

from __future__ import annotations

from pathlib import Path

import pytest
from stack import flaky, reports, selection, testing
from stack.paths import CKAN_VERSIONS, ROOT


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
    chosen = selection.select(words, only_ckan=False)

    assert (chosen.without_ckan, chosen.with_ckan) == parts


def test_naming_a_version_of_ckan_leaves_out_what_needs_none() -> None:
    chosen = selection.select(["-k", "run"], only_ckan=True)

    assert (chosen.without_ckan, chosen.with_ckan) == WITH
    assert chosen.arguments == ("-k", "run")


def test_an_expression_of_the_caller_is_narrowed_to_each_part() -> None:
    chosen = selection.select(["-q", "-m", "slow or wide"], only_ckan=False)

    assert chosen.arguments == ("-q",)
    assert chosen.marked("ckan") == ["-m", "(slow or wide) and ckan"]
    assert chosen.marked("not ckan") == ["-m", "(slow or wide) and not ckan"]


def test_the_mode_is_ours_and_all_else_is_for_pytest() -> None:
    words = ["-k", "a b", "--ckan=2.11", "--co", "tests/ckan"]

    assert selection.take_mode(words) == ("2.11", ["-k", "a b", "--co", "tests/ckan"])
    assert selection.take_mode(["-x"]) == ("", ["-x"])
    assert selection.take_mode(["--all", "-x"]) == ("all", ["-x"])
    assert selection.take_mode(["--ci"]) == ("ci", [])
    with pytest.raises(SystemExit):
        selection.take_mode(["--all", "--ckan", "2.11"])


def parts_of(*words: str) -> dict[str, testing.Part]:
    """Return the parts of `bin/test WORDS` by title."""
    mode, rest = selection.take_mode(list(words))
    chosen = selection.select(rest, only_ckan=mode in CKAN_VERSIONS)
    return {part.title: part for part in testing.parts(chosen, mode)}


def test_giants_run_with_all_or_if_they_are_named() -> None:
    week = "tests/ckan/test_week.py"
    for words in ([], ["--ci"], ["--ckan", "2.11"], ["tests/ckan"], ["-k", "week"]):
        for part in parts_of(*words).values():
            assert "not giant" in part.selection.expression, words
    for words in (["--all"], [week], [f"{week}::test_a_week"], ["-m", "giant"], ["--chaos"]):
        for part in parts_of(*words).values():
            assert "not giant" not in part.selection.expression, words


def test_all_runs_each_test_on_each_ckan() -> None:
    parts = parts_of("--all")

    assert list(parts) == [
        "CKAN 2.12, first half",
        "CKAN 2.12, second half",
        "CKAN 2.11, first half",
        "CKAN 2.11, second half",
        "without CKAN",
        "CKAN 2.12, batches of 7",
        "CKAN 2.11, batches of 1",
    ]
    assert parts["CKAN 2.11, first half"].selection.marked("ckan") == ["-m", "ckan"]
    assert "--fuzz=120" in parts["without CKAN"].selection.arguments


def test_ci_runs_on_the_oldest_ckan_what_differs_there() -> None:
    parts = parts_of("--ci")

    assert list(parts) == [
        "CKAN 2.12, first half",
        "CKAN 2.12, second half",
        "CKAN 2.11, compat",
        "without CKAN",
        "CKAN 2.12, batches of 7",
    ]
    assert parts["CKAN 2.11, compat"].selection.expression == "(not giant) and compat"
    assert "--batch-size=7" in parts["CKAN 2.12, batches of 7"].selection.arguments


def test_the_two_halves_have_portals_of_their_own() -> None:
    first, second, *_ = parts_of().values()

    assert first.selection.arguments == ("--shard=1/2",)
    assert second.selection.arguments == ("--shard=2/2",)
    assert first.purpose != second.purpose


def test_named_tests_are_run_in_one_part() -> None:
    assert list(parts_of("tests/ckan/test_run.py")) == ["CKAN 2.12"]
    assert list(parts_of("--all", "-k", "run")) == ["CKAN 2.12", "CKAN 2.11", "without CKAN"]


@pytest.mark.parametrize(
    ("statuses", "code"),
    [([0, 0, 0], 0), ([0, 5, 0], 0), ([5, 5], 5), ([5, 1, 0], 1), ([0, -9], 1), ([0, 3, 1], 3)],
    ids=str,
)
def test_one_part_that_fails_fails_the_whole(statuses: list[int], code: int) -> None:
    assert testing.exit_code(statuses) == code


def test_an_unknown_version_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        selection.take_mode(["--ckan", "1.8"])

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
    chosen = selection.select(["--samples", str(tmp_path)], only_ckan=False)

    assert chosen.with_ckan
    assert chosen.without_ckan
    assert chosen.arguments == (f"--samples={tmp_path}",)


def test_a_caller_decides_the_size_of_batches() -> None:
    chosen = selection.select(["--batch-size", "7"], only_ckan=False)

    assert chosen.with_option("--batch-size", "1").arguments == ("--batch-size=7",)
    assert chosen.only("engine").with_option("--fuzz", "9").arguments[1:] == ("--fuzz=9",)


def test_ci_calls_the_command_that_contributors_are_told() -> None:
    tests = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## The tests")[2]
    commands = [line.partition("  #")[0].strip() for line in tests.split("\n    ")[1:]]

    assert "bin/test --ci" in commands
    assert " bin/test --ci " in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "bin/test --ci" in testing.USAGE


def failed_run(folder: Path, *ids: str) -> Path:
    """Write the report of a run in which tests of these ids failed, each in one phase."""
    report = folder / "one.xml"
    report.write_text(f'<testsuites><testsuite tests="9" failures="{len(ids)}"/></testsuites>')
    flaky.failures_of(report).write_text("".join(f"{test}\n" for test in ids))
    return report


def test_what_passes_by_itself_is_named_flaky_and_passes(tmp_path: Path) -> None:
    report = failed_run(tmp_path, "tests/test_a.py::test_one[a b]", "tests/test_a.py::test_two")
    run: list[str] = []

    assert flaky.run_again(report, lambda test: run.append(test) or 0, None) == 0
    assert run == ["tests/test_a.py::test_one[a b]", "tests/test_a.py::test_two"]
    assert reports.count([report]) == "9 passed, 0 failed, 0 skipped"
    first, _ = reports.flaky([report])
    assert first.startswith("FLAKY (one): tests/test_a.py::test_one[a b]; add it to tests/flaky")


def test_what_fails_again_fails_the_run(tmp_path: Path) -> None:
    report = failed_run(tmp_path, "tests/test_a.py::test_one", "tests/test_a.py::test_two")

    assert flaky.run_again(report, lambda test: int(test.endswith("one")), None) == 1
    assert reports.count([report]) == "8 passed, 1 failed, 0 skipped"
    assert len(reports.flaky([report])) == 1


def test_many_failures_are_not_run_again(tmp_path: Path) -> None:
    report = failed_run(tmp_path, *(f"test_a.py::test_{n}" for n in range(flaky.MOST + 1)))

    assert flaky.run_again(report, lambda _: pytest.fail("it was run"), None) == 1
    assert reports.flaky([report]) == []


def test_each_listed_flaky_test_exists() -> None:
    for line in reports.LISTED.read_text("utf-8").splitlines():
        test = line.partition("#")[0].strip()
        if test:
            path, _, name = test.partition("::")
            assert f"def {name.partition('[')[0]}(" in (ROOT / path).read_text("utf-8"), test


def test_the_long_form_of_faults_is_a_folder_of_its_own() -> None:
    chosen = selection.select(["--chaos", "--seed", "42"], only_ckan=False)
    assert chosen.arguments == ("--chaos", "--seed=42", str(selection.CHAOS))
    narrowed = selection.select(["--chaos", "tests/ckan/chaos/test_two_hosts.py"], only_ckan=False)
    assert narrowed.arguments == ("--chaos", "tests/ckan/chaos/test_two_hosts.py")
