"""One RDF document: its syntax, and its triples as text, one at a time.

RDF/XML, Turtle, N-Triples, N-Quads, TriG, N3 and JSON-LD, also inside an HTML page, parsed by
pyoxigraph, which streams and opens no connection. The content overrides the media type: servers
send everything as text/plain.
Invalid IRIs (with blanks) are reported; the document is still read.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Iterator
from typing import IO
from urllib.parse import quote

import pyoxigraph as ox
from lxml import etree

from ckanext.ukharvest.core import encodings, json_limits
from ckanext.ukharvest.core.document_kind import html_title, quote_text, sent_as
from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.rdf import RDF, Triple
from ckanext.ukharvest.core.records import REPAIRED, Problem
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import declaration
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml import repair as xml_repair
from ckanext.ukharvest.core.xml import scan as xml_scan
from ckanext.ukharvest.readers.json_document.stream import Utf8, first_wrong_line
from ckanext.ukharvest.readers.rdf import context_limits, json_ld, repair
from ckanext.ukharvest.readers.rdf.contexts import Contexts, may_be_remote

F = ox.RdfFormat
_HEAD = 1 << 16
_PIECE = 1 << 20
_MOST_REPAIRS = 10  # that are reported
_MOST_AT_ONCE = 50 << 20  # bytes of JSON-LD: the parser takes nine times as much memory

# Names of ckanext-dcat's harvester, and media types; the content overrides both.
FORMATS = {
    "xml": F.RDF_XML,
    "application/rdf+xml": F.RDF_XML,
    "turtle": F.TURTLE,
    "ttl": F.TURTLE,
    "text/turtle": F.TURTLE,
    "application/x-turtle": F.TURTLE,
    "n3": F.N3,
    "text/n3": F.N3,
    "text/rdf+n3": F.N3,
    "nt": F.N_TRIPLES,
    "application/n-triples": F.N_TRIPLES,
    "nquads": F.N_QUADS,
    "application/n-quads": F.N_QUADS,
    "trig": F.TRIG,
    "application/trig": F.TRIG,
    "json-ld": F.JSON_LD,
    "application/ld+json": F.JSON_LD,
}
_TEXT = (F.TURTLE, F.N3, F.N_TRIPLES, F.N_QUADS, F.TRIG)

# A prefix must be declared in the root itself: <urn:x> without attributes is an IRI.
_XML = re.compile(
    r"<(?:\?xml\b|!|rdf:RDF\b|[A-Za-z_][\w.-]*(?:\s*/?>|(?::[A-Za-z_][\w.-]*)?\s[^<>]*=))"
)
_BRACKET = re.compile(r"\[\s*[\[\]{\"]")
_TURTLE = re.compile(r"(?:@?(?:prefix|base|version)\b|#|<|_:|\[|\(|[\w.-]*:)", re.IGNORECASE)

_GOOD_IRI = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*>").fullmatch
_BAD_SIGN = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_BAD_TAG = re.compile(r"@(?![A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*\Z).*\Z", re.DOTALL)


class RdfFile:
    """The RDF document of a reply.

    Args:
        reply: its charset is used only if the bytes are not UTF-8.
        url: the document's: the base of relative IRIs, and for messages.
        contexts: reads the contexts that JSON-LD references.
        hint: a media type or a name of ``FORMATS``.

    Raises:
        ProtocolError: not RDF by its first characters, or not well-formed XML.
    """

    def __init__(self, reply: Reply, url: str, contexts: Contexts, hint: str) -> None:
        body, charset = reply.body, reply.charset
        self._url = url
        self._media_type = reply.media_type
        self._contexts = contexts
        # For the publisher to fix; complete when the triples have been read.
        self.problems: list[Problem] = []
        self._own: list[IO[bytes]] = []
        self._root = ""
        self._json_ld: IO[bytes] | None = None
        self._is_repaired = False
        self.strict_error: ProtocolError | None = None  # why it is not RDF by the book
        body.seek(0)
        head = body.read(_HEAD)
        if html_title(head) is not None and (inside := json_ld.embedded(body, charset)):
            body, head, hint = io.BytesIO(inside), inside[:_HEAD], "application/ld+json"
        self._refuse_page(head)
        self._body = self._as_utf8(body, head, charset)
        self.format = self._find_format(hint)
        if self.format == F.RDF_XML:
            self._scan_xml()

    @property
    def name(self) -> str:
        """The syntax's name: "Turtle"."""
        return "XML" if self._root and not self._root.startswith(f"{{{RDF}}}") else self.format.name

    @property
    def root(self) -> str:
        """For XML that may not be RDF, the root's name without its namespace, else ""."""
        return "" if self._root == f"{{{RDF}}}RDF" else self._root.rpartition("}")[2]

    def close(self) -> None:
        for file in self._own:
            file.close()

    def triples(self, *, strict: bool) -> Iterator[Triple]:
        """Yield every triple, of all graphs, as text; triples with an empty term are left out.

        Args:
            strict: refuse invalid IRIs and language tags, instead of repairing them.

        Raises:
            ProtocolError: a syntax error, with its line if known.
        """
        self._body.seek(0)
        try:
            quads = ox.parse(
                self._source(), format=self.format, base_iri=_base(self._url), lenient=not strict
            )
            for quad in quads:
                triple = (
                    self._node(str(quad.subject)),
                    self._node(str(quad.predicate)),
                    self._term(str(quad.object)),
                )
                if all(triple):
                    yield triple
        except json_limits.BeyondLimit as exc:
            raise self._refused(
                Message(
                    "the document {reason} after byte {offset:,}",
                    reason=exc.message,
                    offset=exc.offset,
                ),
                exc.code,
            ) from exc
        except MemoryError as exc:  # pyoxigraph's own limit of 16 MiB, told in no other way
            message = Message(
                "the document has a text of more than 16 MB, the longest that is read"
            )
            raise self._refused(message, "too-long") from exc
        except SyntaxError as exc:
            error = self._syntax_error(exc)
            self.strict_error = error if strict else self.strict_error
            raise error from exc

    def _node(self, text: str) -> str:
        """Return an IRI, without its invalid characters, or a blank node; "" for another term."""
        if text == repair.LEFT_OUT:
            return ""
        if not text.startswith("<") or text.startswith("<<"):
            return text if text.startswith("_:") else ""
        if _GOOD_IRI(text):
            return text
        address = text[1:-1].strip()
        if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", address):
            return ""
        message = Message(
            "'{address}' is not an address; expected one without blanks, quotes and brackets"
            " (RFC 3987)",
            address=shorten(address, 80),
        )
        self._report("bad-iri", message)
        return f"<{_BAD_SIGN.sub(lambda sign: quote(sign[0]), address)}>"

    def _term(self, text: str) -> str:
        if not text.startswith('"'):
            return self._node(text)
        tail = text[text.rindex('"') + 1 :]
        if not tail.startswith("@"):
            return text.removesuffix(tail) if tail and not _GOOD_IRI(tail[2:]) else text
        if not _BAD_TAG.match(tail):
            return text
        self._report(
            "bad-language",
            Message("'{tail}' is not a language tag (BCP 47)", tail=shorten(tail[1:], 30)),
        )
        tag = tail.replace("_", "-").strip()
        return text.removesuffix(tail) + ("" if _BAD_TAG.match(tag) else tag.lower())

    def _report(self, code: str, message: str, line: int | None = None) -> None:
        """Record the first problem of each kind."""
        if all(problem.code != code for problem in self.problems):
            where = self.strict_error.line if self.strict_error and line is None else line
            self.problems.append(Problem(code, "", message, where))

    def _refuse_page(self, head: bytes) -> None:
        title = html_title(head)
        if title is not None:
            name = (
                Message(", title '{title}'", title=title) if title else Message(" without a title")
            )
            sent = sent_as(self._media_type, "html")
            message = Message("HTML page instead of RDF{name}{sent}", name=name, sent=sent)
            raise self._refused(message, "html-page")
        if not head.strip(b" \t\r\n\0\xef\xbb\xbf"):
            raise self._refused(Message("the document is empty; expected RDF"), "empty-document")

    def _refused(self, message: str, code: str, line: int | None = None) -> ProtocolError:
        place = (
            Message(" in line {line} of {url}", line=line, url=self._url)
            if line
            else Message(": {url}", url=self._url)
        )
        return ProtocolError(
            Message("{message}{place}", message=message, place=place),
            code=code,
            url=self._url,
            line=line,
        )

    def _as_utf8(self, body: IO[bytes], head: bytes, charset: str) -> IO[bytes]:
        """Return the document in UTF-8, without byte order mark or another declaration."""
        marks = ((mark, name) for mark, name in encodings.BYTE_ORDER_MARKS if head.startswith(mark))
        mark, encoding = next(marks, (b"", ""))
        errors = "replace" if mark else "strict"
        name = declaration.declared_encoding(head).lower()
        line = None if mark else first_wrong_line(body)
        if line is not None:
            encoding, errors = encodings.find_decoder(name or charset)
        if line is not None and not encodings.find_codec(name):
            read_as = "Windows-1252" if encoding == "utf-8" else encoding.upper()
            message = Message(
                "{url} is not UTF-8; what is wrong was read as {read_as}",
                url=self._url,
                read_as=read_as,
            )
            self._report("not-utf-8", message, line)
        if not encoding and name in ("", "utf-8", "utf8") and not head[:1].isspace():
            return body
        return self._transcoded(body, encoding or "utf-8", errors, len(mark))

    def _transcoded(self, body: IO[bytes], encoding: str, errors: str, skip: int) -> IO[bytes]:
        source = Utf8(body, encoding, errors, skip)
        file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the document
        self._own.append(file)
        while data := source.read(_PIECE):
            if not file.tell():
                data = data.lstrip() if b"<?xml" in data[:200] else data
                data = declaration.without_encoding(data)
            file.write(data)
        return file

    def _find_format(self, hint: str) -> ox.RdfFormat:
        """Detect the syntax by the first characters, and by the hint if several are possible."""
        self._body.seek(0)
        text = self._body.read(_HEAD).decode("utf-8", "replace").lstrip()
        hinted = FORMATS.get(hint)
        if text.startswith("{") or _BRACKET.match(text):
            return hinted if hinted == F.TRIG else F.JSON_LD
        if _XML.match(text):
            return F.RDF_XML
        if _TURTLE.match(text):
            return hinted if hinted in _TEXT else F.TURTLE
        sent = sent_as(self._media_type, "rdf", "xml", "json", "turtle", "triples", "n3")
        raise ProtocolError(
            Message(
                "not RDF: the document begins with {text} in line 1 of {url}{sent}; expected"
                " RDF/XML, Turtle, JSON-LD or N-Triples",
                text=quote_text(text),
                url=self._url,
                sent=sent,
            ),
            code="rdf-syntax",
            url=self._url,
            line=1,
        )

    def repair(self) -> bool:
        """Change a document that ``triples`` refused; return whether that may help.

        What is changed is among the problems, and such a read is never complete.
        """
        size = self._body.seek(0, os.SEEK_END)
        if self._is_repaired or size > xml_repair.MAX_BYTES:
            return False
        self._is_repaired = True
        number = len(self.problems)
        self._body.seek(0)
        try:
            if self.format == F.RDF_XML:
                data = self._body.read()
                try:
                    root = xml.parse(data, url=self._url)
                except ParseError as exc:  # of namespaces, which the scan does not check
                    root = self._repaired(data, exc)
                self._mend_xml(root)
            elif self.format == F.JSON_LD:
                document = repair.mend_json_ld(self._source().read(), self._report_repair)
                self._json_ld = io.BytesIO(document)
            else:
                text = self._body.read().decode("utf-8")
                base = _base(self._url)
                text = repair.mend_text(text, self.format, base, self._report_repair)
                self._body = io.BytesIO(text.encode("utf-8"))
        except (ParseError, ValueError, RecursionError):
            return False
        return len(self.problems) > number

    def _repaired(self, data: bytes, fault: ParseError) -> etree._Element:
        """Return the root of XML that is not well-formed, and report its fault."""
        root = xml_repair.repair(data, fault)
        problem = xml_repair.problem(fault, self._url)
        self._report_repair(problem.message, problem.line)
        return root

    def _mend_xml(self, root: etree._Element) -> None:
        repair.mend_rdf_xml(root, self._report_repair)
        self._body = io.BytesIO(etree.tostring(root))

    def _report_repair(self, message: str, line: int | None) -> None:
        """Record the first repairs, each with its line and the document's URL."""
        url = safe_url(self._url)
        message = (
            message if url in message else Message("{message}: {url}", message=message, url=url)
        )
        if sum(problem.code == REPAIRED for problem in self.problems) < _MOST_REPAIRS:
            self.problems.append(Problem("repaired-syntax", "", message, line))

    def _scan_xml(self) -> None:
        try:
            self._body = xml_scan.expand(self._body, url=self._url)
            self._root = xml_scan.scan(self._body, url=self._url)
        except ParseError as exc:
            try:
                self._repair_xml(exc)
            except ParseError:
                raise self._refused(exc.message, exc.code, exc.line) from exc

    def _repair_xml(self, fault: ParseError) -> None:
        """Repair RDF/XML that is not well-formed.

        Raises:
            ParseError: it cannot be repaired, or is other XML.
        """
        self._body.seek(0)
        root = self._repaired(self._body.read(xml_repair.MAX_BYTES + 1), fault)
        if root.tag != f"{{{RDF}}}RDF":
            raise fault
        self._mend_xml(root)
        self._root = xml_scan.scan(self._body, url=self._url)
        self._is_repaired = True

    def _source(self) -> IO[bytes]:
        """Return what to parse: JSON-LD with its contexts included, else the file."""
        if self.format != F.JSON_LD:
            return self._body
        if self._json_ld is None:
            self._json_ld = self._included()
            if fault := context_limits.find_fault(self._json_ld):
                raise self._refused(Message("the document {fault}", fault=fault), "too-long")
        self._json_ld.seek(0)
        return self._json_ld

    def _included(self) -> IO[bytes]:
        """Return JSON-LD with its contexts included, in parts if it is large."""
        tail, is_remote = b"", False
        pieces = json_limits.JsonPieces(self._body)
        while piece := pieces.read(_PIECE):
            is_remote = is_remote or may_be_remote(tail + piece)
            tail = piece[-200:]
        self._body.seek(0)
        inline = self._contexts.inliner(self._url) if is_remote else str
        if divided := json_ld.divide(self._body, inline):
            self._own.append(divided)
            return divided
        if self._body.seek(0, os.SEEK_END) > _MOST_AT_ONCE:
            message = Message(
                "JSON-LD of more than {most} MB that is not read part by part; expected an array of"
                ' datasets in "@graph"',
                most=_MOST_AT_ONCE >> 20,
            )
            raise self._refused(message, "too-large")
        self._body.seek(0)
        if not is_remote:
            return self._body
        return io.BytesIO(inline(self._body.read().decode("utf-8", "replace")).encode())

    def _syntax_error(self, exc: SyntaxError) -> ProtocolError:
        words = re.sub(r"^Parser error at line \d+ [^:]*: | \(line \d+\)$", "", exc.msg or "")
        words = re.sub(r"^Unexpected end.*", "it ends in the middle; it seems to be cut off", words)
        if self.root:
            return self.not_rdf()
        line = exc.lineno or self._line_of(words)
        return self._refused(
            Message("not valid {name}: {words}", name=self.name, words=shorten(words, 200)),
            "rdf-syntax",
            line,
        )

    def not_rdf(self) -> ProtocolError:
        """Return the error for XML of another kind."""
        message = Message(
            "XML, but not RDF: the root element is {root}; expected rdf:RDF", root=self.root
        )
        return self._refused(message, "not-a-catalogue")

    def _line_of(self, words: str) -> int | None:
        """Return the line of a message's quotation, if that occurs only once."""
        match = re.search(r"'([^']{3,})'|^(?:\S*[#/])?([^\s#/]{3,}) is not a valid", words)
        data = (match[1] or match[2]).encode() if match else b""
        self._body.seek(0)
        text = self._body.read() if data else b""
        places = [m.start() for m in re.finditer(rb"[\s\"':]" + re.escape(data) + rb"[\"'=]", text)]
        return text.count(b"\n", 0, places[0]) + 1 if data and len(places) == 1 else None


def _base(url: str) -> str:
    """Return the base IRI; saved files have one too, so that relative IRIs are kept."""
    is_web = re.match(r"https?://", url)
    place = quote(url, safe="/:?#[]@!$&'()*+,;=%~") if is_web else quote(url.rpartition("/")[2])
    return place if is_web else f"file:///{place}"
