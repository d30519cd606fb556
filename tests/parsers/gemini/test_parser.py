"""Recognition of GEMINI records, and unusual shapes of real ones."""

from __future__ import annotations

import json

import pytest

from tests.parsers.gemini.elements import ADDRESS, TEXT, document, parsed, text
from tests.parsers.gemini.part import codes


def test_the_first_identification_rules() -> None:
    second = (
        "<gmd:identificationInfo><srv:SV_ServiceIdentification><gmd:citation><gmd:CI_Citation>"
        f"{text('title', 'A service')}</gmd:CI_Citation></gmd:citation>"
        f"{text('abstract', 'Of the service.')}</srv:SV_ServiceIdentification>"
        "</gmd:identificationInfo>"
    )
    content = document().replace("<gmd:distributionInfo>", second + "<gmd:distributionInfo>")
    record = parsed(content)
    assert (record.title, record.notes) == ("Rivers", "")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (TEXT.format(" Rivers\n and  lakes "), "Rivers and lakes"),
        (TEXT.format("Rivers &amp;amp; lakes"), "Rivers & lakes"),
        (TEXT.format("&lt;b&gt;Rivers&lt;/b&gt;"), "Rivers"),
        (TEXT.format("<!-- no --> Rivers <?x y?>"), "Rivers"),
        ("<gco:characterString>Rivers</gco:characterString>", "Rivers"),
        (f'<gmx:Anchor xlink:href="{ADDRESS}"/>', ADDRESS),
        (
            '<gco:CharacterString gco:nilReason="missing"/><gmd:PT_FreeText>'
            '<gmd:textGroup><gmd:LocalisedCharacterString locale="#CY">Afonydd'
            "</gmd:LocalisedCharacterString></gmd:textGroup>"
            '<gmd:textGroup><gmd:LocalisedCharacterString locale="#EN">Rivers'
            "</gmd:LocalisedCharacterString></gmd:textGroup></gmd:PT_FreeText>",
            "Rivers",
        ),
        (
            f"{TEXT.format('Rivers')}<gmd:PT_FreeText><gmd:textGroup>"
            '<gmd:LocalisedCharacterString locale="#DE">Flüsse</gmd:LocalisedCharacterString>'
            "</gmd:textGroup></gmd:PT_FreeText>",
            "Rivers",
        ),
    ],
)
def test_a_title_is_read_however_it_is_written(content: str, expected: str) -> None:
    title = f'<gmd:title gco:nilReason="unknown">{content}</gmd:title>'
    assert parsed(document(citation=title, bare="gmd:title")).title == expected


def test_empty_texts_say_nothing() -> None:
    empty = TEXT.format(" \n")
    names = ("abstract", "purpose", "credit", "supplementalInformation", "status")
    parts = "".join(f"<gmd:{name}>{empty}</gmd:{name}>" for name in names)
    record = parsed(document(identification=parts, root=f"<gmd:dateStamp>{empty}</gmd:dateStamp>"))
    assert (record.notes, record.metadata_modified, record.problems) == ("", "", ())
    assert record.extras == {"UKLP": "True"}


def test_reference_dates_by_their_types() -> None:
    dates = "".join(
        f"<gmd:date><gmd:CI_Date><gmd:date><gco:Date>{day}</gco:Date></gmd:date><gmd:dateType>"
        f'<gmd:CI_DateTypeCode codeListValue="{kind}">Translated</gmd:CI_DateTypeCode>'
        "</gmd:dateType></gmd:CI_Date></gmd:date>"
        for kind, day in [
            ("creation", "1899"),
            ("publication", "2010-05"),
            ("publication", "2009"),
            ("revision", "2020-01-01"),
            ("lastUpdate", "2021"),
        ]
    )
    record = parsed(document(citation=dates))
    assert (record.issued, record.modified, codes(record)) == ("2009", "2021", [])
    found = json.loads(record.extras["dataset-reference-date"])
    assert found[0] == {"type": "creation", "value": "1899"}
    assert len(found) == 5


@pytest.mark.parametrize(
    ("given", "metadata", "resource"),
    [
        (TEXT.format("eng; USA"), "eng", ("en",)),
        (TEXT.format("en"), "en", ("en",)),
        ('<gmd:LanguageCode codeListValue="wel">Cymraeg</gmd:LanguageCode>', "wel", ("cy",)),
        ('<gmd:LanguageCode codeListValue="">eng</gmd:LanguageCode>', "eng", ("en",)),
        ('<gmd:LanguageCode codeListValue="zxx"/>', "zxx", ("zxx",)),
    ],
)
def test_languages_as_they_are_written(
    given: str, metadata: str, resource: tuple[str, ...]
) -> None:
    language = f"<gmd:language>{given}</gmd:language>"
    record = parsed(document(root=language, identification=language))
    assert record.extras["metadata-language"] == metadata
    assert (record.language, record.problems) == (resource, ())


def test_of_two_types_the_first_counts() -> None:
    levels = "".join(
        f'<gmd:hierarchyLevel><gmd:MD_ScopeCode codeListValue="{each}"/></gmd:hierarchyLevel>'
        for each in ("dataset", "service")
    )
    assert parsed(document(root=levels)).extras["resource-type"] == "dataset"
