"""The table that bin/demo prints on standard output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .runs import FIGURES, Row

HEADINGS = ("source", "type", "run", *FIGURES[:-1], "errors", "records/s")
WORDS = 3  # left-aligned columns at the start; figures follow


def render(rows: Sequence[Row]) -> str:
    """Return one line per run, and below them why a run or a record failed."""
    cells = [HEADINGS, *map(_cells, rows)]
    widths = [max(len(each) for each in column) for column in zip(*cells, strict=True)]
    if not any(row.label for row in rows):
        widths[HEADINGS.index("run")] = 0
    lines = [_line(each, widths) for each in cells]
    lines.insert(1, "  ".join("-" * width for width in widths if width))
    return "\n".join([*lines, *_messages(rows)])


def _cells(row: Row) -> tuple[str, ...]:
    rate = "" if row.rate is None else f"{row.rate:,.0f}"
    figures = (str(row.figures[name]) for name in FIGURES)
    return (row.source.title, row.source.kind, row.label, *figures, rate)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return the cells as a line, text left and figures right; a width of 0 omits a cell."""
    parts = [
        cell.ljust(width) if column < WORDS else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        if width
    ]
    return "  ".join(parts).rstrip()


def _messages(rows: Iterable[Row]) -> list[str]:
    lines = [f"  {_name(row)}: {text}" for row in rows for text in row.messages]
    return ["", *lines] if lines else []


def _name(row: Row) -> str:
    return ", ".join(filter(None, (row.source.kind, row.label)))
