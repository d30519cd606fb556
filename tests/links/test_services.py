"""Services that say what they are."""

from __future__ import annotations

import pytest
from lxml import etree

from ckanext.ukharvest.core.link_states import Layer
from ckanext.ukharvest.links import services
from tests.links.support import (
    OWS_EXCEPTION,
    WMS_EXCEPTION,
    XML,
    look_at,
    ows_document,
    ows_operation,
    request_path,
    wms,
)
from tests.publisher import Publisher, Response


@pytest.mark.parametrize("path", ["/wms", "/maps?map=/a.map&SERVICE=WMS&Version=1.0"])
def test_wms_1_3_0(publisher: Publisher, path: str) -> None:
    kept = "/maps?map=/a.map" if "?" in path else path
    publisher.serve(request_path(kept, "WMS", "1.3.0"), wms(), headers=XML)
    found = look_at(publisher, path)
    assert (found.format, found.version, found.title) == ("WMS", "1.3.0", "Water & more")
    assert found.layers == (Layer("rivers", "Rivers"),)
    assert found.base_url == publisher.url(kept)
    assert found.media_type == "text/xml"
    assert found.is_lasting
    assert len(publisher.paths) == 1


def test_wms_1_1_1_with_its_doctype(publisher: Publisher) -> None:
    publisher.serve(request_path("/wms", "WMS", "1.3.0"), WMS_EXCEPTION, headers=XML)
    publisher.serve(request_path("/wms", "WMS", "1.1.1"), wms("1.1.1"), headers=XML)
    found = look_at(publisher, "/wms?service=WMS&request=GetCapabilities")
    assert (found.format, found.version) == ("WMS", "1.1.1")
    assert found.layers == (Layer("rivers", "Rivers"),)
    assert len(publisher.paths) == 2


def test_a_service_may_answer_in_an_older_version_than_asked(publisher: Publisher) -> None:
    publisher.serve(request_path("/wms", "WMS", "1.3.0"), wms("1.1.0"), headers=XML)
    assert look_at(publisher, "/wms").version == "1.1.0"
    assert len(publisher.paths) == 1


def test_sessions_and_the_parameters_of_a_map_are_left_out(publisher: Publisher) -> None:
    publisher.serve(request_path("/wms?KEY=7", "WMS", "1.3.0"), wms(), headers=XML)
    found = look_at(publisher, "/wms;jsessionid=AB12?Request=GetMap&KEY=7&LAYERS=a&styles=")
    assert found.base_url == publisher.url("/wms?KEY=7")


def test_metadata_say_which_service(publisher: Publisher) -> None:
    publisher.serve(request_path("/maps", "WMS", "1.3.0"), wms(), headers=XML)
    assert look_at(publisher, "/maps", expected="OGC:WMS").format == "WMS"
    assert len(publisher.paths) == 1


def test_metadata_name_the_wrong_service(publisher: Publisher) -> None:
    publisher.serve("/data.geojson", {"type": "FeatureCollection", "features": []})
    assert look_at(publisher, "/data.geojson", expected="WMS").format == "GeoJSON"
    assert len(publisher.paths) == 1


@pytest.mark.parametrize(
    "document",
    [
        "<WMS_Capabilities><Service><Title>{}</Title></Service></WMS_Capabilities>",
        "<ServiceExceptionReport>{}</ServiceExceptionReport>",
    ],
)
def test_a_text_of_many_pieces_takes_no_time(document: str) -> None:
    root = etree.fromstring(document.format(" <!-- -->" * 500_000 + "Rivers"))
    service = services.read_services(root)
    assert "Rivers" in (service.title if service else "", services.exception_text(root))


def test_at_most_500_layers(publisher: Publisher) -> None:
    publisher.serve(request_path("/wms", "WMS", "1.3.0"), wms(layers=600), headers=XML)
    assert len(look_at(publisher, "/wms").layers) == 500


