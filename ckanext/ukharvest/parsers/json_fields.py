"""A JSON object read with care: odd shapes and values are read where possible and reported.
Texts in several languages are those of a CKAN site with ckanext-fluent, or of ckanext-dcat's
profiles. ``title_translated`` and its kin: language code → text, or list of tags; JSON in extras.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import (
    Pairs,
    Problem,
    RawRecord,
    ResourceRecord,
    Texts,
    Translation,
    collect_translations,
)
from ckanext.ukharvest.core.values import formats, places
from ckanext.ukharvest.core.values.geometries import is_geojson
from ckanext.ukharvest.core.values.identifiers import parse_identifier
from ckanext.ukharvest.core.values.languages import choose_language, language_pairs
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.periods import Periods
from ckanext.ukharvest.core.values.places import Place, Places, read_places
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.text import clean_text, is_redacted, shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_url
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.reporting import BaseNode, is_of_field

# Keys under which a JSON-LD object has its name, and its URL.
_WORDS = (
    *("@value", "prefLabel", "title", "name", "fn", "label", "altLabel", "notation"),
    *("attributionText", "licenseText", "@id"),
)
_ADDRESSES = ("@id", "accessURL", "downloadURL", "url", "uri", "identifier", "@value")
_KINDS = {str: "a text", bool: "true or false", dict: "an object", list: "a list"}
# Ends of a PeriodOfTime.
_STARTS, _ENDS = ("startDate", "start"), ("endDate", "end")


def load_object(raw: RawRecord) -> dict[str, Any]:
    """Return a record's JSON object.

    Raises:
        ParseError: its content is not a JSON object.
    """
    try:
        data = json.loads(raw.content or "")
    except (ValueError, RecursionError) as exc:
        raise ParseError(
            Message("{record} is not JSON: {reason}", record=raw.display_name, reason=exc),
            code="not-json",
        ) from exc
    if not isinstance(data, dict):
        raise ParseError(
            Message("{record} is not an object in {{ }}", record=raw.display_name),
            code="not-an-object",
        )
    return data


class Fields(BaseNode):
    """The fields of one JSON object of a record.

    Args:
        data: the object; an attribute of the same name has it.
        problems, path, base: as in ``BaseNode``.
    """

    def __init__(
        self, data: Mapping[str, Any], problems: list[Problem], path: str = "", base: str = ""
    ) -> None:
        super().__init__(problems, path, base)
        self.data = data
        self._by_fold = {key.casefold(): key for key in data}
        self._misspelt: set[str] = set()

    def get(self, key: str) -> Any:
        """Return the field's value, of a language map English; report a name in another case."""
        if key in self.data:
            return choose_language(self.data[key])
        own_key = self._by_fold.get(key.casefold())
        if own_key is None:
            return None
        if own_key not in self._misspelt and self.data[own_key] is not None:
            self._misspelt.add(own_key)
            self.report(
                "wrong-case",
                own_key,
                Message("expected the name {key}; names are case sensitive", key=key),
            )
        return choose_language(self.data[own_key])

    def has(self, *keys: str) -> bool:
        """Tell whether one of the fields holds anything."""
        return any(value_text(self.get(key)) or self.get(key) for key in keys)

    def is_settled(self, key: str) -> bool:
        """Tell whether a field without a value has been reported, or is redacted."""
        field = self._path + key
        own = self._problems[self._first :]
        reported = any(is_of_field(problem.field, field) for problem in own)
        return reported or "[[REDACTED" in str(self.get(key)).upper()

    def odd(self, keys: Iterable[str], texts: Iterable[str] = ()) -> set[str]:
        """Return those of some fields that hold no text and have no problem.

        Args:
            texts: others that can only be read as texts; of these, those that have none anywhere.
        """
        odd = {*keys, *(key for key in texts if not any(self.texts(key)))}
        held = {key for key in odd if not isinstance(self.data.get(key), (str, bool, type(None)))}
        return {key for key in held if not self.is_settled(key)}

    def text(self, *names: str) -> str:
        """Return the text of the first field that has one."""
        return next(filter(None, map(self._text, names)), "")

    def _text(self, key: str) -> str:
        """Return one text; numbers and single-item lists are read and reported."""
        value = self.get(key)
        if isinstance(value, list):
            self._wrong_kind(key, value, "a text")
            return "\n".join(part for part in map(value_text, value) if part)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            self._wrong_kind(key, value, "a text")
        return value_text(value)

    def listed(self, key: str) -> tuple[str, ...]:
        """Return the texts of a list; report a field that is none."""
        return tuple(filter(None, chain.from_iterable(map(value_texts, self.items(key)))))

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return the texts of lists or of lone values; "a.b" is a member b of a member a."""
        texts: list[str] = []
        for name in names:
            if "." not in name or name in self.data:
                texts += chain.from_iterable(map(value_texts, self.items(name, strict=False)))
            else:
                texts += _at_path(self.data, name.split("."))
        return tuple(filter(None, texts))

    def identifiers(self, *names: str) -> list[str]:
        """Return texts, and of objects what identifies them."""
        items = (item for name in names for item in self.items(name, strict=False))
        return list(filter(None, (parse_identifier(item) or value_text(item) for item in items)))

    def items(self, key: str, *, strict: bool = True) -> list[Any]:
        """Return a list; a lone value counts as a list of one, reported when ``strict``."""
        value = self.get(key)
        if value is None or value == "":
            return []
        if isinstance(value, list):
            return value
        if strict:
            self._wrong_kind(key, value, "a list")
        return [value]

    def objects(self, key: str, *, strict: bool = False) -> Iterator[Fields | str]:
        """Yield the objects of a list, or texts given instead of objects; report empty ones."""
        value = self.get(key)
        for index, item in enumerate(self.items(key, strict=strict)):
            path = f"{key}[{index}]" if isinstance(value, list) else key
            if isinstance(item, Mapping):
                yield Fields(item, self._problems, f"{self._path}{path}.", self._base)
            elif text := value_text(item):
                yield text
            else:
                self.report("empty-entry", path, Message("empty; expected an object in {{ }}"))

    def _wrong_kind(self, key: str, value: Any, expected: str) -> None:
        kind = _KINDS.get(type(value), "a number")
        shown = f" ({shorten(value_text(value), 40)})" if value_text(value) else ""
        self.report(
            "wrong-type",
            key,
            Message(
                "expected {expected}, but found {kind}{shown}",
                kind=kind,
                shown=shown,
                expected=expected,
            ),
        )

    def read(self, key: str, parse: Callable[[str], str], code: str) -> str:
        """Return a field's text parsed by ``parse``; report its ValueError as ``code``."""
        return self.parse_value(key, value_text(self.get(key)), parse, code)

    def parse_value(self, key: str, text: str, parse: Callable[[str], str], code: str) -> str:
        """Do the same as ``read`` with a text already at hand."""
        return super().parse_value(key, "" if is_redacted(text) else text, parse, code)

    def date_texts(self, name: str) -> list[str]:
        """Return the texts of a list or of a lone value, a blank one too."""
        value = self.get(name)
        return [""] if isinstance(value, str) and not value.strip() else list(self.texts(name))

    def url(self, key: str) -> str:
        """Return a URL; report anything else and return ""."""
        return self.parse_value(key, value_url(self.get(key)), self.parse_url, "bad-url")

    def parse_url(self, text: str) -> str:
        """Do as ``web_addresses.parse_url``, with the document's URL as base."""
        return parse_url(text, self._base)

    def addresses(self, name: str) -> list[str]:
        """Return the URL of a value, or of the first item of a list that has one."""
        value = self.get(name)
        if isinstance(value, list):
            value = next((item for item in value if value_url(item)), value)
        if isinstance(value, (list, Mapping)) and value and not value_url(value):
            self._wrong_kind(name, value, "a web address")
        return [value_url(value)]

    def size_text(self, name: str) -> str:
        """Return the text of a lone value, a number too."""
        return value_text(self.get(name))

    def checksums(self, *names: str) -> Iterator[tuple[str, str]]:
        """Yield value and algorithm of texts, and of objects of SPDX."""
        for part in self.objects(names[0]):
            if isinstance(part, str):
                yield part, ""
            else:
                yield value_text(part.get("checksumValue")), value_url(part.get("algorithm"))

    def periods(self, *names: str) -> Periods:
        """Return the time span around all of a field: ``start/end``, or PeriodOfTime objects."""
        (key,) = names
        spans: list[str | tuple[str, str]] = []
        for item in self.items(key, strict=False):
            if isinstance(item, Mapping) and "@value" not in item:
                part = Fields(item, self._problems, f"{self._path}{key}.")
                spans.append((part.first(*_STARTS), part.first(*_ENDS)))
            elif (text := value_text(item)) and not is_redacted(text):
                spans.append(text)
        return self.read_periods(spans, key, f"{key}.{_STARTS[0]}", f"{key}.{_ENDS[0]}")

    def place_items(self, name: str) -> Iterator[Place | str]:
        """Return the places in a field, for ``read_places``."""
        value = self.get(name)
        # Four numbers, or two corners, are one place.
        is_place = isinstance(value, list) and value and isinstance(value[0], (int, float, list))
        return map(_place, [value] if is_place else self.items(name, strict=False))

    def places(self, *names: str) -> Places:
        """Return the places in a field: texts, GeoJSON, numbers, or Location objects."""
        return read_places(self.place_items(names[0]), self.reporter(names[0]))

    def ends(self, start: str, end: str) -> Periods:
        """Return the time span whose beginning and end are two fields."""
        return self.read_periods([(self.first(start), self.first(end))], "", start, end)

    def first(self, *keys: str) -> str:
        """Return the first of some fields' texts that is neither empty nor redacted."""
        texts = (value_text(item) for key in keys for item in self.items(key, strict=False))
        return next((text for text in texts if text and not is_redacted(text)), "")


