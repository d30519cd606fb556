"""Saved answers of catalogues."""

from __future__ import annotations

from pathlib import Path

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.reading.records import Check
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW
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
            "is an answer of GetRecordById, which does not name other records",
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


def test_a_saved_list_shows_those_records_that_are_in_it(tmp_path: Path, http: HttpClient) -> None:
    page = results([dublin_core("a"), dublin_core("b")], numberOfRecordsMatched=2)
    file = tmp_path / "answer.xml"
    assert isinstance(page.body, bytes)
    file.write_bytes(page.body)
    check = Check(GEMINI_CSW, str(file), {}, http=http)
    assert [(each["guid"], each["position"]) for each in check] == [
        ("a", "record 1 'Title of a'"),
        ("b", "record 2 'Title of b'"),
    ]
