"""Severity of a problem, including problems of the rules for location data."""

from __future__ import annotations

from ckanext.ukharvest.core.problems import texts
from ckanext.ukharvest.core.problems.texts import NOTE, PROBLEM
from ckanext.ukharvest.parsers.gemini.rules import BY_CODE


def severity_of(code: str, *, consequence: str = PROBLEM) -> str:
    """Return the severity of a problem; see ``core.problems.texts.severity_of``."""
    rule = BY_CODE.get(code)
    if rule is None:
        return texts.severity_of(code, consequence=consequence)
    return NOTE if consequence == PROBLEM and not rule.is_error else consequence
