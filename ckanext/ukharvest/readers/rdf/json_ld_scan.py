"""Find where a large JSON-LD document can be divided (``json_ld``)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import IO

from ckanext.ukharvest.core.json_limits import JsonPieces, mask_escapes

_PIECE = 1 << 20  # bytes
_LONGEST = 16 << 20  # bytes without a bracket
_DEPTH = 4  # an array in a catalogue in an array in the outer object

CLOSED_BY = {b"{": b"}", b"[": b"]"}
_BRACKET = re.compile(rb'[^\[\]{}"]*(?:"[^"]*"[^\[\]{}"]*)*([\[\]{}])')


class Indivisible(Exception):
    """The document has something that cannot be repeated in each part."""


@dataclass(slots=True)
class Node:
    """An object or array near the root, as the scan found it.

    Attributes:
        kind: its opening bracket.
        start: offset of this bracket.
        texts: of an object, what stands between its children, escapes masked, each with its
            offset; a text ends with the bracket that opens a child.
        ends: of an object, the offset after each child.
        cuts: offsets at which it is divided.
    """

    kind: bytes
    start: int
    texts: list[tuple[int, bytes]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cut:
    """A comma between two elements at which a part ends."""

    offset: int
    path: tuple[Node, ...]


class Scan:
    """Find where a document can be divided; its brackets only are read.

    Attributes:
        cuts: the places, in order.
        is_complete: every bracket is closed.
    """

    def __init__(self, body: IO[bytes], part: int) -> None:
        self.cuts: list[Cut] = []
        self.is_array = False
        self._part = part
        self._stack: list[Node] = []
        self._deeper = 0  # open brackets below _DEPTH
        self._last = 0
        self._read(body)
        self.is_complete = not (self._stack or self._deeper)

    def _read(self, body: IO[bytes]) -> None:
        body.seek(0)
        pieces = JsonPieces(body, is_checked=True)
        rest, offset = b"", 0  # rest: after the last bracket
        while piece := pieces.read(_PIECE):
            text = rest + mask_escapes(piece)
            end = 0
            while found := _BRACKET.match(text, end):
                self._bracket(found[1], found[0], offset + end)
                end = found.end()
            rest = text[end:]
            offset += end
            if len(rest) > _LONGEST:
                raise Indivisible

    def _bracket(self, bracket: bytes, text: bytes, offset: int) -> None:
        at = offset + len(text) - 1
        if self._deeper:
            self._deeper += 1 if bracket in CLOSED_BY else -1
            if not self._deeper:
                self._ended(at + 1)
            return
        top = self._stack[-1] if self._stack else None
        if top and top.kind == b"{":
            top.texts.append((offset, text))
        if bracket in CLOSED_BY:
            if top and bracket == b"{" and top.kind == b"[" and text[:-1].strip() == b",":
                self._may_cut(offset + text.index(b","))
            self._open(bracket, at)
        elif top and CLOSED_BY[top.kind] == bracket:
            self._stack.pop()
            self._ended(at + 1)
        else:
            raise Indivisible

    def _open(self, bracket: bytes, at: int) -> None:
        if len(self._stack) == _DEPTH:
            self._deeper = 1
            return
        if not self._stack:
            self.is_array = bracket == b"["
        self._stack.append(Node(bracket, at))

    def _ended(self, end: int) -> None:
        if self._stack and self._stack[-1].kind == b"{":
            self._stack[-1].ends.append(end)

    def _may_cut(self, offset: int) -> None:
        """Divide here; deep in the document only large parts, because more has to be repeated."""
        is_deep = len(self._stack) > 2
        if offset - self._last < self._part * (4 if is_deep else 1):
            return
        for node in self._stack:
            node.cuts.append(offset)
        self.cuts.append(Cut(offset, tuple(self._stack)))
        self._last = offset
