"""Limits on JSON-LD contexts, checked before a parser gets the document.

The parser copies the context that applies wherever another one begins, in a node or in a term that
has a context of its own (JSON-LD 1.1, section 4.1.8, "Scoped Contexts"), and it follows terms that
are written with other terms by recursion: a small document could occupy it for hours, or end the
process.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import InvalidOperation
from typing import IO, Any

import ijson

from ckanext.ukharvest.core.json_limits import JsonPieces
from ckanext.ukharvest.core.messages import Message

MAX_BYTES = 1_000_000  # of a context; schema.org's has 200 kB
# Terms each written with the next, as "title" with "dct".
_MAX_CHAIN = 100
# Bytes of contexts that the parser may copy, each in some 20 nanoseconds. A catalogue with DCAT-US
# 3.0's context, in which every class has a context of its own, needs 500 for each byte.
_MAX_COPIED = 300_000_000
_COPIED_PER_BYTE = 1_000
_READ = 8  # times the work for a byte of a context that is read again, not copied
_PIECE = 1 << 20

_CONTEXT = "@context"
_LETTERS = "".join(rf"(?:{letter}|\\u00{ord(letter):02x})" for letter in _CONTEXT)
_KEY = re.compile(rf'"{_LETTERS}"\s*:\s*', re.IGNORECASE)
# A string at the end, which may be the key of what follows.
_LAST_STRING = re.compile(r'"[^"]*"\s*\Z')
# Objects as pairs: a name that is there twice is read twice.
_decode = json.JSONDecoder(object_pairs_hook=tuple).raw_decode


def find_fault(body: IO[bytes]) -> str:
    """Return what is wrong with a document's contexts, to follow "the document"; "" for nothing.

    Args:
        body: JSON-LD in UTF-8 that names no contexts by URL and has passed ``core.json_limits``;
            broken syntax is left to the parser. It is at its beginning afterwards.
    """
    work = _Work()
    try:
        for context in _contexts(body):
            work.add(context)
        work.check(body)
    except _BeyondLimit as exc:
        return str(exc)
    finally:
        body.seek(0)
    return ""


class _BeyondLimit(ValueError):
    """Contexts go beyond a limit; the text is the fault."""


def _contexts(body: IO[bytes]) -> Iterator[Any]:
    """Yield the value of each ``@context`` that is not within another one.

    Raises:
        _BeyondLimit: one is too long.
    """
    body.seek(0)
    pieces = JsonPieces(body, is_checked=True)
    text = ""
    while piece := pieces.read(_PIECE):
        text += piece.decode("utf-8", "replace")
        end = 0
        for key in _KEY.finditer(text):
            if key.start() < end:
                continue
            try:
                context, end = _decode(text, key.end())
            except (ValueError, RecursionError) as exc:
                if getattr(exc, "pos", 0) < len(text.rstrip()) - len("false"):
                    return
                if len(text) - key.end() > MAX_BYTES:
                    raise _BeyondLimit(_too_long()) from exc
                text = text[key.start() :]  # it goes on in the next piece
                break
            if end - key.end() > MAX_BYTES:
                raise _BeyondLimit(_too_long())
            yield context
        else:
            last = _LAST_STRING.search(text, end)
            text = text[last.start() :] if last else ""


def _too_long() -> str:
    return Message(
        "has a JSON-LD context of more than {max_bytes:,} bytes; expected a shorter one",
        max_bytes=MAX_BYTES,
    )


class _Work:
    """What a document's contexts cost the parser."""

    def __init__(self) -> None:
        self._number = 0  # of contexts, each of which copies the one around it
        self._sizes: dict[str, int] = {}  # term → length of its longest definition
        self._scoped: dict[str, int] = {}  # term → length of its own context

    def add(self, context: Any) -> None:
        """Count a context and those of its terms.

        Raises:
            _BeyondLimit: its terms are a long chain.
        """
        self._number += 1
        if isinstance(context, list):
            for part in context:
                self.add(part)
        elif isinstance(context, tuple):
            _check_chain(context)
            for name, term in context:
                self._sizes[name] = max(len(name) + len(str(term)), self._sizes.get(name, 0))
                for key, value in term if isinstance(term, tuple) else ():
                    if key == _CONTEXT:
                        self._scoped[name] = max(len(str(value)), self._scoped.get(name, 0))
                        self.add(value)

    def check(self, body: IO[bytes]) -> None:
        """Check the work for a whole document.

        Raises:
            _BeyondLimit: it is too much for the document's length.
        """
        size = sum(self._sizes.values())
        copied = self._number * size
        for name in _names_used(body) if self._scoped else ():
            if name in self._scoped:
                copied += size + _READ * self._scoped[name]
        if copied > _MAX_COPIED + _COPIED_PER_BYTE * body.seek(0, os.SEEK_END):
            raise _BeyondLimit(
                Message(
                    "has too many JSON-LD contexts: {number:,} with {terms:,} terms,"
                    " {scoped:,} of which have a context of their own; expected one context"
                    " for all datasets",
                    number=self._number,
                    terms=len(self._sizes),
                    scoped=len(self._scoped),
                )
            )


def _check_chain(context: tuple[tuple[str, Any], ...]) -> None:
    rest = {name: set(_parts(name, term)) - {name} for name, term in context}
    for _ in range(_MAX_CHAIN):
        rest = {name: parts for name, parts in rest.items() if any(part in rest for part in parts)}
    if len(rest) > _MAX_CHAIN:
        raise _BeyondLimit(
            Message(
                "has a JSON-LD context in which more than {max_chain} terms are each written"
                " with another; expected whole IRIs",
                max_chain=_MAX_CHAIN,
            )
        )


def _parts(name: str, term: Any) -> Iterator[str]:
    """Yield the names of terms that a term may be written with."""
    values = [value for _key, value in term] if isinstance(term, tuple) else [term]
    for text in (name, *values):
        if isinstance(text, str):
            yield text
            yield text.partition(":")[0]


def _names_used(body: IO[bytes]) -> Iterator[str]:
    """Yield the key of each value of a document, and each text, which may be a type."""
    body.seek(0)
    outer: list[str] = []
    key = ""
    # The parser names the fault of what ends this.
    with suppress(ijson.JSONError, InvalidOperation):
        for event, value in ijson.basic_parse(JsonPieces(body, is_checked=True), buf_size=_PIECE):
            if event == "map_key":
                key = value
            elif event in ("end_map", "end_array"):
                key = outer.pop()
            else:
                yield key
                if event == "string":
                    yield value
                elif event.startswith("start_"):
                    outer.append(key)
