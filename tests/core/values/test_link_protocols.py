"""Protocols of ISO 19139 links as publishers write them."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values.formats import all_formats
from ckanext.ukharvest.core.values.link_protocols import KNOWN, SERVICES, of_protocol

OGC = "http://www.opengis.net/def/"


@pytest.mark.parametrize(
    ("text", "kind", "label"),
    [
        ("OGC:WMS-1.3.0-http-get-capabilities", "service", "WMS"),
        ("OGC:WMS-1.1.1-http-get-capabilities", "service", "WMS"),
        ("OGC:WMS-http-get-capabilities", "service", "WMS"),
        ("OGC:WMS-1.3.0-http-get-map", "service", "WMS"),
        ("OGC:WMS-1.1.1-http-get-map", "service", "WMS"),
        ("OGC:WMS", "service", "WMS"),
        ("OGC Web Map Service", "service", "WMS"),
        ("OGC Web Feature Service", "service", "WFS"),
        ("OGC:WFS", "service", "WFS"),
        ("OGC:WFS-1.0.0-http-get-capabilities", "service", "WFS"),
        ("OGC:WFS-1.1.0-http-get-feature", "service", "WFS"),
        ("OGC:WFS-2.0.0-http-get-capabilities", "service", "WFS"),
        ("OGC:WFS-G", "service", "WFS"),
        ("OGC:WMTS", "service", "WMTS"),
        ("OGC:WMTS-1.0.0-http-get-capabilities", "service", "WMTS"),
        ("OGC:WMTS-http-get-capabilities", "service", "WMTS"),
        ("OGC:WCS", "service", "WCS"),
        ("OGC:WCS-1.1.0-http-get-capabilities", "service", "WCS"),
        ("OGC:CSW", "service", "CSW"),
        ("OGC:SOS-1.0.0-http-get-observation", "service", "SOS"),
        ("OGC:WPS", "service", "WPS"),
        ("OGC:WMC-1.1.0-http-get-capabilities", "file", "WMC"),
        ("OGC:KML", "file", "KML"),
        ("OGC:GML", "file", "GML"),
        ("GLG:KML-2.0-http-get-map", "file", "KML"),
        ("TMS", "service", "TMS"),
        ("OGC API - Features", "service", "OGC API Features"),
        ("OGC API Features", "service", "OGC API Features"),
        ("OGC:API-Features", "service", "OGC API Features"),
        (OGC + "interface/ogcapi-features", "service", "OGC API Features"),
        ("INSPIRE Atom", "service", "Atom Feed"),
        ("ATOM", "service", "Atom Feed"),
        ("atom:feed", "service", "Atom Feed"),
        ("ESRI:REST", "service", "Esri REST"),
        ("ESRI:ArcGIS", "service", "Esri REST"),
        ("ESRI:AIMS--http--configuration", "service", ""),
        ("WWW:DOWNLOAD-1.0-http--download", "file", ""),
        ("WWW:DOWNLOAD-1.0-http-download", "file", ""),
        ("WWW:DOWNLOAD-URL", "file", ""),
        ("WWW:DOWNLOAD-1.0-ftp--download", "file", ""),
        ("enclosure", "file", ""),
        ("WWW:DOWNLOAD-OGC:WFS", "file", "WFS"),
        ("WWW:LINK-1.0-http--link", "page", "HTML"),
        ("WWW:LINK-1.0-http--related", "page", "HTML"),
        ("WWW:LINK-1.0-http--partners", "page", "HTML"),
        ("WWW:LINK", "page", "HTML"),
        ("text/html", "page", "HTML"),
        ("OPENDATA:SWISS", "page", "HTML"),
        ("CHTOPO:specialised-geoportal", "page", "HTML"),
        ("WWW:LINK-1.0-http--opendap", "service", "OPeNDAP"),
        ("WWW:OPENDAP", "service", "OPeNDAP"),
        ("WWW:LINK-1.0-http--rss", "file", "RSS"),
        ("http", "", ""),
        ("https", "", ""),
        ("HTTP", "", ""),
        ("image/jp2", "format", "JP2"),
        ("application/pdf", "format", "PDF"),
        ("CSV", "format", "CSV"),
        ("test-protocol", "", ""),
        ("", "", ""),
        ("application/x-unheard-of", "", ""),
        ("atomic clock", "", ""),
    ],
)
def test_a_protocol_gives_kind_and_label(text: str, kind: str, label: str) -> None:
    assert of_protocol(text) == (kind, label)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ogc:wms-1.3.0-HTTP-get-map", id="case"),
        pytest.param("OGC:WMS-1.3.0-http-get-\n    map", id="line-break"),
        pytest.param("OGC:WMS - 1.3.0 - http - get - map", id="blanks"),
        pytest.param("OGC:WMS--1.3.0--http--get--map", id="hyphens"),
        pytest.param("OGC:WMS 1.3.0", id="version"),
        pytest.param("OGC:WMS1.3.0", id="glued-version"),
        pytest.param("OGC-WMS", id="hyphen-for-colon"),
    ],
)
def test_spelling_of_a_protocol_does_not_matter(text: str) -> None:
    assert of_protocol(text).label == "WMS"


@pytest.mark.parametrize(
    ("text", "href", "label"),
    [
        pytest.param("Dienst", OGC + "serviceType/ogc/wms", "WMS", id="service-type"),
        pytest.param("Dienst", OGC + "serviceType/ogc/wfs/2.0.0", "WFS", id="version"),
        pytest.param("", "https://tools.ietf.org/html/rfc4287", "Atom Feed", id="rfc"),
        pytest.param("OGC:WFS", OGC + "serviceType/ogc/wms", "WFS", id="words-first"),
        pytest.param("Dienst", "#", "", id="no-address"),
        pytest.param("Dienst", "https://example.org/", "", id="other-address"),
    ],
)
def test_the_href_of_an_anchor_gives_the_protocol(text: str, href: str, label: str) -> None:
    assert of_protocol(text, href).label == label


def test_labels_of_protocols_are_known_formats() -> None:
    labels = {entry.label for entry in all_formats()}
    assert {said.label for _, said in KNOWN} - labels == {""}
    assert {"WMS", "WFS", "OGC API Features", "Atom Feed"} <= SERVICES
    assert not {"HTML", "KML", "RSS"} & SERVICES


@pytest.mark.parametrize("text", ["OGC:" * 100_000, "-" * 100_000, "1." * 100_000])
def test_long_texts_take_no_time(text: str) -> None:
    assert of_protocol(text) == ("", "")
