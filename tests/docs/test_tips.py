"""Every code that publishers can get has a tip, and every tip a code."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.problems.tips import TIPS
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.parsers.gemini.rules.rule import Rule
from docs import codes
from tests.publisher import SOURCES

USED = {
    code: path
    for name, path in codes.modules().items()
    for code in codes.codes_of(path)
    if not name.startswith(codes.RULES)
}


def test_every_code_in_the_source_has_a_tip() -> None:
    missing = {code: path.name for code, path in USED.items() if code not in TIPS}
    assert not missing, "add a line to TIPS in core/problems/tips.py"


def test_no_tip_is_left_over() -> None:
    assert sorted(TIPS.keys() - USED.keys()) == []


@pytest.mark.parametrize("code", TIPS)
def test_a_tip_is_short(code: str) -> None:
    tip = TIPS[code]
    assert tip.endswith(".")
    assert tip.count(". ") <= 2
    assert len(tip) < 200


def test_the_cases_give_no_code_that_the_scan_of_the_source_misses() -> None:
    rules = {rule.code for rule in RULES}
    assert _recorded() - USED.keys() - rules == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_says_what_to_write(rule: Rule) -> None:
    assert rule.element
    assert rule.wanted
    assert not rule.wanted.endswith(".")
    assert len(rule.example) <= 160


def _recorded() -> set[str]:
    """Return the codes in the expectations of tests/sources."""
    found: set[str] = set()

    def collect(value: object) -> None:
        if isinstance(value, dict):
            found.update([value["code"]] if isinstance(value.get("code"), str) else [])
            for each in value.values():
                collect(each)
        elif isinstance(value, list):
            for each in value:
                collect(each)

    for file in SOURCES.glob("*/expected.json"):
        collect(json.loads(file.read_text(encoding="utf-8")))
    return found
