"""Faults that are looked for in the records of every format."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from ckanext.ukharvest.core.records import DatasetRecord, Period, Problem, RawRecord, ResourceRecord
from ckanext.ukharvest.core.values.geometries import bbox_polygon
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.record_checks import FieldNames, check, field_names_in
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.portals import DATA_JSON

TODAY = date(2026, 3, 1)
FILES = (ResourceRecord("https://example.gov.uk/a.csv"),)
CHESHIRE = (-2.4, 53.3, -2.0, 53.6)
SWAPPED = (53.3, -2.4, 53.6, -2.0)


def found(names: FieldNames | None = None, **fields: Any) -> list[tuple[str, str]]:
    fields = {"resources": FILES, **fields}
    problems = check(DatasetRecord("a", "Roads", **fields), names or FieldNames(), TODAY)
    assert all(each.message.startswith(f"{each.field}: ") for each in problems)
    assert all("; expected " in each.message for each in problems)
    return [(each.code, each.field) for each in problems]


def test_a_sound_record_has_no_problem() -> None:
    assert found(issued="2026-02-28", spatial=bbox_polygon(*CHESHIRE)) == []


class TestWithoutResources:
    def test_a_dataset_without_resources_is_reported(self) -> None:
        assert found(resources=()) == [("no-resources", "resources")]
        names = FieldNames(resources="distribution")
        assert found(names, resources=()) == [("no-resources", "distribution")]

    @pytest.mark.parametrize(
        "extras",
        [
            {"unpublished": "true"},
            {"access_level": "non-public"},
            {"access_level": "restricted public"},
            {
                "access_rights": "http://publications.europa.eu/resource/authority/access-right/"
                "NON_PUBLIC"
            },
            {"has_part": '["https://example.gov.uk/id/b"]'},
        ],
        ids=str,
    )
    def test_some_datasets_are_meant_to_have_none(self, extras: dict[str, str]) -> None:
        assert found(resources=(), extras=extras) == []

    @pytest.mark.parametrize("level", ["public", "PUBLIC", "Please ask us"])
    def test_others_are_not(self, level: str) -> None:
        extras = {"access_level": level, "access_rights": level}
        assert found(resources=(), extras=extras) == [("no-resources", "resources")]

    @pytest.mark.parametrize(
        ("code", "field"),
        [
            ("missing-url", "distribution[0].accessURL"),
            ("bad-url", "distribution[0].accessURL"),
            ("bad-url", "landingPage"),
            ("bad-url", "dcat:downloadURL"),
            ("bad-url", "gmd:linkage"),
            ("wrong-type", "resources"),
            ("gemini-o19-needed", "gmd:linkage"),
        ],
    )
    def test_a_link_that_was_refused_is_reported_once(self, code: str, field: str) -> None:
        assert found(resources=(), problems=(Problem(code, field, "told"),)) == []

    @pytest.mark.parametrize(
        ("code", "field"), [("bad-url", "license"), ("wrong-type", "keyword"), ("bad-date", "page")]
    )
    def test_a_problem_of_another_field_is_no_reason(self, code: str, field: str) -> None:
        problems = (Problem(code, field, "told"),)
        assert found(resources=(), problems=problems) == [("no-resources", "resources")]


class TestSwapped:
    @pytest.mark.parametrize(
        "geometry",
        [
            bbox_polygon(*SWAPPED),
            bbox_polygon(49.8, -8.7, 60.9, 1.8),  # the whole country
            {"type": "Point", "coordinates": [57.15, -2.1]},
            {"type": "LineString", "coordinates": [[53.3, -2.4], [53.6, -2.0]]},
        ],
        ids=str,
    )
    def test_an_area_off_somalia_is_reported(self, geometry: dict[str, Any]) -> None:
        assert found(spatial=geometry) == [("swapped-coordinates", "spatial")]

    @pytest.mark.parametrize(
        "box",
        [
            CHESHIRE,
            (-8.7, 49.8, 1.8, 60.9),
            (-180, -90, 180, 90),
            (50, -10, 70, 10),  # a part of the ocean
            (71.2, -7.5, 72.6, -5.2),  # the British Indian Ocean Territory
            (-61.5, -52.5, -57.5, -51),  # the Falkland Islands
            (2.2, 48.8, 2.5, 48.9),  # Paris
            (48.8, 2.2, 48.9, 3.5),  # Somalia's sea, north of the swapped region
            (43.3, -12.4, 45.3, 2.1),  # from Mogadishu to the Comoros
        ],
    )
    def test_other_areas_are_not(self, box: tuple[float, float, float, float]) -> None:
        assert found(spatial=bbox_polygon(*box)) == []

    @pytest.mark.parametrize(
        "fields",
        [
            {"notes": "Coral reefs of the Seychelles"},
            {"spatial_text": "Western Indian Ocean"},
            {"tags": ("CTD", "Somali Basin")},
        ],
        ids=str,
    )
    def test_data_about_that_sea_are_not(self, fields: dict[str, Any]) -> None:
        assert found(spatial=bbox_polygon(*SWAPPED), **fields) == []

    def test_the_message_names_the_numbers(self) -> None:
        record = DatasetRecord("a", "Roads", resources=FILES, spatial=bbox_polygon(*SWAPPED))
        (problem,) = check(record, FieldNames(), TODAY)
        assert "west 53.3, south -2.4, east 53.6 and north -2" in problem.message


class TestFutureDates:
    @pytest.mark.parametrize("value", ["2027-03-03", "2027-04", "2028", "2199-01-01T00:00:00Z"])
    @pytest.mark.parametrize("field", ["issued", "modified", "metadata_modified"])
    def test_a_date_a_year_ahead_is_reported(self, field: str, value: str) -> None:
        assert found(**{field: value}) == [("future-date", field)]

    @pytest.mark.parametrize("value", ["", "2027", "2027-03", "2027-03-02", "2026-12-31T10:00:00"])
    def test_a_nearer_one_is_not(self, value: str) -> None:
        assert found(issued=value, modified=value, metadata_modified=value) == []

    def test_dates_of_the_content_may_be_in_the_future(self) -> None:
        period = Period("2026-01-01", "2199-12-31")
        resource = ResourceRecord("https://example.gov.uk/a.csv", temporal=period)
        extras = {"publish-date": "2199-01-01", "valid_until": "2199-01-01"}
        assert found(temporal=period, resources=(resource,), extras=extras) == []

    def test_dates_of_creation_are_read_from_the_extras(self) -> None:
        assert found(extras={"created": "2199-01"}) == [("future-date", "created")]
        assert found(extras={"created": "next year"}) == []

    def test_gemini_dates_of_creation_are_in_a_list(self) -> None:
        given = [
            {"type": "creation", "value": "2199-01-01"},
            {"type": "validityExpires", "value": "2199-01-01"},
        ]
        names = FieldNames(created="gmd:date")
        extras = {"dataset-reference-date": json.dumps(given)}
        assert found(names, extras=extras) == [("future-date", "gmd:date")]

    @pytest.mark.parametrize("text", ["2199", "[1]", '[{"type": "creation"}]', '{"a": "b"}', "{"])
    def test_another_portals_text_of_that_name_is_not_read(self, text: str) -> None:
        assert found(extras={"dataset-reference-date": text}) == []

    def test_one_date_in_one_field_is_reported_once(self) -> None:
        names = FieldNames(modified="@Modified", metadata_modified="@Modified")
        days = {"modified": "2199-01-01", "metadata_modified": "2199-01-01"}
        assert found(names, **days) == [("future-date", "@Modified")]

    def test_the_gemini_rule_about_the_record_s_date_is_enough(self) -> None:
        names = FieldNames(issued="gmd:date", metadata_modified="gmd:dateStamp")
        problems = (Problem("gemini-o30-future", "gmd:dateStamp", "told"),)
        days = {"issued": "2199-01-01", "metadata_modified": "2199-01-01"}
        assert found(names, problems=problems, **days) == [("future-date", "gmd:date")]


def test_every_source_type_checks_what_it_parses() -> None:
    raw = RawRecord("a", '{"identifier": "a", "title": "Roads", "issued": "2199-01-01"}')
    codes = [each.code for each in DATA_JSON.parse(raw, {}).problems]
    assert codes[-2:] == ["no-resources", "future-date"]
    assert DATA_JSON.parser.parse(raw, {}).guid == "a"
    assert all(kind.field_names.resources for kind in TYPES.values())


def test_dublin_core_of_a_csw_has_its_own_names() -> None:
    names = 'xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    inside = "<dc:identifier>a</dc:identifier><dc:title>A</dc:title>"
    text = f"<csw:Record {names}>{inside}</csw:Record>"
    for name in ("gemini-single", "gemini-waf", "gemini-csw"):
        problems = TYPES[name].parse(RawRecord("a", text), {}).problems
        assert [p.field for p in problems if p.code == "no-resources"] == ["dc:identifier"]
    node, a = "<https://a.example/x>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    triples = (
        f'{node} <http://purl.org/dc/terms/title> "A" .\n'
        f"{node} {a} <http://www.w3.org/ns/dcat#Dataset> .\n"
    )
    problems = TYPES["gemini-csw"].parse(RawRecord("https://a.example/x", triples), {}).problems
    assert [p.field for p in problems if p.code == "no-resources"] == ["dcat:distribution"]


def test_a_table_has_the_names_of_its_format() -> None:
    rows = (
        table.row("dct:created", "extra created", table.date),
        table.row("keyword subject", "tags", table.words),
        table.row("subject", "tags, themes", table.words),
    )
    assert field_names_in(rows, spatial="box") == FieldNames(
        tags="keyword", created="dct:created", spatial="box"
    )
