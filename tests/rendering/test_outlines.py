"""A record's XML for people: labels and values instead of ten levels, and no text lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.rendering.outlines import DEEPEST, MOST, Row, Section, outline_of_xml
from tests.counting import assert_linear, count_calls
from tests.iso_spelling import code, el, nil, text
from tests.rendering.source_record.outline_lines import page, values_of

SPACES = """xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco"
  xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:gml="http://www.opengis.net/gml/3.2"
  xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:srv="http://www.isotc211.org/2005/srv" """


def record(*content: str) -> str:
    return f"<gmd:MD_Metadata {SPACES}>{''.join(content)}</gmd:MD_Metadata>"


def outline_lines(content: str) -> list[str]:
    """Return the outline without its first heading, which is the root's name."""
    return list(page(outline_of_xml(content)))[1:]


def lines_of(part: Row | Section) -> Iterator[int]:
    yield from part.lines
    for each in part.values if isinstance(part, Row) else ():
        yield from each.lines
    for inner in part.parts if isinstance(part, Section) else ():
        yield from lines_of(inner)


def letters(words: str) -> str:
    return re.sub(r"[\s_]+", "", words).lower()


CONTACT = el(
    "gmd:CI_ResponsibleParty",
    text("gmd:organisationName", "Borchester Council"),
    el(
        "gmd:contactInfo/gmd:CI_Contact",
        text("gmd:phone/gmd:CI_Telephone/gmd:voice", "01632 960 001"),
        el(
            "gmd:address/gmd:CI_Address",
            text("gmd:city", "Borchester"),
            text("gmd:electronicMailAddress", "data@borchester.example"),
        ),
    ),
    code("gmd:role", "CI_RoleCode", "pointOfContact"),
)


def test_a_gemini_record_reads_as_labels_and_values() -> None:
    citation = el(
        "gmd:CI_Citation",
        text("gmd:title", "Rivers"),
        el(
            "gmd:date/gmd:CI_Date",
            el("gmd:date/gco:Date", "2026-05-01"),
            code("gmd:dateType", "CI_DateTypeCode", "publication"),
        ),
    )
    box = el(
        "gmd:EX_GeographicBoundingBox",
        *(
            el(f"gmd:{name}", el("gco:Decimal", number))
            for name, number in (
                ("westBoundLongitude", "-3.1"),
                ("eastBoundLongitude", "-2"),
                ("southBoundLatitude", "51"),
                ("northBoundLatitude", "52.25"),
            )
        ),
    )
    resource = el(
        "gmd:MD_DataIdentification",
        el("gmd:citation", citation),
        text("gmd:abstract", "All rivers\n      of the county."),
        el("gmd:pointOfContact", CONTACT),
        el(
            "gmd:descriptiveKeywords/gmd:MD_Keywords",
            text("gmd:keyword", "water"),
            text("gmd:keyword", "fish"),
        ),
        el("gmd:spatialResolution/gmd:MD_Resolution/gmd:distance/gco:Distance", "10", uom="m"),
        el("gmd:topicCategory/gmd:MD_TopicCategoryCode", "inlandWaters"),
        el("gmd:extent/gmd:EX_Extent/gmd:geographicElement", box),
    )
    lineage = text(
        "gmd:DQ_DataQuality/gmd:lineage/gmd:LI_Lineage/gmd:statement", "Surveyed on foot."
    )
    content = record(
        text("gmd:fileIdentifier", "rivers-1"),
        el("gmd:contact", CONTACT),
        el("gmd:dateStamp/gco:Date", "2026-05-02"),
        el("gmd:identificationInfo", resource),
        el("gmd:dataQualityInfo", lineage),
    )
    assert outline_lines(content) == [
        "Identifier of the record = rivers-1",
        "Date of the record = 2026-05-02",
        "Lineage = Surveyed on foot.",
        "## Contact for the record",
        "Organisation = Borchester Council",
        "Telephone = 01632 960 001",
        "City = Borchester",
        "Email = data@borchester.example",
        "Role = point of contact",
        "## The resource",
        "Title = Rivers",
        "Date = 2026-05-01 / Kind of date: publication",
        "Abstract = All rivers\nof the county.",
        "### Responsible party",
        "Organisation = Borchester Council",
        "Telephone = 01632 960 001",
        "City = Borchester",
        "Email = data@borchester.example",
        "Role = point of contact",
        "Keyword = water / fish",
        "Spatial resolution = 10 m",
        "Topic category = inland waters",
        "Bounding box = West: -3.1 / East: -2 / South: 51 / North: 52.25",
    ]


