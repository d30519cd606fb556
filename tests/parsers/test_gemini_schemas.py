"""What the schemas and Schematrons of ckanext-spatial find, and how it is said."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.parsers import gemini_schemas
from tests.iso_spelling import el, text
from tests.parsers.gemini_rules.documents import dataset, service, swapped

needs_files = pytest.mark.skipif(
    find_spec("ckanext.spatial") is None, reason="ckanext-spatial is not installed"
)
EDEN = "iso19139eden"
STAMP = el("gmd:dateStamp", el("gco:Date", "2026-03-02"))
OLD_GML = "http://www.opengis.net/gml"


def judged(document: str, *profiles: str, kind: str = "dataset") -> tuple[Problem, ...]:
    return gemini_schemas.judge(profiles or (EDEN,), xml.parse(document), kind)


@needs_files
@pytest.mark.parametrize("profile", ["iso19139eden", "constraints", "constraints-1.4"])
def test_a_good_record_has_no_problem(profile: str) -> None:
    assert judged(dataset(), profile) == ()
    assert judged(service(), profile, kind="service") == ()


# A document, the problem's code and field, its line's content, and what the message says.
FAULTS = {
    "order": (
        dataset(link="\n{linkage}\n{link_name}\n{link_description}\n<gmd:protocol/>\n"),
        ("element-order", "gmd:protocol"),
        "<gmd:protocol/>",
        "gmd:protocol stands in the wrong place in gmd:CI_OnlineResource; expected gmd:protocol"
        " before gmd:name",
    ),
    "too early": (
        dataset(contact=STAMP + "\n{contact}", date_stamp=""),
        ("element-order", "gmd:dateStamp"),
        "<gmd:dateStamp>",
        "expected gmd:dateStamp behind gmd:contact",
    ),
    "missing": (
        dataset(date_type=""),
        ("missing-element", "gmd:dateType"),
        "<gmd:CI_Date>",
        "gmd:dateType is missing in gmd:CI_Date; expected gmd:CI_Date with gmd:dateType",
    ),
    "missing in front": (
        dataset(date_stamp="", contact=""),
        ("missing-element", "gmd:contact and gmd:dateStamp"),
        "<gmd:metadataStandardName>",
        "expected gmd:contact and gmd:dateStamp before gmd:metadataStandardName",
    ),
    "repeated": (
        dataset(title="{title}\n{title}"),
        ("repeated-element", "gmd:title"),
        "<gmd:title>",
        "gmd:CI_Citation holds gmd:title more than once; expected one in each gmd:CI_Citation",
    ),
    "unknown": (
        dataset(organisation=text("gmd:organizationName", "Borchester")),
        ("unknown-element", "gmd:organizationName"),
        "organizationName",
        "is not known to ISO 19139; expected gmd:organisationName",
    ),
    "of another place": (
        dataset(alternate=text("gmd:abstract", "All of it")),
        ("misplaced-element", "gmd:abstract"),
        "<gmd:abstract>",
        "gmd:abstract does not belong in gmd:CI_Citation",
    ),
    "attribute": (
        dataset(in_period=el("gml:TimePeriod", "\n{begin}\n{end}\n")),
        ("missing-attribute", "gml:TimePeriod"),
        "<gml:TimePeriod>",
        "gml:TimePeriod has no gml:id; expected gml:id in gml:TimePeriod, with a value that stands"
        ' once in the record, such as gml:id="tp1"',
    ),
    "attribute too many": (
        dataset(topic=el("gmd:topicCategory", lang="en")),
        ("unexpected-attribute", "gmd:topicCategory"),
        "<gmd:topicCategory",
        "gmd:topicCategory has the attribute lang",
    ),
    "date": (
        dataset(date_stamp=el("gmd:dateStamp", el("gco:Date", "last May"))),
        ("bad-value", "gco:Date"),
        "last May",
        "gco:Date in gmd:dateStamp is 'last May'; expected a date such as 2024-05-31",
    ),
    "date as time": (
        dataset(date_stamp=el("gmd:dateStamp", el("gco:DateTime", "2024-05-31"))),
        ("bad-value", "gco:DateTime"),
        "gco:DateTime",
        "expected a date and time such as 2024-05-31T14:30:00",
    ),
    "empty date": (
        dataset(date_stamp=el("gmd:dateStamp", el("gco:Date"))),
        ("empty-value", "gco:Date"),
        "<gco:Date/>",
        "gco:Date in gmd:dateStamp is empty; expected a date such as 2024-05-31, or gmd:dateStamp"
        " with a gco:nilReason and nothing in it",
    ),
    "number": (
        dataset(west=el("gmd:westBoundLongitude", el("gco:Decimal", "2° W"))),
        ("bad-value", "gco:Decimal"),
        "2° W",
        "gco:Decimal in gmd:westBoundLongitude is '2° W'; expected a number such as -2.4",
    ),
    "word": (
        dataset(topic=el("gmd:topicCategory", el("gmd:MD_TopicCategoryCode", "rivers"))),
        ("bad-value", "gmd:MD_TopicCategoryCode"),
        "rivers",
        "is 'rivers'; expected a word of ISO's list of topics, such as inlandWaters",
    ),
    "identifier": (
        swapped(dataset(), 'gml:id="p1"', 'gml:id="1 p"'),
        ("bad-value", "gml:TimePeriod"),
        "1 p",
        "gml:TimePeriod's gml:id in gmd:extent is '1 p'; expected a name that begins with a letter",
    ),
    "text": (
        dataset(crs_identifier="-- {crs_identifier}"),
        ("stray-text", "gmd:referenceSystemIdentifier"),
        "--",
        "gmd:referenceSystemIdentifier holds the text '--' between its elements; expected elements"
        " alone",
    ),
    "gml": (
        dataset().replace("http://www.opengis.net/gml/3.2", OLD_GML),
        ("gml-version", "gml:TimePeriod"),
        "<gml:TimePeriod",
        f"are of the namespace {OLD_GML}; expected {OLD_GML}/3.2",
    ),
    "free text": (
        dataset(title=swapped(text("gmd:title", "A"), "</gmd:t", "<gmd:PT_FreeText/></gmd:t")),
        ("missing-attribute", "gmd:PT_FreeText"),
        "PT_FreeText",
        'expected gmd:title with xsi:type="gmd:PT_FreeText_PropertyType"',
    ),
    "root": (
        dataset(root="gmi:MI_Metadata"),
        ("schema-root", "gmi:MI_Metadata"),
        "<gmi:MI_Metadata",
        "gmi:MI_Metadata is not the root of such a record; expected gmd:MD_Metadata",
    ),
    "other rule": (
        dataset(format_name='<gmd:name xsi:type="gmd:Nothing"/>'),
        ("schema-fault", "gmd:name"),
        "gmd:Nothing",
        "gmd:Nothing",
    ),
}


@needs_files
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_said_in_plain_words(name: str) -> None:
    document, expected, on_line, words = FAULTS[name]
    [problem] = judged(document)
    assert (problem.code, problem.field) == expected
    assert words in problem.message
    assert on_line in document.splitlines()[(problem.line or 0) - 1]
    for technical in ("{http", "xs:", "local-name", "facet"):
        assert technical not in problem.message


@needs_files
def test_srv_elements_are_known_in_services_and_told_from_those_of_gmd() -> None:
    document = service(extent=el("gmd:extent", "{in_extent}"))
    [problem] = judged(document, kind="service")
    assert problem.code == "wrong-namespace"
    assert problem.message.endswith("of the wrong namespace; expected srv:extent")
    assert [each.code for each in judged(service(), "iso19139")][0] == "unknown-element"


@needs_files
def test_one_kind_of_fault_is_one_problem_with_its_lines() -> None:
    document = dataset(reference_date="\n".join(["{reference_date}"] * 9), date_type="\n")
    [problem] = judged(document)
    lines = [n for n, line in enumerate(document.splitlines(), 1) if "<gmd:CI_Date>" in line]
    first, *others = lines[:9]
    assert problem.line == first
    shown = ", ".join(map(str, others[:5]))
    assert f"(and 8 more, lines {shown}, …)" in problem.message


@needs_files
def test_stray_text_is_one_problem_that_names_the_elements() -> None:
    document = dataset(crs_identifier="- {crs_identifier}", report="- {report}")
    [problem] = judged(document)
    assert "(and 1 more, gmd:DQ_DataQuality, line " in problem.message


@needs_files
def test_no_more_than_ten_problems() -> None:
    wrong = {"date_stamp": "gmd:dateStamp", "west": "gmd:westBoundLongitude"}
    parts = {part: el(name, el("gco:Date", "x")) for part, name in wrong.items()}
    names = [f"gmd:w{number}" for number in range(20)]
    inner = "".join(el("gmd:contact", el("gmd:CI_ResponsibleParty", el(name))) for name in names)
    found = judged(dataset(contact=inner + "{contact}", **parts))
    assert len(found) == 10
    assert found[-1].code == "more-faults"
    assert found[-1].message.startswith("13 more faults")


@needs_files
@pytest.mark.parametrize("profile", ["iso19139", "iso19139ngdc"])
def test_two_schemas_say_the_same_once(profile: str) -> None:
    document = dataset(date_type="").replace("http://www.opengis.net/gml/3.2", OLD_GML)
    found = judged(document, "iso19139eden", profile)
    assert [each.code for each in found].count("missing-element") == 1


@needs_files
def test_a_type_that_the_schema_cannot_judge_is_said() -> None:
    [problem] = judged(dataset(), kind="Service")
    assert problem.code == "unknown-record-type"
    assert "gmd:hierarchyLevel is 'Service'" in problem.message
    assert "dataset, series, service" in problem.message
    assert judged(dataset(), kind="") == judged(dataset(), kind="nonGeographicDataset") == ()


@needs_files
def test_a_schematron_says_its_rule_the_title_and_the_place() -> None:
    document = dataset(contact="{contact}\n{contact}", contact_organisation="")
    found = judged(document, "constraints-1.4", "gemini2-1.3")
    problem = found[0]
    assert problem.code == "schematron"
    assert problem.field == "gmd:CI_ResponsibleParty"
    assert "(and 1 more, line " in problem.message
    assert problem.message.endswith("table A.1 of ISO 19139 (Schematron 1.4)")
    assert "<gmd:CI_ResponsibleParty>" in document.splitlines()[(problem.line or 0) - 1]
    assert any("GEMINI 2.1 (Schematron 1.3)" in each.message for each in found)
    assert not any("local-name" in each.message for each in found)


@needs_files
def test_a_schematron_that_cites_a_value_is_told_short() -> None:
    document = dataset(south=el("gmd:southBoundLatitude", el("gco:Decimal", "\u202e" + "9" * 9999)))
    found = [each for each in judged(document, "gemini2-1.3") if "South bound" in each.message]
    assert found
    assert all(len(each.message) < 450 and each.message.isprintable() for each in found)


@needs_files
@pytest.mark.parametrize("profile", [EDEN, "constraints-1.4"])
@pytest.mark.parametrize("declared", ["xmlns", "xmlns:other"])
def test_places_are_found_whatever_the_prefix(profile: str, declared: str) -> None:
    party = el("gmd:contact", el("gmd:CI_ResponsibleParty", el("gmd:contactInfo")))
    document = dataset(contact="{contact}\n" + party)
    prefix = "other:" if "other" in declared else ""
    other = document.replace("gmd:", prefix).replace("xmlns:gmd", declared)
    found, expected = judged(other, profile), judged(document, profile)
    assert found
    assert [(each.code, each.field, each.line) for each in found] == [
        (each.code, each.field, each.line) for each in expected
    ]


@needs_files
def test_a_namespace_with_an_apostrophe_misleads_nobody() -> None:
    odd = """<o:odd xmlns:o="urn:o'o"/>"""
    found = judged(dataset(extra=odd), EDEN, "constraints-1.4")
    assert [each.code for each in found] == ["unknown-element", "schematron"]
    assert found[0].field == "o:odd"


@needs_files
def test_one_rule_for_many_elements_is_one_problem() -> None:
    empty = dataset(alternate=el("gmd:alternateTitle"), topic=el("gmd:topicCategory"))
    [problem] = [each for each in judged(empty, "constraints-1.4") if "no child" in each.message]
    assert problem.field == "gmd:alternateTitle"
    assert "(and 1 more, gmd:topicCategory, line " in problem.message


@needs_files
def test_gemini_is_not_asked_of_data_without_a_place() -> None:
    assert judged(dataset(), "gemini2-1.3") != ()
    assert judged(dataset(), "gemini2-1.3", kind="nonGeographicDataset") == ()


@needs_files
def test_a_record_that_is_too_long_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gemini_schemas, "MOST_ELEMENTS", 20)
    [problem] = judged(dataset(), "gemini2")
    assert problem.code == "too-long-to-judge"
    assert "expected 20 or less" in problem.message
