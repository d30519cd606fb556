"""The only parser for XML from outside: XML 1.0, no DTD, no entities, no network.

A DOCTYPE that declares nothing itself is left out; what it refers to is never read.

Canonical form as in the W3C recommendation "Exclusive XML Canonicalization 1.0".
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Generator, Iterator
from copy import deepcopy
from typing import IO, Any

from lxml import etree

from ckanext.ukharvest.core import encodings
from ckanext.ukharvest.core.document_kind import html_title, quote_beginning, quote_text
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml.declaration import (
    declared_encoding,
    unread_encoding,
    without_encoding,
)

_PIECE = 1 << 14  # bytes of an HTML page
_DECLARATION = re.compile(r"\s*<\?xml\s[^>]*\?>")
# .NET writes text through a StringWriter, which declares it whatever the bytes are.
_FALSE = "utf-16"

_BEFORE_ROOT = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
# One that declares nothing itself. Those of HTML tell pages apart from documents.
_BARE_DOCTYPE = re.compile(
    rb"""<!DOCTYPE\s+(?!html[\s>])[\w.:-]+
    (?:\s+(?:SYSTEM|PUBLIC\s+(?:"[^"]*"|'[^']*'))(?:\s*(?:"[^"]*"|'[^']*'))?)?\s*>""",
    re.IGNORECASE | re.VERBOSE,
)

# Messages of libxml2, and plain ones for publishers.
_PLAIN_REASONS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"xmlParseEntityRef: no name|EntityRef: expecting ';'", "an & alone; expected &amp;"),
        (r"Entity '(.*)' not defined", r"the entity &\1; is not defined; expected the character"),
        (r".*invalid (?:Char|xmlChar) value (\d+)", r"the control character \1; expected none"),
        (
            r"Opening and ending tag mismatch: (\S+) line (\d+) and (\S+)",
            r"<\1> of line \2 ends with </\3>",
        ),
        (
            r"Premature end of data in tag (\S+) line (\d+)",
            r"it is cut off: <\1> of line \2 has no end",
        ),
        (r"Couldn't find end of Start Tag (\S+).*", r"it is cut off or broken inside the tag <\1"),
        (
            r"Specification mandates value for attribute (\S+)|AttValue: .*|expected '>'",
            "it is cut off or broken inside a tag",
        ),
        (r"Unescaped '<' not allowed in attributes values", "a < in an attribute; expected &lt;"),
        (r"StartTag: invalid element name", "a < that begins no element; expected &lt;"),
        (r"Extra content at the end of the document", "more behind the end of its root element"),
        (
            r"Invalid bytes in character encoding|Input is not proper UTF-8.*",
            "bytes that are not of the encoding that it declares, or UTF-8",
        ),
    )
)

