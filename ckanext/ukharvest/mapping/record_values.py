"""Publishers' values in a record, and the values of a portal's tables in their place.

A table maps a field and a publisher's value, whose case and blanks do not matter, to a value here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ckanext.ukharvest.core.records import DatasetRecord, Licence
from ckanext.ukharvest.core.values import licences, theme_names

ORGANISATION, LICENCE, THEME, FREQUENCY = "organisation", "licence", "theme", "frequency"
GROUP, TYPE, LANGUAGE = "group", "type", "language"
FIELDS = (ORGANISATION, LICENCE, THEME, FREQUENCY, GROUP, TYPE, LANGUAGE)
# Their values belong to the portal: what a table names has to exist.
OF_PORTAL = (ORGANISATION, GROUP)

LONGEST = 500  # characters of a value
_MOST = 20  # values of a field of one record

# The problem of a value that is not understood.
_CODES = {LICENCE: "unknown-licence", FREQUENCY: "bad-frequency", LANGUAGE: "bad-language"}
# Extras with a frequency as written, and those of them that a frequency replaces.
_WRITTEN = ("frequency", "update_frequency", "frequency-of-update")
_REPLACED = _WRITTEN[:2]
_ATTRIBUTES = {"rights": "rights", "spatial-text": "spatial_text"}

Find = Callable[[str, str], str]
# Field → the publisher's value → ours; "" is not understood, None is as the publisher wrote it.
StoredValues = dict[str, dict[str, "str | None"]]
_Texts = Mapping[str, bool]  # text → whether it is understood


class MappedValues(NamedTuple):
    """A record with a portal's values, the groups that they put it into, and what it stores."""

    record: DatasetRecord
    groups: tuple[str, ...]
    stored: StoredValues


def fold(text: str) -> str:
    """Return a value as tables compare it."""
    return " ".join(text.split()).casefold()


def extra_of(field: str) -> str:
    """Return the extra that has the values of a field that is none of ``FIELDS``, or the type."""
    return "resource-type" if field == TYPE else field


def publishers(record: DatasetRecord) -> Iterator[str]:
    """Yield URIs and names of who publishes a record or answers for it, the closest first."""
    for agent in filter(None, (record.publisher, record.organisation, record.contact)):
        for key in ("url", "id", "name", "title"):
            if text := getattr(agent, key, ""):
                yield text


def map_values(record: DatasetRecord, find: Find, others: Iterable[str] = ()) -> MappedValues:
    """Put a portal's values into a record.

    Args:
        find: returns the table's value for a field and a publisher's value, "" for none.
        others: further fields that the table has.
    """
    stored: StoredValues = {}
    groups: tuple[str, ...] = ()
    readers = {**_READERS, **{name: _reader(name) for name in others}}
    for field, read in readers.items():
        texts = dict(_short(read(record)))
        ours = {text: find(field, text) for text in texts}
        if texts:
            stored[field] = {
                text: ours[text] or (None if understood else "")
                for text, understood in texts.items()
            }
        mapped = {text: value for text, value in ours.items() if value}
        if not mapped or field == ORGANISATION:
            continue
        if field == GROUP:
            groups = tuple(dict.fromkeys(mapped.values()))
            continue
        record = (
            _WRITERS[field](record, mapped) if field in _WRITERS else _put(record, field, mapped)
        )
        if all(text in mapped for text, understood in texts.items() if not understood):
            left = (problem for problem in record.problems if problem.code != _CODES.get(field))
            record = replace(record, problems=tuple(left))
    return MappedValues(record, groups, stored)


def _short(texts: _Texts) -> Iterator[tuple[str, bool]]:
    short = [(text, known) for text, known in texts.items() if text and len(text) <= LONGEST]
    yield from short[:_MOST]


def _publishers(record: DatasetRecord) -> _Texts:
    """Return the names of who publishes a record; the first is not understood without a table."""
    first = next(filter(None, (record.publisher, record.organisation, record.contact)), None)
    name = getattr(first, "title", "") or getattr(first, "name", "") or next(publishers(record), "")
    return {text: text != name for text in publishers(record)}


def _licences(record: DatasetRecord) -> _Texts:
    found = (record.licence, *(file.licence for file in record.resources))
    texts: dict[str, bool] = {}
    for licence in filter(None, found):
        names = list(filter(None, (licence.title, licence.url)))
        texts |= {name: bool(licence.id) or place > 0 for place, name in enumerate(names)}
    return texts


