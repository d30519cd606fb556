"""A parser's mapping as a table; the documentation is made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Fields = TypeVar("Fields")
FieldValues = dict[str, Any]  # some of DatasetRecord's fields by name, "extras" among them


@dataclass(frozen=True, slots=True)
class Field(Generic[Fields]):
    """One row of a mapping.

    Attributes:
        source: names of the fields to read, in the format's own spelling.
        target: fields of DatasetRecord, and extras, that they become; texts for the documentation.
        read: returns the values.
    """

    source: tuple[str, ...]
    target: str
    read: Callable[[Fields], FieldValues]


def collect(mapping: Iterable[Any], fields: object) -> tuple[FieldValues, dict[str, str]]:
    """Read the rows of a mapping: fields of DatasetRecord, and extras that are not empty.

    Where two rows give the same field or extra, the first that is not empty counts.
    """
    values: FieldValues = {}
    extras: dict[str, str] = {}
    for row in mapping:
        part: FieldValues = row.read(fields)
        for name, value in part.pop("extras", {}).items():
            if value:
                extras.setdefault(name, value)
        for name, value in part.items():
            values[name] = values.get(name) or value
    return values, extras


def read_apart(_fields: object) -> FieldValues:
    """Return nothing: the ``read`` of rows that only document fields read elsewhere."""
    return {}
