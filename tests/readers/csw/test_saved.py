"""Saved answers of catalogues."""

from __future__ import annotations

from pathlib import Path

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.reading.records import Check
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW, GEMINI_SINGLE
from ckanext.ukharvest.source_types.source_type import SourceType
from tests.publisher import Response
from tests.publishing.csw import answer, dublin_core, results
from tests.readers.csw.reads import many


@pytest.mark.parametrize(
    ("page", "complete", "reason"),
    [
        (results(many(2), numberOfRecordsMatched=2, nextRecord=0), True, ""),
        (
            results(many(2), numberOfRecordsMatched=5, nextRecord=3),
            False,
            "holds 2 of 5 records; the next page begins at 3",
        ),
        (results(many(2)), False, "holds 2 of an unknown number of records"),
        (results([], numberOfRecordsMatched=0), False, "has no records"),
        (
            answer("<csw:GetRecordByIdResponse {}>{}</csw:GetRecordByIdResponse>", many(2)),
            False,
            "is an answer of GetRecordById, which does not list other records",
        ),
    ],
)
def test_a_saved_answer_says_what_it_is_part_of(
    tmp_path: Path, http: HttpClient, page: Response, complete: bool, reason: str
) -> None:
    file = tmp_path / "answer.xml"
    assert isinstance(page.body, bytes)
    file.write_bytes(page.body)
    check = Check(GEMINI_CSW, str(file), {}, http=http)
    list(check)
    codes = ["no-records"] if reason == "has no records" else []
    assert (check.complete, [each["code"] for each in check.errors]) == (complete, codes)
    assert reason in check.reason


@pytest.mark.parametrize("kind", [GEMINI_CSW, GEMINI_SINGLE])
def test_saved_records_in_dublin_core_are_read(
    tmp_path: Path, http: HttpClient, kind: SourceType
) -> None:
    page = results([dublin_core("a"), dublin_core("b")], numberOfRecordsMatched=2)
    file = tmp_path / "answer.xml"
    assert isinstance(page.body, bytes)
    file.write_bytes(page.body)
    check = Check(kind, str(file), {}, http=http)
    assert [(record["guid"], record["title"], record["modified"]) for record in check] == [
        ("a", "Title of a", "2024-04-01"),
        ("b", "Title of b", "2024-04-01"),
    ]
    assert check.complete