def test_iso_19115_3_reads_the_same() -> None:
    spaces = "xmlns:mdb='urn:mdb' xmlns:cit='urn:cit' xmlns:gco='urn:gco' xmlns:mri='urn:mri'"
    content = f"""<mdb:MD_Metadata {spaces}>
      <mdb:contact><cit:CI_Responsibility>
        <cit:role><cit:CI_RoleCode codeListValue="owner"/></cit:role>
        <cit:party><cit:CI_Organisation>
          <cit:name><gco:CharacterString>Borchester Council</gco:CharacterString></cit:name>
        </cit:CI_Organisation></cit:party>
      </cit:CI_Responsibility></mdb:contact>
      <mdb:identificationInfo><mri:MD_DataIdentification>
        <mri:citation><cit:CI_Citation>
          <cit:title><gco:CharacterString>Rivers</gco:CharacterString></cit:title>
        </cit:CI_Citation></mri:citation>
      </mri:MD_DataIdentification></mdb:identificationInfo>
    </mdb:MD_Metadata>"""
    assert outline_lines(content) == [
        "Contact for the record = Role: owner / Who: Borchester Council",
        "The resource = Rivers",
    ]


def test_an_inventory_reads_with_its_attributes() -> None:
    content = """<Inventory xmlns="http://schemas.esd.org.uk/inventory" Modified="2026-05-01">
      <Identifier>http://data.example/</Identifier>
      <Datasets><Dataset Active="Yes">
        <Title>Payments</Title>
        <Resources><Resource Type="Data"><Title>May</Title><Renditions><Rendition>
          <Identifier>http://data.example/may.csv</Identifier><MimeType>text/csv</MimeType>
        </Rendition></Renditions></Resource></Resources>
      </Dataset></Datasets>
    </Inventory>"""
    assert outline_lines(content) == [
        "Modified = 2026-05-01",
        "Identifier = http://data.example/",
        "## Dataset",
        "Active = Yes",
        "Title = Payments",
        "### Resource",
        "Type = Data",
        "Title = May",
        "Rendition = Identifier: http://data.example/may.csv / Media type: text/csv",
    ]


@pytest.mark.parametrize(
    ("content", "row"),
    [
        (nil("gmd:purpose"), "Purpose = (Not given)"),
        (nil("gmd:purpose", "inapplicable"), "Purpose = (Does not apply)"),
        (nil("gmd:purpose", "other:lost"), "Purpose = (Not given: lost)"),
        (el("gmd:purpose"), "Purpose = (Empty)"),
        (
            el("gmd:purpose", el("gco:CharacterString", "x"), gco__nilReason="unknown"),
            "Purpose = x <Not known>",
        ),
        (code("gmd:status", "MD_ProgressCode", "onGoing"), "Status = on going"),
        (
            el("gmd:language/gmd:LanguageCode", "Cymraeg", codeListValue="cym"),
            "Language = Cymraeg (cym)",
        ),
        (code("gmd:language", "LanguageCode", "eng"), "Language = English (eng)"),
        (code("gmd:characterSet", "MD_CharacterSetCode", "8859part1"), "Character set = 8859part1"),
        (
            text("gmd:keyword", "water", "http://register.example/water"),
            "Keyword = water <http://register.example/water>",
        ),
        (
            el("srv:operatesOn", xlink__href="http://a.example/?id=1", uuidref="abc"),
            "Operates on = http://a.example/?id=1 <uuidref: abc>",
        ),
        (
            el("gml:endPosition", indeterminatePosition="now"),
            "Until = now",
        ),
        (
            el("gml:endPosition", "2026", indeterminatePosition="before"),
            "Until = 2026 <indeterminate position: before>",
        ),
        (
            el("gmd:dateStamp/gco:DateTime", "2026-05-01T09:30:00Z"),
            "Date of the record = 2026-05-01T09:30:00Z",
        ),
        (el("gmd:dateStamp/gco:Date", "2026-02-30"), "Date of the record = 2026-02-30"),
        (
            el(
                "gmd:title",
                el("gco:CharacterString", "Rivers"),
                el(
                    "gmd:PT_FreeText/gmd:textGroup/gmd:LocalisedCharacterString",
                    "Afonydd",
                    locale="#CY",
                ),
            ),
            "Title = Rivers / Afonydd <other language: #CY>",
        ),
        (el("gmd:purpose", "To know <!-- all --> it"), "Purpose = To know it"),
        (el("Odd", "one ", el("B", "two"), " three"), "Odd = one / B: two / three"),
        (el("http_URL.of-it", "x"), "Http URL of it = x"),
    ],
)
def test_properties_have_labels_and_values(content: str, row: str) -> None:
    assert outline_lines(record(content)) == [row]


