"""The fields of a portal's own dataset form, and what of a record they take."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ckanext.ukharvest.core.records import Agent, DatasetRecord, Period

# Before the name of a fact whose own name is that of a portal's field of another kind.
STAND_IN = "ukharvest_"


class FormFields(frozenset[str]):
    """Names of the fields of a portal's own form, which says what values they take.

    Attributes:
        takes: called with the name of one of them and a value: tells whether its validators take
            the value. Any by default.
        parts: names of the parts of each field whose values are a list of dicts.
    """

    takes: Callable[[str, Any], bool]
    parts: Mapping[str, Collection[str]]

    def __new__(
        cls,
        names: Iterable[str],
        takes: Callable[[str, Any], bool] = lambda _key, _value: True,
        parts: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> FormFields:
        fields = super().__new__(cls, names)
        fields.takes, fields.parts = takes, parts
        return fields


def takes(schema: Collection[str], key: str, value: Any) -> bool:
    """Tell whether a portal's form has a field, and its validators take this value."""
    return key in schema and (not isinstance(schema, FormFields) or schema.takes(key, value))


# Fields that ckanext-dcat's own schemas have beside ours, where a portal's form has them.
_DCAT_FIELDS: dict[str, Callable[[DatasetRecord], Any]] = {
    "issued": lambda r: r.issued,
    "modified": lambda r: r.modified,
    "theme": lambda r: list(r.themes),
}
# The same of those whose values are lists of dicts.
_DCAT_PARTS: dict[str, Callable[[DatasetRecord], dict[str, str]]] = {
    "contact": lambda r: _agent(r.contact),
    "publisher": lambda r: _agent(r.publisher),
    "temporal_coverage": lambda r: {
        "start": (r.temporal or Period()).start,
        "end": (r.temporal or Period()).end,
    },
    "spatial_coverage": lambda r: {
        "text": r.spatial_text,
        "geom": json.dumps(r.spatial, separators=(",", ":")) if r.spatial else "",
    },
}


def _agent(agent: Agent | None) -> dict[str, str]:
    return {"name": agent.name, "email": agent.email, "url": agent.url} if agent else {}


def dcat_fields(record: DatasetRecord, schema: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield name and value of ckanext-dcat's fields that a portal's form has, if there is one."""
    for key, read in _DCAT_FIELDS.items():
        if key in schema and (value := read(record)):
            yield key, value
    for key, parts in (schema.parts if isinstance(schema, FormFields) else {}).items():
        found = _DCAT_PARTS[key](record) if key in _DCAT_PARTS else {}
        if row := {name: text for name, text in found.items() if text and name in parts}:
            yield key, [row]


DCAT_KEYS = frozenset((*_DCAT_FIELDS, *_DCAT_PARTS))
