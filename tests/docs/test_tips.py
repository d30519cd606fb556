"""Every code that publishers can get has a tip, and every tip a code."""

from __future__ import annotations

import json

from ckanext.ukharvest.core.problems.texts import PROBLEM_TEXTS
from ckanext.ukharvest.parsers.gemini.rules import RULES
from docs import codes
from tests.publisher import SOURCES

USED = {code: path for name, path in codes.modules().items() for code in codes.codes_of(path)}


def test_every_code_in_the_source_has_a_tip() -> None:
    missing = {code: path.name for code, path in USED.items() if code not in PROBLEM_TEXTS}
    assert not missing, "add a row to core/problems/problems.csv"


def test_every_tip_has_a_code_in_the_source() -> None:
    assert sorted(PROBLEM_TEXTS.keys() - USED.keys()) == []


def test_tips_are_short_sentences() -> None:
    offenders = {
        code: text.tip
        for code, text in PROBLEM_TEXTS.items()
        if not text.tip.endswith(".") or text.tip.count(". ") > 2 or len(text.tip) >= 200
    }
    assert offenders == {}


def test_recorded_publishers_give_no_other_code() -> None:
    rules = {rule.code for rule in RULES}
    assert _recorded() - USED.keys() - rules == set()


def test_gemini_rules_say_what_to_write() -> None:
    offenders = [
        rule.code
        for rule in RULES
        if not rule.element
        or not rule.wanted
        or rule.wanted.endswith(".")
        or len(rule.example) > 160
    ]
    assert offenders == []


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
