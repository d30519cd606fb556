"""DKAN: packages of DKAN 7 in CKAN's fields, entries of DKAN 2, and their common fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ParseError, SkipRecord
from ckanext.ukharvest.core.records import Agent, DatasetRecord, Period, RawRecord
from ckanext.ukharvest.parsers.dkan import parser as dkan
from ckanext.ukharvest.parsers.dkan.parser import is_month_first, iso

UUID = "5f0c9a52-1f1e-4c5e-9f0e-2f1d5a3b7c11"


def parse(**fields: Any) -> DatasetRecord:
    data = {"id": UUID, "title": "Play areas", "notes": "Swings.", "resources": [], **fields}
    return dkan.parse(RawRecord(UUID, json.dumps(data), url="https://data.example/api"), {})


def parse_entry(**fields: Any) -> DatasetRecord:
    data = {"identifier": UUID, "title": "Play areas", "accessLevel": "public", **fields}
    return dkan.parse(RawRecord(UUID, json.dumps(data)), {})


def test_private_means_published() -> None:
    for value in (True, False, "Published", "1", "true"):
        assert parse(private=value).title == "Play areas"
        assert "private" not in parse(private=value).extras


def test_dates_are_read_in_the_order_of_the_site() -> None:
    record = parse(
        metadata_created="Wed, 06/22/2016 - 22:34",
        metadata_modified="08/09/2016 - 01:31",
        resources=[
            {
                "url": "https://data.example/a.csv",
                "created": "09/07/2016",
                "last_modified": "Date changed  Thu, 09/01/2016 - 01:31",
            }
        ],
    )
    assert record.issued == "2016-06-22T22:34"
    assert record.modified == "2016-08-09T01:31"
    assert record.metadata_modified == "2016-08-09T01:31"
    assert record.resources[0].issued == "2016-09-07"
    assert record.resources[0].modified == "2016-09-01T01:31"
    assert not [each for each in record.problems if each.code == "bad-date"]


def test_a_date_that_is_none_is_reported() -> None:
    (problem,) = (p for p in parse(metadata_modified="soon").problems if p.code == "bad-date")
    assert "soon" in problem.message


def test_resources_have_name_or_title_and_plain_text() -> None:
    record = parse(
        resources=[
            {"url": "https://data.example/a", "name": "List", "format": "csv", "id": "r1"},
            {"url": "https://data.example/b", "title": "Map", "description": "<p>A &amp; B</p>"},
        ]
    )
    assert [each.name for each in record.resources] == ["List", "Map"]
    assert record.resources[0].format == "CSV"
    assert record.resources[0].id == "r1"
    assert record.resources[1].description == "A & B"


def test_notes_are_plain_text_and_may_be_the_description() -> None:
    assert parse(notes="<p>Swings.</p>\n<p>Slides.</p>").notes == "Swings.\n\nSlides."
    assert parse(notes="", description="Swings").notes == "Swings"


def test_tags_and_groups_are_within_ckans_rules() -> None:
    record = parse(
        tags=[{"id": "1", "vocabulary_id": "2", "name": "Children's play"}],
        groups=[{"id": "g", "name": "group/parks-team", "title": "Parks team"}],
        name="dataset/play-areas",
    )
    assert record.tags == ("Children s play",)
    assert [each.name for each in record.groups] == ["parks-team"]
    assert record.publisher == Agent(name="Parks team")
    assert record.name == "play-areas"


def test_fields_of_the_node_are_read() -> None:
    record = parse(
        maintainer="admin",
        dkan_additional_fields={
            "field_contact_name": "Parks team",
            "field_contact_email": "parks@data.example",
            "field_frequency": "16",
            "field_granularity": "Site",
            "field_spatial": {"wkt": "POINT (-2.1 52.9)", "left": "-2.2"},
            "field_spatial_geographical_cover": "Thornmere",
            "field_temporal_coverage": {"value": "-86400", "value2": "86400"},
            "field_topic": [{"value": "Leisure"}],
            "field_additional_info": [{"first": "Collected by", "second": "Wardens"}],
            "field_tags": [{"value": "left out"}],
        },
    )
    assert record.contact == Agent(name="Parks team", email="parks@data.example")
    assert record.frequency == "R/P3M"
    assert record.spatial == {"type": "Point", "coordinates": [-2.1, 52.9]}
    assert record.spatial_text == "Thornmere"
    assert record.temporal == Period("1969-12-31", "1970-01-02")
    assert record.themes == ("Leisure",)
    assert record.extras["granularity"] == "Site"
    assert record.extras["Collected by"] == "Wardens"
    assert "dkan_additional_fields" not in record.extras


def test_period_of_a_node_can_be_in_years() -> None:
    covered = {"field_temporal_coverage": {"value": "2009", "value2": "2011"}}
    assert parse(dkan_additional_fields=covered).temporal == Period("2009", "2011")


def test_extras_are_kept_and_no_book_keeping() -> None:
    record = parse(
        extras=[{"key": "contact-name", "value": "Parks team"}, {"key": "area", "value": 7}],
        log_message="Update",
        state="Active",
        type="Dataset",
        creator_user_id="1",
        nid="9",
    )
    assert record.contact == Agent(name="Parks team")
    assert record.extras == {"area": "7"}


def test_entries_of_dkan_2_are_read_as_data_json() -> None:
    record = parse_entry(
        keyword=["play"],
        distribution=[{"downloadURL": "https://data.example/a.csv", "mediaType": "text/csv"}],
        **{"%modified": "2025-01-01T00:00:00+0000"},
    )
    assert record.tags == ("play",)
    assert record.resources[0].url == "https://data.example/a.csv"
    assert "%modified" not in record.extras


def test_references_of_the_metastore_are_followed() -> None:
    record = parse_entry(
        publisher={"identifier": "p1", "data": {"@type": "org:Organization", "name": "Parks"}},
        keyword=[{"identifier": "k1", "data": "play"}],
        distribution=[
            {
                "identifier": "d1",
                "data": {
                    "downloadURL": "https://data.example/a.csv",
                    "%Ref:downloadURL": [{"identifier": "f1", "data": {"checksum": None}}],
                },
            }
        ],
    )
    assert record.publisher == Agent(name="Parks")
    assert record.tags == ("play",)
    assert record.resources[0].id == "d1"


def test_entries_that_are_not_public_are_skipped() -> None:
    with pytest.raises(SkipRecord):
        parse_entry(accessLevel="non-public")


@pytest.mark.parametrize("content", ["", "[]", "null", "{}", '{"resources": []}', '{"id": "a"}'])
def test_dkan_dataset_without_title_is_refused(content: str) -> None:
    with pytest.raises(ParseError):
        dkan.parse(RawRecord("a", content), {})


def test_odd_shapes_are_survived() -> None:
    odd: list[Any] = [None, 5, "text", [], [None], [[]], {}, {"a": [1]}, True]
    keys = ("tags", "groups", "resources", "extras", "notes", "url", "name", "metadata_modified")
    for key in keys:
        for value in odd:
            assert parse(**{key: value}).title == "Play areas"
    fields = ("field_spatial", "field_temporal_coverage", "field_topic", "field_additional_info")
    for key in (*fields, "field_frequency", "field_contact_name", "field_granularity"):
        for value in odd:
            assert parse(dkan_additional_fields={key: value}).title == "Play areas"


def test_both_generations_name_a_dataset_alike() -> None:
    assert dkan.identifier({"id": UUID, "title": "A", "resources": []}) == UUID
    assert dkan.identifier({"identifier": UUID, "title": "A"}) == UUID
    assert dkan.identifier({"title": "A", "resources": []}) == ""


def test_guids_of_earlier_dkan_harvesters_are_known() -> None:
    data = {"id": UUID, "title": "A", "name": "play-areas", "resources": [], "nid": 9}
    assert dkan.old_guids(RawRecord(UUID, json.dumps(data))) == ("play-areas", "9")
    assert dkan.old_guids(RawRecord(UUID, "no json")) == ()
    assert dkan.old_guids(RawRecord(UUID, None)) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mar, 10/12/2019 - 09:23", "2019-12-10T09:23"),
        ("Date changed  jeu, 19/12/2019 - 03:00", "2019-12-19T03:00"),
        ("Thu, 01/09/2016 - 01:31", "2016-09-01T01:31"),
        ("10/12/2019", "2019-12-10"),
        ("2019-09-30 22:00:00", "2019-09-30 22:00:00"),
        ("Date changed  2019-09-30T22:00:00Z", "2019-09-30T22:00:00Z"),
        ("31/31/2019", "31/31/2019"),
        ("1 September 2016", "1 September 2016"),
    ],
)
def test_printed_dates(text: str, expected: str) -> None:
    assert iso(text, month_first=is_month_first([text])) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Thu, 09/01/2016 - 01:31"], True),
        (["Thu, 01/09/2016 - 01:31"], False),
        (["Iau, 09/01/2016"], True),
        (["Donnerstag, 09/01/2016"], True),
        (["09/01/2016", "06/22/2016"], True),
        (["09/01/2016", "22/06/2016"], False),
        (["09/01/2016", "09/09/2016", ""], False),
        (["Never, 09/01/2016"], False),
    ],
)
def test_the_order_of_day_and_month_is_found(texts: list[str], expected: bool) -> None:
    assert is_month_first(texts) is expected


def test_an_author_s_own_field_fills_one_that_dkan_leaves_empty() -> None:
    pairs = [{"first": "granularity", "second": "Ward"}, {"first": "themes", "second": "Leisure"}]
    more = {"field_granularity": "", "field_additional_info": pairs}
    record = parse(dkan_additional_fields=more)
    assert record.extras["granularity"] == "Ward"
    assert record.themes == ("Leisure",)


def test_fields_of_local_government_in_what_publishers_type() -> None:
    pairs = {"LA Service": "579", "Mandate": "www.legislation.gov.uk/ukpga/1936/49"}
    more = [{"first": key, "second": value} for key, value in pairs.items()]
    record = parse(dkan_additional_fields={"field_additional_info": more})
    assert record.extras["la_service"] == "http://id.esd.org.uk/service/579"
    assert record.extras["mandate"] == '["https://www.legislation.gov.uk/ukpga/1936/49"]'
    entry = parse_entry(theme=["http://id.esd.org.uk/service/579"])
    assert entry.extras["la_service"] == "http://id.esd.org.uk/service/579"


@pytest.mark.parametrize(("level", "is_left_out"), [("public", False), ("non-public", True)])
def test_package_that_is_not_public_is_skipped_unless_an_option_says_so(
    level: str, is_left_out: bool
) -> None:
    node = {"field_public_access_level": level}
    package = {"id": "p1", "title": "Parks", "notes": "x", "dkan_additional_fields": node}
    raw = RawRecord("p1", json.dumps(package))
    assert dkan.is_left_out(package, {}) is is_left_out
    if is_left_out:
        with pytest.raises(SkipRecord, match="include_non_public"):
            dkan.parse(raw, {})
    assert dkan.parse(raw, {"include_non_public": True}).title == "Parks"
