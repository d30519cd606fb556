"""Which tests the arguments of bin/test ask for."""

from __future__ import annotations

from pathlib import Path

import pytest
from stack import testing
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
        (["tests/core/test_xml.py::test_a_thing"], WITHOUT),
        (["tests/ckan"], WITH),
        (["tests/ckan/test_run.py::test_a_thing"], WITH),
        (["tests/core", "tests/ckan"], BOTH),
        (["tests/core", "-m", "ckan"], WITH),
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

    assert testing.take_ckan(words) == ("2.11", ["-k", "a b", "--co", "tests/ckan"])


def test_an_unknown_version_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        testing.take_ckan(["--ckan", "1.8"])

    assert "2.11" in capsys.readouterr().err


def test_reports_are_summed_up_in_the_words_of_a_closing_line(tmp_path: Path) -> None:
    one, two = tmp_path / "one.xml", tmp_path / "two.xml"
    one.write_text(
        '<testsuites><testsuite tests="5" failures="1" errors="1" skipped="1"/></testsuites>'
    )
    two.write_text(
        '<testsuites><testsuite tests="3" failures="0" errors="0" skipped="0"/></testsuites>'
    )

    counts = testing.count([one, two, tmp_path / "broken-off.xml"])

    assert counts == "5 passed, 2 failed, 1 skipped"


def test_the_folder_of_real_documents_is_no_folder_of_tests(tmp_path: Path) -> None:
    selection = testing.select(["--samples", str(tmp_path)], only_ckan=False)

    assert selection.with_ckan
    assert selection.without_ckan
    assert selection.arguments == (f"--samples={tmp_path}",)
