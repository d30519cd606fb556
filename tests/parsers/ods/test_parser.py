"""Opendatasoft: fields of version 2.1 and 1.0, resources, what is skipped, what is no change."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ParseError, SkipRecord
from ckanext.ukharvest.core.fingerprint import fingerprint, ordered_json
from ckanext.ukharvest.core.records import Agent, DatasetRecord, Period, RawRecord
from ckanext.ukharvest.parsers.ods import parser
from ckanext.ukharvest.source_types.portals import ODS

PAGE = "https://data.example/explore/dataset/parks/"
EXPORTS = "https://data.example/api/explore/v2.1/catalog/datasets/parks/exports/"
FILE = "https://data.example/api/explore/v2.1/catalog/datasets/parks/attachments/plan_pdf"


def parse(
    default: dict[str, Any] | None = None,
    given: dict[str, Any] | None = None,
    *,
    url: str = PAGE,
    others: dict[str, Any] | None = None,
    **own: Any,
) -> DatasetRecord:
    """Parse a dataset of Explore API 2.1."""
    metas = {"default": {"title": "Parks", **(default or {})}, **(others or {})}
    return parsed({"dataset_id": "parks", "has_records": True, "metas": metas, **own}, given, url)


def parsed(
    data: dict[str, Any], given: dict[str, Any] | None = None, url: str = PAGE
) -> DatasetRecord:
    raw = RawRecord("parks", json.dumps(data), url)
    return parser.parse(raw, options.validate(given or {}, ODS.options))


def codes(record: DatasetRecord) -> list[tuple[str, str]]:
    return [(each.code, each.field) for each in record.problems if each.code != "missing-field"]


def test_the_same_dataset_of_1_0_has_the_same_fields() -> None:
    default = {
        "description": "<p>All <b>parks</b></p>",
        "publisher": "Borough",
        "language": "en",
        "license": "CC BY 4.0",
        "modified": "2026-05-04T09:00:00+00:00",
    }
    dcat = {"contact_name": "Team", "contact_email": "a@data.example", "issued": "2019"}
    new = parse({**default, "keyword": ["green"]}, others={"dcat": dcat})
    old = parsed(
        {
            "datasetid": "parks",
            "metas": {"title": "Parks", **default, "keyword": "green"},
            "interop_metas": {"dcat": dcat},
        }
    )
    for name in ("title", "notes", "publisher", "contact", "issued", "modified", "tags", "licence"):
        assert getattr(new, name) == getattr(old, name) != "", name
    assert new.notes == "All parks"
    assert new.contact == Agent("Team", "a@data.example")
    assert (new.url, old.url) == (PAGE, PAGE)


def test_exports_are_resources_with_ids_that_stay() -> None:
    record = parse(features=["geo"])
    found = [(each.id, each.name, each.format, each.url) for each in record.resources]
    assert found == [
        ("export:csv", "CSV export", "CSV", EXPORTS + "csv"),
        ("export:json", "JSON export", "JSON", EXPORTS + "json"),
        ("export:geojson", "GeoJSON export", "GeoJSON", EXPORTS + "geojson"),
        ("export:shp", "SHP export", "SHP", EXPORTS + "shp"),
        ("export:kml", "KML export", "KML", EXPORTS + "kml"),
    ]
    assert [each.format for each in parse(features=[]).resources] == ["CSV", "JSON"]
    old = parsed({"datasetid": "parks", "metas": {"title": "Parks"}})
    assert [(each.id, each.url) for each in old.resources] == [
        ("export:csv", PAGE + "download?format=csv"),
        ("export:json", PAGE + "download?format=json"),
    ]


@pytest.mark.parametrize(("count", "has_shapefile"), [(50_000, True), (50_001, False)])
def test_a_shapefile_that_the_portal_would_cut_is_no_resource(
    count: int, has_shapefile: bool
) -> None:
    record = parse({"records_count": count}, features=["geo"])
    assert ("SHP" in [each.format for each in record.resources]) == has_shapefile


def test_files_and_references_are_resources() -> None:
    record = parse(
        {"references": "https://data.example/about.pdf and more"},
        has_records=False,
        attachments=[
            {
                "id": "plan_pdf",
                "title": "Plan",
                "mimetype": "application/pdf",
                "url": "odsfile://p",
            },
            {"title": "No id", "url": "odsfile://q"},
            {"id": "elsewhere", "url": "https://files.example/a.zip"},
            "plan.pdf",
        ],
    )
    found = [(each.id, each.name, each.format, each.url) for each in record.resources]
    assert found == [
        ("attachments:plan_pdf", "Plan", "PDF", FILE),
        ("attachments:elsewhere", "elsewhere", "ZIP", "https://files.example/a.zip"),
        ("", "Reference", "PDF", "https://data.example/about.pdf"),
    ]
    assert codes(record) == [("missing-url", "attachments[1].id"), ("wrong-type", "attachments")]


def test_too_many_files_are_reported() -> None:
    files = [{"id": f"f{number}"} for number in range(3)]
    record = parse(given={"max_resources": 2}, attachments=files, has_records=False)
    assert len(record.resources) == 2
    assert codes(record) == [("too-many-distributions", "attachments")]


def test_a_saved_answer_has_no_portal_and_so_no_exports() -> None:
    record = parse(url="answer.json", attachments=[{"id": "a", "url": "odsfile://a"}])
    assert record.resources == ()
    assert record.url == ""


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


def test_file_without_a_portal_is_reported_not_left_out() -> None:
    file = {"id": "plan_pdf", "title": "Plan", "url": "odsfile://plan.pdf"}
    record = parse({}, url="", has_records=False, attachments=[file])
    assert record.resources == ()
    assert codes(record) == [("missing-url", "attachments[0].url")]
    assert "odsfile://plan.pdf" in record.problems[0].message


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
