"""How each source type is served in the contract tests: the only thing a new type adds there.

A type has one entry in ``SERVERS``: a function that makes a publisher serve the given records the
way real publishers of the type do, in two pages where the protocol has pages, and returns the
source's path. What a record must have is a number (its identity), a title and a description.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.publisher import Publisher


@dataclass(frozen=True)
class Item:
    """One record to be served.

    Attributes:
        title: "" makes it a record that every parser has to refuse.
        nameless: leave its identifier out.
    """

    number: int
    title: str = "A title"
    description: str = "A description."
    nameless: bool = False


@dataclass(frozen=True)
class Served:
    """Where the source is, and the path whose failure means a half-read source."""

    path: str
    late_path: str


def items(count: int, **changed: Any) -> list[Item]:
    """Records 0 to count-1."""
    return [Item(number, title=f"Title {number}", **changed) for number in range(count)]


def _data_json(publisher: Publisher, records: Sequence[Item]) -> Served:
    half = (len(records) + 1) // 2
    publisher.serve("/data.json", _catalogue(records[:half]))
    publisher.serve("/data.json?page=2", _catalogue(records[half:]))
    return Served("/data.json", "/data.json?page=2")


def _catalogue(records: Sequence[Item]) -> dict[str, Any]:
    return {"dataset": [_dataset(each) for each in records]}


def _dataset(item: Item) -> dict[str, Any]:
    dataset = {
        "identifier": f"id-{item.number}",
        "title": item.title,
        "description": item.description,
        "distribution": [{"downloadURL": f"https://data.example/{item.number}.csv"}],
    }
    if item.nameless:
        del dataset["identifier"]
    return dataset


SERVERS: dict[str, Callable[[Publisher, Sequence[Item]], Served]] = {"data_json": _data_json}
