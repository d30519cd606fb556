"""A single GEMINI document, alone or in a catalogue's answer, and other documents."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import RawRecord, Reading, Source
from ckanext.ukharvest.source_types.gemini import GEMINI_SINGLE
from tests.parsers.gemini.elements import document
from tests.publisher import Publisher

Read = Callable[[str], list[RawRecord]]


@pytest.fixture
def read(publisher: Publisher, http: HttpClient) -> Read:
    def read_record(text: str) -> list[RawRecord]:
        publisher.serve("/record.xml", text, headers={"Content-Type": "text/xml"})
        return list(GEMINI_SINGLE.reader.records(Source(publisher.url("/record.xml"), {}, http)))

    return read_record


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<metadata><idinfo/></metadata>", "<metadata> (FGDC record, not ISO/GEMINI)"),
        (
            '<!DOCTYPE metadata SYSTEM "fgdc.dtd"><metadata><idinfo/><metainfo/></metadata>',
            "<metadata> (FGDC record, not ISO/GEMINI)",
        ),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a/>', "has a DOCTYPE"),
        ("<metadata><dc/></metadata>", "its root element is <metadata>; expected gmd:MD_Metadata"),
        ("<html><title>Log in</title></html>", "HTML page instead of a GEMINI record"),
    ],
)
def test_other_document_is_refused_by_its_name(read: Read, text: str, words: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        read(text)
    assert words in caught.value.message


_DATES = "".join(
    f"<gmd:dateInfo><gmd:CI_Date><gmd:date>{day}</gmd:date><gmd:dateType>"
    f'<gmd:CI_DateTypeCode codeListValue="{kind}"/></gmd:dateType></gmd:CI_Date></gmd:dateInfo>'
    for kind, day in [("creation", "2024"), ("revision", "2020"), ("revision", "2022")]
)


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        ("<gmd:dateStamp> 2024-05-31\n</gmd:dateStamp>", "2024-05-31"),
        ("<gmd:dateStamp>soon</gmd:dateStamp>", "soon"),
        (_DATES, "2022"),
        (_DATES.replace("revision", "released"), "2024"),
        (_DATES.replace("revision", "released").replace("creation", "released"), "2024"),
        ("", ""),
    ],
)
def test_stamp_is_the_unchanged_date_of_the_record(read: Read, root: str, expected: str) -> None:
    (raw,) = read(document(root=root))
    assert (raw.guid, raw.modified) == ("rivers", expected)


def test_records_of_a_saved_csw_answer_are_read_singly(read: Read) -> None:
    other = document().replace("rivers", "lakes")
    inside = f"<SearchResults>{document()}\n{other}</SearchResults>"
    found = read(f"<GetRecordsResponse>{inside}</GetRecordsResponse>")
    assert [raw.guid for raw in found] == ["rivers", "lakes"]
    assert [(raw.content or "")[:17] for raw in found] == ["<gmd:MD_Metadata "] * 2


@pytest.mark.parametrize(
    ("matched", "reason"), [("2", "holds 1 of 2 records"), ("1", ""), ("many", "")]
)
def test_one_page_of_a_catalogue_does_not_prove_that_it_is_all(
    publisher: Publisher, http: HttpClient, matched: str, reason: str
) -> None:
    results = f'<SearchResults numberOfRecordsMatched="{matched}">{document()}</SearchResults>'
    publisher.serve("/record.xml", f"<GetRecordsResponse>{results}</GetRecordsResponse>")
    source = Source(publisher.url("/record.xml"), {}, http)
    reading = Reading(GEMINI_SINGLE.reader.records(source))
    assert [raw.guid for raw in reading] == ["rivers"]
    assert reading.ending is not None
    assert reading.ending.complete == (not reason)
    assert reading.ending.reason.endswith(reason)


def test_record_without_identifier_fails_by_name(read: Read) -> None:
    (raw,) = read(document(bare="gmd:fileIdentifier"))
    assert raw.error
    assert raw.error.message.startswith("record 1: gmd:fileIdentifier is missing")
