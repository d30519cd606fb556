"""Records as publishers send them: few problems, each with what to change."""

from __future__ import annotations

import re

import pytest

from ckanext.ukharvest.core.records import Problem, RawRecord
from ckanext.ukharvest.parsers.gemini import parser as gemini
from tests.parsers.gemini.rules import typical

# The expected problems of each, in the order of the report.
EXPECTED = {
    "unfinished": [
        "gemini-02-value",
        "gemini-04-short",
        "gemini-25-one",
        "gemini-10-needed",
        "gemini-21-version-word",
        "gemini-41-data-needed",
        "gemini-o23-distributor",
        "gemini-o26-licence",
        "gemini-a6-empty",
    ],
    "old": [
        "gemini-33-lang",
        "gemini-03-lang",
        "gemini-07-shape",
        "gemini-10-value",
        "gemini-25-restricted",
        "gemini-o45-chars",
        "gemini-o26-licence",
        "iso-18-format",
        "iso-30-empty",
    ],
    "wrong_words": [
        "bad-url",
        "missing-url",
        "gemini-47-word",
        "gemini-37-list",
        "gemini-25-one",
        "gemini-41-sv-needed",
        "gemini-48-desc",
        "gemini-o06-category",
        "iso-18-format",
    ],
}


def problems(name: str) -> tuple[Problem, ...]:
    record = RawRecord(guid="parks", content=getattr(typical, name)(), url="https://x.example/p")
    return gemini.parse(record, {"validation": "report"}).problems


@pytest.mark.parametrize("name", EXPECTED)
def test_a_typical_broken_record_gives_fewer_than_ten_problems(name: str) -> None:
    assert [each.code for each in problems(name)] == EXPECTED[name]
    assert len(EXPECTED[name]) < 10


@pytest.mark.parametrize("name", EXPECTED)
def test_each_problem_names_element_line_and_expected_value(name: str) -> None:
    for each in problems(name):
        assert re.match(r"(gmd|gco|gml|srv):\w+", each.message), each.message
        assert "expected " in each.message
        assert each.line
