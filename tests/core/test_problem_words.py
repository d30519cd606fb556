"""Every code that has a tip has a title and a severity, and no other has."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core import problem_words
from ckanext.ukharvest.core.problems import TIPS

NEVER = ("oops", "please", "successfully", "invalid", "illegal", "abort", "kill")


def test_every_tip_has_a_title_and_the_other_way_round() -> None:
    assert sorted(TIPS) == sorted(problem_words.WORDS)


@pytest.mark.parametrize("code", sorted(problem_words.WORDS))
def test_a_title_is_short_and_plain(code: str) -> None:
    found = problem_words.WORDS[code]
    assert len(found.title.split()) <= 6
    assert not found.title.endswith(".")
    assert not any(word in found.title.lower() for word in NEVER)
    assert found.severity in problem_words.SEVERITIES


def test_what_nobody_knows_is_another_problem() -> None:
    assert problem_words.words_of("of-another-extension") == problem_words.OTHER


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
    assert problem_words.severity_of(code, consequence=consequence) == severity
