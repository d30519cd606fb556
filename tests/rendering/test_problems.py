"""Titles of kinds of problems."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.problems.texts import PROBLEM, PROBLEM_TEXTS
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.parsers.gemini.rules import RULES


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts.tk, "_", str)


def test_no_two_kinds_have_the_same_title() -> None:
    codes = [*PROBLEM_TEXTS, *(rule.code for rule in RULES)]
    titles = {code: texts.describe_problem(code, PROBLEM).title for code in codes}
    others = list(titles.values())
    assert [code for code, title in titles.items() if others.count(title) > 1] == []


def test_a_rule_is_called_by_its_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    assert texts.describe_problem("gemini-10-needed", PROBLEM).title == "Lineage: missing"
    assert texts.describe_problem("gemini-21-name", PROBLEM).title == (
        "Data format: missing or wrong (expected: the format's name)"
    )
    german = {"Lineage": "Herkunft", "{element}: missing": "{element} fehlt"}
    monkeypatch.setattr(texts.tk, "_", lambda text: german.get(text, text))
    assert texts.describe_problem("gemini-10-needed", PROBLEM).title == "Herkunft fehlt"
