"""The page of GEMINI's rules: the requirement of each, and a good value."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.parsers.gemini.rules.rule import DATA, SERVICES, V21, V23, Rule

from .generated import escape, prose

NAME = "gemini-problems.md"


def page() -> str:
    """Return every rule with its requirement, in the order of a record."""
    lines = [prose("gemini-problems")]
    for element in dict.fromkeys(rule.element for rule in RULES):
        rules = [rule for rule in RULES if rule.element == element]
        lines += [f"### {element}", ""]
        for field in dict.fromkeys(rule.field for rule in rules):
            lines += _field(field, [rule for rule in rules if rule.field == field])
    return "\n".join(lines)


def _field(field: str, rules: list[Rule]) -> Iterator[str]:
    """Return an element of the document with a good value and what is expected of it."""
    example = next((rule.example for rule in rules if rule.example), "")
    yield from (f"`{field}`" + (f": `{example}`" if example else ""), "")
    for wanted in dict.fromkeys(rule.wanted for rule in rules):
        marked = ", ".join(_code(rule) for rule in rules if rule.wanted == wanted)
        yield f"- {marked}: {escape(wanted)}"
    yield ""


def _code(rule: Rule) -> str:
    """Return a rule's code, and in brackets where it differs from most and AGI's number."""
    types = {DATA: "data", SERVICES: "services"}.get(rule.types, ", ".join(sorted(rule.types)))
    edition = "" if not rule.versions or {V21, V23} <= rule.versions else min(rule.versions)
    marks = (types.strip(", "), edition, "" if rule.is_error else "advice", rule.number)
    text = "; ".join(filter(None, marks))
    return f"`{rule.code}`" + (f" ({text})" if text else "")
