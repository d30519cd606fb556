"""How bad a problem is, the rules for location data included."""

from __future__ import annotations

from ckanext.ukharvest.core import problem_words
from ckanext.ukharvest.core.problem_words import NOTE, PROBLEM
from ckanext.ukharvest.parsers.gemini_rules import BY_CODE


def severity_of(code: str, *, consequence: str = PROBLEM) -> str:
    """Return how bad a problem was; see ``core.problem_words.severity_of``."""
    rule = BY_CODE.get(code)
    if rule is None:
        return problem_words.severity_of(code, consequence=consequence)
    return NOTE if consequence == PROBLEM and not rule.is_error else consequence
