"""Findings of ckanext-spatial's schemas and Schematrons, and their messages."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.validation import profiles as gemini_schemas
from tests.iso_spelling import el
from tests.parsers.gemini.rules.documents import dataset, service, swapped

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


# A document, the element that has the fault, what its line holds, and what is said behind its name.
FAULTS = {
    "order": (
        dataset(link="\n{linkage}\n{link_name}\n{link_description}\n<gmd:protocol/>\n"),
        "gmd:protocol",
        "<gmd:protocol/>",
        ": This element is not expected. Expected is ( gmd:function )",
    ),
    "with its label": (
        dataset(contact=STAMP + "\n{contact}", date_stamp=""),
        "gmd:dateStamp",
        "<gmd:dateStamp>",
        " (Metadata date): This element is not expected. Expected is one of",
    ),
    "missing": (
        dataset(date_type=""),
        "gmd:CI_Date",
        "<gmd:CI_Date>",
        ": Missing child element(s). Expected is ( gmd:dateType )",
    ),
    "attribute": (
        dataset(in_period=el("gml:TimePeriod", "\n{begin}\n{end}\n")),
        "gml:TimePeriod",
        "<gml:TimePeriod>",
        ": The attribute 'gml:id' is required but missing",
    ),
    "attribute too many": (
        dataset(topic=el("gmd:topicCategory", lang="en")),
        "gmd:topicCategory",
        "<gmd:topicCategory",
        " (Topic category), attribute 'lang': The attribute 'lang' is not allowed",
    ),
    "value": (
        dataset(date_stamp=el("gmd:dateStamp", el("gco:Date", "last May"))),
        "gco:Date",
        "last May",
        ": 'last May' is not a valid value of the union type 'gco:Date_Type'",
    ),
    "word": (
        dataset(topic=el("gmd:topicCategory", el("gmd:MD_TopicCategoryCode", "rivers"))),
        "gmd:MD_TopicCategoryCode",
        "rivers",
        "'rivers' is not an element of the set {'farming', 'biota'",
    ),
    "value of an attribute": (
        swapped(dataset(), 'gml:id="p1"', 'gml:id="1 p"'),
        "gml:TimePeriod",
        "1 p",
        ", attribute 'gml:id': '1 p' is not a valid value",
    ),
    "text": (
        dataset(crs_identifier="-- {crs_identifier}"),
        "gmd:referenceSystemIdentifier",
        "--",
        ": Character content other than whitespace is not allowed",
    ),
    "GML 3.1": (
        dataset().replace("http://www.opengis.net/gml/3.2", OLD_GML),
        "TimePeriod",
        "<gml:TimePeriod",
        f"{{{OLD_GML}}}TimePeriod: This element is not expected. Expected is one of ( gml:Abstract",
    ),
    "root": (
        dataset(root="gmi:MI_Metadata"),
        "gmi:MI_Metadata",
        "<gmi:MI_Metadata",
        ": No matching global declaration",
    ),
}


@needs_files
@pytest.mark.parametrize("name", FAULTS)
def test_schema_fault_names_its_element_and_line(name: str) -> None:
    document, field, on_line, words = FAULTS[name]
    [problem] = judged(document)
    assert (problem.code, problem.field) == ("schema-fault", field)
    assert words in problem.message
    assert problem.message.removeprefix(f"{{{OLD_GML}}}").startswith(field)
    assert on_line in document.splitlines()[(problem.line or 0) - 1]


@needs_files
def test_long_value_is_shortened_in_messages() -> None:
    document = dataset(date_stamp=el("gmd:dateStamp", el("gco:Date", "\u202e" + "9" * 9999)))
    [problem] = judged(document)
    assert len(problem.message) <= 500
    assert problem.message.isprintable()


@needs_files
def test_services_have_a_schema_of_their_own() -> None:
    document = service(extent=el("gmd:extent", "{in_extent}"))
    [problem] = judged(document, kind="service")
    assert "srv:extent" in problem.message
    assert judged(service(), "iso19139")[0].field == "srv:SV_ServiceIdentification"


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
    assert [each.field for each in found].count("gmd:CI_Date") == 1


@needs_files
def test_unsupported_type_in_a_schema_is_reported() -> None:
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
def test_value_cited_by_a_schematron_is_shortened() -> None:
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
def test_namespace_with_an_apostrophe_is_read() -> None:
    odd = """<o:odd xmlns:o="urn:o'o"/>"""
    found = judged(dataset(extra=odd), EDEN, "constraints-1.4")
    assert [each.code for each in found] == ["schema-fault", "schematron"]
    assert found[0].field == "odd"


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
