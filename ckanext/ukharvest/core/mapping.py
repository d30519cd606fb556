"""A parser's mapping as data: the documentation's table is made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Fields = TypeVar("Fields")


@dataclass(frozen=True, slots=True)
class Field(Generic[Fields]):
    """One line of a mapping.

    Attributes:
        source: names of the fields that are read, as the format writes them.
        target: fields of DatasetRecord, and extras, that they become; the table's words.
        read: gives some of DatasetRecord's fields by name, "extras" among them.
    """

    source: tuple[str, ...]
    target: str
    read: Callable[[Fields], dict[str, Any]]


def read_apart(_fields: object) -> dict[str, Any]:
    """The ``read`` of fields that a parser reads apart from its mapping; the row documents them."""
    return {}
