"""Outlines of records as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.rendering.outlines import Row, Section
from ckanext.ukharvest.rendering.source_record import Value


def page(part: Row | Section, depth: int = 0) -> Iterator[str]:
    """Return an outline as lines of plain text."""
    if isinstance(part, Section):
        yield "#" * (depth + 1) + " " + part.label
        for each in part.parts:
            yield from page(each, depth + 1)
    else:
        yield f"{part.label} = " + " / ".join(map(spelt, part.values))


def spelt(value: Value) -> str:
    said = value.text if value.is_said else f"({value.text})"
    found = f"{value.label}: {said}" if value.label else said
    return " ".join([found, *(f"<{note}>" for note in value.notes)])


def values_of(part: Row | Section) -> Iterator[Value]:
    if isinstance(part, Row):
        yield from part.values
    else:
        for each in part.parts:
            yield from values_of(each)
