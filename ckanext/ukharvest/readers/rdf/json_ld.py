"""Divide large JSON-LD documents, and find JSON-LD inside HTML pages.

Divided, the parser needs memory for one part only: pyoxigraph holds each object of a document's
outer array until it ends, and most catalogues are one object: ``{"@context": …, "@graph": […]}``,
or a catalogue with its datasets. The parts written here are such objects as well, each with the
context, the identifier and the type of the whole, and with some of the elements: the triples stay
the same (JSON-LD 1.1, section 8, "Data Model": a node may be described in several places).
"""

from __future__ import annotations

import json
import re
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

from ckanext.ukharvest.core.json_limits import JsonPieces, mask_escapes
from ckanext.ukharvest.core.xml.parser import read_html

Inline = Callable[[str], str]

_PIECE = 1 << 20  # bytes
_LONGEST = 16 << 20  # bytes without a bracket
_DEPTH = 4  # an array in a catalogue in an array in the outer object
CLOSED_BY = {b"{": b"}", b"[": b"]"}
_BRACKET = re.compile(rb'[^\[\]{}"]*(?:"[^"]*"[^\[\]{}"]*)*([\[\]{}])')
_MOST = 50 << 20  # bytes of a page
_SCRIPT = re.compile(rb"application/ld\+json", re.IGNORECASE)
# Pages of all kinds have JSON-LD about the site itself.
_DATASETS = re.compile(r"\bData(?:set|setSeries|Catalog|Service)\b|w3\.org/ns/dcat|\bdcat:")
_PART = 1 << 20  # bytes of a part, if elements are not larger
_END = 1 << 62  # an offset after every other

_KEY = re.compile(rb'"([^"]*)"\s*:\s*(?:("[^"]*")|[^\s",\[\]{}]+|[\[{]\Z)')
_CONTEXT, _ID, _TYPE, _GRAPH = "@context", "@id", "@type", "@graph"


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


# A comma between two elements at which a part ends: its offset, and the nodes around it.
Cut = tuple[int, tuple[Node, ...]]


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
            while match := _BRACKET.match(text, end):
                self._bracket(match[1], match[0], offset + end)
                end = match.end()
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
            if len(self._stack) == _DEPTH:
                self._deeper = 1
                return
            self.is_array = bracket == b"[" if not self._stack else self.is_array
            self._stack.append(Node(bracket, at))
        elif top and CLOSED_BY[top.kind] == bracket:
            self._stack.pop()
            self._ended(at + 1)
        else:
            raise Indivisible

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
        self.cuts.append((offset, tuple(self._stack)))
        self._last = offset


@dataclass(frozen=True, slots=True)
class _Value:
    """Where a key's value stands, and the key as written, with its quotes."""

    key: bytes
    start: int
    end: int


class _Divided:
    """An object that is divided: what each of its parts has to repeat."""

    def __init__(self, node: Node, body: IO[bytes], inherited: list[Any], inline: Inline) -> None:
        self.node = node
        self._body = body
        self._values = dict(self._find_values())
        self.contexts = list(inherited)
        self._repeated: list[tuple[_Value | None, bytes]] = []
        if _CONTEXT in self._values:
            self._add_context(self._values[_CONTEXT], inline)
        terms = _terms(self.contexts)
        for keyword in (_ID, _TYPE):  # the type may have a context of its own
            for name in self._named(keyword, terms):
                value = self._values[name]
                text = value.key + b":" + self._raw(value.start, value.end)
                self._repeated.append((value, text))
        self._key_of_cut = {at: self._key(at, terms) for at in node.cuts}
        graphs = set(self._named(_GRAPH, terms))
        names = {name for name, _key in self._key_of_cut.values()}
        if next(self._named(_ID, terms), None) is None and not graphs.issuperset(names):
            self._repeated.append((None, b'"@id":"_:divided%d"' % node.start))

    def _find_values(self) -> Iterator[tuple[str, _Value]]:
        ends = iter(self.node.ends)
        for offset, text in self.node.texts:
            child_end = next(ends, _END) if text[-1:] in CLOSED_BY else 0
            for match in _KEY.finditer(text):
                if b"\\" in match[1]:
                    raise Indivisible
                key = self._raw(offset + match.start(1) - 1, offset + match.end(1) + 1)
                start = offset + text.index(b":", match.end(1)) + 1
                is_last = match.end() == len(text) and text[-1:] in CLOSED_BY
                end = child_end if is_last else offset + match.end()
                yield match[1].decode("utf-8", "replace"), _Value(key, start, end)

    def _raw(self, start: int, end: int) -> bytes:
        self._body.seek(start)
        # No string of JSON has a line break; without them, the lines keep their numbers.
        return self._body.read(end - start).replace(b"\r", b" ").replace(b"\n", b" ")

    def _add_context(self, value: _Value, inline: Inline) -> None:
        text = '{"@context":' + self._raw(value.start, value.end).decode("utf-8", "replace") + "}"
        try:
            context = json.loads(inline(text))[_CONTEXT]
        except (ValueError, RecursionError) as exc:
            raise Indivisible from exc
        self.contexts.append(context)
        self._repeated.append((value, b'"@context":' + json.dumps(context).encode()))

    def _named(self, keyword: str, terms: dict[str, list[Any]]) -> Iterator[str]:
        """Yield the keys that are a keyword, or another name for it."""
        names = (keyword, {_ID: keyword})
        for name in self._values:
            if name == keyword or any(term in names for term in terms.get(name, ())):
                yield name

    def _key(self, at: int, terms: dict[str, list[Any]]) -> tuple[str, bytes]:
        """Return the key whose array is divided at an offset."""
        for name, value in self._values.items():
            if value.start <= at < value.end:
                if not all(map(_is_set, (name, *terms.get(name, ())))):
                    raise Indivisible
                return name, value.key
        raise Indivisible

    def head(self, begin: int, end: int) -> bytes:
        """Return what the part between two offsets has to repeat, each followed by a comma."""
        missing = (
            text
            for value, text in self._repeated
            if value is None or not begin <= value.start < end
        )
        return b"".join(text + b"," for text in missing)

    def opened(self, begin: int, end: int) -> bytes:
        """Return the beginning of the part after a cut, up to the array."""
        return b"{" + self.head(begin, end) + self._key_of_cut[begin][1] + b":"


