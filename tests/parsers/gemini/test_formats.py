"""Formats and kinds of the links of a GEMINI record."""

from __future__ import annotations

import pytest

from tests.parsers.gemini.elements_distribution import (
    GUID,
    HOST,
    data_format,
    link,
    parsed,
    resource_of_link,
    transfer,
)
from tests.parsers.gemini.part import anchor, text

ENDPOINT = "http://inspire.ec.europa.eu/metadata-codelist/OnLineDescriptionCode/endPoint"
MIME_TYPE = '<gmx:MimeFileType type="image/jp2">rivers</gmx:MimeFileType>'
WMS = f"{HOST}/ows?service=WMS&request=GetCapabilities"
MAP = "OGC:WMS-1.3.0-http-get-map"


@pytest.mark.parametrize(
    ("url", "said", "expected"),
    [
        pytest.param(WMS, {}, ("WMS", "service"), id="query"),
        pytest.param(WMS, {"name": "Rivers - WFS"}, ("WFS", "service"), id="name-first"),
        pytest.param(WMS, {"protocol": "WWW:LINK"}, ("WMS", "service"), id="query-before-page"),
        pytest.param(WMS, {"protocol": "OGC:WFS"}, ("WMS", "service"), id="query-before-protocol"),
        pytest.param(WMS, {"function": "information"}, ("WMS", "service"), id="information"),
        pytest.param(
            f"{HOST}/wms?format=image/png", {"protocol": MAP}, ("WMS", "service"), id="protocol"
        ),
        pytest.param(
            f"{HOST}/wms?", {"protocol": MAP, "name": "gml:rivers"}, ("WMS", "service"), id="layer"
        ),
        pytest.param(f"{HOST}/a/wms", {}, ("WMS", "service"), id="path"),
        pytest.param(f"{HOST}/a.pdf", {"protocol": "WWW:LINK"}, ("PDF", "data"), id="extension"),
        pytest.param(
            f"{HOST}/a.pdf", {"function": "information"}, ("PDF", "documentation"), id="report"
        ),
        pytest.param(
            f"{HOST}/7",
            {"protocol": "WWW:DOWNLOAD-URL", "name": "a.csv"},
            ("CSV", "data"),
            id="file-name",
        ),
        pytest.param(f"{HOST}/7", {"name": "a.csv"}, ("", "data"), id="file-name-of-what"),
        pytest.param(f"{HOST}/7", {"name": MIME_TYPE}, ("JP2", "data"), id="mime-file-type"),
        pytest.param(f"{HOST}/7", {"protocol": "image/jp2"}, ("JP2", "data"), id="media-type"),
        pytest.param(
            f"{HOST}/7", {"applicationProfile": "application/pdf"}, ("PDF", "data"), id="profile"
        ),
        pytest.param(
            f"{HOST}/x.cgi?",
            {"applicationProfile": "WFS-URL"},
            ("WFS", "service"),
            id="profile-service",
        ),
        pytest.param(f"{HOST}/a.zip", {"name": "Rivers (zip)"}, ("ZIP", "data"), id="archive"),
        pytest.param(
            f"{HOST}/a.shp.zip", {"name": "Rivers (ZIP)"}, ("SHP", "data"), id="in-archive"
        ),
        pytest.param(
            f"{HOST}/a/MapServer",
            {"name": "API", "protocol": "ESRI:ArcGIS"},
            ("Esri REST", "service"),
            id="which-api",
        ),
        pytest.param(
            f"{HOST}/x",
            {"protocol": "ESRI:AIMS--http--configuration"},
            ("", "service"),
            id="arcims",
        ),
        pytest.param(
            f"{HOST}/x",
            {"protocol": "WWW:LINK-1.0-http--link"},
            ("HTML", "documentation"),
            id="page",
        ),
        pytest.param(
            f"{HOST}/x",
            {"protocol": "WWW:LINK", "function": "download"},
            ("", "data"),
            id="page-for-download",
        ),
        pytest.param(HOST, {}, ("HTML", "documentation"), id="home-page"),
        pytest.param(
            f"{HOST}/about", {"function": "information"}, ("HTML", "documentation"), id="about"
        ),
        pytest.param(f"{HOST}/shop.aspx?id=7", {"function": "order"}, ("HTML", "data"), id="order"),
        pytest.param(
            f"{HOST}/geoserver/ows?",
            {"function": "information"},
            ("", "documentation"),
            id="no-page",
        ),
        pytest.param(f"{HOST}/7", {"function": "download"}, ("", "data"), id="function-alone"),
        pytest.param(f"{HOST}/7", {"protocol": "https"}, ("", "data"), id="https"),
        pytest.param("ftp://example.org/", {}, ("", "data"), id="ftp"),
        pytest.param(
            f"{HOST}/x",
            {"description": anchor("Endpoint", ENDPOINT)},
            ("", "service"),
            id="endpoint",
        ),
        pytest.param(
            f"{HOST}/x?service=WFS&request=GetFeature&outputFormat=csv",
            {"protocol": "OGC:WFS"},
            ("CSV", "data"),
            id="file-of-a-service",
        ),
        pytest.param(
            f"{HOST}/srv/eng/catalog.search#/metadata/7",
            {},
            ("HTML", "documentation"),
            id="catalogue",
        ),
        pytest.param(
            f"{HOST}/records/7/formatters/xml", {}, ("XML", "documentation"), id="record-as-xml"
        ),
        pytest.param(
            f"{HOST}/csw?SERVICE=CSW&REQUEST=GetRecordById&id=7",
            {},
            ("XML", "documentation"),
            id="csw-record",
        ),
        pytest.param(f"{HOST}/metadata?uuid={GUID}", {}, ("", "documentation"), id="own-record"),
        pytest.param(
            f"{HOST}/api/records/{GUID}/", {}, ("", "documentation"), id="own-record-by-path"
        ),
        pytest.param(
            f"{HOST}/geonetwork/srv?id={GUID.upper()}&tab=1",
            {},
            ("", "documentation"),
            id="own-record-in-capitals",
        ),
        pytest.param(
            f"{HOST}/record/00112233-4455-6677-8899-aabbccddeeff#top",
            {},
            ("", "documentation"),
            id="another-record",
        ),
        pytest.param(
            f"{HOST}/records/{GUID}/attachments/a.csv", {}, ("CSV", "data"), id="attachment"
        ),
        pytest.param(
            f"{HOST}/metadata/{GUID}", {"function": "download"}, ("", "data"), id="file-by-guid"
        ),
        pytest.param(
            f"{HOST}/geonetwork/{GUID}",
            {"protocol": "OGC:WMS"},
            ("WMS", "service"),
            id="map-by-guid",
        ),
        pytest.param(
            f"{HOST}/metadata/{GUID}",
            {"name": "Record (XML)"},
            ("XML", "documentation"),
            id="named",
        ),
        pytest.param(
            f"{HOST}/a.html", {"name": "Rivers (ZIP)"}, ("ZIP", "data"), id="page-of-an-archive"
        ),
        pytest.param(f"{HOST}/download?metadata={GUID}", {}, ("", "data"), id="download-by-guid"),
        pytest.param(
            f"{HOST}/7", {"function": "completeMetadata"}, ("", "documentation"), id="metadata"
        ),
    ],
)
def test_format_and_kind(url: str, said: dict[str, str], expected: tuple[str, str]) -> None:
    found = resource_of_link(url, **said)
    assert (found.format, found.kind) == expected


