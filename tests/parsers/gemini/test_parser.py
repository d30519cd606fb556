"""Recognition of GEMINI records, and unusual shapes of real ones."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.gemini import parser as gemini
from tests.parsers.gemini.elements import ADDRESS, NAMESPACES, TEXT, document, parsed


def text(name: str, words: str) -> str:
    return f"<gmd:{name}>{TEXT.format(words)}</gmd:{name}>"


def codes(record: DatasetRecord) -> list[str]:
    return [problem.code for problem in record.problems]


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
        ("<MD_Metadata/>", "dataset 'rivers': gmd:title is missing"),
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


@pytest.mark.parametrize(
    ("quality", "lineage"),
    [
        ("", ""),
        ("<gmd:lineage gco:nilReason='missing'/>", ""),
        ("<gmd:lineage><gmd:LI_Lineage>{}</gmd:LI_Lineage></gmd:lineage>", "Drawn."),
    ],
)
def test_lineage_is_found_in_a_second_quality(quality: str, lineage: str) -> None:
    second = quality.format(text("statement", "Drawn."))
    first = "</gmd:DQ_DataQuality></gmd:dataQualityInfo><gmd:dataQualityInfo><gmd:DQ_DataQuality>"
    assert parsed(document(quality=first + second)).extras.get("lineage", "") == lineage


def test_process_steps_replace_a_missing_lineage() -> None:
    steps = "".join(
        f"<gmd:processStep><gmd:LI_ProcessStep>{text('description', each)}</gmd:LI_ProcessStep>"
        "</gmd:processStep>"
        for each in ("Walked.", "Drawn.")
    )
    lineage = f"<gmd:lineage><gmd:LI_Lineage>{steps}</gmd:LI_Lineage></gmd:lineage>"
    assert parsed(document(quality=lineage)).extras["lineage"] == "Walked.\n\nDrawn."


def test_conformity_not_evaluated_is_neither_true_nor_false() -> None:
    results = "".join(
        f"<gmd:result><gmd:DQ_ConformanceResult>{text('explanation', value)}{passed}"
        "</gmd:DQ_ConformanceResult></gmd:result>"
        for value, passed in [
            ("a", '<gmd:pass gco:nilReason="unknown"/>'),
            ("b", "<gmd:pass><gco:Boolean>0</gco:Boolean></gmd:pass>"),
        ]
    )
    report = (
        f"<gmd:report><gmd:DQ_DomainConsistency>{results}</gmd:DQ_DomainConsistency></gmd:report>"
    )
    found = json.loads(parsed(document(quality=report)).extras["conformity"])
    assert found == [{"explanation": "a"}, {"explanation": "b", "pass": False}]


def test_a_picture_without_a_url_is_reported_and_the_next_used() -> None:
    pictures = "".join(
        f"<gmd:graphicOverview><gmd:MD_BrowseGraphic>{text('fileName', each)}"
        "</gmd:MD_BrowseGraphic></gmd:graphicOverview>"
        for each in ("rivers_s.png", "https://council.example/rivers.png")
    )
    record = parsed(document(identification=pictures))
    assert record.extras["graphic-preview-file"] == "https://council.example/rivers.png"
    assert [(each.code, each.field) for each in record.problems] == [("bad-url", "gmd:fileName")]


@pytest.mark.parametrize("value", ["about ten", "0", "-1", "NaN"])
def test_a_resolution_that_is_no_number_is_reported(value: str) -> None:
    resolution = (
        "<gmd:spatialResolution><gmd:MD_Resolution><gmd:distance><gco:Distance uom='m'>"
        f"{value}</gco:Distance></gmd:distance></gmd:MD_Resolution></gmd:spatialResolution>"
    )
    record = parsed(document(identification=resolution))
    assert codes(record) == ["bad-number"]
    assert "spatial-resolution" not in record.extras


def test_of_two_types_the_first_counts() -> None:
    levels = "".join(
        f'<gmd:hierarchyLevel><gmd:MD_ScopeCode codeListValue="{each}"/></gmd:hierarchyLevel>'
        for each in ("dataset", "service")
    )
    assert parsed(document(root=levels)).extras["resource-type"] == "dataset"


def test_a_record_is_read_with_a_byte_order_mark_and_comments() -> None:
    content = (
        "\ufeff<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- made by hand -->" + document()
    )
    assert gemini.parse(RawRecord("rivers", content), {}).title == "Rivers"
    assert NAMESPACES in content
