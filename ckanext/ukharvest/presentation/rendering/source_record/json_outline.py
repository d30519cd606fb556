"""A record's JSON as headings, labels and values for a page, in the order of its keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.presentation.rendering.source_record.outline import (
    Part,
    Row,
    Section,
    rows_first,
    values_in_a_row,
)
from ckanext.ukharvest.presentation.rendering.source_record.values import (
    Value,
    format_name,
    link_value,
    tidy,
)

MOST = 75_000  # values: as many as elements of XML
DEEPEST = 24  # levels; real records have six
_EMPTY = Value("Empty", is_said=False)
_NAMES = ("title", "name", "fn", "identifier", "id")


def outline(content: str) -> Section:
    """Return a record's outline as one section.

    Args:
        content: a JSON object.

    Raises:
        ParseError: it is no JSON object, or has more than ``MOST`` values.
    """
    try:
        # JSON can spell a lone surrogate, which no page can hold.
        record = json.loads(ordered_json(json.loads(content)))
    except (ValueError, RecursionError) as exc:
        raise ParseError(f"the record is not JSON: {exc}") from exc
    if not isinstance(record, dict):
        raise ParseError("the record is JSON, but no object with fields")
    if (count := _count(record)) > MOST:
        raise ParseError(f"the record has {count:,} values, too many to lay them out here")
    return Section("Record", rows_first(_parts(record, 0)))


def _count(value: Any) -> int:
    waiting, count = [value], 0
    while waiting:
        part = waiting.pop()
        count += 1
        if isinstance(part, (dict, list)):
            waiting += part.values() if isinstance(part, dict) else part
    return count


def _parts(fields: Mapping[str, Any], depth: int) -> Iterator[Part]:
    for key, value in fields.items():
        label = format_name(key.lstrip("@")) or key
        if isinstance(value, list) and all(map(_is_pair, value)) and value:
            # CKAN's extras: their keys are names of fields.
            pairs = [(format_name(str(pair["key"])) or "?", pair["value"]) for pair in value]
            parts = (part for key, text in pairs for part in _part(key, text, depth + 1))
            yield Section(label, tuple(parts))
        else:
            yield from _part(label, value, depth)


def _part(label: str, value: Any, depth: int) -> Iterator[Part]:
    if depth >= DEEPEST:
        yield Row(label, (Value(json.dumps(value, ensure_ascii=False)),))
    elif isinstance(value, dict) and value:
        parts = tuple(_parts(value, depth + 1))
        values = values_in_a_row(label, parts)
        yield Row(label, values) if values else Section(label, rows_first(parts))
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for number, item in enumerate(value, 1):
            yield from _part(_numbered(label, number, item), item, depth + 1)
    else:
        values = tuple(map(_value, value if isinstance(value, list) else [value]))
        yield Row(label, values or (_EMPTY,))


def _numbered(label: str, number: int, item: Any) -> str:
    """Return the heading of one of several items: "Distribution 2: Opening hours"."""
    names = (item.get(key) for key in _NAMES) if isinstance(item, dict) else ()
    name = next((text for text in names if isinstance(text, str) and text.strip()), "")
    return f"{label} {number}: {tidy(name)[:80]}" if name else f"{label} {number}"


def _is_pair(item: Any) -> bool:
    return isinstance(item, dict) and {"key", "value"} <= item.keys()


def _value(value: Any) -> Value:
    if value is None or value in ("", {}):
        return _EMPTY
    if isinstance(value, str):
        return link_value(tidy(value)) if tidy(value) else _EMPTY
    # As JSON writes it: true, 12.5
    return Value(json.dumps(value))
