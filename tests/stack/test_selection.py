"""The tests that arguments of bin/test select."""

from __future__ import annotations

from pathlib import Path

import pytest
from stack import selection
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
        (["tests/ckan/harvest/batch/test_import_stage.py::test_a_thing"], WITH),
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

    mode, rest = selection.take_mode(words)
    assert (mode.name, rest) == ("2.11", ["-k", "a b", "--co", "tests/ckan"])
    assert selection.take_mode(["-x"]) == (selection.Mode(), ["-x"])
    assert selection.take_mode(["--ci"]) == (selection.Mode("ci"), [])
    mode, rest = selection.take_mode(["--all", "--part", "bench", "--part=lint", "--again", "-x"])
    assert (mode, rest) == (selection.Mode("all", ("bench", "lint"), is_again=True), ["-x"])
    for words in (["--all", "--ckan", "2.11"], ["--all", "--fast"], ["--ci", "--again"]):
        with pytest.raises(SystemExit):
            selection.take_mode(words)


def test_an_unknown_version_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        selection.take_mode(["--ckan", "1.8"])

    assert "2.11" in capsys.readouterr().err


def test_the_folder_of_real_documents_is_no_folder_of_tests(tmp_path: Path) -> None:
    chosen = selection.select(["--samples", str(tmp_path)], only_ckan=False)

    assert chosen.with_ckan
    assert chosen.without_ckan
    assert chosen.arguments == (f"--samples={tmp_path}",)


def test_a_caller_decides_the_size_of_batches() -> None:
    chosen = selection.select(["--batch-size", "7"], only_ckan=False)

    assert chosen.with_option("--batch-size", "1").arguments == ("--batch-size=7",)
    assert chosen.only("engine").with_option("--fuzz", "9").arguments[1:] == ("--fuzz=9",)


def test_the_long_form_of_faults_is_a_folder_of_its_own() -> None:
    chosen = selection.select(["--chaos", "--seed", "42"], only_ckan=False)
    assert chosen.arguments == ("--chaos", "--seed=42", str(selection.CHAOS))
    narrowed = selection.select(["--chaos", "tests/ckan/chaos/test_storm.py"], only_ckan=False)
    assert narrowed.arguments == ("--chaos", "tests/ckan/chaos/test_storm.py")
