"""Titles of kinds of problems."""

from __future__ import annotations

import json

import pytest
from lxml import etree

from ckanext.ukharvest.core.problems.texts import PROBLEM, PROBLEM_TEXTS
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.rendering import problem_texts
from tests.parsers.dcat.turtle import parse


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts.tk, "_", str)


def test_only_kinds_with_one_requirement_share_a_title() -> None:
    requirements: dict[str, set[str]] = {}
    for rule in RULES:
        title = texts.describe_problem(rule.code, PROBLEM).title
        requirements.setdefault(title, set()).add(rule.wanted)
    assert [title for title, wanted in requirements.items() if len(wanted) > 1] == []
    assert requirements.keys() & {text.title for text in PROBLEM_TEXTS.values()} == set()


@pytest.mark.parametrize("field", ["license", "dct:license", "license_id", "Rights"])
def test_missing_field_has_advice_of_its_own(field: str) -> None:
    problem = texts.describe_problem("missing-field", PROBLEM, field)
    assert problem.title == "Licence: missing"
    assert problem.tip.startswith("Add the licence, for example https://")


@pytest.mark.parametrize(
    ("code", "field", "snippet"),
    [
        ("bad-date", "modified", '"modified": "2024-05-31"'),
        ("wrong-type", "keyword", '"keyword": ["planning", "building"]'),
        ("missing-media-type", "distribution[2].mediaType", '"mediaType": "text/csv"'),
        ("bad-date", "dct:title", ""),
        ("left-out", "keyword", ""),
    ],
)
def test_snippet_is_json_for_a_field_of_json(code: str, field: str, snippet: str) -> None:
    problem = texts.describe_problem(code, PROBLEM, field)
    assert problem.snippet == snippet
    assert json.loads(f"{{{snippet}}}") or not snippet
    assert problem.fix == f"{problem.tip} {snippet}".strip()


@pytest.mark.parametrize("name", problem_texts._PROPERTIES)
def test_snippet_of_a_property_of_dcat_is_read(name: str) -> None:
    snippet = texts.describe_problem("missing-field", PROBLEM, name).snippet
    turtle = snippet.removesuffix(" ;")
    if name in ("dcat:accessURL", "dcat:downloadURL", "dcat:mediaType"):
        turtle = f"dcat:distribution [ {snippet} dcat:accessURL <http://a.uk/x> ]"
    assert [problem for problem in parse(turtle).problems if name in problem.field] == []


@pytest.mark.parametrize("name", problem_texts._ELEMENTS)
def test_snippet_of_inventory_is_xml(name: str) -> None:
    snippet = texts.describe_problem("missing-field", PROBLEM, f"Dataset.{name}").snippet
    whole = f"<a {snippet}/>" if name[0] == "@" else f"<a>{snippet}</a>"
    assert name.lstrip("@") in etree.tostring(etree.fromstring(whole)).decode()


def test_a_rule_is_called_by_its_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    assert texts.describe_problem("gemini-10-needed", PROBLEM).title == "Lineage: missing"
    assert texts.describe_problem("gemini-o26-licence", PROBLEM).title == (
        "Use constraints: missing or wrong (expected: a licence's title and address in "
        "gmd:otherConstraints (GEMI…)"
    )
    assert texts.describe_problem("gemini-23-party", PROBLEM).title == (
        "Responsible organisation: missing or wrong (expected: one name of an organisation, one "
        "email address and a role)"
    )
    german = {"Lineage": "Herkunft", "{element}: missing": "{element} fehlt"}
    monkeypatch.setattr(texts.tk, "_", lambda text: german.get(text, text))
    assert texts.describe_problem("gemini-10-needed", PROBLEM).title == "Herkunft fehlt"
