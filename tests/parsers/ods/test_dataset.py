"""A dataset's exports and files."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.records import Agent
from tests.parsers.ods.datasets import PAGE, codes, parse, parsed

EXPORTS = "https://data.example/api/explore/v2.1/catalog/datasets/parks/exports/"

FILE = "https://data.example/api/explore/v2.1/catalog/datasets/parks/attachments/plan_pdf"


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


def test_file_without_a_portal_is_reported_not_left_out() -> None:
    file = {"id": "plan_pdf", "title": "Plan", "url": "odsfile://plan.pdf"}
    record = parse({}, url="", has_records=False, attachments=[file])
    assert record.resources == ()
    assert codes(record) == [("missing-url", "attachments[0].url")]
    assert "odsfile://plan.pdf" in record.problems[0].message
