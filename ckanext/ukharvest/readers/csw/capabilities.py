"""The bindings of GetRecords that a CSW declares in its capabilities (OGC 05-008, section 7.4.5).

Requested only if a server accepts no request at the source's own URL.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urljoin

from lxml import etree

from ckanext.ukharvest.core.errors import Blocked, ProtocolError
from ckanext.ukharvest.core.http.urls import normalise
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.xml.parser import local_name
from ckanext.ukharvest.readers.csw.request import endpoint
from ckanext.ukharvest.readers.csw.response import Send, read_root
from ckanext.ukharvest.readers.csw.ways import SOAP_11, SOAP_12, Binding

_HREF = "{http://www.w3.org/1999/xlink}href"


def request_bindings(send: Send, base: str) -> list[Binding]:
    """Return the declared bindings of GetRecords, in the server's order.

    Args:
        send: sends GetCapabilities.
        base: the source's own URL.

    Raises:
        ProtocolError: another document.
        FetchError: no usable answer.
    """
    return list(dict.fromkeys(_bindings(_read(send, base), base)))


def output_schemas(send: Send, base: str) -> set[str]:
    """Return the schemas of records that the server declares for GetRecords.

    Args, Raises: as ``request_bindings``.
    """
    path = "{*}OperationsMetadata/{*}Operation[@name='GetRecords']/{*}Parameter"
    return {
        clean_text(value.text)
        for parameter in _read(send, base).iterfind(path)
        if (parameter.get("name") or "").lower() == "outputschema"
        for value in parameter.iterfind(".//{*}Value")
    }


def _read(send: Send, base: str) -> etree._Element:
    with closing(send(allow_status=())) as reply:
        root = read_root(reply, "GetCapabilities")
    if local_name(root) != "Capabilities":
        raise ProtocolError(f"{base} has no capabilities", code="wrong-root", url=base)
    return root


def _bindings(root: etree._Element, base: str) -> Iterator[Binding]:
    for operation in root.iterfind("{*}OperationsMetadata/{*}Operation[@name='GetRecords']"):
        for element in operation.iterfind("{*}DCP/{*}HTTP/*"):
            url = _url(element, base)
            if url is None:
                continue
            if local_name(element) == "Get":
                yield Binding("GET", url)
            elif local_name(element) == "Post":
                yield from (Binding(each, url) for each in _methods(element))


def _methods(post: etree._Element) -> Iterator[str]:
    """Yield how a URL for POST is used: its own PostEncoding, else the operation's or server's."""
    for element in (post, *post.iterancestors()):
        found = element.iterfind("{*}Constraint[@name='PostEncoding']//{*}Value")
        if encodings := {clean_text(each.text).upper() for each in found}:
            break
    else:
        encodings = {"XML"}
    if "XML" in encodings:
        yield "POST"
    if "SOAP" in encodings:
        yield from (SOAP_12, SOAP_11)


def _url(element: etree._Element, base: str) -> str | None:
    """Return a declared URL, "" for the source's own, None if it cannot be used."""
    try:
        url = endpoint(normalise(urljoin(base, clean_text(element.get(_HREF)))))
        if url == endpoint(normalise(base)):
            return ""
    except (Blocked, ValueError):
        return None
    is_downgrade = base.startswith("https:") and not url.startswith("https:")
    return None if is_downgrade else url
