"""Records of Dublin Core: dates, links, places, people and terms as repositories write them."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import DatasetRecord, Period, RawRecord
from ckanext.ukharvest.core.values.geometries import bounds
from ckanext.ukharvest.parsers import oai_dc as oai_dc

_RECORD = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/"'
    ' xmlns:ows="http://www.opengis.net/ows">{}</oai_dc:dc>'
)
TITLE = "<dc:title>Moths</dc:title>"


def parse(inside: str, **more: Any) -> DatasetRecord:
    return oai_dc.parse(RawRecord("oai:a:1", _RECORD.format(TITLE + inside), **more), {})


def codes(record: DatasetRecord) -> set[str]:
    return {each.code for each in record.problems} - {"missing-field"}


@pytest.mark.parametrize("inside", ["", "<dc:title/>", "<dc:title> </dc:title>"])
def test_without_a_title_it_is_refused(inside: str) -> None:
    with pytest.raises(ParseError, match="this record has no title; expected dc:title"):
        oai_dc.parse(RawRecord("a", _RECORD.format(inside)), {})


def test_missing_dublin_core_fields_are_reported() -> None:
    fields = [each.field for each in parse("").problems]
    assert fields == ["dc:description", "dc:publisher", "dc:rights"]


@pytest.mark.parametrize(
    ("inside", "issued", "modified"),
    [
        ("<dc:date>2024-02-01T12:00:00Z</dc:date><dc:date>2023</dc:date>", "2023", ""),
        ("<dc:date>2024</dc:date><dct:issued>2022-01-01</dct:issued>", "2022-01-01", ""),
        ("<dct:modified>2025-11-20</dct:modified>", "", "2025-11-20"),
        ("<dc:date/>", "", ""),
    ],
)
def test_the_first_of_several_dates_is_that_of_publication(
    inside: str, issued: str, modified: str
) -> None:
    record = parse(inside, modified="2026-01-01T00:00:00Z")
    assert (record.issued, record.modified) == (issued, modified)
    assert record.metadata_modified == "2026-01-01T00:00:00Z"
    assert codes(record) == set()


def test_further_dates_and_titles_are_kept() -> None:
    dates = (
        "<dct:issued>2022</dct:issued><dct:available>2023</dct:available><dc:date>2020</dc:date>"
    )
    accepted = "<dct:dateAccepted>2021</dct:dateAccepted>"
    record = parse(f"{dates}{accepted}<dct:alternative>Night moths</dct:alternative>")
    assert record.issued == "2022"
    expected = {"available": "2023", "date": "2020", "date_accepted": "2021"}
    assert {key: record.extras[key] for key in expected} == expected
    assert record.extras["alternative"] == "Night moths"


def test_a_date_that_is_none_is_reported() -> None:
    record = parse("<dc:date>circa 1900</dc:date>", modified="yesterday")
    assert (record.issued, record.metadata_modified, codes(record)) == ("", "", {"bad-date"})


@pytest.mark.parametrize(
    ("text", "url", "label", "kind"),
    [
        ("https://a.example/x.csv", "https://a.example/x.csv", "CSV", "data"),
        ("https://a.example/item/1", "https://a.example/item/1", "HTML", "documentation"),
        ("doi:10.5072/x.1", "https://doi.org/10.5072/x.1", "HTML", "documentation"),
        ("10.5072/x.1", "https://doi.org/10.5072/x.1", "HTML", "documentation"),
        ("hdl:1765/308", "https://hdl.handle.net/1765/308", "HTML", "documentation"),
    ],
)
def test_an_identifier_that_leads_somewhere_is_a_link(
    text: str, url: str, label: str, kind: str
) -> None:
    record = parse(f"<dc:identifier>{text}</dc:identifier>")
    (resource,) = record.resources
    assert (resource.url, resource.format, resource.kind) == (url, label, kind)
    assert record.url == (url if kind == "documentation" else "")
    assert record.extras["identifier"] == text


@pytest.mark.parametrize("text", ["ISBN 1", "javascript:alert(1)", "urn:uuid:1", "hdl:x", ""])
def test_another_identifier_is_none(text: str) -> None:
    record = parse(f"<dc:identifier>{text}</dc:identifier>")
    assert record.resources == ()
    assert record.extras.get("identifier", "") == text


def test_references_are_files_and_services() -> None:
    record = parse(
        '<dct:references scheme="OGC:WMS">https://a.example/map</dct:references>'
        "<dct:references>no link</dct:references>"
    )
    (resource,) = record.resources
    assert (resource.format, resource.kind) == ("WMS", "service")
    assert codes(record) == {"bad-url"}


BOX = "name=Wexmoor; northlimit=53.2; eastlimit=-1.9; southlimit=53.1; westlimit=-2.1"


def test_box_of_wgs_84_has_the_longitude_first() -> None:
    spatial = parse(
        "<ows:WGS84BoundingBox><ows:LowerCorner>-2.1 53.1</ows:LowerCorner>"
        "<ows:UpperCorner>-1.9 53.2</ows:UpperCorner></ows:WGS84BoundingBox>"
    ).spatial
    assert bounds(dict(spatial or {})) == (-2.1, 53.1, -1.9, 53.2)


@pytest.mark.parametrize("box", [BOX.replace("53.2", "north"), BOX.replace("53.2", "253.2")])
def test_a_box_that_is_none_is_reported(box: str) -> None:
    record = parse(f"<dc:coverage>{box}</dc:coverage>")
    assert (record.spatial, codes(record)) == (None, {"bad-spatial"})


@pytest.mark.parametrize(
    ("text", "period", "place"),
    [
        ("Wexmoor", None, "Wexmoor"),
        ("2019/2023", Period("2019", "2023"), ""),
        ("start=2019-01-01; end=2023-12-31;", Period("2019-01-01", "2023-12-31"), ""),
        ("start=2019-01-01", Period("2019-01-01", ""), ""),
    ],
)
def test_coverage_is_a_time_or_a_place(text: str, period: Period | None, place: str) -> None:
    record = parse(f"<dc:coverage>{text}</dc:coverage>")
    assert (record.temporal, record.spatial_text) == (period, place)


@pytest.mark.parametrize(
    ("texts", "licence", "found"),
    [
        (("info:eu-repo/semantics/openAccess", "CC-BY-4.0"), "cc-by", set()),
        (("Free for all", "https://creativecommons.org/licenses/by/4.0/"), "cc-by", set()),
        (("Free for all",), "", {"unknown-licence"}),
    ],
)
def test_licence_is_found_in_any_rights_statement(
    texts: tuple[str, ...], licence: str, found: set[str]
) -> None:
    record = parse("".join(f"<dc:rights>{each}</dc:rights>" for each in texts))
    assert record.licence is not None
    assert (record.licence.id, codes(record)) == (licence, found)


def test_people_with_pages_and_subjects_with_uris() -> None:
    record = parse(
        "<dc:creator>A</dc:creator><dc:creator>B</dc:creator>"
        "<dc:publisher>https://a.example/us</dc:publisher><dc:publisher>Us</dc:publisher>"
        "<dc:subject>peat; moths</dc:subject><dc:subject>https://a.example/t</dc:subject>"
    )
    assert record.author is not None
    assert record.publisher is not None
    assert record.author.name == "A; B"
    assert (record.publisher.name, record.publisher.url) == ("Us", "https://a.example/us")
    assert (record.tags, record.themes) == (("peat", "moths"), ("https://a.example/t",))
