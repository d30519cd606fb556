"""Opendatasoft: fields of version 2.1 and 1.0, resources, what is skipped, what is no change."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ParseError, SkipRecord
from ckanext.ukharvest.core.fingerprint import fingerprint, ordered_json
from ckanext.ukharvest.core.records import Agent, Period, RawRecord
from ckanext.ukharvest.parsers.ods import parser
from tests.parsers.ods.datasets import PAGE, codes, parse


@pytest.mark.parametrize(
    ("default", "dcat", "inspire", "field", "expected"),
    [
        ({}, {"accrualperiodicity": "Monthly"}, {}, "frequency", "R/P1M"),
        ({"update_frequency": "Daily"}, {}, {}, "frequency", "R/P1D"),
        ({}, {"temporal": "2019/2021"}, {}, "temporal", Period("2019", "2021")),
        (
            {},
            {"temporal_coverage_start": "2019", "temporal_coverage_end": "2021-05"},
            {},
            "temporal",
            Period("2019", "2021-05"),
        ),
        ({"territory": ["Leeds", "York"]}, {}, {}, "spatial_text", "Leeds; York"),
        ({"attributions": ["© Us", "© You"]}, {}, {}, "rights", "© Us\n© You"),
        ({"theme": "Health"}, {}, {"theme": ["Hydrography"]}, "themes", ("Health", "Hydrography")),
        ({}, {}, {"contact_individual_name": "A"}, "contact", Agent("A")),
        ({}, {"creator": "B"}, {}, "author", Agent("B")),
        ({"title": "Tom &amp; Jerry"}, {}, {}, "title", "Tom & Jerry"),
    ],
)
def test_a_field_becomes(
    default: dict[str, Any],
    dcat: dict[str, Any],
    inspire: dict[str, Any],
    field: str,
    expected: Any,
) -> None:
    record = parse(default, others={"dcat": dcat, "inspire": inspire})
    assert getattr(record, field) == expected


def test_the_area_is_the_box_of_the_data_else_that_of_inspire() -> None:
    ring = [[0, 50], [1, 50], [1, 51], [0, 51], [0, 50]]
    shape = {"type": "Polygon", "coordinates": [ring]}
    bbox = {"type": "Feature", "geometry": shape, "properties": {}}
    sides = {"westbound_longitude": "0", "eastbound_longitude": "1"}
    sides |= {"southbound_latitude": "50", "northbound_latitude": "51"}
    inspire = {f"extend_bounding_box_{side}": value for side, value in sides.items()}
    assert parse({"bbox": bbox}).spatial == shape
    assert parse(others={"inspire": inspire}).spatial == shape
    inspire["extend_bounding_box_northbound_latitude"] = "far"
    record = parse(others={"inspire": inspire})
    assert record.spatial is None
    assert [code for code, _ in codes(record)] == ["bad-spatial"]


def test_other_facts_become_extras() -> None:
    record = parse(
        {"source_domain_address": "rivers.example", "source_dataset": "levels"},
        others={
            "dcat": {"created": "2018", "dataquality": "Checked"},
            "inspire": {"lineage": "<p>Gauges</p>", "topologic_consistency": "Fair"},
        },
        dataset_uid="da_1",
    )
    assert record.extras == {
        "alternate_identifier": '["da_1"]',
        "created": "2018",
        "data_quality": "Checked",
        "provenance": "Gauges",
        "source": '["https://rivers.example/explore/dataset/levels/"]',
        "topologic_consistency": "Fair",
    }


@pytest.mark.parametrize(
    ("default", "expected", "reported"),
    [
        ({"license": "Open Government Licence v3.0"}, "uk-ogl", False),
        (
            {"license": "Ours", "license_url": "https://creativecommons.org/licenses/by/4.0/"},
            "cc-by",
            0,
        ),
        ({"license": "Ask the mayor"}, "", True),
    ],
)
def test_a_licence_by_name_or_url(default: dict[str, Any], expected: str, reported: bool) -> None:
    record = parse(default)
    assert record.licence is not None
    assert record.licence.id == expected
    assert codes(record) == ([("unknown-licence", "metas.default.license")] if reported else [])


@pytest.mark.parametrize(
    ("own", "default", "option"),
    [
        ({"visibility": "restricted"}, {}, {"include_restricted": True}),
        ({"data_visible": False}, {}, {"include_restricted": True}),
        ({}, {"visibility": "restricted"}, {"include_restricted": True}),
        ({"has_records": False}, {}, None),
    ],
)
def test_ods_dataset_is_skipped_with_a_reason(
    own: dict[str, Any], default: dict[str, Any], option: dict[str, Any] | None
) -> None:
    with pytest.raises(SkipRecord, match="dataset 'parks'"):
        parse(default, **own)
    if option:
        assert parse(default, option, **own).title == "Parks"


def test_datasets_of_inspire_can_be_left_out() -> None:
    others = {"inspire": {"file_identifier": "x"}}
    assert parse(others=others).title == "Parks"
    with pytest.raises(SkipRecord, match="INSPIRE"):
        parse(given={"include_inspire": False}, others=others)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("[]", "not-an-object"),
        ("{", "not-json"),
        ('{"dataset_id": "parks"}', "missing-title"),
        ('{"dataset_id": "parks", "metas": {"default": {"title": " "}}}', "missing-title"),
    ],
)
def test_a_record_without_title_fails(content: str, code: str) -> None:
    with pytest.raises(ParseError) as caught:
        parser.parse(RawRecord("parks", content, PAGE), {})
    assert caught.value.code == code


FIXED = {"title": "Parks", "description": 'Says "records_count": 5, and {"records_count":6}'}
COUNTED = {"records_count": 5, "data_processed": "2026-11-24T02:00:00", "metadata_processed": None}


@pytest.mark.parametrize(
    "default",
    [
        {**FIXED, **COUNTED},
        {**COUNTED, **FIXED},
        {"records_count": 77, **FIXED, "data_processed": '2026 "}'},
        {"title": FIXED["title"], **COUNTED, "description": FIXED["description"]},
        {**FIXED, "popularity_score": 1.5e3},
    ],
)
def test_ods_counters_do_not_change_the_fingerprint(default: dict[str, Any]) -> None:
    assert print_of(default) == print_of(FIXED)
    assert print_of({**default, "title": "Ponds"}) != print_of(FIXED)


def test_a_record_of_counters_alone_is_still_json() -> None:
    assert print_of(COUNTED) == print_of({})


def print_of(default: dict[str, Any]) -> str:
    content = ordered_json({"dataset_id": "parks", "metas": {"default": default}})
    return fingerprint(parser.VOLATILE.sub("", content), parser.FORM, ())


def test_text_in_place_of_a_box_is_kept_beside_places() -> None:
    record = parse({"bbox": "the valley", "territory": ["Leeds"]})
    assert record.spatial_text == "Leeds"
    assert record.extras == {"spatial-original": "the valley"}


def test_odd_shapes_of_ods_are_read_or_kept() -> None:
    record = parse(
        {"references": "see the annual report", "metadata_languages": "none"},
        others={
            "dcat": {
                "contact_name": "C",
                "contact_email": ["c@a.example"],
                "temporal_coverage_start": ["2019"],
            },
            "inspire": {"extend_bounding_box_westbound_longitude": "-1", "lineage": {"x": {}}},
        },
    )
    assert record.contact == Agent("C", "c@a.example")
    assert record.temporal == Period("2019", "")
    assert record.extras == {
        "references": "see the annual report",
        "metadata_languages": "none",
        "inspire_extend_bounding_box_westbound_longitude": "-1",
        "inspire_lineage": '{"x":{}}',
    }


@pytest.mark.parametrize(
    ("languages", "asked", "expected"),
    [
        pytest.param(["fr"], "", "fr", id="the-only-one"),
        pytest.param(["fr"], "en", "fr", id="not-in-the-language-asked-for"),
        pytest.param(["fr", "nl"], "nl", "nl", id="asked-for"),
        pytest.param(["fr", "nl-BE"], "nl", "nl", id="asked-for-without-region"),
        pytest.param(["fr", "nl"], "", "", id="the-portals-own-is-not-known"),
        pytest.param("fr", "", "fr", id="as-text"),
        pytest.param([None, 3], "en", "", id="odd"),
        pytest.param(None, "en", "", id="absent"),
    ],
)
def test_the_language_of_ods_texts(languages: Any, asked: str, expected: str) -> None:
    record = parse({"metadata_languages": languages, "language": "de"}, {"language": asked})
    assert record.text_language == expected
    assert record.problems == parse({"language": "de"}).problems
