"""The parts of an outline: rows of labels and values, and sections of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ckanext.ukharvest.presentation.rendering.source_record.values import Value

MOST_IN_ROW = 4  # values of a group without its own section: a bounding box
LONGEST_IN_ROW = 120  # characters of each of them


@dataclass(frozen=True, slots=True)
class Row:
    """A label and its values."""

    label: str
    values: tuple[Value, ...]
    lines: tuple[int, ...] = ()
    is_section = False


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its content, in the record's order."""

    label: str
    parts: tuple[Row | Section, ...]
    lines: tuple[int, ...] = ()
    is_section = True


Part = Row | Section


def rows_first(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts of a record, rows before sections: none seems to belong to a section."""
    return tuple(sorted(parts, key=lambda part: part.is_section))


def join_alike(parts: Iterable[Part]) -> Iterator[Part]:
    """Return the parts with successive rows of the same label as one."""
    alike: list[Row] = []
    for part in parts:
        is_plain = isinstance(part, Row) and not any(value.label for value in part.values)
        if alike and not (is_plain and part.label == alike[0].label):
            yield _joined(alike)
            alike = []
        if isinstance(part, Row) and is_plain:
            alike.append(part)
        else:
            yield part
    if alike:
        yield _joined(alike)


def _joined(rows: list[Row]) -> Row:
    values = tuple(value for row in rows for value in row.values)
    return Row(rows[0].label, values, tuple(line for row in rows for line in row.lines))


def values_in_a_row(label: str, parts: tuple[Part, ...]) -> tuple[Value, ...]:
    """Return the values of a group, each with its label, if they fit into one row; else ()."""
    values: list[Value] = []
    for part in parts:
        if isinstance(part, Section) or any(value.label for value in part.values):
            return ()
        said = "" if part.label == label else part.label
        values += (
            replace(value, label=said, lines=part.lines + value.lines) for value in part.values
        )
    is_short = len(values) <= MOST_IN_ROW and all(len(v.text) <= LONGEST_IN_ROW for v in values)
    return tuple(values) if is_short else ()
