"""The outline of a JSON document, found in one pass before a record is read.

The pass reads to the last bracket: a truncated document is refused before any record is used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.readers.json_document.stream import JsonFile

Identity = Callable[[Mapping[str, Any]], str]

# Key of a catalogue → class of its entries, and which of them are records.
CLASSES = {"service": "DataService", "datasetSeries": "DatasetSeries"}
RULES = {
    "service": "a data service is a record of its own if it has an identifier and a title, and"
    " serves no dataset",
    "datasetSeries": "a series is a record of its own if it has an identifier and a title",
}
_MEMBERS = ("seriesMember", "first", "last")


def is_record(entry: Any) -> bool:
    """Tell whether a service or series is a record: it has a title, and serves no dataset."""
    if not isinstance(entry, Mapping) or entry.get("servesDataset"):
        return False
    return any(entry.get(key) for key in ("title", "titleMap"))


def names(entry: Any, identity: Identity) -> list[str]:
    """Return the texts by which an entry is named: its identity, and its URI."""
    if not isinstance(entry, Mapping):
        entry = {"identifier": entry}
    return list(filter(None, (identity(entry), clean_text(entry.get("@id")))))


def of_files(dataset: Any, identity: Identity) -> Iterator[str]:
    """Yield the names of the services that a dataset's files have."""
    for file in _items(dataset, "distribution"):
        for service in _items(file, "accessService"):
            yield from names(service, identity)


def content(key: str, entry: Mapping[str, Any], identity: Identity) -> dict[str, Any]:
    """Return an entry as a record: with its class, and of a series' members the names alone.

    The members are records themselves: what changes in them does not change the series.
    """
    record = {"@type": CLASSES[key], **entry}
    for member in _MEMBERS if key == "datasetSeries" else ():
        if member in entry:
            members = (names(item, identity)[:1] for item in _items(entry, member))
            record[member] = [name for member_names in members for name in member_names]
    return record


def _items(parent: Any, key: str) -> list[Any]:
    value = parent.get(key) if isinstance(parent, Mapping) else None
    return value if isinstance(value, list) else [value]


_MAX_KEYS = 40
_MAX_CACHE = 10_000  # prefixes that are known to say nothing
_MAX_PATH = 200  # characters of such a prefix
_OWN = ("@type", "conformsTo")  # what the document says of itself

_HINTS = (
    ({"success", "result"}, "it looks like an answer of CKAN's API"),
    ({"@graph"}, "it looks like a JSON-LD graph, which the type dcat_rdf reads"),
    ({"features"}, "it looks like GeoJSON"),
)


@dataclass(frozen=True)
class Shape:
    """The places of records in documents of one kind.

    Attributes:
        keys: names of the list of records, at the top or in a nested catalogue.
        nested: names under which catalogues of the same shape are nested.
        embedded: dotted names under which further records are nested in other entries.
        left_out: key → kind of its entries: objects that are not records.
        by_rule: keys of data services and series, some of which are records of their own.
        signs: a record has one of these keys; so does a document that is a single record.
        schemas: parts of the URLs in ``conformsTo`` that mark a known format.
        singular, noun: the name of a record, singular and plural.
    """

    keys: tuple[str, ...]
    nested: tuple[str, ...] = ()
    embedded: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    by_rule: tuple[str, ...] = ()
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
        left_out = _any((*(key for key, _ in self.left_out), *self.by_rule))
        return re.compile(
            rf"{nest}(?:(?P<key>{_any(self.keys)})|(?P<embedded>{embedded or '(?!)'})"
            rf"|(?P<left_out>{left_out or '(?!)'}))(?P<item>\.item)?"
        )

    def place(self, prefix: str) -> tuple[str, str, bool]:
        """Return the kind of an ijson prefix: "key", "embedded", "left_out" or ""; its name;
        whether it is an item of the list there."""
        match = self._pattern.fullmatch(prefix)
        if match is None:
            return "", "", False
        kind = next(kind for kind in ("key", "embedded", "left_out") if match[kind] is not None)
        return kind, match[kind], match["item"] is not None


def _any(names: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, names))