def _put_licences(record: DatasetRecord, ours: Mapping[str, str]) -> DatasetRecord:
    def put(licence: Licence | None) -> Licence | None:
        names = (licence.url, licence.title) if licence else ()
        name = next((ours[name] for name in names if name in ours), "")
        return named_licence(name) if name else licence

    files = tuple(replace(file, licence=put(file.licence)) for file in record.resources)
    return replace(record, licence=put(record.licence), resources=files)


def named_licence(name: str) -> Licence:
    """Return the licence of an id, URL or title; any other text is the id of one of the portal."""
    found = licences.find(name)
    return found if found and found.id else Licence(id=name)


def _themes(record: DatasetRecord) -> _Texts:
    return {text: is_theme(text) for text in record.themes}


def is_theme(text: str) -> bool:
    """Tell whether a text names a theme of a known list."""
    others = (theme_names.of_inspire(text)[0], theme_names.of_topic(text)[0])
    return bool(theme_names.find(text) or any(others))


def _put_themes(record: DatasetRecord, ours: Mapping[str, str]) -> DatasetRecord:
    return replace(record, themes=_replaced(record.themes, ours))


def _replaced(texts: Iterable[str], ours: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ours.get(text, text) for text in texts))


def _refused(record: DatasetRecord, field: str) -> dict[str, bool]:
    code = _CODES[field]
    return {problem.text: False for problem in record.problems if problem.code == code}


def _frequencies(record: DatasetRecord) -> _Texts:
    if record.frequency:
        return {record.frequency: True}
    written = {record.extras[name]: False for name in _WRITTEN if name in record.extras}
    return written or _refused(record, FREQUENCY)


def _put_frequency(record: DatasetRecord, ours: Mapping[str, str]) -> DatasetRecord:
    extras = {key: text for key, text in record.extras.items() if key not in _REPLACED}
    return replace(record, frequency=next(iter(ours.values())), extras=extras)


def _groups(record: DatasetRecord) -> _Texts:
    there = {name: False for group in record.groups if (name := group.title or group.name)}
    return {**dict.fromkeys((group.name for group in record.groups), True), **there} | {
        text: True for text in record.themes if text not in there
    }


def _languages(record: DatasetRecord) -> _Texts:
    return {**_refused(record, LANGUAGE), **dict.fromkeys(record.language, True)}


def _put_languages(record: DatasetRecord, ours: Mapping[str, str]) -> DatasetRecord:
    refused = (text for text in _refused(record, LANGUAGE) if text in ours)
    return replace(record, language=_replaced((*record.language, *refused), ours))


def _reader(field: str) -> Callable[[DatasetRecord], _Texts]:
    """Return a function that reads an extra or a text of records."""
    key = extra_of(field)
    attribute = _ATTRIBUTES.get(key)

    def read(record: DatasetRecord) -> _Texts:
        text = getattr(record, attribute) if attribute else record.extras.get(key, "")
        return {text: True} if text else {}

    return read


def _put(record: DatasetRecord, field: str, ours: Mapping[str, str]) -> DatasetRecord:
    key, text = extra_of(field), next(iter(ours.values()))
    if attribute := _ATTRIBUTES.get(key):
        texts: dict[str, Any] = {attribute: text}
        return replace(record, **texts)
    return replace(record, extras={**record.extras, key: text})


_READERS: Mapping[str, Callable[[DatasetRecord], _Texts]] = {
    ORGANISATION: _publishers,
    # Groups are read from themes, so before these are mapped.
    GROUP: _groups,
    LICENCE: _licences,
    THEME: _themes,
    FREQUENCY: _frequencies,
    TYPE: _reader(TYPE),
    LANGUAGE: _languages,
}
_WRITERS: Mapping[str, Callable[[DatasetRecord, Mapping[str, str]], DatasetRecord]] = {
    LICENCE: _put_licences,
    THEME: _put_themes,
    FREQUENCY: _put_frequency,
    LANGUAGE: _put_languages,
}


def other_fields(fields: Collection[str]) -> frozenset[str]:
    """Return those of the fields that are extras, which are read only where a table has them."""
    return frozenset(fields).difference(FIELDS)
