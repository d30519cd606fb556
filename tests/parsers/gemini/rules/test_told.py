"""Problems reported in addition to the parser's, and faults that reject the record."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.errors import NotValid
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.gemini import parser as gemini
from tests.iso_spelling import el, nil, text
from tests.parsers.gemini.rules.documents import GUID, TITLE, dataset, service

_NO_URL = el("gmd:linkage/gmd:URL", "land use.gpkg")


def parse(document: str, **options: Any) -> DatasetRecord:
    return gemini.parse(RawRecord(GUID, document), {"validation": "report"} | options)


def codes(document: str) -> list[str]:
    return [problem.code.removeprefix("gemini-") for problem in parse(document).problems]


def test_places_of_one_rule_are_one_problem_with_their_lines() -> None:
    empty = text("gmd:keyword", "")
    document = dataset(keyword="{keyword}\n" + "\n".join([empty] * 8))
    [problem] = parse(document).problems
    first = document[: document.index(empty)].count("\n") + 1
    assert problem.line == first
    lines = ", ".join(str(first + number) for number in range(1, 6))
    assert f" is empty (and 7 more, lines {lines}, …); expected " in problem.message


def test_validation_reject_also_fails_for_problems_of_the_parser() -> None:
    with pytest.raises(NotValid, match="gmd:linkage \\(Resource locator\\)") as caught:
        parse(dataset(linkage=_NO_URL), validation="reject")
    assert [problem.code for problem in caught.value.problems] == ["bad-url"]


def test_advice_does_not_reject_the_record() -> None:
    record = parse(dataset(link_function=""), validation="reject")
    assert [problem.code for problem in record.problems] == ["gemini-w19-function"]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param(dataset(abstract=text("gmd:abstract", TITLE)), "04-title", id="abstract"),
        pytest.param(dataset(keywords=""), "06-needed", id="keywords"),
        pytest.param(service(keywords=""), "06-needed", id="categories"),
        pytest.param(dataset(topic=el("gmd:topicCategory")), "05-nil", id="topic"),
        pytest.param(dataset(in_period=""), "07-shape", id="time"),
        pytest.param(dataset(lineage=""), "10-needed", id="lineage"),
        pytest.param(dataset(statement=text("gmd:statement", "")), "10-value", id="statement"),
        pytest.param(dataset(crs=text("gmd:code", "")), "17-value", id="code of a system"),
        pytest.param(dataset(reference_system=""), "17-needed", id="reference system"),
        pytest.param(dataset(linkage=_NO_URL), "bad-url", id="address"),
        pytest.param(dataset(linkage=el("gmd:linkage/gmd:URL")), "missing-url", id="link"),
        pytest.param(dataset(transfer=""), "o19-needed", id="links"),
        pytest.param(dataset(format=""), "21-needed", id="format"),
        pytest.param(dataset(box=""), "44-needed", id="box"),
        pytest.param(dataset(south=nil("gmd:southBoundLatitude")), "bad-extent", id="south"),
    ],
)
def test_one_fault_is_one_problem(document: str, expected: str) -> None:
    assert codes(document) == [expected]
