"""Read XML that is not well-formed, as far as its faults are small: as browsers and lxml do.

A bare "&" and entities of HTML are replaced first, which libxml2's own recovery would remove.
Guards stay: a DOCTYPE, too deep and too large documents are refused, and so is a document that ends
too early: what is missing at its end cannot be repaired.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Collection, Generator
from contextlib import suppress
from itertools import islice
from typing import IO

from lxml import etree

from ckanext.ukharvest.core import encodings
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Iteration, Problem
from ckanext.ukharvest.core.xml import declaration
from ckanext.ukharvest.core.xml import parser as xml

MAX_BYTES = 50 << 20  # a tree takes several times as much memory
_REFERENCE = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|&(?:(#\d{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z][\w.-]{0,40});)?",
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
    text = data
    if b"\0" not in data[:200]:
        text = _CONTROL.sub(b"", _REFERENCE.sub(_entity, _as_utf8(data)))
    root, types = xml.parse_recovering(text)
    if root is None or types.intersection(_LIMITS) or not _is_closed(root, data):
        raise fault
    if root.getroottree().docinfo.internalDTD is not None:
        raise fault
    return root


def parse(content: bytes, problems: list[Problem], *, url: str) -> etree._Element:
    """Return a document's root, as ``parser.parse``; repair it if it is not well-formed.

    Args:
        problems: the problem of a repaired document is added to this list.

    Raises:
        ParseError: as ``parser.parse``, if it cannot be repaired.
    """
    try:
        return xml.parse(content, url=url)
    except ParseError as fault:
        root = repair(content, fault)
        problems.append(problem(fault, url))
        return root


def elements(
    body: IO[bytes], paths: Collection[tuple[str, ...]], problems: list[Problem], *, url: str
) -> Generator[etree._Element, None, etree._Element]:
    """Yield elements as ``parser.elements``; repair a document that is not well-formed.

    What was yielded before the fault was met is not yielded again.

    Args:
        problems: the problem of a repaired document is added to this list.

    Raises:
        ParseError: as ``parser.elements``, if it cannot be repaired.
    """
    number = 0
    try:
        reading = Iteration(xml.elements(body, paths, url=url))
        for number, element in enumerate(reading, 1):  # noqa: B007 - needed after a fault
            yield element
        return reading.result
    except ParseError as fault:
        body.seek(0)
        root = repair(body.read(MAX_BYTES + 1), fault)
        problems.append(problem(fault, url))
    reading = Iteration(xml.elements(io.BytesIO(etree.tostring(root)), paths, url=url))
    yield from islice(reading, number, None)
    return reading.result


def problem(fault: ParseError, url: str) -> Problem:
    """Return the problem of a document that was repaired."""
    message = Message(
        "{reason}; {url} was read as far as that can be repaired",
        reason=fault.message,
        url=safe_url(url),
    )
    return Problem("repaired-syntax", "", message, fault.line)


def _entity(reference: re.Match[bytes]) -> bytes:
    """Return a reference as numbers: behind a fault libxml2 drops all entities, "&amp;" too."""
    if reference[0][:1] == b"<":
        return reference[0]
    name = reference[1] or b""
    text = html.unescape(reference[0].decode()) if name else "&"
    if text == reference[0].decode():  # not known: HTML's rules, but with a name
        return b"&#38;" + reference[0][1:]
    signs = (sign for sign in text if sign >= " " or sign in "\t\n\r")
    return "".join(f"&#{ord(sign)};" for sign in signs).encode()


def _as_utf8(data: bytes) -> bytes:
    """Return a document in UTF-8: decoded as it declares, else with wrong bytes mended."""
    codec = encodings.find_codec(declaration.declared_encoding(data))
    text = ""
    if codec and not encodings.is_wide(codec):  # there are no zero bytes
        with suppress(UnicodeError):
            text = data.decode(codec)
    text = text or data.decode("utf-8", encodings.MIXED)
    return declaration.without_encoding(text.encode())


def _is_closed(root: etree._Element, data: bytes) -> bool:
    """Tell whether the document has the end tag of its root, so that it is not cut off."""
    # Not by QName, which refuses what libxml2 recovers: an unbound prefix, a "}" in a namespace.
    name = str(root.tag).rpartition("}")[2]
    tag = f"{root.prefix}:{name}" if root.prefix else name
    return re.search(rb"</%s\s*>" % re.escape(tag.encode()), data[-4096:]) is not None
