"""Check XML before another parser reads it: well-formed, not too deep, without a DTD.

For XML-based formats whose own parsers report no line, or accept more than we allow (RDF/XML).
"""

from __future__ import annotations

import io
import re
from typing import IO

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.xml import parser as xml

# Entities that only abbreviate, as RDF/XML uses them for namespaces: literal text in quotes,
# without the name of a file or another entity.
_ABBREVIATION = re.compile(rb"""<!ENTITY\s+([\w.-]+)\s+(?:"([^"<&%]*)"|'([^'<&%]*)')\s*>""")
_REFERENCE = re.compile(rb"&([\w.-]+);")
_DOCTYPE = re.compile(
    rb"""<!DOCTYPE\s+[\w.:-]+\s*
    (?:(?:SYSTEM|PUBLIC\s*(?:"[^"]*"|'[^']*'))\s*(?:"[^"]*"|'[^']*')?\s*)?
    (?:\[(.*?)\]\s*)?>""",
    re.DOTALL | re.VERBOSE,
)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_PROLOG = 1 << 16  # bytes that a harmless DOCTYPE may take
_ABBREVIATED = 200  # characters that one entity may stand for: a URL
_MAX_DEPTH = 256  # elements within each other, libxml2's own limit for trees


def expand(body: IO[bytes], *, url: str = "") -> IO[bytes]:
    """Return a document without its DOCTYPE if that holds nothing but abbreviations of URLs.

    RDF/XML abbreviates namespaces by entities. They are replaced here, so that no parser ever meets
    a DTD; any other DOCTYPE stays, and is refused by ``scan``. What it refers to is never read.

    Args:
        body: UTF-8 bytes, seekable; returned itself if there is no such DOCTYPE.
        url: where it was read, for the error.

    Raises:
        ParseError: replacing them would make the document more than four times as long.
    """
    body.seek(0)
    declared = _doctype(body.read(_PROLOG))
    body.seek(0)
    subset = _COMMENT.sub(b"", declared[1] or b"") if declared else b"?"
    words = {m[1]: m[2] or m[3] or b"" for m in _ABBREVIATION.finditer(subset)}
    is_long = any(len(word) > _ABBREVIATED for word in words.values())
    if declared is None or is_long or _ABBREVIATION.sub(b"", subset).strip():
        return body
    data = body.read()
    longer = sum(data.count(b"&%s;" % name) * len(word) for name, word in words.items())
    if longer > 4 * len(data) + (1 << 20):
        message = Message("the document's entities make it more than four times as long")
        line = xml.refuse_doctype(data, url).line
        raise ParseError(message, code="doctype", url=url, line=line)
    words = {n: w.replace(b'"', b"&quot;").replace(b"'", b"&apos;") for n, w in words.items()}
    doctype = b"\n" * declared[0].count(b"\n")  # line numbers stay
    data = data[: declared.start()] + doctype + data[declared.end() :]
    return io.BytesIO(_REFERENCE.sub(lambda m: words.get(m[1], m[0]), data))


def scan(body: IO[bytes], *, url: str = "") -> str:
    """Read a document to its end without building a tree; return the root's name.

    For XML-based formats whose own parsers report no line, or accept more than we allow. Leaves the
    file at its beginning.

    Args:
        body: UTF-8 bytes, seekable.
        url: where it was read, for the error.

    Returns:
        The root's name, ``{namespace}name``.

    Raises:
        ParseError: as ``parse``, and for more than 256 levels.
    """
    target = _Outline(url)
    parser = xml.push_parser(target)
    body.seek(0)
    head = body.read(_PROLOG)
    chunk = head
    try:
        while chunk:
            parser.feed(chunk)
            chunk = body.read(1 << 20)
        parser.close()
    except etree.XMLSyntaxError as exc:
        if doctype := _doctype(head):
            raise _refused_doctype(head[: doctype.start()], doctype[0], url) from exc
        raise xml.not_xml(head, exc, url) from exc
    finally:
        body.seek(0)
    if target.has_doctype:
        raise xml.refuse_doctype(head, url)
    return target.root


def _doctype(head: bytes) -> re.Match[bytes] | None:
    return _DOCTYPE.match(head, xml.end_of_misc(head))


def _refused_doctype(before: bytes, doctype: bytes, url: str) -> ParseError:
    """Return the error of a document with a DOCTYPE: its own fault, if it has one."""
    refused = xml.refuse_doctype(before + doctype, url)
    try:
        xml.parse(doctype + b"<x/>")
    except ParseError as exc:
        if exc.code != "not-xml":
            return refused
        reason = exc.message.rpartition("well-formed XML: ")[2].replace("(null)", "no end found")
        line = (refused.line or 1) + (exc.line or 1) - 1
        message = Message(
            "the DOCTYPE cannot be read: {reason}; expected entities such as <!ENTITY dct"
            ' "http://purl.org/dc/terms/">',
            reason=reason,
        )
        return ParseError(message, code="doctype", url=url, line=line)
    return refused


class _Outline:
    """lxml's parser target: records the root and the depth, refuses a DOCTYPE."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._depth = 0
        self.root = ""
        self.has_doctype = False

    def start(self, tag: str, attrib: dict[str, str]) -> None:
        self.root = self.root or tag
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            message = Message(
                "elements are nested more than {max_depth} levels deep", max_depth=_MAX_DEPTH
            )
            raise ParseError(message, code="too-deep", url=self._url)

    def end(self, tag: str) -> None:
        self._depth -= 1

    def doctype(self, *_: object) -> None:
        self.has_doctype = True

    def close(self) -> None:
        """Return nothing: no tree was built."""
