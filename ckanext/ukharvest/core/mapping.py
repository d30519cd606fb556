"""A parser's mapping as data: the documentation's table is made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Fields = TypeVar("Fields")
Found = dict[str, Any]  # some of DatasetRecord's fields by name, "extras" among them


@dataclass(frozen=True, slots=True)
class Field(Generic[Fields]):
    """One line of a mapping.

    Attributes:
        source: names of the fields that are read, as the format writes them.
        target: fields of DatasetRecord, and extras, that they become; the table's words.
        read: gives what they become.
    """

    source: tuple[str, ...]
    target: str
    read: Callable[[Fields], Found]


def collect(mapping: Iterable[Field[Fields]], fields: Fields) -> tuple[Found, dict[str, str]]:
    """Read what a mapping lists: fields of DatasetRecord, and extras without the empty ones.

    Later rows win where two say the same field.
    """
    found: Found = {}
    extras: dict[str, str] = {}
    for field in mapping:
        part = field.read(fields)
        extras.update((key, value) for key, value in part.pop("extras", {}).items() if value)
        found.update(part)
    return found, extras


def read_apart(_fields: object) -> Found:
    """The ``read`` of fields that a parser reads apart from its mapping; the row documents them."""
    return {}