def read_resources(  # noqa: PLR0913
    fields: Fields,
    key: str,
    limit: int,
    code: str,
    read: Callable[[Fields], ResourceRecord | None],
    *,
    strict: bool = False,
) -> list[ResourceRecord]:
    """Return the resources of a list of objects, at most ``limit``; more are reported as ``code``.

    8,327 distributions of one dataset once stopped a harvest of data.gov (GSA/data.gov#4583). A web
    address that is a text; expected an object is a file.
    """
    records: list[ResourceRecord] = []
    for number, part in enumerate(fields.objects(key, strict=strict)):
        if number == limit:
            total = len(fields.items(key, strict=False))
            fields.report(
                code,
                key,
                Message(
                    "{total:,} entries; the first {limit:,} were read", total=total, limit=limit
                ),
            )
            break
        if isinstance(part, str):
            fields.report(
                "wrong-type",
                key,
                Message("expected an object, but found a text ({part})", part=shorten(part, 60)),
            )
            if is_web_url(part):
                records.append(ResourceRecord(part, format=formats.of_url(part), kind="data"))
        elif record := read(part):
            records.append(record)
    return records


def _at_path(value: Any, path: Sequence[str]) -> Iterator[str]:
    """Yield the texts at the end of a path of members; each item of a list is followed."""
    for item in value if isinstance(value, list) else [value]:
        if not path:
            yield from value_texts(item)
        elif isinstance(item, Mapping):
            yield from _at_path(item.get(path[0]), path[1:])


