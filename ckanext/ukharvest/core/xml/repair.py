"""Read XML that is not well-formed, as far as its faults are small: as browsers and lxml do.

A bare "&" and entities of HTML are replaced first, which libxml2's own recovery would remove.
Guards stay: a DOCTYPE, too deep and too large documents are refused, and so is a document that ends
too early: what is missing at its end cannot be repaired.
"""

from __future__ import annotations

import html
import re

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.xml import parser as xml

MAX_BYTES = 50 << 20  # a tree takes several times as much memory
_XML_ENTITIES = (b"amp", b"lt", b"gt", b"quot", b"apos")
_REFERENCE = re.compile(
    rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->|&(?:(#\d{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z][\w.-]{0,40});)?",
    re.DOTALL,
)
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LIMITS = ("ERR_RESOURCE_LIMIT", "ERR_INTERNAL_ERROR", "ERR_ENTITY_LOOP", "ERR_TAG_NOT_FINISHED")


def repair(data: bytes, fault: ParseError) -> etree._Element:
    """Return the root of a document that ``xml.parse`` refused.

    Args:
        data: the document in UTF-8, or in the encoding that it declares.
        fault: the refusal.

    Raises:
        ParseError: the fault itself, if it cannot be repaired.
    """
    if fault.code != "not-xml" or len(data) > MAX_BYTES or not data.strip():
        raise fault
    text = _CONTROL.sub(b"", _REFERENCE.sub(_entity, data)) if b"\0" not in data[:200] else data
    root, types = xml.parse_recovering(text)
    if root is None or types.intersection(_LIMITS) or not _is_closed(root, data):
        raise fault
    if root.getroottree().docinfo.internalDTD is not None:
        raise fault
    return root


def problem(fault: ParseError, url: str) -> Problem:
    """Return the problem of a document that was repaired."""
    message = f"{fault.message}; {safe_url(url)} was read as far as that can be repaired"
    return Problem("repaired-syntax", "", message, fault.line)


def _entity(found: re.Match[bytes]) -> bytes:
    name = found[1]
    if found[0][:1] == b"<" or (name and (name[:1] == b"#" or name in _XML_ENTITIES)):
        return found[0]
    text = html.unescape(found[0].decode()) if name else ""
    if name and text != found[0].decode():
        return "".join(f"&#{ord(sign)};" for sign in text).encode()
    return b"&amp;" + found[0][1:]


def _is_closed(root: etree._Element, data: bytes) -> bool:
    """Tell whether the document has the end tag of its root, so that it is not cut off."""
    name = (
        etree.QName(root).localname if isinstance(root.tag, str) and "}" in root.tag else root.tag
    )
    tag = f"{root.prefix}:{name}" if root.prefix else str(name)
    return re.search(rb"</%s\s*>" % re.escape(tag.encode()), data[-4096:]) is not None
