"""Every code has a row of its own, with a title, a tip and a severity."""

from __future__ import annotations

from pathlib import Path

import pytest

from ckanext.ukharvest.core.problems import texts
from ckanext.ukharvest.core.problems import texts as problem_texts

NEVER = ("oops", "please", "successfully", "invalid", "illegal", "abort", "kill")


def test_every_code_has_one_row_with_a_title_and_a_tip() -> None:
    lines = (
        Path(problem_texts.__file__)
        .with_name("problems.csv")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    assert len(lines) == 1 + len(texts.PROBLEM_TEXTS)
    assert [code for code, row in texts.PROBLEM_TEXTS.items() if not (row.title and row.tip)] == []


def test_titles_are_short_and_plain() -> None:
    offenders = {
        code: text.title
        for code, text in texts.PROBLEM_TEXTS.items()
        if len(text.title.split()) > 6
        or text.title.endswith(".")
        or any(word in text.title.lower() for word in NEVER)
    }
    assert offenders == {}


def test_every_severity_is_known() -> None:
    assert {text.severity for text in texts.PROBLEM_TEXTS.values()} <= set(texts.SEVERITIES)


def test_an_unknown_code_has_the_text_of_other_problems() -> None:
    assert texts.find_text("of-another-extension") == texts.OTHER


@pytest.mark.parametrize(
    ("code", "consequence", "severity"),
    [
        ("schema", "stop", "stop"),
        ("bad-url", "stop", "stop"),
        ("wrong-root", "lost", "lost"),
        ("left-out", "problem", "note"),
        ("missing-identifier", "problem", "problem"),
        ("of-another-extension", "problem", "problem"),
    ],
)
def test_the_consequence_decides_the_severity(code: str, consequence: str, severity: str) -> None:
    assert texts.severity_of(code, consequence=consequence) == severity
