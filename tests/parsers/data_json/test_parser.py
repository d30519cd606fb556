"""Entries of data.json: each field and its parsed value."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ParseError, SkipRecord
from ckanext.ukharvest.core.records import Agent, Licence, RawRecord
from ckanext.ukharvest.parsers.data_json import parser as datajson
from tests.parsers.data_json.entries import codes, parse

OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
OGL_TITLE = "UK Open Government Licence (OGL)"


def test_a_complete_entry_has_no_problems() -> None:
    assert parse({}).problems == ()


@pytest.mark.parametrize(
    ("entry", "field", "expected"),
    [
        ({"title": " A\u00a0b "}, "title", "A b"),
        ({"title": {"en": "English", "cy": "Cymraeg"}}, "title", "English"),
        ({"title": {"@value": "T", "@language": "en"}}, "title", "T"),
        ({"description": "One\r\nTwo"}, "notes", "One\nTwo"),
        ({"keyword": ["Air", "air", "water"]}, "tags", ("Air", "water")),
        ({"theme": ["a", {"prefLabel": "B"}]}, "themes", ("a", "B")),
        ({"subject": "http://eurovoc.europa.eu/1"}, "themes", ("http://eurovoc.europa.eu/1",)),
        ({"modified": "R/P1W"}, "modified", ""),
        ({"modified": "R/P1W"}, "frequency", "R/P1W"),
        ({"modified": "R/P1W", "accrualPeriodicity": "R/P1Y"}, "frequency", "R/P1Y"),
        ({"frequency": "monthly"}, "frequency", "R/P1M"),
        ({"accrualPeriodicity": {"@id": "http://purl.org/cld/freq/daily"}}, "frequency", "R/P1D"),
        ({"issued": "2019-05"}, "issued", "2019-05"),
        ({"language": ["en-gb", "eng"]}, "language", ("en-GB", "en")),
        ({"publisher": {"name": "P", "mbox": "p@a.uk"}}, "publisher", Agent("P", "p@a.uk")),
        (
            {"publisher": {"name": "P", "@id": "http://a.uk/p"}},
            "publisher",
            Agent("P", url="http://a.uk/p"),
        ),
        ({"contactPoint": "Me", "mbox": "me@a.uk"}, "contact", Agent("Me", "me@a.uk")),
        ({"contactPoint": "me@a.uk"}, "contact", Agent(email="me@a.uk")),
        (
            {"contactPoint": [{"fn": "A"}, {"fn": "B", "hasEmail": {"@id": "mailto:b@a.uk"}}]},
            "contact",
            Agent("B", "b@a.uk"),
        ),
        ({"contactPoint": None, "contactEmail": "x@a.uk"}, "contact", Agent(email="x@a.uk")),
        ({"creator": [{"name": "W"}]}, "author", Agent("W")),
        ({"license": {"@id": OGL}}, "licence", Licence("uk-ogl", OGL_TITLE, OGL)),
        ({"rights": ["A", "B"], "accessRights": "A"}, "rights", "A\nB"),
        ({"accessLevelComment": "Ask."}, "rights", "Ask."),
        ({"landingPage": "http://a.uk/x"}, "url", "http://a.uk/x"),
        ({"landingPage": {"accessURL": "http://a.uk/x"}}, "url", "http://a.uk/x"),
        ({"conformsTo": ["http://a.uk/s", {"@id": "http://a.uk/t"}]}, "schema_urls",
         ("http://a.uk/s", "http://a.uk/t")),
        ({"spatial": ["Leeds", "York"]}, "spatial_text", "Leeds; York"),
        ({"spatial": [1, 2, 1, 2]}, "spatial", {"type": "Point", "coordinates": [1, 2]}),
        ({"spatial": {"prefLabel": "Leeds", "centroid": "POINT(-1.5 53.8)"}}, "spatial",
         {"type": "Point", "coordinates": [-1.5, 53.8]}),
        ({"spatial": {"prefLabel": "Leeds"}}, "spatial_text", "Leeds"),
        ({"geographicBoundingBox": {"westBoundingLongitude": "1", "eastBoundingLongitude": 1,
          "southBoundingLatitude": 2, "northBoundingLatitude": 2}}, "spatial",
         {"type": "Point", "coordinates": [1, 2]}),
        ({"version": 2}, "version", "2"),
        ({"isPartOf": "parent", "accessLevel": "public"}, "extras",
         {"is_part_of": "parent", "access_level": "public"}),
        ({"publisher": {"name": "C", "subOrganizationOf": {"name": "B", "subOrganizationOf": "A"}}},
         "extras", {"publisher_hierarchy": "A > B > C"}),
        ({"publisher": {"name": "C", "subOrganizationOf": ["A", "B"]}},
         "extras", {"publisher_hierarchy": "A, B > C"}),
        ({"theme": [{"prefLabel": ["A", "B"]}]}, "themes", ("A", "B")),
        ({"keyword": [{"prefLabel": ["ab", "bc"]}]}, "tags", ("ab", "bc")),
        ({"uri": "http://a.uk/id/1"}, "extras", {"metadata_uri": "http://a.uk/id/1"}),
        ({"identifier": "http://a.uk/id/2"}, "extras", {"metadata_uri": "http://a.uk/id/2"}),
        ({"dataQuality": False}, "extras", {"data_quality": "false"}),
        ({"contactPoint": {"fn": "C", "tel": "tel:+44"}}, "extras", {"contact-phone": "+44"}),
    ],
)  # fmt: skip
def test_a_field_is_read(entry: dict[str, Any], field: str, expected: Any) -> None:
    record = parse(entry)
    assert getattr(record, field) == expected
    assert codes(record) == []


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"title": 707}, "wrong-type title"),
        ({"description": ["a"]}, "wrong-type description"),
        ({"keyword": "air, bus"}, "wrong-type keyword"),
        ({"keyword": ["x"]}, "bad-tag keyword"),
        ({"theme": "a"}, "wrong-type theme"),
        ({"language": "en"}, "wrong-type language"),
        ({"language": ["??"]}, "bad-language language"),
        ({"modified": "soon"}, "bad-date modified"),
        ({"modified": ""}, "empty-field modified"),
        ({"temporal": "2020/2019"}, "reversed-period temporal"),
        ({"temporal": {"startDate": "x"}}, "bad-date temporal.startDate"),
        ({"accrualPeriodicity": "?"}, "bad-frequency accrualPeriodicity"),
        (
            {"contactPoint": {"fn": "C", "hasEmail": "a@b.uk"}},
            "email-without-mailto contactPoint.hasEmail",
        ),
        ({"contactPoint": {"fn": "C", "hasEmail": "mailto:b"}}, "bad-email contactPoint.hasEmail"),
        ({"contactPoint": {"fn": "C", "hasEmail": "b"}}, "bad-email contactPoint.hasEmail"),
        ({"license": "whatever"}, "unknown-licence license"),
        ({"license": "No license provided"}, "missing-field license"),
        ({"license": None, "licence": "uk-ogl"}, "misnamed-field licence"),
        ({"landingPage": "http://Two Words"}, "bad-url landingPage"),
        ({"references": ["nowhere"]}, "bad-url references"),
        ({"accessLevel": "secret"}, "bad-access-level accessLevel"),
        ({"bureauCode": ["018:10:1"]}, "bad-code bureauCode"),
        ({"spatial": "4000000,300000,1,1"}, "bad-spatial spatial"),
        ({"spatial": {"type": "Point"}}, "bad-spatial spatial"),
        ({"spatial": "far away " * 1_000}, "bad-spatial spatial"),
        ({"spatial": {"type": "Point", "coordinates": []}}, "bad-spatial spatial"),
        ({"distribution": {"accessURL": "http://a.uk"}}, "wrong-type distribution"),
        ({"distribution": [None]}, "empty-entry distribution[0]"),
        ({"distribution": ["http://a.uk/x.csv"]}, "wrong-type distribution"),
        ({"description": ""}, "missing-field description"),
        ({"publisher": None}, "missing-field publisher"),
        ({"contactPoint": []}, "missing-field contactPoint"),
    ],
)  # fmt: skip
def test_a_defect_is_reported_and_the_record_arrives(entry: dict[str, Any], problem: str) -> None:
    record = parse(entry)
    assert record.title
    assert codes(record) == [problem]


@pytest.mark.parametrize(
    "entry",
    [
        {"spatial": None, "distribution": None, "keyword": None, "temporal": None},
        {"contactPoint": {"fn": "[[REDACTED-EX B6]]", "hasEmail": "mailto:[[REDACTED-EX B6]]"}},
        {"license": "[[REDACTED-EX B6]]", "modified": "[[REDACTED-EX B6]]"},
        {"description": "[[REDACTED-EX B6]]", "spatial": "[[REDACTED-EX B6]]"},
        {"landingPage": "[[REDACTED-EX B6]]", "distribution": [{"accessURL": "[[REDACTED]]"}]},
    ],
)
def test_null_and_redacted_fields_are_no_defects(entry: dict[str, Any]) -> None:
    assert codes(parse(entry)) == []


def test_a_geometry_too_large_for_the_index_becomes_its_box() -> None:
    ring = [[number / 10_000, number % 2] for number in range(10_000)]
    record = parse({"spatial": {"type": "Polygon", "coordinates": [ring]}})
    assert record.spatial is not None
    assert record.spatial["coordinates"][0][0] == [0, 0]
    assert len(record.spatial["coordinates"][0]) == 5
    assert codes(record) == ["large-spatial spatial"]


def test_a_licence_that_all_distributions_share_is_the_datasets() -> None:
    files = [{"accessURL": f"http://a.uk/{n}", "license": "cc-by"} for n in "ab"]
    record = parse({"license": None, "distribution": files})
    assert record.licence is not None
    assert record.licence.id == "cc-by"
    assert record.problems == ()


def test_non_public_entries_are_skipped_unless_asked_for() -> None:
    with pytest.raises(SkipRecord, match="include_non_public"):
        parse({"accessLevel": "non-public"})
    record = parse({"accessLevel": "non-public"}, include_non_public=True)
    assert record.extras["access_level"] == "non-public"


@pytest.mark.parametrize("title", [None, "", "  ", [], {}])
def test_record_without_title_fails(title: Any) -> None:
    with pytest.raises(ParseError, match="this record has no title; expected title"):
        parse({"title": title})


@pytest.mark.parametrize("content", ["", "[]", "{", '"x"'])
def test_data_json_dataset_must_be_an_object(content: str) -> None:
    with pytest.raises(ParseError):
        datajson.parse(RawRecord("x", content), {})


ODD = (None, True, 5, -1.5, "", " ", "x", "2024", [], [None], [[]], {}, {"a": {}}, [{"@id": 3}])


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_no_value_anywhere_makes_the_parser_fail(odd: Any) -> None:
    needed = {"identifier", "uri", "@id", "title"}
    names = {name for field in datajson.MAPPING for name in field.source} - needed
    names |= {"distribution", "references", "describedBy", "webService", "page", "sample"}
    for name in sorted(names):
        parse({name: odd})
    inside = ("downloadURL", "accessURL", "accessService", "mediaType", "format", "byteSize")
    inside += ("title", "issued", "temporal", "spatial", "license", "conformsTo", "describedBy")
    for name in inside:
        parse({"distribution": [{name: odd}]})
    for name in ("name", "fn", "hasEmail", "subOrganizationOf", "@id", "homepage", "tel"):
        parse({"publisher": {name: odd}, "contactPoint": {name: odd}, "creator": {name: odd}})
    for name in ("geometry", "bbox", "centroid", "type", "coordinates", "features", "prefLabel"):
        parse({"spatial": {name: odd, "type": odd, "coordinates": odd}})
        parse({"spatial": {name: odd}})


def test_functions_and_services_of_councils_are_no_themes() -> None:
    record = parse(
        {
            "theme": [
                "http://id.esd.org.uk/service/579",
                "Leisure, parks",
                {"@id": "esd:function/40"},
            ],
            "subject": "https://id.esd.org.uk/function/9999/",
        }
    )
    assert record.extras["la_service"] == "http://id.esd.org.uk/service/579"
    functions = "http://id.esd.org.uk/function/40 http://id.esd.org.uk/function/9999"
    assert record.extras["la_function"] == functions
    assert record.themes == ("Leisure, parks",)
    assert codes(record) == ["unknown-la-function theme"]


def test_fields_of_councils_are_read_under_their_own_names() -> None:
    file = {"accessURL": "https://a.example/x.csv", "schema_url": "https://a.example/s.json"}
    given = {"la_function": "12", "la_service": ["860", "Public toilet"], "distribution": [file]}
    record = parse({**given, "theme-primary": "Health", "theme": ["Towns"]})
    assert record.extras["la_function"] == "http://id.esd.org.uk/function/12"
    assert record.extras["la_service"] == "http://id.esd.org.uk/service/860"
    assert record.themes == ("Health", "Towns", "Public toilet")
    assert record.resources[0].schema_url == "https://a.example/s.json"
    (problem,) = record.problems
    assert problem.code == "unknown-la-service"
    assert "such as http://id.esd.org.uk/service/579 (Public toilets)" in problem.message


def test_a_reference_system_is_no_schema_of_a_dataset() -> None:
    system = "http://www.opengis.net/def/crs/EPSG/0/27700"
    columns = {"@id": "https://a.example/api/1/definition", "title": "Columns"}
    given = [system, "https://a.example/s.json", {"title": "INSPIRE"}, columns]
    record = parse({"conformsTo": given})
    assert record.schema_urls == ("https://a.example/s.json",)
    assert record.extras["conforms_to"] == f"{system}, INSPIRE, {columns['@id']}"


def test_extras_of_other_portals_replace_nothing_checked() -> None:
    named = ["guid", "name", "id", "harvest_source_id", "la_function", "spatial", "private"]
    extras = [{"key": key, "value": "x"} for key in (*named, "lineage")]
    file = {"accessURL": "https://council.example/a", "extras": [{"key": "url_type", "value": "x"}]}
    found = parse({"extras": extras, "distribution": [file]})
    assert found.extras.get("lineage") == "x"
    assert not found.extras.keys() & set(named)
    assert "url_type" not in found.resources[0].extras


def test_a_series_is_a_dataset_that_names_its_members() -> None:
    members = ["http://a.uk/1", {"identifier": "2", "title": "Two"}]
    record = parse({"@type": "DatasetSeries", "seriesMember": members, "last": "http://a.uk/1"})
    assert record.extras["resource-type"] == "series"
    assert json.loads(record.extras["series_members"]) == ["http://a.uk/1", "2"]
    assert json.loads(record.extras["last_in_series"]) == ["http://a.uk/1"]
