"""Entries of Atom and features of GeoJSON, field by field; whole records are in tests/sources."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers.opensearch import parser
from tests.parsers.opensearch.entries import TITLED, atom, codes, geojson


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<entry><title> </title></entry>", "this record has no title; expected atom:title"),
        ('{"properties": {"title": ""}}', "this record has no title; expected properties.title"),
        ("{}", "this record has no title; expected properties.title"),
        ("<feed/>", "its root element is <feed>; expected <entry> of Atom"),
        ("[]", "is not an object"),
        ("", "is not JSON"),
    ],
)
def test_a_record_without_title_or_of_another_kind_fails(content: str, words: str) -> None:
    with pytest.raises(ParseError, match=words):
        parser.parse(RawRecord("a", content), {})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('<summary type="html">&lt;p&gt;All &amp;amp; more&lt;/p&gt;</summary>', "All & more"),
        ('<content type="xhtml"><div><p>One</p></div></content>', "One"),
        ('<content type="application/xml"><a>One</a></content>', ""),
        ('<content src="https://a.example/x" type="text/csv"/>', ""),
        ("<dc:description>Two</dc:description>", "Two"),
        ("<summary>One</summary><content>Two</content>", "One"),
    ],
)
def test_the_description_is_a_text(given: str, expected: str) -> None:
    record = atom(f"<title>Rivers</title>{given}")
    assert record.notes == expected
    assert codes(record) == ([] if expected else ["missing-field"])


SQUARE = [[[-2.0, 53.0], [-1.0, 53.0], [-1.0, 54.0], [-2.0, 54.0], [-2.0, 53.0]]]
RING = "53 -2 53 -1 54 -1 54 -2 53 -2"


@pytest.mark.parametrize(
    ("given", "kind", "coordinates"),
    [
        ("<georss:box>53,-2,54,-1</georss:box>", "Polygon", SQUARE),
        ("<georss:point>53 -2</georss:point>", "Point", [-2.0, 53.0]),
        ("<georss:line>53 -2 54 -1</georss:line>", "LineString", [[-2.0, 53.0], [-1.0, 54.0]]),
        (
            f"<georss:where><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>{RING}"
            "</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></georss:where>",
            "Polygon",
            SQUARE,
        ),
        (
            '<georss:where><gml:Point srsName="urn:ogc:def:crs:OGC:1.3:CRS84"><gml:pos>-2 53'
            "</gml:pos></gml:Point></georss:where>",
            "Point",
            [-2.0, 53.0],
        ),
        (
            '<georss:where><gml:LineString srsDimension="3"><gml:posList>53 -2 9 54 -1 9'
            "</gml:posList></gml:LineString></georss:where>",
            "LineString",
            [[-2.0, 53.0], [-1.0, 54.0]],
        ),
        # The outline is better than the box around it.
        (
            "<georss:box>50 -5 55 0</georss:box><georss:polygon>" + RING + "</georss:polygon>",
            "Polygon",
            SQUARE,
        ),
    ],
)
def test_places_of_an_entry(given: str, kind: str, coordinates: Any) -> None:
    record = atom(TITLED + given)
    assert record.spatial == {"type": kind, "coordinates": coordinates}


@pytest.mark.parametrize(
    "given",
    [
        "<georss:polygon>53 -2 53</georss:polygon>",
        "<georss:polygon>53 -2 54 -1</georss:polygon>",
        "<georss:box>53 -2 54</georss:box>",
        "<georss:point>north west</georss:point>",
        "<georss:point>153 -200</georss:point><georss:box>north</georss:box>",
        "<georss:where><gml:Polygon/></georss:where>",
        "<georss:where><gml:Point/></georss:where>",
    ],
)
def test_a_place_that_is_none_is_reported(given: str) -> None:
    record = atom(TITLED + given)
    assert record.spatial is None
    assert "bad-spatial" in codes(record)


@pytest.mark.parametrize(
    ("date", "issued", "start", "end"),
    [
        ("2024-05-01T10:00:00Z/2024-05-02", "", "2024-05-01T10:00:00Z", "2024-05-02"),
        ("2024-05-01/", "", "2024-05-01", ""),
        ("2024-05-01", "2024-05-01", None, None),
    ],
)
def test_a_date_is_a_span_or_a_day(
    date: str, issued: str, start: str | None, end: str | None
) -> None:
    for record in (atom(f"{TITLED}<dc:date>{date}</dc:date>"), geojson(date=date)):
        assert record.issued == issued
        span = record.temporal
        assert (span and span.start, span and span.end) == (start, end)
        assert codes(record) == []


def test_wrong_dates_are_reported() -> None:
    dates = "<dc:date>2024/later</dc:date><published>soon</published>"
    assert codes(atom(TITLED + dates)) == ["bad-date", "bad-period"]
    assert codes(geojson(date="2024/later", published="soon")) == ["bad-date", "bad-period"]


def test_links_without_address_or_relation_are_told_or_read() -> None:
    url = "https://a.example/page"
    record = geojson(links=[url, "see below", {"title": "A"}, {"href": f"{url}/2"}])
    assert [file.url for file in record.resources] == [url, f"{url}/2"]
    assert codes(record) == ["wrong-type", "wrong-type", "missing-url"]


def test_keyword_of_a_feature_has_its_label() -> None:
    record = geojson(keywords=[{"prefLabel": "Fords"}, {"x": {"y": "z"}}])
    assert record.tags == ("Fords",)
    assert codes(record) == ["bad-tag"]


@pytest.mark.parametrize("odd", [None, 1, True, [], {}, "x", [[]], [{}], {"name": []}])
def test_odd_values_of_a_feature_do_not_fail(odd: Any) -> None:
    names = ("abstract", "keywords", "categories", "authors", "publisher", "date", "rights")
    names += ("links", "services", "acquisitionInformation", "productInformation", "lang")
    record = geojson({"geometry": odd, "bbox": odd, "links": odd}, **dict.fromkeys(names, odd))
    assert record.title == "Rivers"
