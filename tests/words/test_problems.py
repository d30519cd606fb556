"""What kinds of problems are called."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.problem_words import PROBLEM, WORDS
from ckanext.ukharvest.parsers.gemini_rules import RULES
from ckanext.ukharvest.words import problems


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems.tk, "_", str)


def test_no_two_kinds_have_the_same_title() -> None:
    codes = [*WORDS, *(rule.code for rule in RULES)]
    titles = {code: problems.shown(code, PROBLEM).title for code in codes}
    others = list(titles.values())
    assert [code for code, title in titles.items() if others.count(title) > 1] == []


def test_a_rule_is_called_by_its_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    assert problems.shown("gemini-10-needed", PROBLEM).title == "Lineage: missing"
    assert problems.shown("gemini-21-name", PROBLEM).title == (
        "Data format: missing or wrong (expected: the format's name)"
    )
    german = {"Lineage": "Herkunft", "{element}: missing": "{element} fehlt"}
    monkeypatch.setattr(problems.tk, "_", lambda text: german.get(text, text))
    assert problems.shown("gemini-10-needed", PROBLEM).title == "Herkunft fehlt"
