"""Character encodings of data and schemas: found out, and told."""

from __future__ import annotations

import codecs
import io
import json
from dataclasses import dataclass
from typing import IO

_HEAD = 4096
_PIECE = 1 << 20
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8 with a byte order mark"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)


@dataclass(frozen=True, slots=True)
class Encoding:
    """An encoding: Python's name, and the usual one, "" for plain UTF-8."""

    codec: str
    label: str


UTF8 = Encoding("utf-8", "")


def detect(data: IO[bytes], size: int) -> Encoding:
    """Return the encoding of a text file, from its first ``size`` bytes; it is then at position 0.

    UTF-16 is known by its byte order mark or by every other byte being zero, as in Latin text.
    What is not UTF-8 is read as Windows-1252, in which every byte is a character.
    """
    data.seek(0)
    head = data.read(_HEAD)
    found = _of_head(head)
    if not found:
        data.seek(0)
        found = UTF8 if _is_utf8(data, size) else Encoding("cp1252", "Windows-1252")
    data.seek(0)
    return found


def _of_head(head: bytes) -> Encoding | None:
    for mark, codec, label in _BOMS:
        if head.startswith(mark):
            return Encoding(codec, label)
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if half and odd > 0.6 * half and even < 0.1 * half:
        return Encoding("utf-16-le", "UTF-16 without a byte order mark")
    if half and even > 0.6 * half and odd < 0.1 * half:
        return Encoding("utf-16-be", "UTF-16 without a byte order mark")
    return None


def _is_utf8(data: IO[bytes], size: int) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while size > 0 and (piece := data.read(min(_PIECE, size))):
            decoder.decode(piece)
            size -= len(piece)
    except UnicodeDecodeError:
        return False
    return True


def open_text(data: IO[bytes], encoding: Encoding, size: int) -> tuple[io.TextIOWrapper, Beginning]:
    """Return the first ``size`` bytes of a file as text with the line ends that it has."""
    beginning = Beginning(data, size)
    buffered = io.BufferedReader(beginning, _PIECE)
    return io.TextIOWrapper(buffered, encoding.codec, "replace", newline=""), beginning


class Beginning(io.RawIOBase):
    """The first bytes of a file; ``is_cut`` once a reader wanted more."""

    def __init__(self, data: IO[bytes], size: int) -> None:
        self._data = data
        self._left = size
        self.is_cut = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = self._data.read(min(len(buffer), self._left))
        self._left -= len(piece)
        if not piece and not self._left:
            self.is_cut = self.is_cut or bool(self._data.read(1))
        buffer[: len(piece)] = piece
        return len(piece)


def decode_json(content: bytes) -> tuple[str, str]:
    """Decode JSON text; return it and the label of an encoding that is not plain UTF-8.

    RFC 8259 wants UTF-8. The LGA's schemas are UTF-16 without a byte order mark.
    """
    found = _of_head(content[:_HEAD])
    if found is None:
        codec = json.detect_encoding(content[:4])
        label = "" if codec == "utf-8" else codec.upper()
        try:
            return content.decode(codec), label
        except UnicodeDecodeError:
            return content.decode("cp1252", "replace"), "Windows-1252"
    return content.decode(found.codec, "replace"), found.label