def test_document_faults_lose_only_their_records(publisher: Publisher) -> None:
    broken = wms(layers=2).replace("Water &amp; more", "Water & more").rpartition("</Layer>")[0]
    publisher.serve(request_path("/wms", "WMS", "1.3.0"), broken, headers=XML)
    found = look_at(publisher, "/wms")
    assert found.version == "1.3.0"
    assert [layer.name for layer in found.layers] == ["rivers", "rivers1"]


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_a_byte_order_mark_of_another_encoding(publisher: Publisher, mark: bytes) -> None:
    document = b'<?xml version="1.0" encoding="ISO-8859-1"?>' + wms().partition("?>")[2].encode()
    publisher.serve(request_path("/wms", "WMS", "1.3.0"), mark + document, headers=XML)
    found = look_at(publisher, "/wms")
    assert (found.format, found.version) == ("WMS", "1.3.0")


def test_a_document_over_the_limit(publisher: Publisher) -> None:
    publisher.serve(request_path("/wms", "WMS", "1.3.0"), wms(layers=400), headers=XML)
    found = look_at(publisher, "/wms", max_bytes=8000)
    assert (found.format, found.version) == ("WMS", "1.3.0")
    assert 50 < len(found.layers) < 400


WFS_2 = (
    ows_operation("GetFeature", "")
    + "<FeatureTypeList><FeatureType><Name>w:rivers</Name><Title>Rivers</Title></FeatureType>"
    + "</FeatureTypeList>"
)
WFS_1_0 = """<WFS_Capabilities version="1.0.0" xmlns="http://www.opengis.net/wfs">
  <Service><Name>WFS</Name><Title>Water</Title></Service>
  <FeatureTypeList><FeatureType><Name>w:rivers</Name><Title>Rivers</Title></FeatureType>
  </FeatureTypeList></WFS_Capabilities>"""
WCS_1_0 = """<WCS_Capabilities version="1.0.0" xmlns="http://www.opengis.net/wcs">
  <Service><label>Water</label></Service><ContentMetadata><CoverageOfferingBrief>
  <name>w:rivers</name><label>Rivers</label></CoverageOfferingBrief></ContentMetadata>
  </WCS_Capabilities>"""


def _wcs(name: str) -> str:
    return (
        f"<Contents><CoverageSummary><ows:Title>Rivers</ows:Title><{name}>w:rivers</{name}>"
        "</CoverageSummary></Contents>"
    )


WMTS = (
    "<Contents><Layer><ows:Title>Rivers</ows:Title><ows:Identifier>w:rivers</ows:Identifier>"
    "</Layer></Contents>"
)


@pytest.mark.parametrize(
    ("service", "version", "root", "content", "requests"),
    [
        ("WFS", "2.0.0", "WFS_Capabilities wfs/2.0", WFS_2, 1),
        ("WFS", "1.1.0", "WFS_Capabilities wfs", WFS_2, 2),
        ("WFS", "1.0.0", "", WFS_1_0, 3),
        ("WCS", "2.0.1", "Capabilities wcs/2.0", _wcs("CoverageId"), 1),
        ("WCS", "1.1.1", "Capabilities wcs/1.1.1", _wcs("Identifier"), 2),
        ("WCS", "1.0.0", "", WCS_1_0, 3),
        ("WMTS", "1.0.0", "Capabilities wmts/1.0", WMTS, 1),
    ],
)
def test_other_services(
    publisher: Publisher, service: str, version: str, root: str, content: str, requests: int
) -> None:
    name, _, space = root.partition(" ")
    document = ows_document(name, f"http://www.opengis.net/{space}", version, content)
    document = document if root else content
    path = f"/x?service={service}"
    right = (
        path if version == "1.0.0" and service == "WFS" else request_path("/x", service, version)
    )
    for other in ("2.0.0", "1.1.0", "2.0.1", "1.1.1"):
        publisher.serve(request_path("/x", service, other), OWS_EXCEPTION, headers=XML, status=400)
    publisher.serve(right, document, headers=XML)
    found = look_at(publisher, path)
    assert (found.format, found.version, found.title) == (service, version, "Water")
    assert found.layers == (Layer("w:rivers", "Rivers"),)
    assert found.base_url == publisher.url("/x")
    assert len(publisher.paths) == requests


