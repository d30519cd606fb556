"""A large JSON document as a stream of values, RFC 8259, at constant memory.

Publishers send other encodings than UTF-8, which are read and reported, and broken syntax, which
raises an error with line and column.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from decimal import InvalidOperation
from typing import IO, Any

import ijson

from ckanext.ukharvest.core import encodings, json_limits
from ckanext.ukharvest.core.document_kind import html_title, quote_text, sent_as
from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem

_CHUNK = 1 << 16
# ijson builds the path of every value in a chunk before it returns one, and a path may be long.
_SMALL_CHUNK = 1 << 12
_TOKEN = re.compile(rb'"[^"]*"?|[^"]')
# Within a string: valid escapes, or one character that ends it or is not allowed there.
_SPECIAL = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})|["\\\x00-\x1f]')
# Bytes that continue a character in UTF-8: not counted as characters.
_CONTINUATION = bytes(range(0x80, 0xC0))


class JsonFile:
    """The JSON document of a reply, readable any number of times.

    Args:
        reply: its charset is used only if the bytes allow it.
        url: the document's, for messages.
        expected: what it should be.

    Raises:
        ProtocolError: it is empty, or does not begin as JSON; an HTML page is named by its title.
    """

    def __init__(self, reply: Reply, url: str, expected: str) -> None:
        self._body = reply.body
        self._url = url
        self._media_type = reply.media_type
        self._body.seek(0)
        self._encoding, self._skip = encodings.shown_encoding(self._body.read(4))
        self._errors = "replace" if self._skip or self._encoding != "utf-8" else "strict"
        self.problem: Problem | None = None
        self._find_encoding(reply.charset)
        self._check_beginning(expected)

    def events(self) -> Iterator[tuple[str, str, Any]]:
        """Yield ijson's (prefix, event, value) for the whole document.

        Raises:
            ProtocolError: a syntax error, with line and column; also when the end is missing, or
                a limit of ``core.json_limits`` is passed.
        """
        pieces = _Pieces(self._open())
        try:
            yield from ijson.parse(pieces, buf_size=_SMALL_CHUNK)
        except ijson.JSONError as exc:
            raise self._syntax_error(pieces.start, str(exc)) from exc
        except json_limits.BeyondLimit as exc:
            raise self._beyond_limit(exc) from exc
        except InvalidOperation as exc:  # Decimal's, of an exponent without end
            message = Message("has a number with too large an exponent")
            limit = json_limits.BeyondLimit(message, "too-long", pieces.start)
            raise self._beyond_limit(limit) from exc

    def items(self, prefix: str) -> Iterator[Any]:
        """Yield the values under an ijson prefix, one in memory at a time, numbers as Decimal.

        Only after ``events`` has read the document without finding an error.
        """
        yield from ijson.items(self._open(is_checked=True), prefix, buf_size=_CHUNK)

    def _open(self, *, is_checked: bool = False) -> json_limits.JsonPieces:
        return json_limits.JsonPieces(self._as_utf8(), is_checked=is_checked)

    def _as_utf8(self) -> Utf8:
        return Utf8(self._body, self._encoding, self._errors, self._skip)

    def _find_encoding(self, charset: str) -> None:
        line = first_wrong_line(self._body, self._skip) if self._encoding == "utf-8" else None
        if line is not None:
            self._encoding, self._errors = encodings.find_decoder(charset)
        self._report(line)

    def _report(self, line: int | None) -> None:
        if line is not None:
            read_as = "Windows-1252" if self._errors == encodings.MIXED else self._encoding.upper()
            message = Message(
                "{url} is not UTF-8; what is wrong was read as {read_as} (RFC 8259, section 8.1)",
                url=self._url,
                read_as=read_as,
            )
        elif self._encoding != "utf-8":
            message = Message(
                "{url} is {encoding}; JSON has to be UTF-8 (RFC 8259, section 8.1)",
                url=self._url,
                encoding=self._encoding[:6].upper(),
            )
        elif self._skip:
            message = Message(
                "{url} begins with a byte order mark, which JSON must not have (RFC 8259,"
                " section 8.1)",
                url=self._url,
            )
        else:
            return
        code = "byte-order-mark" if self._encoding == "utf-8" and line is None else "not-utf-8"
        self.problem = Problem(code, "", message, line)

    def _check_beginning(self, expected: str) -> None:
        head = self._as_utf8().read(2048).decode("utf-8", "replace").lstrip("\ufeff").lstrip()
        if not head:
            message = Message(
                "the document at {url} is empty; expected {expected}",
                url=self._url,
                expected=expected,
            )
            raise ProtocolError(message, code="empty-document", url=self._url)
        if head[0] in "{[":
            return
        if head[0] == "<":
            raise self._markup()
        sent = sent_as(self._media_type, "json")
        raise ProtocolError(
            Message(
                "not JSON: the document at {url} begins with {head}{sent}; expected an object"
                " in {{ }} or a list in [ ]",
                url=self._url,
                head=quote_text(head),
                sent=sent,
            ),
            code="json-syntax",
            url=self._url,
            line=1,
        )

    def _markup(self) -> ProtocolError:
        self._body.seek(0)
        title = html_title(self._body.read(_CHUNK))
        if title is None:
            sent = sent_as(self._media_type, "xml")
            message = Message("XML instead of JSON{sent} at {url}", sent=sent, url=self._url)
            return ProtocolError(message, code="xml-document", url=self._url)
        named = Message(", title '{title}'", title=title) if title else ""
        sent = sent_as(self._media_type, "html")
        message = Message(
            "HTML page instead of JSON{named}{sent}: {url}", named=named, sent=sent, url=self._url
        )
        return ProtocolError(message, code="html-page", url=self._url)

    def _beyond_limit(self, exc: json_limits.BeyondLimit) -> ProtocolError:
        line, column = self._place(exc.offset)
        message = Message(
            "the document at {url} {reason} in line {line}, column {column}",
            url=self._url,
            reason=exc.message,
            line=line,
            column=column + 1,
        )
        return ProtocolError(message, code=exc.code, url=self._url, line=line)

    def _place(self, offset: int) -> tuple[int, int]:
        """Return the line after so many bytes, and the number of characters there before it."""
        line, column, source = 1, 0, self._as_utf8()
        while offset > 0 and (piece := source.read(min(_CHUNK, offset))):
            before, newline, rest = piece[:offset].rpartition(b"\n")
            line += before.count(b"\n") + len(newline)
            column = len(rest.translate(None, _CONTINUATION)) + (0 if newline else column)
            offset -= len(piece)
        return line, column

    def _syntax_error(self, near: int, message: str) -> ProtocolError:
        """Read again, token by token near the error, to find line and column."""
        pieces = _Pieces(self._open(), near)
        try:
            for _ in ijson.basic_parse(pieces, buf_size=_SMALL_CHUNK):
                pass
        except ijson.JSONError as exc:
            message = str(exc)
        line, column = self._place(pieces.end)
        words = next((words for sign, words in _WORDS if sign in message), "syntax error")
        return ProtocolError(
            Message(
                "not valid JSON: {words} in line {line}, column {column} of {url}",
                words=words,
                line=line,
                column=column,
                url=self._url,
            ),
            code="json-syntax",
            url=self._url,
            line=line,
        )


class _Pieces:
    """Pieces for ijson, and where the last one is.

    Args:
        source: the document, in pieces that end outside strings.
        near: offset from which on there is one piece for each string and each other byte: small,
            but no string in parts, which yajl would read again with each of them.
    """

    def __init__(self, source: json_limits.JsonPieces, near: int | None = None) -> None:
        self.start = 0
        self._last = b""
        self._pieces = self._divide(source, near)

    def read(self, size: int) -> bytes:
        if size and (piece := next(self._pieces, b"")):  # ijson asks with 0 whether it gets bytes
            self.start += len(self._last)
            self._last = piece
            return piece
        return b""

    @property
    def end(self) -> int:
        """Offset after the last piece; in a faulty string, after the first wrong character."""
        if self._last.startswith(b'"'):
            for special in _SPECIAL.finditer(self._last, 1):
                if len(special[0]) == 1:
                    return self.start + special.end()
        return self.start + len(self._last)

    @staticmethod
    def _divide(source: json_limits.JsonPieces, near: int | None) -> Iterator[bytes]:
        offset = 0
        while piece := source.read(_SMALL_CHUNK):
            offset += len(piece)
            if near is None or offset <= near:
                yield piece
            else:
                tokens = _TOKEN.finditer(json_limits.mask_escapes(piece))
                yield from (piece[token.start() : token.end()] for token in tokens)


class Utf8:
    """A file's text as UTF-8 bytes, whatever its encoding."""

    def __init__(self, body: IO[bytes], encoding: str, errors: str, skip: int) -> None:
        self._body = body
        self._plain = encoding == "utf-8" and errors == "strict"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        body.seek(skip)

    def read(self, size: int = _CHUNK) -> bytes:
        """Return about ``size`` bytes; b"" only at the end."""
        if self._plain:
            return self._body.read(size)
        while True:
            chunk = self._body.read(size)
            text = self._decoder.decode(chunk, not chunk)
            if text or not chunk:
                return text.encode("utf-8", "replace")


def first_wrong_line(body: IO[bytes], skip: int = 0) -> int | None:
    """Return the line of a file's first byte that is not UTF-8, None if all are."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    body.seek(skip)
    line = 1
    while True:
        chunk = body.read(1 << 20)
        try:
            decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as exc:
            return line + chunk[: exc.start].count(b"\n")
        if not chunk:
            return None
        line += chunk.count(b"\n")


# Messages of yajl (the parser behind ijson), and plain ones for publishers.
_WORDS = (
    ("premature EOF", "the document ends in the middle; it seems to be cut off"),
    ("ncomplete JSON", "the document ends in the middle; it seems to be cut off"),
    ("trailing garbage", "text after the end of the document"),
    ("must be a string", "unexpected character; a name in double quotes was expected"),
    ("invalid character inside string", "line break or control character inside a text"),
    ("comment", "comment; JSON has none"),
    ("escape", "unknown escape with \\ inside a text"),
    ("unallowed token", "unexpected punctuation"),
    ("invalid char in json text", "unexpected character"),
)
