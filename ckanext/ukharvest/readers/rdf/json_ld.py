"""Divide large JSON-LD documents, so that the parser needs memory for one part only.

pyoxigraph holds each object of a document's outer array until it ends, and most catalogues are one
object: ``{"@context": …, "@graph": […]}``, or a catalogue with its datasets. The parts written here
are such objects as well, each with the context, the identifier and the type of the whole, and with
some of the elements: the triples stay the same (JSON-LD 1.1, section 8, "Data Model": a node may be
described in several places).
"""

from __future__ import annotations

import json
import re
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from ckanext.ukharvest.readers.rdf.json_ld_scan import CLOSED_BY, Cut, Indivisible, Node, Scan

Inline = Callable[[str], str]

_PART = 1 << 20  # bytes of a part, if elements are not larger
_END = 1 << 62  # an offset after every other

_KEY = re.compile(rb'"([^"]*)"\s*:\s*(?:("[^"]*")|[^\s",\[\]{}]+|[\[{]\Z)')
_CONTEXT, _ID, _TYPE, _GRAPH = "@context", "@id", "@type", "@graph"


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
                self._repeat(self._values[name])
        self._key_of_cut = {at: self._key(at, terms) for at in node.cuts}
        has_id = any(True for _ in self._named(_ID, terms))
        graphs = set(self._named(_GRAPH, terms))
        if not has_id and not graphs.issuperset(self._names_of_cuts()):
            self._repeated.append((None, b'"@id":"_:divided%d"' % node.start))

    def _find_values(self) -> Iterator[tuple[str, _Value]]:
        ends = iter(self.node.ends)
        for offset, text in self.node.texts:
            child_end = next(ends, _END) if text[-1:] in CLOSED_BY else 0
            for found in _KEY.finditer(text):
                if b"\\" in found[1]:
                    raise Indivisible
                key = self._raw(offset + found.start(1) - 1, offset + found.end(1) + 1)
                start = offset + text.index(b":", found.end(1)) + 1
                end = offset + found.end()
                if found.end() == len(text) and text[-1:] in CLOSED_BY:
                    end = child_end
                yield found[1].decode("utf-8", "replace"), _Value(key, start, end)

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
            if name == keyword or any(each in names for each in terms.get(name, ())):
                yield name

    def _repeat(self, value: _Value) -> None:
        self._repeated.append((value, value.key + b":" + self._raw(value.start, value.end)))

    def _key(self, at: int, terms: dict[str, list[Any]]) -> tuple[str, bytes]:
        """Return the key whose array is divided at an offset."""
        for name, value in self._values.items():
            if value.start <= at < value.end:
                if not all(map(_is_set, (name, *terms.get(name, ())))):
                    raise Indivisible
                return name, value.key
        raise Indivisible

    def _names_of_cuts(self) -> set[str]:
        return {name for name, _key in self._key_of_cut.values()}

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
    found: dict[str, list[Any]] = {}
    if isinstance(context, dict):
        for name, term in context.items():
            found.setdefault(name, []).append(term)
    inner = context if isinstance(context, list) else ()
    if isinstance(context, dict):
        inner = [each[_CONTEXT] for each in context.values() if _has_context(each)]
    for each in inner:
        for name, terms in _terms(each).items():
            found.setdefault(name, []).extend(terms)
    return found


def _has_context(term: Any) -> bool:
    return isinstance(term, dict) and _CONTEXT in term


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
    for cut in scan.cuts:
        contexts: list[Any] = []
        for node in cut.path:
            if node.kind != b"{":
                continue
            if node.start not in divided:
                divided[node.start] = one = _Divided(node, body, contexts, inline)
                head = one.head(node.start, node.cuts[0])
                inserted.append((node.start + 1, 0, head))
            contexts = divided[node.start].contexts
        inserted.append((cut.offset, 1, _joint(cut, divided)))
    return sorted(inserted)


def _joint(cut: Cut, divided: dict[int, _Divided]) -> bytes:
    """Return what ends one part and begins the next."""
    # The outer array, the document's own or ours, stays open.
    path = cut.path[1:] if cut.path[0].kind == b"[" else cut.path
    closed = b"".join(CLOSED_BY[node.kind] for node in reversed(path))
    opened = b""
    for node in path:
        if node.kind == b"[":
            opened += b"["
        else:
            end = node.cuts[bisect_right(node.cuts, cut.offset) :][:1]
            opened += divided[node.start].opened(cut.offset, end[0] if end else _END)
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
