"""Limits on the tokens and the depth of a JSON document, checked before a parser gets it.

Parsers rely on it. ijson's C backend ends the process on an integer with more digits than Python
converts, reads an unfinished string again with each piece it gets, builds the path of every value,
names included, and fails at half a surrogate pair. RFC 8259, section 9, allows such limits.
"""

from __future__ import annotations

import io
import re
from itertools import accumulate
from typing import Protocol

from ckanext.ukharvest.core.messages import Message

# A double written out in full has at most 767 significant digits; identifiers are shorter.
MAX_NUMBER = 1_000  # characters
# A detailed boundary as GeoJSON within a string has a few megabytes.
MAX_STRING = 20_000_000  # bytes of UTF-8
# Names are words or URLs; together with ``MAX_DEPTH`` this limits the path of a value.
MAX_NAME = 2_000  # bytes of UTF-8
# GeoJSON within a dataset within a catalogue needs some 20; deeper is an attack on the stack.
MAX_DEPTH = 100

_DIGITS = b"+-.0123456789Ee"
_ONLY_DIGITS = bytes(sign if sign in _DIGITS else 0x20 for sign in range(256))
_MARKED = bytes(0x23 if sign in _DIGITS else 0x20 for sign in range(256))
_NO_BRACKETS = bytes(sign for sign in range(256) if sign not in b"[]{}")
_STEPS = [(sign in b"[{") - (sign in b"]}") for sign in range(256)]
# An escape, read as yajl reads it: a high surrogate takes the next escape with it.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[0-9a-fA-F]{4})?|u([dD][c-fC-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_TOKEN = re.compile(rb'"[^"]*"?|[\[\]{}]|[-+.0-9Ee]+')
_COLON = re.compile(rb"\s*:")