def test_paragraphs_stay() -> None:
    content = record(text("gmd:abstract", "\n    One.\n    Two.\n\n\n\n    Three.\n  "))
    assert outline_lines(content) == ["Abstract = One.\nTwo.\n\nThree."]


@pytest.mark.parametrize(
    ("address", "is_link"),
    [
        ("https://example.org/a?b=1&c=2", True),
        ("HTTP://EXAMPLE.ORG/", True),
        ("javascript:alert(1)", False),
        ("JaVaScRiPt:alert(1)//http://example.org/", False),
        ("data:text/html,<script>alert(1)</script>", False),
        ("ftp://example.org/file", False),
        ("//example.org/", False),
        ("http://example.org/\" onclick='x'", False),
        ("http:alert(1)", False),
    ],
)
def test_only_web_addresses_become_links(address: str, is_link: bool) -> None:
    content = record(
        text("gmd:keyword", "behind words", address),
        el("srv:operatesOn", xlink__href=address),
        text("gmd:purpose", address.replace("&", "&")),
    )
    found = list(values_of(outline_of_xml(content)))
    assert [value.href for value in found] == [address if is_link else ""] * 3
    assert address in found[0].notes
    assert [value.text for value in found[1:]] == [address] * 2


HOSTILE = "\"'><script>alert(1)</script>&amp;{{ 7*7 }}{% raw %}%(x)s"


def test_hostile_texts_are_escaped_in_an_outline() -> None:
    content = record(
        text("gmd:abstract", HOSTILE),
        el("gmd:language/gmd:LanguageCode", codeListValue=HOSTILE),
        nil("gmd:purpose", HOSTILE),
        el("gmd:x", "1", title=HOSTILE),
    )
    told = "\n".join(outline_lines(content))
    assert told.count("<script>alert(1)</script>&amp;{{ 7*7 }}{% raw %}%(x)s") == 4
    assert not any(value.href for value in values_of(outline_of_xml(content)))


SOURCES = sorted((Path(__file__).parents[1] / "sources").rglob("*.xml"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-2:]))
def test_an_outline_has_every_text_and_line(path: Path) -> None:
    try:
        root = xml.parse(path.read_bytes())
    except ParseError:
        pytest.skip("is not to be read")
    content = etree.tostring(root, encoding="unicode")
    whole = outline_of_xml(content)
    told = letters("".join(page(whole)))
    root = xml.parse(content)
    for element in root.iter(etree.Element):
        for words in (element.text, *(node.tail for node in element)):
            assert letters(words or "") in told
    lines = {xml.line_of(element) for element in root.iter(etree.Element)}
    assert set(lines_of(whole)) == lines


def test_depth_of_an_outline_is_limited() -> None:
    chain = "<a>" * 240 + "inside" + "</a>" * 240
    assert list(page(outline_of_xml(chain)))[1:] == ["A = inside"]
    tree = "<a>x<c/>" * 240 + "inside" + "</a>" * 240
    found = list(page(outline_of_xml(tree)))
    assert max(line.count("#") for line in found) <= DEEPEST + 1
    assert "inside" in found[-1]


def test_a_record_without_outline_has_a_reason() -> None:
    for content in ("", "<a>", "plain", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'):
        with pytest.raises(ParseError):
            outline_of_xml(content)
    with pytest.raises(ParseError, match="the record has 75,002 elements"):
        outline_of_xml("<a>" + "<b/>" * (MOST + 1) + "</a>")
    with pytest.raises(ParseError, match="the record has 80,001 elements and attributes"):
        outline_of_xml("<a>" + '<b c="1"/>' * 40_000 + "</a>")


def test_work_for_many_of_a_kind_grows_with_their_number() -> None:
    def keywords(count: int) -> None:
        many = "".join(text("gmd:keyword", f"word {number}") for number in range(count))
        (row,) = outline_of_xml(record(el("gmd:MD_Keywords", many))).parts
        assert isinstance(row, Row)
        assert len(row.values) == count

    def attributes(count: int) -> None:
        outline_of_xml("<a {}/>".format(" ".join(f'a{number}="1"' for number in range(count))))

    assert_linear(lambda count: count_calls(keywords, count), 2000)
    assert_linear(lambda count: count_calls(attributes, count), 5000)