def _terms(context: Any) -> dict[str, list[Any]]:
    """Return every definition of each term, those in contexts of terms included."""
    terms: dict[str, list[Any]] = {}
    inner = context if isinstance(context, list) else ()
    if isinstance(context, dict):
        terms = {name: [term] for name, term in context.items()}
        inner = [
            term[_CONTEXT]
            for term in context.values()
            if isinstance(term, dict) and _CONTEXT in term
        ]
    for part in inner:
        for name, definitions in _terms(part).items():
            terms.setdefault(name, []).extend(definitions)
    return terms


def _is_set(term: Any) -> bool:
    """Tell whether the values of a term, or of a key, have neither an order nor names."""
    if isinstance(term, dict):
        container = term.get("@container")
        is_set = container in (None, "@set", ["@set"]) and term.get(_TYPE) != "@json"
        return is_set and _is_set(term.get(_ID))
    return not str(term).startswith("@") or term in (_GRAPH, "@included")


def divide(body: IO[bytes], inline: Inline, *, part: int = _PART) -> IO[bytes] | None:
    """Return the same document in parts.

    Args:
        body: a JSON-LD document in UTF-8 that has passed ``json_limits``.
        inline: returns a piece of the document with all its contexts included.
        part: bytes of a part; elements are not divided.

    Returns:
        A new file, which the caller closes; None if the document is not divided: it is small, or
        its elements have an order or names.
    """
    try:
        scan = Scan(body, part)
        if not scan.cuts:
            return None
        inserted = _insertions(scan, body, inline)
    except Indivisible:
        return None
    return _written(body, inserted, scan, inline)


def _insertions(scan: Scan, body: IO[bytes], inline: Inline) -> list[tuple[int, int, bytes]]:
    """Return offset, bytes left out and bytes put in, in order."""
    divided: dict[int, _Divided] = {}
    inserted: list[tuple[int, int, bytes]] = []
    for offset, path in scan.cuts:
        contexts: list[Any] = []
        for node in path:
            if node.kind != b"{":
                continue
            if node.start not in divided:
                divided[node.start] = one = _Divided(node, body, contexts, inline)
                head = one.head(node.start, node.cuts[0])
                inserted.append((node.start + 1, 0, head))
            contexts = divided[node.start].contexts
        inserted.append((offset, 1, _joint(offset, path, divided)))
    return sorted(inserted)


def _joint(offset: int, path: tuple[Node, ...], divided: dict[int, _Divided]) -> bytes:
    """Return what ends one part and begins the next."""
    # The outer array, the document's own or ours, stays open.
    path = path[1:] if path[0].kind == b"[" else path
    closed = b"".join(CLOSED_BY[node.kind] for node in reversed(path))
    opened = b""
    for node in path:
        if node.kind == b"[":
            opened += b"["
        else:
            end = node.cuts[bisect_right(node.cuts, offset) :][:1]
            opened += divided[node.start].opened(offset, end[0] if end else _END)
    return closed + b"," + opened


def _written(
    body: IO[bytes], inserted: list[tuple[int, int, bytes]], scan: Scan, inline: Inline
) -> IO[bytes]:
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed by the caller
    body.seek(0)
    offset = 0
    file.write(b"" if scan.is_array else b"[")
    for at, left_out, put_in in inserted:
        piece = body.read(at - offset)
        file.write(inline(piece.decode("utf-8", "replace")).encode() + put_in)
        body.seek(at + left_out)
        offset = at + left_out
    file.write(inline(body.read().decode("utf-8", "replace")).encode())
    file.write(b"]" if scan.is_complete and not scan.is_array else b"")
    file.seek(0)
    return file


def embedded(body: IO[bytes], charset: str = "") -> bytes | None:
    """Return the JSON-LD of a page as one document; None if it describes no datasets.

    Args:
        body: the page, seekable.
        charset: the server's charset; used only if the bytes are not UTF-8.
    """
    body.seek(0)
    data = body.read(_MOST + 1)
    if len(data) > _MOST or not _SCRIPT.search(data):
        return None
    nodes: list[Any] = []
    for text in _scripts(data, charset):
        with suppress(ValueError, RecursionError):
            value = json.loads(text, strict=False) if _DATASETS.search(text) else []
            nodes += value if isinstance(value, list) else [value]
    return json.dumps(nodes, ensure_ascii=False).encode("utf-8", "replace") if nodes else None


def _scripts(data: bytes, charset: str) -> list[str]:
    target = _Scripts()
    read_html(target, data, charset)
    return target.texts


class _Scripts:
    """lxml's parser target: collects the scripts of JSON-LD."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._is_inside = False

    def start(self, tag: str, attrib: dict[str, str]) -> None:
        kind = (attrib.get("type") or "").partition(";")[0].strip().lower()
        self._is_inside = tag == "script" and kind == "application/ld+json"
        if self._is_inside:
            self.texts.append("")

    def data(self, text: str) -> None:
        if self._is_inside:
            self.texts[-1] += text

    def end(self, tag: str) -> None:
        self._is_inside = self._is_inside and tag != "script"

    def close(self) -> None:
        """Return nothing: no tree was built."""
