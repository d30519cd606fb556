"""Hostile records: checked in time, with short and readable messages."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import pytest
from lxml import etree

from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.parsers.gemini.rules.rule import Rule
from tests.iso_spelling import code
from tests.parsers.gemini.rules.documents import dataset
from tests.parsers.gemini.rules.rule_cases import BY_CODE, CASES, find_problems

_LONGEST = 400  # characters of a message
# Titles have to be cited exactly: the given one and the right one are shown whole.
_LONGER = dict.fromkeys(("gemini-41-data-needed", "gemini-41-sv-needed"), 640)
_ATTRIBUTES = "".join(f'a{number}="1" ' for number in range(40_000))
_HOSTILE = (
    "x" * 10_000,
    "9" * 5_000,
    "urn:ogc:def:crs:EPSG::" + "9" * 5_000,
    "\u202egnp.exe\u2066\x9b\u200e",
)


def judged(root: etree._Element, *rules: Rule) -> list[Problem]:
    return find_problems(etree.tostring(root, encoding="unicode"), *rules)


def spoilt(document: str, value: str) -> Iterator[etree._Element]:
    """Return the record with one value as every text, every attribute, and inside every name."""
    root = etree.fromstring(document)
    texts, attributes, names = deepcopy(root), deepcopy(root), deepcopy(root)
    for element in texts.iter("*"):
        if not len(element):
            element.text = value
    for element in attributes.iter("*"):
        for key in element.attrib:
            # The type of the resource decides which rules apply.
            if element.get(key) not in ("dataset", "service"):
                element.set(key, value)
    for element in names.iter("*"):
        if not len(element) and value.isalpha():
            element.tag = f"{element.tag}{value}"
    yield from (texts, attributes, names)


@pytest.mark.parametrize("rule", CASES)
def test_hostile_values_keep_messages_short_and_printable(rule: str) -> None:
    bad, _good = CASES[rule]
    for value in _HOSTILE:
        for root in spoilt(bad, value):
            for problem in judged(root, BY_CODE[rule]):
                assert len(problem.message) <= _LONGER.get(rule, _LONGEST), problem.code
                assert problem.message.isprintable(), problem.code


def repeated(document: str, name: str, count: int) -> str:
    """Return the record with an element repeated far more often than in real records."""
    root = etree.fromstring(document)
    element = next(root.iter(f"{{*}}{name}"))
    for _ in range(count):
        element.addnext(deepcopy(element))
    return etree.tostring(root, encoding="unicode")


def test_many_different_values_are_summarised() -> None:
    words = [f'<gmd:CI_RoleCode codeListValue="role{number}"/>' for number in range(500)]
    contacts = "".join(
        f"<gmd:contact><gmd:CI_ResponsibleParty><gmd:role>{word}</gmd:role>"
        "</gmd:CI_ResponsibleParty></gmd:contact>"
        for word in words
    )
    [problem] = find_problems(dataset(contact=contacts), BY_CODE["gemini-35-role"])
    assert "is 'role0' or 'role1' or 'role2' or others;" in problem.message
    levels = repeated(
        dataset(type=code("gmd:hierarchyLevel", "MD_ScopeCode", "series")), "level", 500
    )
    [problem] = find_problems(levels, BY_CODE["gemini-48-one"])
    assert "is 'dataset';" in problem.message


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "document",
    [
        # Each took minutes, with quadratic work on what is repeated.
        dataset().replace("<gmd:MD_ScopeCode ", f"<gmd:MD_ScopeCode {_ATTRIBUTES}"),
        dataset().replace("Land use of every parcel", "x<!-- y -->" * 200_000),
        repeated(dataset(), "result", 10_000),
    ],
    ids=["attributes", "comments", "results"],
)
def test_a_record_of_any_length_is_judged(document: str) -> None:
    assert find_problems(document, *RULES) is not None