_LONG_NAME = re.compile(r"[^\s']{100,}")  # in a message of libxml2
_LONGEST_REASON = 500  # characters
_HEAD = 1 << 16  # bytes; an XML declaration and a page's title are in them
_META = re.compile(rb"""<meta\b[^<>]*?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_META_HEAD = 4096
_XHTML = "{http://www.w3.org/1999/xhtml}html"


class HasDoctype(ParseError):
    """A DOCTYPE with declarations, refused before anything is read; ``root`` is the element."""

    code = "doctype"

    def __init__(self, root: etree._Element, data: bytes, url: str) -> None:
        refused = refuse_doctype(data, url)
        super().__init__(refused.message, url=url, line=refused.line)
        self.root = root


def parse(content: bytes | str, *, url: str = "") -> etree._Element:
    """Return the root element of an XML document.

    Bytes are decoded by their byte order mark or declaration, else as UTF-8. In text, an encoding
    declaration is ignored.

    Args:
        content: the document.
        url: where it was read, for the error.

    Raises:
        ParseError: not well-formed, an HTML page, or with a DOCTYPE that declares something
            (entities could read files, reach the network or grow without end); ``line`` is set
            where it is known.
    """
    data = to_bytes(content, url)
    _refuse_encoding(data, url)
    try:
        root = etree.fromstring(data, _parser())
    except etree.XMLSyntaxError as exc:
        raise not_xml(data, exc, url) from exc
    _refuse(root, data, url)
    return root


def parse_beginning(content: bytes) -> etree._Element | None:
    """Return the root of a document that may be cut off or not well-formed further on.

    The root holds what could be read up to there. A DOCTYPE is skipped: nothing that it declares is
    read or inserted. So is a byte order mark of another encoding. None when there is no element.
    """
    if content[:4] in (b"\xff\xfe<?", b"\xfe\xff<?"):  # in UTF-16 each sign has two bytes
        content = content[2:]
    return parse_recovering(content)[0]


def parse_recovering(content: bytes) -> tuple[etree._Element | None, set[str]]:
    """Return the root of a document that is not well-formed, and libxml2's names of its faults.

    Limits are those of ``parse``; a DOCTYPE is in the root's document. None without an element.
    """
    data = to_bytes(content, "")
    parser = _parser(recover=True, encoding="utf-8" if unread_encoding(data) else None)
    try:
        root: etree._Element | None = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        root = None
    return root, {entry.type_name for entry in parser.error_log}


def elements(
    body: IO[bytes], paths: Collection[tuple[str, ...]], *, url: str = ""
) -> Generator[etree._Element, None, etree._Element]:
    """Yield the elements at some paths as they are read; return the root with the rest.

    An element is removed from the tree when the next one is requested, so that only one element of
    a large document is in memory. Once read to the end, the document is known to be well-formed.

    Args:
        body: the document, seekable.
        paths: local names from the root down, in any namespace; all must end in the same name.
        url: where it was read, for the error.

    Raises:
        ParseError: as ``parse``, also in the middle.
    """
    names = {path[-1] for path in paths}
    file = _Stream(body, url)
    events = etree.iterparse(
        file,
        events=("end",),
        tag=[f"{{*}}{name}" for name in names],
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
    )
    done: etree._Element | None = None
    try:
        for _event, element in events:
            if _path(element) not in paths:
                continue
            if done is None:
                _refuse(element.getroottree().getroot(), file.head, url)
            _take_out(done)
            yield element
            done = element
    except etree.XMLSyntaxError as exc:
        raise not_xml(file.head, exc, url, events.error_log) from exc
    root: etree._Element = events.root
    _refuse(root, file.head, url)
    _take_out(done)
    return root


class _Stream:
    """A document's bytes from the beginning, with the same fixes as in ``parse``."""

    def __init__(self, body: IO[bytes], url: str) -> None:
        body.seek(0)
        self.head = body.read(_HEAD)
        self._first = to_bytes(self.head, url)
        _refuse_encoding(self._first, url)
        self._body = body

    def read(self, size: int = -1) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        return self._body.read(size)


def _path(element: etree._Element) -> tuple[str, ...]:
    line = (element, *element.iterancestors())
    return tuple(local_name(step) for step in reversed(line))


def _take_out(element: etree._Element | None) -> None:
    parent = None if element is None else element.getparent()
    if element is not None and parent is not None:
        parent.remove(element)


def _refuse_encoding(data: bytes, url: str) -> None:
    """Raise ParseError for a declared encoding that is not read."""
    if name := unread_encoding(data):
        message = Message(
            "the document declares the encoding {name}, which is not one that we read;"
            " expected UTF-8",
            name=quote_text(name),
        )
        raise ParseError(message, code="not-xml", url=url, line=1)


def _refuse(root: etree._Element, data: bytes, url: str) -> None:
    """Raise ParseError for an HTML page, and for a DOCTYPE."""
    tag = root.tag.lower() if isinstance(root.tag, str) else ""
    if tag in ("html", _XHTML):
        raise _page(html_title(data) or "", url)
    if root.getroottree().docinfo.internalDTD is not None:
        raise HasDoctype(root, data, url)


def push_parser(target: etree._TargetParserTarget[None]) -> etree.XMLParser:
    """Return a push parser that builds no tree: feed it UTF-8, it calls ``target``."""
    return etree.XMLParser(
        target=target, encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False
    )


def read_html(target: etree._TargetParserTarget[None], content: bytes, charset: str = "") -> None:
    """Call ``target`` for the parts of an HTML page; broken HTML is read as in a browser.

    Without a tree, deeply nested elements are not lost either: pages leave thousands of elements
    open. What the target raises ends the read at the end of a piece.

    Args:
        charset: the server's, used if the bytes are not UTF-8; without it, the page's own, else
            Windows-1252.
    """
    codec, errors = _find_decoder(content, charset)
    decode = codecs.getincrementaldecoder(codec)(errors).decode
    parser = etree.HTMLParser(target=target, encoding="utf-8", no_network=True)
    for start in range(0, len(content), _PIECE):
        parser.feed(decode(content[start : start + _PIECE]).encode("utf-8", "replace"))
    parser.close()


def _find_decoder(content: bytes, charset: str) -> tuple[str, str]:
    """Return Python's codec and error handler for an HTML page."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16", "replace"
    if _is_utf8(content):
        return "utf-8", "replace"
    declared = _META.search(content, 0, _META_HEAD)
    own = declared[1].decode() if declared else ""
    return encodings.find_decoder(charset if encodings.find_codec(charset) else own)


def _is_utf8(content: bytes) -> bool:
    try:  # not to the end: a cut may split a character
        codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return False
    return True


def local_name(element: etree._Element) -> str:
    """Return an element's name without its namespace.

    Works also for an unbound prefix, which QName refuses: iterparse yields such elements before it
    reports, at the document's end, that it is not well-formed.
    """
    return str(element.tag).rpartition("}")[2]


def namespace(element: etree._Element) -> str:
    """Return an element's namespace, "" without one; also for an unbound prefix, as above."""
    return str(element.tag).rpartition("}")[0].lstrip("{")


def texts(root: etree._Element) -> Iterator[str]:
    """Yield the text of each element without child elements.

    Not itertext, whose time grows with the square of the comments in a text.
    """
    for element in root.iter("*"):
        if next(element.iterchildren("*"), None) is None:
            yield str(element.xpath("string()"))


def line_of(element: etree._Element) -> int | None:
    """Return the line in which an element begins, None if it was not read from a document."""
    line = element.sourceline
    return line if isinstance(line, int) else None


def canonical(element: etree._Element) -> bytes:
    """Return the exclusive canonical form of an element and all below it, without comments."""
    try:
        return etree.tostring(element, method="c14n", exclusive=True, with_comments=False)
    except etree.C14NError:
        # libxml2 refuses relative namespace names (xmlns="inventory"), which the recommendation
        # deprecates but publishers use; the later C14N 2.0 accepts them. It only finds declarations
        # at or below the
        # element: a copy includes the others.
        return etree.tostring(deepcopy(element), method="c14n2", with_comments=False)


def _parser(*, recover: bool = False, encoding: str | None = None) -> etree.XMLParser:
    """Make a parser for one document: lxml's parsers are not shared between threads."""
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        recover=recover,
        encoding=encoding,
    )