def as_object(value: Any) -> Mapping[str, Any]:
    """Return an object; an empty one for other values."""
    return value if isinstance(value, Mapping) else {}


def value_text(value: Any) -> str:
    """Return a value as text: an object's label; of a language map English if it has it."""
    return "" if value is None else ", ".join(value_texts(value))  # None, as most fields are


def value_texts(value: Any) -> list[str]:
    """Return the same as several texts where an object's label has several."""
    if isinstance(value, (str, Mapping)):
        value = choose_language(value)
    if isinstance(value, str) or not isinstance(value, Mapping):
        return [clean_text(value)]
    for key in (*_WORDS, "en", "en-GB", "en-US"):
        item = choose_language(value.get(key))
        parts = map(clean_text, item if isinstance(item, list) else [item])
        if label := list(filter(None, parts)):
            return label
    if any(key.startswith("@") for key in value):
        return []
    texts = (clean_text(item) for key, item in value.items() if 2 <= len(key) <= 5)
    return list(islice(filter(None, texts), 1))


def labels(items: Iterable[Any]) -> list[Any]:
    """Return the texts of values; one without a text stays as it is, to be reported."""
    return [text or item for item in items for text in value_texts(item) or [""]]


def value_url(value: Any) -> str:
    """Return the URL of a value, as text: the value itself, or an object's own URL."""
    if value is None or isinstance(value, str) or not isinstance(value, Mapping):
        return clean_text(value)
    return next(filter(None, (clean_text(value.get(key)) for key in _ADDRESSES)), "")


