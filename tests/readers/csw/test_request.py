"""Requests to a CSW, as XML and as a query."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.readers.csw import request as requests
from ckanext.ukharvest.readers.csw.filters import DUBLIN_CORE, ISO, Wanted
from ckanext.ukharvest.readers.csw.reader import OPTIONS
from ckanext.ukharvest.readers.csw.request import Way, ways
from tests.publishing.csw import CSW, GMD, NAMES
from tests.readers.csw.csw_bodies import body, condition, shape


def words(root: etree._Element, path: str) -> list[str]:
    return [str(each) for each in root.xpath(path, namespaces=NAMES)]


def test_whole_records_are_asked_for_sorted_and_by_position() -> None:
    root = body(start=51, size=25)
    assert root.tag == f"{{{CSW}}}GetRecords"
    assert dict(root.attrib) == {
        "service": "CSW",
        "version": "2.0.2",
        "resultType": "results",
        "outputFormat": "application/xml",
        "outputSchema": GMD,
        "startPosition": "51",
        "maxRecords": "25",
    }
    assert words(root, "csw:Query/@typeNames") == ["gmd:MD_Metadata"]
    assert root.nsmap["gmd"] == GMD  # typeNames is a qualified name
    assert words(root, "csw:Query/csw:ElementSetName/text()") == ["full"]
    assert words(root, "csw:Query/ogc:SortBy/ogc:SortProperty/*/text()") == [
        "apiso:Identifier",
        "ASC",
    ]
    assert not words(root, "//csw:Constraint")


def test_the_schema_s_order_of_elements_is_kept() -> None:
    root = body(types=("series",))
    (query,) = root
    names = [etree.QName(each).localname for each in query]
    assert names == ["ElementSetName", "Constraint", "SortBy"]


def test_the_same_is_asked_for_by_a_query() -> None:
    found = requests.get_records(Way("GET", ISO), Wanted(), start=51, size=25).query
    assert found == {
        "service": "CSW",
        "version": "2.0.2",
        "request": "GetRecords",
        "resultType": "results",
        "outputSchema": GMD,
        "typeNames": "gmd:MD_Metadata",
        "elementSetName": "full",
        "startPosition": 51,
        "maxRecords": 25,
        "sortBy": "apiso:Identifier:A",
    }


def test_listed_records_come_in_the_server_s_own_schema() -> None:
    root = body(Way("POST", DUBLIN_CORE, is_sorted=False, is_full=False))
    assert root.get("outputSchema") == CSW
    assert words(root, "csw:Query/@typeNames") == ["csw:Record"]
    assert words(root, "csw:Query/csw:ElementSetName/text()") == ["summary"]
    assert not words(root, "//ogc:SortBy")


def test_one_type_is_a_comparison_and_several_are_an_or() -> None:
    one = ["PropertyIsEqualTo", ("PropertyName", "apiso:Type"), ("Literal", "series")]
    assert condition(body(types=("series",))) == ["Filter", one]
    other = ["PropertyIsEqualTo", ("PropertyName", "apiso:Type"), ("Literal", "service")]
    assert condition(body(types=("series", "service"))) == ["Filter", ["Or", one, other]]


def test_changes_are_asked_for_by_their_day_and_type() -> None:
    since = [
        "PropertyIsGreaterThanOrEqualTo",
        ("PropertyName", "apiso:Modified"),
        ("Literal", "2024-05-31"),
    ]
    kind = ["PropertyIsEqualTo", ("PropertyName", "apiso:Type"), ("Literal", "series")]
    assert condition(body(since="2024-05-31")) == ["Filter", since]
    both = condition(body(since="2024-05-31", types=("series",)))
    assert both == ["Filter", ["And", kind, since]]


def test_another_type_of_record_has_other_names() -> None:
    root = body(Way("POST", DUBLIN_CORE), types=("series",), since="2024-05-31")
    assert words(root, "//ogc:PropertyName/text()") == ["dc:type", "dct:modified", "dc:identifier"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("YYYY-MM-DD", "2024-05-31"),
        ("MM-DD-YYYY", "05-31-2024"),
        ("YYYY-MM-DDThh:mm:ssZ", "2024-05-31T00:00:00Z"),
    ],
)
def test_a_day_is_written_as_the_server_wants_it(form: str, expected: str) -> None:
    root = body(since="2024-05-31", date_format=form)
    assert words(root, "//ogc:Literal/text()") == [expected]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, "dc:subject LIKE '%river%'"),
        ({"types": ("series",)}, "dc:subject LIKE '%river%' AND apiso:Type = 'series'"),
        (
            {"types": ("series", "o'clock")},
            "dc:subject LIKE '%river%' AND (apiso:Type = 'series' OR apiso:Type = 'o''clock')",
        ),
        ({"since": "2024-05-31"}, "dc:subject LIKE '%river%' AND apiso:Modified >= '2024-05-31'"),
    ],
)
def test_with_cql_all_of_the_condition_is_cql(wanted: dict[str, Any], expected: str) -> None:
    root = body(cql="dc:subject LIKE '%river%'", **wanted)
    assert words(root, "//csw:Constraint/*/text()") == [expected]
    assert words(root, "//csw:Constraint/@version") == ["1.1.0"]
    wants = Wanted(cql="dc:subject LIKE '%river%'", **wanted)
    query = requests.get_records(Way("GET", ISO), wants, start=1, size=50).query
    assert query["constraint"] == expected
    assert query["constraintLanguage"] == "CQL_TEXT"


def test_a_choice_in_cql_has_brackets_beside_other_conditions() -> None:
    alone = Wanted(cql="a = 1 OR b = 2")
    assert alone.text(ISO) == "a = 1 OR b = 2"
    assert Wanted(cql="a = 1 OR b = 2", types=("x",)).text(ISO) == (
        "(a = 1 OR b = 2) AND apiso:Type = 'x'"
    )


def test_a_query_carries_a_filter_as_xml() -> None:
    query = requests.get_records(Way("GET", ISO), Wanted(types=("x",)), start=1, size=50).query
    assert query["constraintLanguage"] == "FILTER"
    assert query["constraint_language_version"] == "1.1.0"
    root = etree.fromstring(str(query["constraint"]))
    assert shape(root)[1][1:] == [("PropertyName", "apiso:Type"), ("Literal", "x")]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://c.example/csw", "https://c.example/csw"),
        ("https://c.example/csw?", "https://c.example/csw"),
        (
            "https://c.example/csw?SERVICE=CSW&Version=2.0.2&request=GetCapabilities",
            "https://c.example/csw",
        ),
        (
            "https://c.example/cgi?map=%2Fa%20b.map&service=CSW&lang=eng#top",
            "https://c.example/cgi?map=%2Fa%20b.map&lang=eng",
        ),
        (
            "https://c.example/csw?request=GetRecords&typeNames=x&constraint_language_version=1"
            "&startPosition=11&maxRecords=5&sortBy=y&outputSchema=z",
            "https://c.example/csw",
        ),
    ],
)
def test_a_pasted_request_leaves_the_server_s_own_parameters(given: str, expected: str) -> None:
    assert requests.endpoint(given) == expected


def test_a_record_has_an_address_for_people() -> None:
    url = requests.record_url("https://c.example/csw?map=x", "a b&c")
    assert url.startswith("https://c.example/csw?map=x&service=CSW&version=2.0.2&request=GetRecord")
    assert url.endswith("&id=a+b%26c")
    root = etree.fromstring(requests.get_record_by_id("a b&c").body)
    assert root.tag == f"{{{CSW}}}GetRecordById"
    assert shape(root)[1:] == [("Id", "a b&c"), ("ElementSetName", "full")]
    assert root.get("outputSchema") == GMD


def test_last_working_request_is_tried_first() -> None:
    found = ways("auto")
    assert str(found[0]) == "POST gmd:MD_Metadata sorted by apiso:Identifier full"
    again = ways("auto", str(found[9]))
    assert again[0] == found[9]
    alike = [way for way in found if way.is_full == found[9].is_full and way != found[9]]
    assert again[1:] == alike
    assert ways("auto", "an older version's words") == found
    assert {way.method for way in ways("get")} == {"GET"}
    assert {way.method for way in ways("post")} == {"POST"}


def test_a_request_is_for_50_records_without_page_size() -> None:
    assert options.validate({}, OPTIONS)["page_size"] == 50
    assert options.validate({"page_size": 10}, OPTIONS)["page_size"] == 10
    with pytest.raises(ConfigError, match="page_size"):
        options.validate({"page_size": 0}, OPTIONS)


def test_a_condition_with_control_codes_is_refused_in_the_form() -> None:
    options.validate({"cql": "a = 1\nAND b = 2"}, OPTIONS)
    with pytest.raises(ConfigError, match="cql: expected text without control codes"):
        options.validate({"cql": "a = \x01"}, OPTIONS)