def test_the_only_data_format_is_that_of_the_only_download() -> None:
    file = link(f"{HOST}/7", "download")
    archive = link(f"{HOST}/7.zip", protocol="WWW:DOWNLOAD-1.0-http--download")
    page = link(f"{HOST}/about", "information")
    shapefile = data_format("ESRI Shapefile")
    assert _formats(shapefile, transfer(page, file)) == ["HTML", "SHP"]
    assert _formats(shapefile, transfer(archive)) == ["SHP"]
    assert _formats(shapefile, transfer(link(f"{HOST}/7.csv", "download"))) == ["CSV"]
    assert _formats(shapefile, transfer(link(f"{HOST}/7"))) == [""]
    assert _formats(shapefile, transfer(file, archive)) == ["", "ZIP"]
    assert _formats(shapefile, data_format("GML"), transfer(file)) == [""]
    assert _formats(data_format("Various"), transfer(file)) == [""]


def test_a_services_record_may_name_its_service() -> None:
    endpoint, page = link(f"{HOST}/ows?"), link(f"{HOST}/about", "information")
    named = "<srv:serviceType><gco:LocalName>OGC:WMS</gco:LocalName></srv:serviceType>"
    version = f"<srv:serviceTypeVersion>{text('OGC:WFS 2.0.0')}</srv:serviceTypeVersion>"
    view = named.replace("OGC:WMS", "view")
    assert _formats(transfer(page, endpoint), service=named) == ["HTML", "WMS"]
    assert _formats(transfer(endpoint), service=view + version) == ["WFS"]
    assert _formats(transfer(endpoint), service=view) == [""]
    assert _formats(transfer(endpoint, link(f"{HOST}/x")), service=named) == ["", ""]
    assert _formats(transfer(endpoint, link(f"{HOST}/wms")), service=named) == ["", "WMS"]


def _formats(*parts: str, service: str = "") -> list[str]:
    return [each.format for each in parsed(*parts, service=service).resources]


@pytest.mark.parametrize("unit", ["metadata/", f"{GUID}/", "records/", "/x."])
def test_long_addresses_take_no_time(unit: str) -> None:
    resource_of_link(f"{HOST}/" + unit * 20_000, "information")
