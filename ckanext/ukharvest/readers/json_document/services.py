"""Data services of a catalogue in JSON (DCAT-US 3): which of them are records of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.values.text import clean_text

Identity = Callable[[Mapping[str, Any]], str]


def is_record(service: Any) -> bool:
    """Tell whether an entry is a record: it has a title, and serves no dataset."""
    if not isinstance(service, Mapping) or service.get("servesDataset"):
        return False
    return any(service.get(key) for key in ("title", "titleMap"))


def names(service: Any, identity: Identity) -> frozenset[str]:
    """Return the texts by which a service is named: its identity, and its URI."""
    if not isinstance(service, Mapping):
        service = {"identifier": service}
    return frozenset((identity(service), clean_text(service.get("@id")))) - {""}


def of_files(dataset: Any, identity: Identity) -> Iterator[str]:
    """Yield the names of the services that a dataset's files have."""
    for file in _objects(dataset, "distribution"):
        for service in _objects(file, "accessService"):
            yield from names(service, identity)


def _objects(parent: Any, key: str) -> list[Any]:
    value = parent.get(key) if isinstance(parent, Mapping) else None
    return value if isinstance(value, list) else [value]


def with_type(service: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a service with its class, which otherwise only its place in the document says."""
    return service if "@type" in service else {"@type": "DataService", **service}
