"""Select records by values that they have once they are parsed: for every source type.

A protocol's own filters cost less, since the server leaves out what is not wanted. Documents have
none, and no protocol selects by every field. ``FilterFields`` are the values that a source's
records have, for filters to be chosen from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import DatasetRecord, Source

MOST_VALUES = 200  # of a field; those of the most records are kept
LONGEST_VALUE = 200  # characters; longer texts are descriptions, nothing to choose by


@dataclass(frozen=True, slots=True)
class FilterValue:
    """One value that records have.

    Attributes:
        value: as options state it.
        records: number of records that have it, None if it is not known.
        title: its name for people, "" if that is the value itself.
    """

    value: str
    records: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class FilterField:
    """A field by which records can be selected.

    Attributes:
        name: one of ``record_filter.FIELDS``, or the server's own name.
        include, exclude: options that list wanted and unwanted values; "" if there is none.
        prefix: stands before each value in those options.
        needs_all: a record needs all wanted values of the field, not one of them.
        values: those of most records first.
    """

    name: str
    include: str = ""
    exclude: str = ""
    prefix: str = ""
    needs_all: bool = False
    values: tuple[FilterValue, ...] = ()


@dataclass(frozen=True, slots=True)
class FilterFields:
    """The fields that a server counts, and the number of its records without any filter."""

    fields: tuple[FilterField, ...] = ()
    total: int | None = None


# Asks a source's server; never for more than a few small answers.
AskForFields = Callable[[Source], FilterFields]


def with_values(field: FilterField, values: list[FilterValue]) -> FilterField:
    """Return a field with its values sorted and limited."""
    fit = [value for value in values if value.value and len(value.value) <= LONGEST_VALUE]
    fit.sort(key=lambda value: (-(value.records or 0), (value.title or value.value).casefold()))
    return replace(field, values=tuple(fit[:MOST_VALUES]))


INCLUDE, EXCLUDE = "include_values", "exclude_values"

# A record as ``dataclasses.asdict`` returns it.
Entry = Mapping[str, Any]


class Unwanted(SkipRecord):
    """The source's filters leave out ``record``."""

    def __init__(self, message: str, record: DatasetRecord) -> None:
        super().__init__(message)
        self.record = record


def _organisations(entry: Entry) -> Iterator[str]:
    yield (entry.get("publisher") or {}).get("name", "")
    yield _group(entry.get("organisation") or {})


def _group(group: Mapping[str, str]) -> str:
    return group.get("title") or group.get("name") or ""


def _licence(entry: Entry) -> Iterator[str]:
    licence = entry.get("licence") or {}
    yield licence.get("title") or licence.get("id") or licence.get("url") or ""


def _types(entry: Entry) -> Iterator[str]:
    extras = entry.get("extras") or {}
    yield extras.get("resource-type") or extras.get("dcat_type") or ""


def _years(entry: Entry) -> Iterator[str]:
    day = entry.get("modified") or entry.get("metadata_modified") or entry.get("issued") or ""
    yield day[:4] if day[:4].isdecimal() else ""


FIELDS: dict[str, Callable[[Entry], Iterator[str]]] = {
    "organisation": _organisations,
    "group": lambda entry: map(_group, entry.get("groups") or ()),
    "keyword": lambda entry: iter(entry.get("tags") or ()),
    "theme": lambda entry: iter(entry.get("themes") or ()),
    "licence": _licence,
    "type": _types,
    "year": _years,  # of the last change
}

# Field → how rules by it are stored, for every source type.
FILTER_FIELDS = {name: FilterField(name, INCLUDE, EXCLUDE, prefix=f"{name}:") for name in FIELDS}


def values_of(entry: Entry, field: str) -> tuple[str, ...]:
    """Return the different values that a record has in a field."""
    return tuple(dict.fromkeys(filter(None, FIELDS[field](entry))))


def is_set(options: Mapping[str, Any]) -> bool:
    """Tell whether the options filter at all."""
    return bool(options.get(INCLUDE) or options.get(EXCLUDE))


def why_unwanted(entry: Entry, options: Mapping[str, Any]) -> str:
    """Return why the options leave a record out, "" if they do not.

    Of several wanted values of one field a record needs one; it needs one of each field.
    """
    for field, wanted in _by_field(options.get(INCLUDE) or ()).items():
        own = values_of(entry, field)
        if wanted.isdisjoint(text.casefold() for text in own):
            named = f"'{own[0]}'" if own else "missing"
            return Message(
                "its {field} is {named}; {include} wants another",
                field=field,
                named=named,
                include=INCLUDE,
            )
    for field, unwanted in _by_field(options.get(EXCLUDE) or ()).items():
        for value in values_of(entry, field):
            if value.casefold() in unwanted:
                return Message(
                    "its {field} is '{value}', which {exclude} leaves out",
                    field=field,
                    value=value,
                    exclude=EXCLUDE,
                )
    return ""


def _by_field(values: tuple[str, ...]) -> dict[str, set[str]]:
    by_field: dict[str, set[str]] = {}
    for text in values:
        field, _, value = text.partition(":")
        by_field.setdefault(field.strip(), set()).add(value.strip().casefold())
    return by_field


def _wrong(values: tuple[str, ...]) -> str:
    for text in values:
        field, _, value = text.partition(":")
        if field.strip() not in FIELDS or not value.strip():
            names = ", ".join(FIELDS)
            return Message(
                "'{text}' is not a filter; expected field:value with one of the fields {names}",
                text=text,
                names=names,
            )
    return ""


OPTIONS = (
    Option(
        INCLUDE,
        "list",
        (),
        "Only records with these values, as field:value, such as keyword:parking or "
        f"organisation:Somewhere Council. Fields: {', '.join(FIELDS)} (of the last change). Of "
        "several values of a field one is enough. Records are read and then left out; where the "
        "server has a filter of its own, that costs less.",
        separator=";",
        check=_wrong,
    ),
    Option(
        EXCLUDE,
        "list",
        (),
        "No records with one of these values, as field:value, such as keyword:test.",
        separator=";",
        check=_wrong,
    ),
)
