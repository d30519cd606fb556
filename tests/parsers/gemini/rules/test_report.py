"""One fault is one problem, at the place to correct."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.document import IsoNode
from ckanext.ukharvest.parsers.gemini.rules import RULES, report
from ckanext.ukharvest.parsers.gemini.rules.rule import Metadata
from tests.iso_spelling import el, nil, text
from tests.parsers.gemini.rules.documents import REGULATION, dataset, service


def _judged(document: str) -> dict[str, Problem]:
    metadata = Metadata(IsoNode(xml.parse(document), []))
    broken = report.failing(report.rules_for(RULES, metadata), metadata)
    return {rule.code: report.problem(rule, places) for rule, places in broken}


def _line(document: str, part: str) -> int:
    return document[: document.index(part)].count("\n") + 1


def test_empty_element_is_reported_once() -> None:
    found = _judged(dataset(alternate=text("gmd:alternateTitle", "")))
    assert found.keys() == {"gemini-02-value"}


def test_empty_element_is_reported_beside_a_missing_one() -> None:
    empty = el("gmd:purpose")
    document = dataset(abstract="{abstract}" + empty, representation="")
    assert _judged(document).keys() == {"gemini-50-needed", "iso-30-empty"}


def test_missing_element_is_reported_at_its_parent() -> None:
    document = dataset(identifier="")
    [problem] = _judged(document).values()
    assert problem.line == _line(document, "<gmd:CI_Citation>")


def test_empty_element_of_a_contact_is_named() -> None:
    [problem] = _judged(dataset(mail=text("gmd:electronicMailAddress", ""))).values()
    assert "has nothing in gmd:electronicMailAddress" in problem.message


@pytest.mark.parametrize("part", ["report", "result"])
def test_missing_conformity_is_one_problem_with_a_title_to_cite(part: str) -> None:
    [problem] = _judged(dataset(**{part: ""})).values()
    assert problem.code == "gemini-41-data-needed"
    assert REGULATION in problem.message


def test_a_title_that_is_not_word_for_word_is_shown() -> None:
    [problem] = _judged(dataset(specification_title=text("gmd:title", f"{REGULATION}."))).values()
    assert f"cites '{REGULATION}.'" in problem.message


_SHORT = text("gmd:abstract", "Land use.")
_EMPTY = {
    "mail": text("gmd:electronicMailAddress", ""),
    "link_description": text("gmd:description", ""),
    "alternate": text("gmd:alternateTitle", ""),
    "format_version": text("gmd:version", ""),
}
_WRONG_WORDS = {
    "level_name": text("gmd:hierarchyLevelName", "Service"),
    "service_type": el("srv:serviceType/gco:LocalName", "OGC:WMS"),
    "operates_on": nil("srv:operatesOn"),
    "scope_description": "",
}


@pytest.mark.parametrize(
    "document",
    [
        dataset(lineage="", report="", access="", abstract=_SHORT, **_EMPTY),
        dataset(quality="", constraints="", abstract=_SHORT, **_EMPTY),
        service(report="", access="", abstract=_SHORT, **_EMPTY),
        service(report="", access="", **_WRONG_WORDS),
    ],
    ids=["dataset", "without-quality", "service", "words-of-services"],
)
def test_a_usual_record_gives_fewer_than_ten_problems(document: str) -> None:
    assert 4 <= len(_judged(document)) < 10
