"""Data services and series of a catalogue in JSON (DCAT-US 3) that are records themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.values.text import clean_text

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
    found = {"@type": CLASSES[key], **entry}
    for member in _MEMBERS if key == "datasetSeries" else ():
        if member in entry:
            members = (names(item, identity)[:1] for item in _items(entry, member))
            found[member] = [name for member_names in members for name in member_names]
    return found


def _items(parent: Any, key: str) -> list[Any]:
    value = parent.get(key) if isinstance(parent, Mapping) else None
    return value if isinstance(value, list) else [value]
