"""Every rule of the table has a record that breaks it and one that does not."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.problems.texts import PROBLEM_TEXTS
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.parsers.gemini.rules.rule import V23, Rule
from tests.parsers.gemini.rules.documents import dataset, service
from tests.parsers.gemini.rules.rule_cases import BY_CODE, CASES, find_problems

CODES = sorted(CASES.keys() & BY_CODE.keys())


def test_every_rule_has_a_code_of_its_own_and_its_case() -> None:
    assert len(BY_CODE) == len(RULES)
    assert CASES.keys() == BY_CODE.keys()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_yields_only_to_earlier_rules_of_no_less_weight(rule: Rule) -> None:
    """Otherwise a warning could hide the error that should fail the record."""
    before = list(BY_CODE)[: list(BY_CODE).index(rule.code)]
    for code in rule.unless:
        if code in BY_CODE:
            assert code in before
            assert BY_CODE[code].is_error >= rule.is_error
        else:
            assert code.partition(" ")[0] in PROBLEM_TEXTS


@pytest.mark.parametrize("code", CODES)
def test_bad_record_is_reported_with_its_line(code: str) -> None:
    bad, good = CASES[code]
    [problem] = find_problems(bad, BY_CODE[code])
    assert problem.code == code
    assert problem.line
    assert find_problems(good, BY_CODE[code]) == []


@pytest.mark.parametrize("code", CODES)
def test_a_message_says_what_to_change_and_what_is_expected(code: str) -> None:
    rule = BY_CODE[code]
    [problem] = find_problems(CASES[code][0], rule)
    assert problem.message.startswith(f"{rule.field} ({rule.element}) ")
    assert f"; expected {rule.wanted}" in problem.message
    for technical in ("local-name", "shall", "//", "None", "{http"):
        assert technical not in problem.message.replace("://", "")
    assert len(rule.example) <= 120


@pytest.mark.parametrize("document", [dataset(), service()], ids=["dataset", "service"])
def test_a_complete_record_breaks_no_rule(document: str) -> None:
    rules = [rule for rule in RULES if not rule.versions or V23 in rule.versions]
    assert find_problems(document, *rules) == []
