"""A GEMINI record as a document: its root, and its date."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers.gemini import parser as gemini
from tests.parsers.gemini.elements import NAMESPACES, document, parsed, text
from tests.parsers.gemini.part import codes


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<metadata><idinfo/></metadata>", "<metadata> (FGDC record, not ISO/GEMINI)"),
        (
            '<!DOCTYPE metadata SYSTEM "fgdc.dtd"><metadata><idinfo/></metadata>',
            "FGDC record, not ISO/GEMINI",
        ),
        ("<metadata><title/></metadata>", "its root element is <metadata>; expected gmd:MD_M"),
        ("<Record/>", "dataset 'rivers': its root element is <Record>; expected gmd:MD_Metadata"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a/>', "has a DOCTYPE"),
        ("<html/>", "an HTML page instead of XML"),
        ("", "the document is empty"),
        ("<gmd:MD_Metadata", "not well-formed"),
        ("<MD_Metadata/>", "this record has no title; expected gmd:title"),
    ],
)
def test_other_xml_is_refused_with_a_reason(content: str, words: str) -> None:
    with pytest.raises(ParseError) as caught:
        gemini.parse(RawRecord("rivers", content), {})
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("root", "data"),
    [
        ("gmi:MI_Metadata", "gmi:MI_DataIdentification"),
        ("che:CHE_MD_Metadata", "che:CHE_MD_DataIdentification"),
        ("ns1:MD_Metadata", "ns1:MD_DataIdentification"),
    ],
)
def test_profiles_with_classes_of_their_own_are_read(root: str, data: str) -> None:
    content = document(identification=text("abstract", "Where they flow."))
    content = content.replace("gmd:MD_Metadata", root).replace("gmd:MD_DataIdentification", data)
    prefix = root.partition(":")[0]
    content = content.replace(" xmlns:gmd", f' xmlns:{prefix}="https://a.example" xmlns:gmd', 1)
    assert parsed(content).notes == "Where they flow."


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("<gco:DateTime>2024-05-31</gco:DateTime>", "2024-05-31"),
        (
            "<gco:DateTime>2024-05-31T10:15:00.123456+01:00</gco:DateTime>",
            "2024-05-31T10:15:00+01:00",
        ),
        ("<gco:DateTime>2024-05-31T10:15:00Z</gco:DateTime>", "2024-05-31T10:15:00Z"),
        ("<gco:Date>2024-05</gco:Date>", "2024-05"),
        ("<gco:Date>2024</gco:Date>", "2024"),
        ("<gco:Date>25/01/2010</gco:Date>", "2010-01-25"),
        ("<gco:Date/>", ""),
        ("2024-05-31", "2024-05-31"),
    ],
)
def test_a_metadata_date_is_read_in_any_precision(stamp: str, expected: str) -> None:
    record = parsed(document(root=f"<gmd:dateStamp>{stamp}</gmd:dateStamp>"))
    assert (record.metadata_modified, codes(record)) == (expected, [])


def test_a_date_that_is_none_is_reported_with_its_line_and_kept() -> None:
    stamp = "\n<gmd:dateStamp><gco:Date>last week</gco:Date></gmd:dateStamp>"
    date = (
        "<gmd:date><gmd:CI_Date><gmd:date><gco:Date>201505</gco:Date></gmd:date></gmd:CI_Date>"
        "</gmd:date>"
    )
    record = parsed(document(root=stamp, citation=date))
    assert record.metadata_modified == ""
    assert record.extras["metadata-date"] == "last week"
    assert json.loads(record.extras["dataset-reference-date"]) == [{"type": "", "value": "201505"}]
    first, second = record.problems
    assert (first.code, first.field, first.line) == ("bad-date", "gmd:dateStamp", 3)
    assert first.message.startswith("gmd:dateStamp: 'last week' is not a date; expected")
    assert second.field == "gmd:date"


def test_a_record_is_read_with_a_byte_order_mark_and_comments() -> None:
    content = (
        "\ufeff<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- made by hand -->" + document()
    )
    assert gemini.parse(RawRecord("rivers", content), {}).title == "Rivers"
    assert NAMESPACES in content
