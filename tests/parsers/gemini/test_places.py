"""Named places and heights of GEMINI records."""

from __future__ import annotations

import pytest

from tests.parsers.gemini.part import anchor, box, parsed, text


def _place(code: str) -> str:
    return (
        "<gmd:geographicElement><gmd:EX_GeographicDescription><gmd:geographicIdentifier>"
        f"<gmd:MD_Identifier><gmd:code>{code}</gmd:code></gmd:MD_Identifier>"
        "</gmd:geographicIdentifier></gmd:EX_GeographicDescription></gmd:geographicElement>"
    )


@pytest.mark.parametrize(
    ("places", "coverage", "address"),
    [
        ((text("ENG"),), "ENG", ""),
        ((text("ENG"), text("WLS"), text("ENG")), "ENG; WLS", ""),
        ((anchor("Kent", "https://example.org/kent"),), "Kent", "https://example.org/kent"),
        (
            (anchor("", "https://example.org/kent"),),
            "https://example.org/kent",
            "https://example.org/kent",
        ),
        ((text(""),), "", ""),
    ],
)
def test_places_by_name(places: tuple[str, ...], coverage: str, address: str) -> None:
    record = parsed(*map(_place, places))
    assert record.extras.get("spatial-coverage", "") == coverage
    assert record.extras.get("spatial_uri", "") == address


def test_several_descriptions_are_the_words_for_the_place() -> None:
    extents = [f"<gmd:description>{text(words)}</gmd:description>" for words in ("Kent", "Essex")]
    assert parsed(*extents).spatial_text == "Kent; Essex"


def _heights(low: str, high: str, system: str = "") -> str:
    values = (("minimumValue", low), ("maximumValue", high))
    inside = "".join(
        f"<gmd:{name}>{value and f'<gco:Real>{value}</gco:Real>'}</gmd:{name}>"
        for name, value in values
    )
    return (
        f"<gmd:verticalElement><gmd:EX_VerticalExtent>{inside}{system}"
        "</gmd:EX_VerticalExtent></gmd:verticalElement>"
    )


ODN = (
    "<gmd:verticalCRS><gml:VerticalCRS><gml:identifier>urn:ogc:def:crs:EPSG::5701"
    "</gml:identifier><gml:name>ODN height</gml:name></gml:VerticalCRS></gmd:verticalCRS>"
)
LINKED = '<gmd:verticalCRS xlink:href="http://www.opengis.net/def/crs/EPSG/0/5701"/>'


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([("0.0", "1139.0", ODN)], "0.0 to 1139.0 (ODN height, urn:ogc:def:crs:EPSG::5701)"),
        ([("0", "5", LINKED)], "0 to 5 (http://www.opengis.net/def/crs/EPSG/0/5701)"),
        ([("-400", "300"), ("0", "10")], "-400 to 300; 0 to 10"),
        ([("", "10")], "? to 10"),
        ([("", "", '<gmd:verticalCRS gco:nilReason="missing"/>')], ""),
    ],
)
def test_heights(given: list[tuple[str, ...]], words: str) -> None:
    record = parsed(*(_heights(*each) for each in given))
    assert record.extras.get("vertical-extent", "") == words


def test_iso_19115_3_has_the_same_names() -> None:
    """Only the namespaces differ, and a height's system is below verticalCRSId."""
    heights = _heights(
        "1",
        "2",
        "<gmd:verticalCRSId><gmd:MD_ReferenceSystem><gmd:referenceSystemIdentifier>"
        f"<gmd:MD_Identifier><gmd:code>{text('EPSG:5701')}</gmd:code></gmd:MD_Identifier>"
        "</gmd:referenceSystemIdentifier></gmd:MD_ReferenceSystem></gmd:verticalCRSId>",
    )
    gex = "http://standards.iso.org/iso/19115/-3/gex/1.0"
    record = parsed(box(-3, 53, -2, 54) + heights, gmd=gex)
    assert (record.extras["bbox-west-long"], record.extras["bbox-north-lat"]) == ("-3", "54")
    assert record.extras["vertical-extent"] == "1 to 2 (EPSG:5701)"
