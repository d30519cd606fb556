"""Run rules over a record, and turn what they find into a publisher's problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lxml import etree

from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import Failure, Rule

# No more places are counted: fixing the first ten shows how to fix the rest.
_LINES = 5


Broken = tuple[Rule, tuple[Failure, ...]]


def failing(rules: Iterable[Rule], metadata: Metadata) -> list[Broken]:
    """Return the rules that the record breaks, each with its places, in their order.

    A rule is left out if its ``unless`` names one that was reported before.
    """
    reported: set[str] = set()
    # Keeping the failures keeps lxml's proxy objects alive, so that each element has only one.
    seen: dict[etree._Element, bool] = {}
    broken = []
    for rule in rules:
        if rule.types and metadata.type not in rule.types:
            continue
        if reported.intersection(rule.unless):
            continue
        places = tuple(place for place in rule.test(metadata) if _is_unreported(rule, place, seen))
        if places:
            reported.add(rule.code)
            for place in places:
                element = place.node.element
                seen[element] = rule.is_error or seen.get(element, False)
            broken.append((rule, places))
    return broken


def drop_reported(broken: Iterable[Broken], problems: Iterable[Problem]) -> list[Broken]:
    """Leave out the rules that repeat the parser's own problems of the record.

    They are broken all the same, and count where a record is rejected for its errors.
    """
    pairs = ((item.code, item.field) for item in problems)
    names = {name for code, field in pairs for name in (code, f"{code} {field}")}
    return [(rule, places) for rule, places in broken if names.isdisjoint(rule.unless)]


def _is_unreported(rule: Rule, place: Failure, seen: Mapping[etree._Element, bool]) -> bool:
    """Tell whether no rule of equal weight has reported the element or its property.

    A report about a class, such as a missing part, does not cover its other parts.
    """
    if not rule.is_rest:
        return True
    element, parent = place.node.element, place.node.element.getparent()
    around = [] if parent is None or _is_class(parent) else [parent]
    return all(seen[node] < rule.is_error for node in (element, *around) if node in seen)


def _is_class(element: etree._Element) -> bool:
    return xml.local_name(element)[:1].isupper()


def problem(rule: Rule, places: Sequence[Failure]) -> Problem:
    """Return one problem for all places where a record breaks a rule."""
    first = places[0]
    expected = f"; expected {rule.wanted}"
    example = f", such as {rule.example}" if rule.example else ""
    message = f"{rule.field} ({rule.element}) {first.fault}{_further(places)}{expected}{example}"
    return Problem(rule.code, rule.field, message, first.node.line)


def _further(places: Sequence[Failure]) -> str:
    if len(places) < 2:
        return ""
    lines = sorted({place.node.line for place in places[1:] if place.node.line})
    shown = ", ".join(str(line) for line in lines[:_LINES])
    more = ", …" if len(lines) > _LINES else ""
    where = f", line{'s' if len(lines) > 1 else ''} {shown}{more}" if shown else ""
    return f" (and {len(places) - 1} more{where})"
