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
WMS = "/ows?service=WMS&request=GetCapabilities"
MAP = "OGC:WMS-1.3.0-http-get-map"


# What it is → the link's path, what is said of it, and its format and kind.
LINKS = {
    "query": (WMS, {}, "WMS service"),
    "name-first": (WMS, {"name": "Rivers - WFS"}, "WFS service"),
    "query-before-page": (WMS, {"protocol": "WWW:LINK"}, "WMS service"),
    "query-before-protocol": (WMS, {"protocol": "OGC:WFS"}, "WMS service"),
    "information": (WMS, {"function": "information"}, "WMS service"),
    "protocol": ("/wms?format=image/png", {"protocol": MAP}, "WMS service"),
    "layer": ("/wms?", {"protocol": MAP, "name": "gml:rivers"}, "WMS service"),
    "path": ("/a/wms", {}, "WMS service"),
    "extension": ("/a.pdf", {"protocol": "WWW:LINK"}, "PDF data"),
    "report": ("/a.pdf", {"function": "information"}, "PDF documentation"),
    "file-name": ("/7", {"protocol": "WWW:DOWNLOAD-URL", "name": "a.csv"}, "CSV data"),
    "file-name-of-what": ("/7", {"name": "a.csv"}, "data"),
    "mime-file-type": ("/7", {"name": MIME_TYPE}, "JP2 data"),
    "media-type": ("/7", {"protocol": "image/jp2"}, "JP2 data"),
    "profile": ("/7", {"applicationProfile": "application/pdf"}, "PDF data"),
    "profile-service": ("/x.cgi?", {"applicationProfile": "WFS-URL"}, "WFS service"),
    "archive": ("/a.zip", {"name": "Rivers (zip)"}, "ZIP data"),
    "in-archive": ("/a.shp.zip", {"name": "Rivers (ZIP)"}, "SHP data"),
    "which-api": ("/a/MapServer", {"name": "API", "protocol": "ESRI:ArcGIS"}, "Esri REST service"),
    "arcims": ("/x", {"protocol": "ESRI:AIMS--http--configuration"}, "service"),
    "page": ("/x", {"protocol": "WWW:LINK-1.0-http--link"}, "HTML documentation"),
    "page-for-download": ("/x", {"protocol": "WWW:LINK", "function": "download"}, "data"),
    "home-page": ("", {}, "HTML documentation"),
    "about": ("/about", {"function": "information"}, "HTML documentation"),
    "order": ("/shop.aspx?id=7", {"function": "order"}, "HTML data"),
    "no-page": ("/geoserver/ows?", {"function": "information"}, "documentation"),
    "function-alone": ("/7", {"function": "download"}, "data"),
    "https": ("/7", {"protocol": "https"}, "data"),
    "ftp": ("ftp://example.org/", {}, "data"),
    "endpoint": ("/x", {"description": anchor("Endpoint", ENDPOINT)}, "service"),
    "file-of-a-service": (
        "/x?service=WFS&request=GetFeature&outputFormat=csv",
        {"protocol": "OGC:WFS"},
        "CSV data",
    ),
    "catalogue": ("/srv/eng/catalog.search#/metadata/7", {}, "HTML documentation"),
    "record-as-xml": ("/records/7/formatters/xml", {}, "XML documentation"),
    "csw-record": ("/csw?SERVICE=CSW&REQUEST=GetRecordById&id=7", {}, "XML documentation"),
    "own-record": (f"/metadata?uuid={GUID}", {}, "documentation"),
    "own-record-by-path": (f"/api/records/{GUID}/", {}, "documentation"),
    "own-record-in-capitals": (f"/geonetwork/srv?id={GUID.upper()}&tab=1", {}, "documentation"),
    "another-record": ("/record/00112233-4455-6677-8899-aabbccddeeff#top", {}, "documentation"),
    "attachment": (f"/records/{GUID}/attachments/a.csv", {}, "CSV data"),
    "file-by-guid": (f"/metadata/{GUID}", {"function": "download"}, "data"),
    "map-by-guid": (f"/geonetwork/{GUID}", {"protocol": "OGC:WMS"}, "WMS service"),
    "named": (f"/metadata/{GUID}", {"name": "Record (XML)"}, "XML documentation"),
    "page-of-an-archive": ("/a.html", {"name": "Rivers (ZIP)"}, "ZIP data"),
    "download-by-guid": (f"/download?metadata={GUID}", {}, "data"),
    "metadata": ("/7", {"function": "completeMetadata"}, "documentation"),
}


@pytest.mark.parametrize(("path", "said", "expected"), LINKS.values(), ids=LINKS)
def test_format_and_kind(path: str, said: dict[str, str], expected: str) -> None:
    found = resource_of_link(path if "://" in path else HOST + path, **said)
    assert f"{found.format} {found.kind}".strip() == expected


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
