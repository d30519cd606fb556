"""Every code with a tip has a title and a severity, and no other has."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.problems import texts
from ckanext.ukharvest.core.problems.tips import TIPS

NEVER = ("oops", "please", "successfully", "invalid", "illegal", "abort", "kill")


def test_every_tip_has_a_title_and_the_other_way_round() -> None:
    assert sorted(TIPS) == sorted(texts.PROBLEM_TEXTS)


@pytest.mark.parametrize("code", sorted(texts.PROBLEM_TEXTS))
def test_a_title_is_short_and_plain(code: str) -> None:
    found = texts.PROBLEM_TEXTS[code]
    assert len(found.title.split()) <= 6
    assert not found.title.endswith(".")
    assert not any(word in found.title.lower() for word in NEVER)
    assert found.severity in texts.SEVERITIES


def test_what_nobody_knows_is_another_problem() -> None:
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
def test_the_consequence_decides_how_bad_it_was(code: str, consequence: str, severity: str) -> None:
    assert texts.severity_of(code, consequence=consequence) == severity