def ckan_translations(
    flat: Mapping[str, Any], kind: type[Texts], names: Mapping[str, str]
) -> dict[str, Texts]:
    """Return a package's or resource's texts by language: of ``title_translated``, or ``title``.

    Args:
        kind: Translation or ResourceTranslation.
        names: OF_DATASET or OF_RESOURCE.
    """
    fields = {
        name: _translated_pairs(flat.get(key), name) or map_pairs(flat.get(name), name)
        for key, name in names.items()
    }
    return collect_translations(kind, fields, least=1)


def with_language(title: str, translations: Mapping[str, Translation]) -> table.FieldValues:
    """Return a dataset's translations, and the code of the language that its title is in."""
    codes = (code for code, texts in translations.items() if texts.title == title)
    return {"translations": translations, "text_language": next(codes, "")}


def map_pairs(value: Any, name: str) -> Pairs:
    """Return language and text of a value that is a language map.

    Args:
        name: attribute of Translation or ResourceTranslation.
    """
    return [(tag, _translated_value(text, name)) for tag, text in language_pairs(value)]


def _translated_pairs(value: Any, name: str) -> Pairs:
    if isinstance(value, str):
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    if not isinstance(value, Mapping):
        return []
    return [(str(tag), _translated_value(text, name)) for tag, text in value.items()]


def _translated_value(value: Any, name: str) -> str | tuple[str, ...]:
    if name != "tags":
        clean = plain_line if name in ("title", "name") else plain_text
        return clean(value) if isinstance(value, str) else ""
    return clean_tags(value, "")[0] if isinstance(value, list) else ()


def _place(item: Any) -> Place | str:
    """Return one place from a text, GeoJSON, numbers, or a Location object of DCAT-US 3."""
    if isinstance(item, list) or (isinstance(item, Mapping) and is_geojson(item)):
        return Place([(json.dumps(item, ensure_ascii=False), lambda _text: places.from_json(item))])
    if not isinstance(item, Mapping):
        return clean_text(item) if isinstance(item, str) else ""
    names = (value_text(item.get(key)) for key in ("prefLabel", "name", "title", "altLabel"))
    uri, name, spellings = (
        value_text(item.get("@id")),
        next(filter(None, names), ""),
        [*_spellings(item)],
    )
    if item and not (spellings or name or is_web_url(uri)):
        return json.dumps(item, ensure_ascii=False)
    return Place(spellings, name, uri if is_web_url(uri) else "")


def _spellings(item: Mapping[str, Any]) -> Iterator[tuple[str, places.Parse]]:
    """Yield the geometries of a Location, and of a shape of schema.org, as texts."""
    sides = [value_text(item.get(side)) for side in _SIDES]
    if all(sides):
        yield ", ".join(sides), lambda _text: places.parse_box(sides)
    shape = as_object(item.get("geo", item))
    point = value_text(shape.get("latitude")), value_text(shape.get("longitude"))
    if all(point):
        yield " ".join(point), lambda _text: places.parse_point(*point)
    is_shape = "GeoShape" in str(shape.get("@type"))
    for kind in ("polygon", "box", "line", "circle") if is_shape else ():
        if text := value_text(shape.get(kind)):
            yield text, partial(places.parse_latitude_first, kind)
    for key in ("geometry", "bbox", "box", "centroid", "@value"):
        value = item.get(key)
        if isinstance(value, Mapping) and "@value" in value:
            value = value["@value"]
        part = _place(value) if value and not is_shape else ""
        if isinstance(part, Place):
            yield from part.spellings
        elif part:
            yield part, places.parse_spatial


_SIDES = ("westBoundingLongitude", "southBoundingLatitude") + (
    "eastBoundingLongitude",
    "northBoundingLatitude",
)
