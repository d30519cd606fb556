"""Tiny documents of services, and looks at a local publisher."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.link_states import LinkResult
from ckanext.ukharvest.links.check import check_link
from tests.conftest import LOOPBACK
from tests.publisher import Publisher

XML = {"Content-Type": "text/xml;charset=UTF-8"}
LIMITS = HttpLimits(connect=2, read=2, total=2, max_bytes=1_000_000, retries=0)

XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
OWS = 'xmlns:ows="http://www.opengis.net/ows/1.1"'


def look_at(
    publisher: Publisher, path: str, *, expected: str = "", is_gemini: bool = False, **limits: Any
) -> LinkResult:
    """Look at a path of the publisher."""
    own = HttpLimits(**{name: getattr(LIMITS, name) for name in HttpLimits.__slots__} | limits)
    with HttpClient(Guard(LOOPBACK), own) as http:
        found = check_link(publisher.url(path), http, expected=expected, is_gemini=is_gemini)
    assert found.url == publisher.url(path)
    assert bool(found.why) == (not found.format)
    return found


def request_path(path: str, service: str, version: str) -> str:
    """Return the path and query of a capabilities request."""
    mark = "&" if "?" in path else "?"
    return f"{path}{mark}service={service}&request=GetCapabilities&version={version}"


def wms(version: str = "1.3.0", *, address: str = "", layers: int = 1) -> str:
    """Return a WMS's capabilities."""
    root = "WMS_Capabilities" if version >= "1.3" else "WMT_MS_Capabilities"
    space = ' xmlns="http://www.opengis.net/wms"' if version >= "1.3" else ""
    doctype = (
        ""
        if space
        else f'<!DOCTYPE {root} SYSTEM "http://schemas.example/capabilities.dtd"\n'
        " [ <!ELEMENT VendorSpecificCapabilities EMPTY> ]>\n"
    )
    named = "".join(
        f"<Layer><Name>rivers{n or ''}</Name><Title>Rivers {n or ''}</Title></Layer>"
        for n in range(layers)
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
{doctype}<{root}{space} {XLINK} version="{version}">
  <Service><Name>WMS</Name><Title>Water &amp; more</Title></Service>
  <Capability>
    <Request><GetMap><Format>image/png</Format><DCPType><HTTP><Get>
      <OnlineResource xlink:href="{address}"/></Get></HTTP></DCPType></GetMap></Request>
    <Layer><Title>All</Title>{named}</Layer>
  </Capability>
</{root}>"""


def ows_operation(name: str, address: str) -> str:
    """Return what OWS Common says of an operation."""
    return (
        f'<ows:OperationsMetadata><ows:Operation name="{name}"><ows:DCP><ows:HTTP>'
        f'<ows:Get xlink:href="{address}"/></ows:HTTP></ows:DCP></ows:Operation>'
        "</ows:OperationsMetadata>"
    )


def ows_document(root: str, space: str, version: str, content: str) -> str:
    """Return capabilities in OWS Common's frame."""
    return f"""<{root} xmlns="{space}" {OWS} {XLINK} version="{version}">
  <ows:ServiceIdentification><ows:Title>Water</ows:Title></ows:ServiceIdentification>
  {content}
</{root}>"""


WMS_EXCEPTION = """<?xml version="1.0"?>
<ServiceExceptionReport version="1.3.0" xmlns="http://www.opengis.net/ogc">
  <ServiceException code="LayerNotDefined">WMS server error:
     no such layer</ServiceException>
</ServiceExceptionReport>"""

OWS_EXCEPTION = f"""<ows:ExceptionReport {OWS} version="2.0.0">
  <ows:Exception exceptionCode="MissingParameterValue" locator="service">
    <ows:ExceptionText>Could not determine the request</ows:ExceptionText>
  </ows:Exception></ows:ExceptionReport>"""
