"""Every code that a publisher can meet has its tip, and no tip is left over."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.problems import TIPS
from docs import codes
from tests.publisher import SOURCES

USED = {code: path for path in codes.modules().values() for code in codes.codes_of(path)}


def test_every_code_in_the_source_has_a_tip() -> None:
    missing = {code: path.name for code, path in USED.items() if code not in TIPS}
    assert not missing, "add a line to TIPS in core/problems.py"


def test_no_tip_is_left_over() -> None:
    assert sorted(TIPS.keys() - USED.keys()) == []


@pytest.mark.parametrize("code", TIPS)
def test_a_tip_is_one_sentence(code: str) -> None:
    tip = TIPS[code]
    assert tip.endswith(".")
    assert ". " not in tip
    assert len(tip) < 200


def test_the_cases_give_no_code_that_the_scan_of_the_source_misses() -> None:
    assert _recorded() - USED.keys() == set()


def _recorded() -> set[str]:
    """The codes in what tests/sources expects."""
    found: set[str] = set()

    def note(value: object) -> None:
        if isinstance(value, dict):
            found.update([value["code"]] if isinstance(value.get("code"), str) else [])
            for each in value.values():
                note(each)
        elif isinstance(value, list):
            for each in value:
                note(each)

    for file in SOURCES.glob("*/expected.json"):
        note(json.loads(file.read_text(encoding="utf-8")))
    return found