class BeyondLimit(ValueError):
    """A document goes beyond a limit.

    Attributes:
        message: the fault, to follow "the document": "is nested more than 100 levels deep".
        code: "too-long" or "too-deep".
        offset: number of bytes before the place.
    """

    def __init__(self, message: str, code: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.offset = offset


class Readable(Protocol):
    """A file of bytes; b"" only at its end."""

    def read(self, size: int, /) -> bytes:
        """Return about ``size`` bytes."""


class JsonPieces:
    """A document's bytes in pieces that end outside strings, each checked before it is returned.

    Time and memory are linear. It knows strings, numbers and brackets only: other syntax errors are
    left to the parser.

    Args:
        source: the document in UTF-8, or another superset of ASCII.
        is_checked: it was read before, without passing a limit.
    """

    def __init__(self, source: Readable, *, is_checked: bool = False) -> None:
        self._source = source
        self._is_checked = is_checked
        self._rest = b""  # the beginning of an unfinished string
        self._offset = 0  # where the next piece begins
        self._depth = 0
        self._digits = b""  # at the end of the last piece: the number may continue
        self._may_be_name = False  # the last piece ends with a string too long for a name

    def read(self, size: int) -> bytes:
        """Return the next piece: about ``size`` bytes, more where a string is longer.

        Raises:
            BeyondLimit: a token is too long, or the nesting too deep.
        """
        piece, masked = self._next(size)
        if not self._is_checked:
            self.check(masked)
        return _without_lone_surrogates(piece)

    def _next(self, size: int) -> tuple[bytes, bytes]:
        """Return the bytes up to the last unfinished string, and the same with escapes masked."""
        pieces, masked = [], []
        held, length, is_open = b"", 0, False
        piece = self._rest + self._source.read(size)
        self._rest = b""
        while piece:
            text = mask_escapes(held + piece)
            held = b"\\" if text.endswith(b"\\") else b""  # escapes the next character
            text = text[:-1] if held else text
            quotes = text.count(b'"')
            is_open ^= bool(quotes % 2)
            pieces.append(piece)
            masked.append(text)
            length += len(piece)
            cut = length - len(held) - len(text) + text.rfind(b'"')
            if is_open and quotes and cut:
                whole = b"".join(pieces)
                self._rest = whole[cut:]
                return whole[:cut], b"".join(masked)[:cut]
            if not is_open or length > MAX_STRING + 2:
                break
            piece = self._source.read(size)
        return b"".join(pieces), b"".join(masked) + held

    def check(self, text: bytes) -> None:
        """Check a piece that begins outside strings, with escapes masked."""
        # Split at quotes, syntax and strings alternate.
        syntax = self._digits + b'"'.join(text.split(b'"')[0::2])
        opened = syntax.count(b"[") + syntax.count(b"{")
        if (
            _may_have_long_string(text)
            or self._may_be_name
            or self._is_too_deep(syntax, opened)
            or _has_long_number(syntax)
        ):
            self._check_slowly(text)
        self._depth += opened - syntax.count(b"]") - syntax.count(b"}")
        self._digits = syntax[len(syntax.rstrip(_DIGITS)) :]
        self._offset += len(text)

    def _is_too_deep(self, syntax: bytes, opened: int) -> bool:
        if self._depth + opened <= MAX_DEPTH:
            return False
        steps = map(_STEPS.__getitem__, syntax.translate(None, _NO_BRACKETS))
        return max(accumulate(steps, initial=self._depth)) > MAX_DEPTH

    def _check_slowly(self, text: bytes) -> None:
        """Check a piece token by token, to tell long texts from names, and to find the place."""
        if self._may_be_name and text.strip():
            if _COLON.match(text):
                raise _too_long("name", MAX_NAME, "bytes", self._offset)
            self._may_be_name = False
        depth, start = self._depth, self._offset - len(self._digits)
        text = self._digits + text
        for match in _TOKEN.finditer(text):
            token, offset = match[0], start + match.start()
            if token.startswith(b'"'):
                self._check_string(text, match.end(), len(token) - 2, offset)
            elif token in b"[]{}":
                depth += _STEPS[token[0]]
                if depth > MAX_DEPTH:
                    message = Message(
                        "is nested more than {max_depth} levels deep", max_depth=MAX_DEPTH
                    )
                    raise BeyondLimit(message, "too-deep", offset)
            elif len(token) > MAX_NUMBER:
                raise _too_long("number", MAX_NUMBER, "characters", offset)

    def _check_string(self, text: bytes, end: int, length: int, offset: int) -> None:
        if length > MAX_STRING:
            raise _too_long("text", MAX_STRING, "bytes", offset)
        if length > MAX_NAME:
            if _COLON.match(text, end):
                raise _too_long("name", MAX_NAME, "bytes", offset)
            self._may_be_name = not text[end : end + MAX_NAME].strip() and not text[end:].strip()


def _without_lone_surrogates(piece: bytes) -> bytes:
    """Replace escapes of low surrogates without a high one by "?"; the length stays.

    ijson's C backend makes bytes of them that are not UTF-8, and ends the read of the document. It
    makes "?" of lone high surrogates itself.
    """
    if b"\\ud" not in piece and b"\\uD" not in piece:
        return piece
    return _ESCAPE.sub(lambda found: rb"\u003f" if found[1] else found[0], piece)


def _may_have_long_string(text: bytes) -> bool:
    # A string too long for a name fills at least one of these windows.
    half = MAX_NAME // 2
    return any(text.find(b'"', at, at + half) < 0 for at in range(0, len(text) - half, half))


def _has_long_number(syntax: bytes) -> bool:
    # A number that is too long crosses one of these sample points: most texts need no more checks.
    if b"####" not in syntax[:: MAX_NUMBER // 4].translate(_MARKED):
        return False
    return max(map(len, syntax.translate(_ONLY_DIGITS).split()), default=0) > MAX_NUMBER


def check(document: bytes) -> None:
    """Check a whole document.

    Raises:
        BeyondLimit: a token is too long, or the nesting too deep.
    """
    JsonPieces(io.BytesIO()).check(mask_escapes(document))


def mask_escapes(text: bytes) -> bytes:
    """Replace escaped quotes and backslashes by other characters; the length stays."""
    if b"\\" not in text:
        return text
    return text.replace(b"\\\\", b"__").replace(b'\\"', b"__")


def _too_long(what: str, limit: int, unit: str, offset: int) -> BeyondLimit:
    message = Message(
        "has a {what} of more than {limit:,} {unit}, the longest that is read,",
        what=what,
        limit=limit,
        unit=unit,
    )
    return BeyondLimit(message, "too-long", offset)
