"""Entries of data.json: each field and its parsed value."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ParseError, SkipRecord
from ckanext.ukharvest.core.records import Agent, DatasetRecord, Licence, RawRecord
from ckanext.ukharvest.parsers.data_json import parser as datajson

COMPLETE = {
    "identifier": "x",
    "title": "X",
    "description": "D",
    "publisher": {"name": "P"},
    "contactPoint": {"fn": "C"},
    "license": "uk-ogl",
}
OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
OGL_TITLE = "UK Open Government Licence (OGL)"


def _parse(entry: dict[str, Any], **options: Any) -> DatasetRecord:
    data = {**COMPLETE, **entry}
    raw = RawRecord(datajson.identifier(data), json.dumps(data))
    return datajson.parse(raw, options)


def _codes(record: DatasetRecord) -> list[str]:
    return [f"{problem.code} {problem.field}" for problem in record.problems]


def test_a_complete_entry_has_no_problems() -> None:
    assert _parse({}).problems == ()


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
        ({"uri": "http://a.uk/id/1"}, "extras", {"metadata_uri": "http://a.uk/id/1"}),
        ({"identifier": "http://a.uk/id/2"}, "extras", {"metadata_uri": "http://a.uk/id/2"}),
        ({"dataQuality": False}, "extras", {"data_quality": "false"}),
        ({"contactPoint": {"fn": "C", "tel": "tel:+44"}}, "extras", {"contact-phone": "+44"}),
    ],
)  # fmt: skip
def test_a_field_is_read(entry: dict[str, Any], field: str, expected: Any) -> None:
    record = _parse(entry)
    assert getattr(record, field) == expected
    assert _codes(record) == []


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
    record = _parse(entry)
    assert record.title
    assert _codes(record) == [problem]


@pytest.mark.parametrize(
    ("distribution", "code", "field"),
    [
        ({}, "missing-url", "accessURL"),
        ({"accessURL": "x"}, "bad-url", "accessURL"),
        ({"accessUrl": "http://a.uk"}, "wrong-case", "accessUrl"),
        ({"downloadURL": "http://a.uk"}, "missing-media-type", "mediaType"),
        ({"downloadURL": "http://a.uk", "mediaType": "CSV"}, "bad-media-type", "mediaType"),
        ({"accessURL": "http://a.uk", "format": "Blob 7"}, "unknown-format", "format"),
        ({"accessURL": "http://a.uk", "byteSize": "big"}, "bad-size", "byteSize"),
        ({"accessURL": "http://a.uk", "issued": "soon"}, "bad-date", "issued"),
        ({"accessURL": "http://a.uk", "license": "own"}, "unknown-licence", "license"),
    ],
)
def test_a_defect_of_a_distribution_names_its_place(
    distribution: dict[str, Any], code: str, field: str
) -> None:
    record = _parse({"distribution": [{"accessURL": "http://a.uk/0"}, distribution]})
    assert _codes(record) == [f"{code} distribution[1].{field}"]


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
    assert _codes(_parse(entry)) == []


def _files(entry: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    record = _parse(entry, **options)
    names = ("url", "name", "format", "mimetype", "kind", "size", "id", "schema_url")
    found = [{name: getattr(each, name) for name in names} for each in record.resources]
    return [{name: value for name, value in each.items() if value} for each in found]


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        (
            {"downloadURL": "http://a.uk/d", "accessURL": "http://a.uk/a", "mediaType": "text/csv"},
            {"url": "http://a.uk/d", "format": "CSV", "mimetype": "text/csv", "kind": "data"},
        ),
        (
            {"accessURL": "http://a.uk/a", "format": "application/json", "title": 5},
            {"url": "http://a.uk/a", "format": "JSON", "mimetype": "application/json"}
            | {"kind": "data", "name": "5"},
        ),
        (
            {"accessURL": "http://a.uk/a", "format": "OGC WMS"},
            {"url": "http://a.uk/a", "format": "WMS", "kind": "service"},
        ),
        (
            {"accessURL": "http://a.uk/a.zip", "format": "Original", "byteSize": "12.0"},
            {"url": "http://a.uk/a.zip", "format": "ZIP", "kind": "data", "size": 12},
        ),
        (
            {"accessURL": "http://a.uk/a", "accessType": "Download", "@id": "_:b1"},
            {"url": "http://a.uk/a", "kind": "data", "name": "Download"},
        ),
        (
            {"accessURL": "http://a.uk/a", "@id": "http://a.uk/id", "describedBy": "http://a.uk/s"},
            {"url": "http://a.uk/a", "kind": "data", "id": "http://a.uk/id"}
            | {"schema_url": "http://a.uk/s"},
        ),
    ],
)
def test_a_distribution_is_read(distribution: dict[str, Any], expected: dict[str, Any]) -> None:
    assert _files({"distribution": [distribution]}) == [expected]


def test_a_script_never_becomes_a_link() -> None:
    for url in ("javascript:alert(1)", "JavaScript:x", "data:text/html,x", "file:///etc/passwd"):
        assert _files({"distribution": [{"accessURL": url}], "references": [url]}) == []


def test_pages_about_the_dataset_become_resources_once() -> None:
    page = "http://a.uk/page"
    found = _files(
        {"landingPage": page, "references": [page, {"title": "Paper", "@id": "http://a.uk/p.pdf"}]}
    )
    assert [(each["name"], each["format"]) for each in found] == [
        ("Reference", "HTML"),
        ("Paper", "PDF"),
    ]
    assert {each["kind"] for each in found} == {"documentation"}


def test_distributions_above_the_limit_are_skipped_and_reported() -> None:
    many = [{"accessURL": f"http://a.uk/{number}"} for number in range(9_000)]
    record = _parse({"distribution": many}, max_resources=1_000)
    assert len(record.resources) == 1_000
    assert _codes(record) == ["too-many-distributions distribution"]
    assert "9,000 entries; the first 1,000" in record.problems[0].message


def test_a_geometry_too_large_for_the_index_becomes_its_box() -> None:
    ring = [[number / 10_000, number % 2] for number in range(10_000)]
    record = _parse({"spatial": {"type": "Polygon", "coordinates": [ring]}})
    assert record.spatial is not None
    assert record.spatial["coordinates"][0][0] == [0, 0]
    assert len(record.spatial["coordinates"][0]) == 5
    assert _codes(record) == ["large-spatial spatial"]


def test_a_licence_that_all_distributions_share_is_the_datasets() -> None:
    files = [{"accessURL": f"http://a.uk/{n}", "license": "cc-by"} for n in "ab"]
    record = _parse({"license": None, "distribution": files})
    assert record.licence is not None
    assert record.licence.id == "cc-by"
    assert record.problems == ()


def test_non_public_entries_are_skipped_unless_asked_for() -> None:
    with pytest.raises(SkipRecord, match="include_non_public"):
        _parse({"accessLevel": "non-public"})
    record = _parse({"accessLevel": "non-public"}, include_non_public=True)
    assert record.extras["access_level"] == "non-public"


@pytest.mark.parametrize("title", [None, "", "  ", [], {}])
def test_record_without_title_fails(title: Any) -> None:
    with pytest.raises(ParseError, match="dataset 'x': title is missing"):
        _parse({"title": title})


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
        _parse({name: odd})
    inside = ("downloadURL", "accessURL", "accessService", "mediaType", "format", "byteSize")
    inside += ("title", "issued", "temporal", "spatial", "license", "conformsTo", "describedBy")
    for name in inside:
        _parse({"distribution": [{name: odd}]})
    for name in ("name", "fn", "hasEmail", "subOrganizationOf", "@id", "homepage", "tel"):
        _parse({"publisher": {name: odd}, "contactPoint": {name: odd}, "creator": {name: odd}})
    for name in ("geometry", "bbox", "centroid", "type", "coordinates", "features", "prefLabel"):
        _parse({"spatial": {name: odd, "type": odd, "coordinates": odd}})
        _parse({"spatial": {name: odd}})


def test_functions_and_services_of_councils_are_no_themes() -> None:
    record = _parse(
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
    assert _codes(record) == ["unknown-la-function theme"]


def test_fields_of_councils_are_read_under_their_own_names() -> None:
    file = {"accessURL": "https://a.example/x.csv", "schema_url": "https://a.example/s.json"}
    given = {"la_function": "12", "la_service": ["860", "Public toilet"], "distribution": [file]}
    record = _parse({**given, "theme-primary": "Health", "theme": ["Towns"]})
    assert record.extras["la_function"] == "http://id.esd.org.uk/function/12"
    assert record.extras["la_service"] == "http://id.esd.org.uk/service/860"
    assert record.themes == ("Health", "Towns", "Public toilet")
    assert record.resources[0].schema_url == "https://a.example/s.json"
    (problem,) = record.problems
    assert problem.code == "unknown-la-service"
    assert "such as http://id.esd.org.uk/service/579 (Public toilets)" in problem.message


def test_a_reference_system_is_no_schema_of_a_file() -> None:
    file = {
        "downloadURL": "https://a.example/x.csv",
        "mediaType": "text/csv",
        "conformsTo": ["http://www.opengis.net/def/crs/EPSG/0/27700", "https://a.example/s.json"],
    }
    (resource,) = _parse({"distribution": [file]}).resources
    assert resource.schema_url == "https://a.example/s.json"
    assert resource.extras["schema_type"] == "csvlint"
    assert resource.extras["conforms_to"] == "http://www.opengis.net/def/crs/EPSG/0/27700"


def test_a_reference_system_is_no_schema_of_a_dataset() -> None:
    system = "http://www.opengis.net/def/crs/EPSG/0/27700"
    columns = {"@id": "https://a.example/api/1/definition", "title": "Columns"}
    given = [system, "https://a.example/s.json", {"title": "INSPIRE"}, columns]
    record = _parse({"conformsTo": given})
    assert record.schema_urls == ("https://a.example/s.json",)
    assert record.extras["conforms_to"] == f"{system}, INSPIRE, {columns['@id']}"


def test_extras_of_other_portals_replace_nothing_checked() -> None:
    named = ["guid", "name", "id", "harvest_source_id", "la_function", "spatial", "private"]
    extras = [{"key": key, "value": "x"} for key in (*named, "lineage")]
    file = {"accessURL": "https://council.example/a", "extras": [{"key": "url_type", "value": "x"}]}
    found = _parse({"extras": extras, "distribution": [file]})
    assert found.extras.get("lineage") == "x"
    assert not found.extras.keys() & set(named)
    assert "url_type" not in found.resources[0].extras


def test_link_in_two_fields_is_one_resource() -> None:
    service = "https://services.example.com/rest/sites/FeatureServer/0"
    file = "https://example.com/s1.csv"
    files = [
        {"title": "Feature service", "accessURL": service},
        {"title": "CSV", "downloadURL": file},
    ]
    entry = {"webService": service, "downloadURL": file, "landingPage": file}
    record = _parse({**entry, "distribution": files})
    assert [each.url for each in record.resources] == [service, file]
    assert [each.name for each in record.resources] == ["Feature service", "CSV"]


def test_a_service_is_a_dataset_of_type_service() -> None:
    service = {
        "@type": "dcat:DataService",
        "endpointURL": ["https://a.example/wms?service=WMS", "https://a.example/v1"],
        "endpointDescription": ["https://a.example/openapi.yaml"],
        "servesDataset": [],
    }
    record = _parse(service)
    assert record.extras["resource-type"] == "service"
    assert [(each.url, each.name, each.format, each.kind) for each in record.resources] == [
        ("https://a.example/wms?service=WMS", "Service", "WMS", "service"),
        ("https://a.example/v1", "Service", "API", "service"),
        ("https://a.example/openapi.yaml", "Service description", "YAML", "documentation"),
    ]
    assert not record.extras.keys() & service.keys()


def test_a_series_is_a_dataset_that_names_its_members() -> None:
    members = ["http://a.uk/1", {"identifier": "2", "title": "Two"}]
    record = _parse({"@type": "DatasetSeries", "seriesMember": members, "last": "http://a.uk/1"})
    assert record.extras["resource-type"] == "series"
    assert json.loads(record.extras["series_members"]) == ["http://a.uk/1", "2"]
    assert json.loads(record.extras["last_in_series"]) == ["http://a.uk/1"]


def test_an_endpoint_of_a_dataset_stays_an_extra() -> None:
    record = _parse({"@type": "dcat:Dataset", "endpointURL": "https://a.example/v1"})
    assert record.extras["endpointURL"] == "https://a.example/v1"
    assert "resource-type" not in record.extras
    assert record.resources == ()
