"""Requests and responses of a CSW in SOAP envelopes.

SOAP 1.1 (W3C Note of 8 May 2000) and SOAP 1.2 (W3C Recommendation of 27 April 2007); CSW 2.0.2
(OGC 07-006r1) puts the same element into the body as without an envelope.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.csw.ways import SOAP_11, SOAP_12

ACCEPT = "application/soap+xml, text/xml, application/xml;q=0.9, */*;q=0.1"
_DECLARATION = re.compile(rb"\A<\?xml[^>]*\?>\s*")


@dataclass(frozen=True, slots=True)
class Version:
    """How a version of SOAP is sent."""

    namespace: str
    content_type: str
    headers: Mapping[str, str]


VERSIONS = {
    # Servers that check the action take an empty one for that of the body's element.
    SOAP_11: Version(
        "http://schemas.xmlsoap.org/soap/envelope/",
        "text/xml; charset=utf-8",
        {"SOAPAction": '""'},
    ),
    SOAP_12: Version(
        "http://www.w3.org/2003/05/soap-envelope", "application/soap+xml; charset=utf-8", {}
    ),
}


def wrap(body: bytes, version: Version) -> bytes:
    """Return a document in an envelope.

    As text, so that no declaration of a namespace gets lost (see ``filters``).
    """
    head = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope xmlns:soap="{version.namespace}">'
    )
    inner = _DECLARATION.sub(b"", body)
    return head.encode() + b"<soap:Body>" + inner + b"</soap:Body></soap:Envelope>"


def is_envelope(root: etree._Element) -> bool:
    """Tell whether a document is a SOAP message, of whatever version."""
    return xml.local_name(root) == "Envelope"


def method_of(root: etree._Element) -> str:
    """Return the binding's method for the version of an envelope, "" if it is none of ours."""
    namespace = xml.namespace(root)
    return next((key for key, each in VERSIONS.items() if each.namespace == namespace), "")


def content(root: etree._Element) -> etree._Element | None:
    """Return the element in an envelope's body, None if it is empty."""
    body = next(root.iterchildren("{*}Body"), None)
    return None if body is None else next(body.iterchildren(etree.Element), None)


def describe_fault(fault: etree._Element) -> str:
    """Return code and text of a fault: "SOAP fault soap:Client: No rights".

    SOAP 1.1 names them faultcode and faultstring, SOAP 1.2 Code/Value and Reason/Text.
    """
    codes = [*fault.iterfind("{*}faultcode"), *fault.iterfind("{*}Code//{*}Value")]
    texts = [*fault.iterfind("{*}faultstring"), *fault.iterfind("{*}Reason/{*}Text")]
    code = " ".join(_texts(codes))
    head = f"SOAP fault {code}" if code else "SOAP fault"
    return ": ".join([head, *_texts(texts)[:1]])


def _texts(elements: list[etree._Element]) -> list[str]:
    found = (" ".join(clean_text(str(each.xpath("string()"))).split()) for each in elements)
    return [text for text in found if text]
