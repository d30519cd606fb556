"""The end of bin/bench: its page, and its exit code where a target is missed."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from bench.cli import report
from bench.results import Case, Side, Target, page


def case(title: str, ours: float) -> Case:
    sides = {"ours": Side([ours]), "floor": Side([10.0])}
    return Case(title, "records/s", [Target("ours", "floor", 0.8)], sides)


def test_page_has_a_section_for_each_case() -> None:
    text = page([case("One", 9), case("Two", 5)], size=4, rounds=1)
    assert "1 rounds with 4 records" in text
    assert "measured 0.90: met" in text.partition("\n## One\n")[2].partition("\n## ")[0]
    assert "measured 0.50: missed" in text.partition("\n## Two\n")[2]


@pytest.mark.parametrize(
    ("ours", "is_quick", "code"), [(9, False, 0), (5, False, 1), (5, True, 0), (3, True, 1)]
)
def test_a_missed_target_is_an_error(
    ours: float, is_quick: bool, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = argparse.Namespace(output=tmp_path / "page.md", quick=is_quick)
    assert report([case("One", 9), case("Two", ours)], options, rounds=1, size=4) == code
    assert ("MISSED  Two" in capsys.readouterr().out) == bool(code)
    assert "## Two" in (tmp_path / "page.md").read_text()