@pytest.mark.parametrize(
    ("service", "space", "version"),
    [
        ("CSW", "http://www.opengis.net/cat/csw/2.0.2", "2.0.2"),
        ("SOS", "http://www.opengis.net/sos/2.0", "2.0.0"),
    ],
)
def test_services_without_layers(
    publisher: Publisher, service: str, space: str, version: str
) -> None:
    document = ows_document("Capabilities", space, version, "")
    publisher.serve(request_path("/x", service, version), document, headers=XML)
    found = look_at(publisher, f"/x?service={service}")
    assert (found.format, found.version, found.layers) == (service, version, ())


def test_wmts_by_plain_addresses(publisher: Publisher) -> None:
    document = ows_document("Capabilities", "http://www.opengis.net/wmts/1.0", "1.0.0", "")
    publisher.serve("/t/wmts/1.0.0/WMTSCapabilities.xml", document, headers=XML)
    assert look_at(publisher, "/t/wmts").format == "WMTS"
    assert len(publisher.paths) == 2
    assert look_at(publisher, "/t/wmts/1.0.0/WMTSCapabilities.xml").format == "WMTS"
    assert len(publisher.paths) == 3


def test_an_atom_feed(publisher: Publisher) -> None:
    publisher.serve(
        "/download",
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>Water</title>'
        "<entry><id>https://a.example/rivers</id><title>Rivers</title></entry></feed>",
        headers={"Content-Type": "application/atom+xml"},
    )
    found = look_at(publisher, "/download", expected="INSPIRE Atom")
    assert (found.format, found.title, found.base_url) == ("Atom Feed", "Water", "")
    assert found.layers == (Layer("https://a.example/rivers", "Rivers"),)
    assert len(publisher.paths) == 1


# Services that do not say in their address which they are


@pytest.mark.parametrize(
    ("first", "requests"),
    [
        pytest.param(Response(OWS_EXCEPTION.encode(), 400), 3, id="exception report"),
        pytest.param(Response(WMS_EXCEPTION.encode()), 2, id="a WMS's exception report"),
        pytest.param(Response(b""), 2, id="nothing"),
        pytest.param(Response(b"<html><title>Bad request</title>", 400), 2, id="400"),
        pytest.param(Response(b"No query information to decode. QUERY_STRING is set"), 2, id="ms"),
    ],
)
def test_an_answer_that_looks_like_a_service(
    publisher: Publisher, first: Response, requests: int
) -> None:
    publisher.routes["/geo/ows?"] = publisher.routes["/geo/ows"] = first
    publisher.serve(request_path("/geo/ows", "WMS", "1.3.0"), wms(), headers=XML)
    assert look_at(publisher, "/geo/ows?").format == "WMS"
    assert len(publisher.paths) == requests


def test_no_answer_leads_to_a_barrage(publisher: Publisher) -> None:
    for path in (
        "/ows",
        *(request_path("/ows", s, v) for s, v in (("WMS", "1.3.0"), ("WFS", "2.0.0"))),
    ):
        publisher.serve(path, OWS_EXCEPTION, headers=XML)
    found = look_at(publisher, "/ows")
    assert found.format == ""
    assert "a service's error, “Could not determine the request" in found.why
    assert len(publisher.paths) == 5


@pytest.mark.parametrize("path", ["/data", "/index.html", "/page.php?id=7"])
def test_an_empty_answer_elsewhere_is_no_service(publisher: Publisher, path: str) -> None:
    publisher.serve(path, "")
    found = look_at(publisher, path)
    assert "nothing: the answer is empty" in found.why
    assert len(publisher.paths) == 1


def test_a_capabilities_document_by_any_address(publisher: Publisher) -> None:
    publisher.serve("/files/4711", wms(layers=450) + " " * 40_000, headers=XML)
    found = look_at(publisher, "/files/4711")
    assert (found.format, len(found.layers)) == ("WMS", 450)
    assert len(publisher.paths) == 2  # the second time in full
