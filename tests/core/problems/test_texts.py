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


def test_weights_are_of_known_problems() -> None:
    codes = {code for code, row in texts.PROBLEM_TEXTS.items() if row.severity == texts.PROBLEM}
    assert {*texts._WEIGHT_OF_CODE} <= codes | {"broken-link"}
    assert min(texts._WEIGHT_OF_CODE.values()) > 0


@pytest.mark.parametrize(
    ("code", "severity", "weight"),
    [
        ("html-page", "stop", 1000),
        ("missing-title", "lost", 20),
        ("no-resources", "problem", 8),
        ("no-resources", "lost", 20),
        ("of-another-extension", "problem", 2),
        ("empty-entry", "note", 0),
    ],
)
def test_weight_of_a_problem_is_its_code_s_or_its_severity_s(
    code: str, severity: str, weight: int
) -> None:
    assert texts.weight_of(code, severity) == weight
