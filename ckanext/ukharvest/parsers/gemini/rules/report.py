"""Choose the rules for a record, run them, and turn what they find into a publisher's problems.

The edition of GEMINI is detected from the record alone: the name and version that it states (GEMINI
54 and 55) are missing in most records and wrong in some, so marks that only one edition has count
first. GEMINI 2.2 has no Schematron of its own: its records are validated by the rules of 2.1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from lxml import etree

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.rules.checks import text_of
from ckanext.ukharvest.parsers.gemini.rules.rule import V21, V23, Failure, Metadata, Rule

PLAIN_ISO = "ISO 19139"
OTHER_ISO = "ISO 19115-3"
NOT_STATED = "not stated"

PROFILES = {"gemini2-3": V23, "gemini2-1": V21, "table-a1": PLAIN_ISO}
# ckanext-spatial's names, which sources may have stored. Its rules of GEMINI are not for data
# without a place.
_OLD_PROFILES = {
    **dict.fromkeys(("gemini2", "gemini2-1.3"), V21),
    **dict.fromkeys(("constraints", "constraints-1.4"), PLAIN_ISO),
    **dict.fromkeys(("iso19139", "iso19139eden", "iso19139ngdc"), PLAIN_ISO),
}

_OTHER = "/iso/19115/-3/"  # in the namespace of its root
_LIMITATIONS = "/LimitationsOnPublicAccess/"
_BLOCKS = "identificationInfo/*/resourceConstraints/*"
_VERSION = re.compile(r"(?<![\d.])2\.([0-3])(?!\d)")


def detect_edition(metadata: Metadata) -> str:
    """Return V21, V23, NOT_STATED, PLAIN_ISO (no GEMINI, but ISO 19139) or OTHER_ISO (neither).

    NOT_STATED are records without marks of an edition: they are validated by 2.3, which publishers
    should follow.
    """
    if _OTHER in str(metadata.record.element.tag):
        return OTHER_ISO
    if metadata.type.lower() == "nongeographicdataset":
        return PLAIN_ISO
    if any(_LIMITATIONS in node.href for node in metadata.at(f"{_BLOCKS}/otherConstraints/*")):
        return V23
    return _named(metadata) or _shaped(metadata) or NOT_STATED


def rules_for(
    table: Iterable[Rule], metadata: Metadata, profiles: Collection[str] = ()
) -> tuple[Rule, ...]:
    """Return the rules of a table that apply to a record.

    Args:
        profiles: names of ``PROFILES``, or ckanext-spatial's, set for the source, which override
            the record's edition; if empty, the edition is detected.
    """
    detected = detect_edition(metadata)
    # The elements of ISO 19115-3 have other names: no rule would find them.
    if detected != OTHER_ISO and profiles:
        old = _OLD_PROFILES if detected != PLAIN_ISO else dict.fromkeys(_OLD_PROFILES, PLAIN_ISO)
        editions = {PROFILES.get(name) or old[name] for name in profiles}
    else:
        editions = {V23 if detected == NOT_STATED else detected}
    return tuple(
        rule
        for rule in table
        if not editions.isdisjoint(rule.versions) or (not rule.versions and detected != OTHER_ISO)
    )


def _named(metadata: Metadata) -> str:
    """Return the edition that the record names as its standard."""
    nodes = [
        node
        for name in ("metadataStandardName", "metadataStandardVersion")
        for node in metadata.at(name)
    ]
    words = " ".join(
        text
        for node in nodes
        for text in (
            text_of(node),
            *tuple(child.href for child in node.find_all("*") if child.href),
        )
    )
    version = _VERSION.search(words) if "gemini" in words.lower() else None
    if not version:
        return ""
    return V23 if version[1] == "3" else V21


def _shaped(metadata: Metadata) -> str:
    """Return the edition whose structure the record has: its place of the licence, added parts."""
    if metadata.at(f"{_BLOCKS}/useLimitation"):
        return V21
    has_terms = any(
        "otherRestrictions" in block.codes("useConstraints") and block.first("otherConstraints")
        for block in metadata.at(_BLOCKS)
    )
    added = (
        "identificationInfo/*/spatialRepresentationType",
        "dataQualityInfo/*/scope",
        "dataQualityInfo/*/report/*/result/DQ_ConformanceResult",
    )
    return V23 if has_terms or all(map(metadata.at, added)) else ""


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
    around = [] if parent is None or xml.local_name(parent)[:1].isupper() else [parent]
    return all(seen[node] < rule.is_error for node in (element, *around) if node in seen)


def problem(rule: Rule, places: Sequence[Failure]) -> Problem:
    """Return one problem for all places where a record breaks a rule."""
    first = places[0]
    expected = Message("; expected {wanted}", wanted=Message(rule.wanted))
    example = Message(", such as {example}", example=rule.example) if rule.example else ""
    message = Message(
        "{field} ({element}) {fault}{places}{expected}{example}",
        field=rule.field,
        element=Message(rule.element),
        fault=first.fault,
        places=_further(places),
        expected=expected,
        example=example,
    )
    return Problem(rule.code, rule.field, message, first.node.line)


def _further(places: Sequence[Failure]) -> str:
    if len(places) < 2:
        return ""
    lines = sorted({place.node.line for place in places[1:] if place.node.line})
    shown = ", ".join(str(line) for line in lines[:_LINES])
    more = Message(", …") if len(lines) > _LINES else ""
    where: str = ""
    if len(lines) > 1:
        where = Message(", lines {shown}{more}", shown=shown, more=more)
    elif lines:
        where = Message(", line {shown}", shown=shown)
    return Message(" (and {count} more{where})", count=len(places) - 1, where=where)
