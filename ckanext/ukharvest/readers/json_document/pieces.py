"""Pieces of a JSON document for ijson, and the line and column of an error in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ckanext.ukharvest.core import json_limits

_SHORT = 1_000  # bytes of a string that may be handed on one by one
_STRING = re.compile(rb'"[^"]*"?')
# Within a string: valid escapes, or one character that ends it or is not allowed there.
_SPECIAL = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})|["\\\x00-\x1f]')
# Bytes that continue a character in UTF-8: not counted as characters.
_CONTINUATION = bytes(range(0x80, 0xC0))


class CountedPieces:
    """Pieces for ijson; records where the last one began."""

    def __init__(self, source: json_limits.JsonPieces) -> None:
        self._source = source
        self._offset = 0
        self.last_start = 0

    def read(self, size: int) -> bytes:
        if not size:  # ijson asks so whether it gets bytes
            return b""
        piece = self._source.read(size)
        if piece:
            self.last_start = self._offset
        self._offset += len(piece)
        return piece


class SlowPieces:
    """Pieces for ijson; from ``near`` on byte by byte, so that the meter shows the position."""

    def __init__(self, source: json_limits.JsonPieces, near: int) -> None:
        self.meter = Meter()
        self._source = source
        self._near = near
        self._offset = 0
        self._small: Iterator[bytes] = iter(())

    def read(self, size: int) -> bytes:
        if not size:
            return b""
        piece = next(self._small, b"")
        if not piece:
            piece = self._source.read(size)
            self._offset += len(piece)
            if self._offset > self._near:
                self._small = _cut(piece)
                piece = next(self._small, b"")
        self.meter.count(piece)
        return piece


def _cut(piece: bytes) -> Iterator[bytes]:
    """Cut into single bytes, except the valid part of long strings: each cut costs their length."""
    start = 0
    for found in _STRING.finditer(json_limits.mask_escapes(piece)):
        if len(found[0]) > _SHORT:
            signs = _SPECIAL.finditer(piece, found.start() + 1)
            stop = next((sign.start() for sign in signs if len(sign[0]) == 1), found.end())
            yield from _bytes(piece[start : found.start()])
            yield piece[found.start() : stop]
            start = stop
    yield from _bytes(piece[start:])


def _bytes(piece: bytes) -> Iterator[bytes]:
    return (piece[i : i + 1] for i in range(len(piece)))


class Meter:
    """Tracks line and column, both from 1, of the last character counted."""

    def __init__(self) -> None:
        self.line, self.column = 1, 0

    def count(self, chunk: bytes) -> None:
        """Count these bytes of UTF-8."""
        rest = chunk
        if b"\n" in chunk:
            self.line += chunk.count(b"\n")
            rest = chunk[chunk.rfind(b"\n") + 1 :]
            self.column = 0
        self.column += len(rest.translate(None, _CONTINUATION))