class Outline:
    """The content of one document, found in a pass over its events.

    Attributes:
        lists: ijson prefix of records → their number, in the document's order.
        embedded: the same of records inside other entries.
        is_single: the document itself is the one record.

    Raises:
        ProtocolError: not JSON, too deep, or no catalogue; says what was expected and found.
    """

    def __init__(self, file: JsonFile, shape: Shape, url: str, kind: str) -> None:
        self._shape = shape
        self._place = lru_cache(maxsize=100)(shape.place)  # few, since a path may be long
        self._idle: set[str] = set()  # prefixes whose events say nothing: most
        self._top = ""
        self._own = dict.fromkeys(_OWN, "")
        self._keys: dict[str, None] = {}
        self._wrong: dict[str, str] = {}
        self._found = False
        self.lists: Counter[str] = Counter()
        self.embedded: Counter[str] = Counter()
        self._left_out: Counter[tuple[str, str]] = Counter()  # by name and prefix
        self._read(file)
        self.is_single = self._is_record()
        if self.is_single:
            self.lists[""] = 1
        elif wrong := self._refusal(kind):
            raise ProtocolError(
                Message("{wrong}: {url}", wrong=wrong, url=url), code="not-a-catalogue", url=url
            )

    @property
    def by_rule(self) -> tuple[tuple[str, str], ...]:
        """The keys and prefixes of data services and series."""
        return tuple(place for place in self._left_out if place[0] in self._shape.by_rule)

    def _read(self, file: JsonFile) -> None:
        idle = self._idle
        for prefix, event, value in file.events():
            if prefix in idle:
                continue
            if event == "map_key":
                self._key(prefix, value)
            elif event not in ("end_map", "end_array"):
                self._value(prefix, event, value)

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
        if prefix in _OWN and isinstance(value, str):
            self._own[prefix] = value
        if self._top == "start_array":
            if prefix == "item":
                self.lists["item"] += 1
            else:
                self._pass_over(prefix)
            return
        kind, name, is_item = self._place(prefix)
        if not kind and prefix not in _OWN:
            self._pass_over(prefix)
        elif kind == "key":
            self._list(prefix, event, is_item)
        elif kind == "embedded" and event == "start_map":
            self.embedded[prefix] += 1
        elif kind == "left_out" and event == "start_map":
            self._left_out[name, prefix] += 1

    def _list(self, prefix: str, event: str, is_item: bool) -> None:
        """Handle a list of records, an item of it, or another value in its place."""
        if event == "start_array" and not is_item:
            self.lists.setdefault(prefix + ".item", 0)
        elif event == "start_map" or is_item:
            self.lists[prefix] += 1
        elif event == "null":
            self._found = True
        else:
            self._wrong[prefix] = event

    def _pass_over(self, prefix: str) -> None:
        if len(prefix) <= _MAX_PATH and len(self._idle) < _MAX_CACHE:
            self._idle.add(prefix)

    def _is_record(self) -> bool:
        """Whether the document is one record without a catalogue around it."""
        has_list = self.lists or self.embedded or self._left_out or self._found or self._wrong
        is_catalogue = self._own["@type"].lower().endswith("catalog")
        if self._top != "start_map" or has_list or is_catalogue:
            return False
        return len(self._shape.signs & self._keys.keys()) > 1

    def problems(self) -> Iterator[Problem]:
        """Yield problems of a catalogue that can still be read: entries that are not records."""
        if self.is_single:
            return
        shown, known = self._own["conformsTo"], self._shape.schemas
        if shown and known and not any(part in shown.lower() for part in known):
            words = Message(
                "'{shown}' is not a format we know; it was read as {known}",
                shown=shorten(shown, 80),
                known=known[0],
            )
            yield Problem(
                "unknown-schema", "conformsTo", Message("conformsTo: {words}", words=words)
            )
        noun = self._shape.noun
        for key, what in self._shape.left_out:
            if number := sum(n for (name, _), n in self._left_out.items() if name == key):
                message = Message(
                    "{key}: {number} left out, since {what} are no {noun}; {noun} within them are"
                    " read",
                    key=key,
                    number=number,
                    what=what,
                    noun=noun,
                )
                yield Problem("left-out", key, message)

    def _refusal(self, kind: str) -> str:
        """Return why this is not a catalogue, "" if it is."""
        if self._top == "start_array":
            if not self.lists["item"] or self._shape.signs & self._keys.keys():
                return ""
        elif self.lists or self.embedded or self._left_out or self._found:
            return ""
        if self._wrong:
            key, event = next(iter(self._wrong.items()))
            return Message(
                "{key} is a {event}; expected a list of {noun}",
                key=key,
                event=event,
                noun=self._shape.noun,
            )
        keys = " or ".join(self._shape.keys)
        # A list without an object around it is known by its records' keys.
        or_list = (
            Message(", or a list of {noun}", noun=self._shape.noun) if self._shape.signs else ""
        )
        hints = [hint for keys, hint in _HINTS if keys <= self._keys.keys()]
        return Message(
            "JSON, but not {kind}: expected an object with the key {keys}{or_list}; found"
            " {seen}{hints}",
            kind=kind,
            keys=keys,
            or_list=or_list,
            seen=self._seen(),
            hints="".join(f"; {hint}" for hint in hints),
        )

    def _seen(self) -> str:
        names = ", ".join(shorten(name, 30) for name in list(self._keys)[:10])
        if self._top == "start_array":
            return (
                Message("a list of objects with {names}", names=names)
                if names
                else Message("a list of other things")
            )
        if self._top == "start_map":
            return Message("the keys {names}", names=names) if names else Message("an empty object")
        return Message("a single {kind}", kind=self._top)


class JsonList:
    """One document, checked to its end when made, then cut into the items of its lists.

    Args:
        url: its URL, for messages.
        shape: where the items are.
        kind: the document's name in messages.

    Raises:
        ProtocolError: not JSON, truncated, or no catalogue.
    """

    def __init__(self, reply: Reply, url: str, shape: Shape, kind: str) -> None:
        self.file = JsonFile(reply, url, kind)
        self.outline = Outline(self.file, shape, url, kind)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems of the document as a whole."""
        return (*filter(None, [self.file.problem]), *self.outline.problems())

    def items(self) -> Iterator[Any]:
        """Yield the items, one in memory at a time."""
        for prefix in self.outline.lists:
            yield from self.file.items(prefix)
