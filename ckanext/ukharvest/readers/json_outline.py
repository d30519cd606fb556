"""What a JSON document holds and where, found in one pass before a record is read.

The pass goes to the last bracket: a document that was cut off is refused before anything of it
is used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.readers.json_file import JsonFile

# GeoJSON within a dataset within a catalogue needs some 20; deeper is an attack on the stack.
MAX_DEPTH = 100
_MAX_KEYS = 40
_MAX_CACHE = 10_000

_STARTS = ("start_map", "start_array")
_HINTS = (
    ({"success", "result"}, "it looks like an answer of CKAN's API"),
    ({"@graph"}, "it looks like a JSON-LD graph"),
    ({"features"}, "it looks like GeoJSON"),
)


@dataclass(frozen=True)
class Shape:
    """Where in a document its records are.

    Attributes:
        keys: names of the list of records, at the top or in a nested catalogue.
        nested: names under which catalogues of the same shape are nested.
        embedded: dotted names under which further records stand inside other entries.
        left_out: key → what its entries are: objects that are no records.
        signs: a record has one of these keys; so does a document that is a single record.
        schemas: parts of the addresses that ``conformsTo`` of a known format holds.
        singular, noun: what a record is called, one and many.
    """

    keys: tuple[str, ...]
    nested: tuple[str, ...] = ()
    embedded: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    signs: frozenset[str] = frozenset()
    schemas: tuple[str, ...] = ()
    singular: str = "dataset"
    noun: str = "datasets"

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        nest = rf"(?:(?:{_any(self.nested)})(?:\.item)?\.)*" if self.nested else ""
        embedded = "|".join(
            r"(?:\.item)?\.".join(map(re.escape, name.split("."))) for name in self.embedded
        )
        left_out = _any(tuple(key for key, _ in self.left_out))
        return re.compile(
            rf"{nest}(?:(?P<key>{_any(self.keys)})|(?P<embedded>{embedded or '(?!)'})"
            rf"|(?P<left_out>{left_out or '(?!)'}))(?P<item>\.item)?"
        )

    def place(self, prefix: str) -> tuple[str, str, bool]:
        """Tell what stands at an ijson prefix: "key", "embedded", "left_out" or ""; its name;
        whether it is an item of the list there."""
        match = self._pattern.fullmatch(prefix)
        if match is None:
            return "", "", False
        kind = next(kind for kind in ("key", "embedded", "left_out") if match[kind] is not None)
        return kind, match[kind], match["item"] is not None


def _any(names: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, names))


@dataclass(frozen=True, slots=True)
class Outline:
    """What one document holds.

    Attributes:
        prefixes: ijson prefixes of the records, in the document's order.
        embedded: ijson prefixes of records inside other entries.
        is_single: the document itself is the one record.
        problems: entries that are no records and were left out.
    """

    prefixes: tuple[str, ...]
    embedded: tuple[str, ...] = ()
    is_single: bool = False
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, file: JsonFile, shape: Shape, *, url: str, kind: str) -> Outline:
        """Read a document's outline.

        Raises:
            ProtocolError: not JSON, too deep, or no catalogue; says what was expected and found.
        """
        scan = _Scan(shape, url)
        scan.read(file)
        if scan.is_record():
            return cls(("",), is_single=True)
        wrong = scan.refusal(kind)
        if wrong:
            raise ProtocolError(f"{wrong}: {url}", code="not-a-catalogue", url=url)
        return cls(tuple(scan.lists), tuple(scan.embedded), problems=tuple(scan.problems()))


class _Scan:
    """The pass over the document's events; knows what it saw."""

    def __init__(self, shape: Shape, url: str) -> None:
        self._shape = shape
        self._url = url
        self._places: dict[str, tuple[str, str, bool]] = {}
        self._top = ""
        self._type = ""
        self._conforms_to = ""
        self._keys: dict[str, None] = {}
        self._wrong: dict[str, str] = {}
        self._found = False
        self.lists: Counter[str] = Counter()
        self.embedded: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()

    def read(self, file: JsonFile) -> None:
        depth = 0
        for prefix, event, value in file.events():
            if event == "map_key":
                self._key(prefix, value)
            elif event in ("end_map", "end_array"):
                depth -= 1
            else:
                if event in _STARTS:
                    depth += 1
                    self._check_depth(depth)
                self._value(prefix, event, value)

    def _check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise ProtocolError(
                f"the document at {self._url} is nested more than {MAX_DEPTH} levels deep",
                code="too-deep",
                url=self._url,
            )

    def _key(self, prefix: str, name: str) -> None:
        level = "item" if self._top == "start_array" else ""
        if prefix == level and (name in self._shape.signs or len(self._keys) < _MAX_KEYS):
            self._keys[name] = None

    def _value(self, prefix: str, event: str, value: Any) -> None:
        if prefix == "":
            self._top = event
            if event == "start_array":
                self.lists["item"] = 0
            return
        if prefix == "@type" and isinstance(value, str):
            self._type = value
        elif prefix == "conformsTo" and isinstance(value, str):
            self._conforms_to = value
        if self._top == "start_array":
            if prefix == "item":
                self.lists["item"] += 1
            return
        kind, name, is_item = self._place(prefix)
        if kind == "key":
            self._list(prefix, event, is_item)
        elif kind == "embedded" and event == "start_map":
            self.embedded[prefix] += 1
        elif kind == "left_out" and event == "start_map":
            self.left_out[name] += 1

    def _list(self, prefix: str, event: str, is_item: bool) -> None:
        """A list of records, an item of it, or what stands in its place."""
        if event == "start_array" and not is_item:
            self.lists.setdefault(prefix + ".item", 0)
        elif event == "start_map" or is_item:
            self.lists[prefix] += 1
        elif event == "null":
            self._found = True
        else:
            self._wrong[prefix] = event

    def _place(self, prefix: str) -> tuple[str, str, bool]:
        place = self._places.get(prefix)
        if place is None:
            if len(self._places) > _MAX_CACHE:
                self._places.clear()
            place = self._places[prefix] = self._shape.place(prefix)
        return place

    def is_record(self) -> bool:
        """The document is one record without a catalogue around it."""
        found = self.lists or self.embedded or self.left_out or self._found or self._wrong
        is_catalogue = self._type.lower().endswith("catalog")
        if self._top != "start_map" or found or is_catalogue:
            return False
        return len(self._shape.signs & self._keys.keys()) > 1

    def _has_signs(self) -> bool:
        return not self._shape.signs.isdisjoint(self._keys)

    def problems(self) -> Iterator[Problem]:
        """What is odd about a catalogue that is read all the same."""
        shown, known = self._conforms_to, self._shape.schemas
        if shown and known and not any(part in shown.lower() for part in known):
            words = f"'{shorten(shown, 80)}' is no known format; it was read as {known[0]}"
            yield Problem("unknown-schema", "conformsTo", f"conformsTo: {words}")
        noun = self._shape.noun
        for key, what in self._shape.left_out:
            if self.left_out[key]:
                words = f"{self.left_out[key]} left out, since {what} are no {noun}"
                yield Problem("left-out", key, f"{key}: {words}; {noun} within them are read")

    def refusal(self, kind: str) -> str:
        """Why this is no catalogue, "" if it is one."""
        if self._top == "start_array":
            if not self.lists["item"] or self._has_signs():
                return ""
        elif self.lists or self.embedded or self.left_out or self._found:
            return ""
        if self._wrong:
            key, event = next(iter(self._wrong.items()))
            return f"{key} is a {event}; expected a list of {self._shape.noun}"
        keys = " or ".join(self._shape.keys)
        message = (
            f"JSON, but not {kind}: expected an object with the key {keys},"
            f" or a list of {self._shape.noun}; found {self._seen()}"
        )
        hints = [hint for keys, hint in _HINTS if keys <= self._keys.keys()]
        return "; ".join([message, *hints])

    def _seen(self) -> str:
        names = ", ".join(shorten(name, 30) for name in list(self._keys)[:10])
        if self._top == "start_array":
            return f"a list of objects with {names}" if names else "a list of other things"
        if self._top == "start_map":
            return f"the keys {names}" if names else "an empty object"
        return f"a single {self._top}"