def to_bytes(content: bytes | str, url: str) -> bytes:
    """Return a document's bytes for lxml, without what may stand before the XML declaration.

    Bytes lose a byte order mark and empty lines. A text loses its declaration too: it becomes
    UTF-8, whatever encoding that names.
    """
    if isinstance(content, bytes):
        # XML allows nothing before the declaration, but templates leave empty lines there.
        head = content.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
        data = without_doctype(head if head.startswith(b"<") else content)
        return without_encoding(data) if declared_encoding(data).lower() == _FALSE else data
    text = content.lstrip("\ufeff")
    if declaration := _DECLARATION.match(text):
        # Line ends are kept, so that line numbers are right.
        text = "\n" * declaration[0].count("\n") + text[declaration.end() :]
    try:
        return without_doctype(text.encode("utf-8"))
    except UnicodeEncodeError as exc:
        line = text.count("\n", 0, exc.start) + 1
        raise ParseError(Message("the XML has half a character"), url=url, line=line) from exc


def without_doctype(data: bytes) -> bytes:
    """Return a document without its DOCTYPE, if that declares nothing itself; lines stay."""
    doctype = _BARE_DOCTYPE.match(data, end_of_misc(data))
    if doctype is None:
        return data
    return data[: doctype.start()] + b"\n" * doctype[0].count(b"\n") + data[doctype.end() :]


def end_of_misc(data: bytes) -> int:
    """Return the offset after what may stand before a DOCTYPE: blanks, comments, instructions."""
    before = _BEFORE_ROOT.match(data)
    return before.end() if before else 0


def not_xml(data: bytes, exc: etree.XMLSyntaxError, url: str, log: Any = ()) -> ParseError:
    title = html_title(data)
    if title is not None:
        return _page(title, url)
    if not data.strip():
        return ParseError(Message("the document is empty; expected XML"), code="not-xml", url=url)
    words, line = exc.msg or "", exc.lineno
    if not line and len(log):
        # iterparse only logs some faults (an undefined entity).
        words, line = log[0].message, log[0].line
    if "Text node too long" in words:  # libxml2's XML_MAX_TEXT_LENGTH
        message = Message("the document has a text of more than 10 MB, the longest that is read")
        return ParseError(message, code="not-xml", url=url, line=line or None)
    reason = re.sub(r", line \d+, column \d+.*$", "", words, flags=re.DOTALL)
    reason = shorten(_LONG_NAME.sub(lambda name: shorten(name[0], 100), reason), _LONGEST_REASON)
    if "'<' not found" in words:
        reason = Message("it begins with {beginning}", beginning=quote_beginning(data))
    for pattern, plain in _PLAIN_REASONS:
        reason = pattern.sub(plain, reason)
    reason = " ".join(reason.split()) or Message("no element found")
    return ParseError(
        Message("the document is not well-formed XML: {reason}", reason=reason),
        code="not-xml",
        url=url,
        line=line or None,
    )


def _page(title: str, url: str) -> ParseError:
    named = Message(", title '{title}'", title=title) if title else Message(" without a title")
    return ParseError(
        Message("an HTML page instead of XML{named}", named=named), code="html", url=url
    )


def refuse_doctype(data: bytes, url: str) -> ParseError:
    message = Message(
        "the document has a DOCTYPE with declarations, which are not accepted; expected none"
    )
    place = data.find(b"<!DOCTYPE")
    line = data.count(b"\n", 0, place) + 1 if place >= 0 else None
    return ParseError(message, code="doctype", url=url, line=line)
