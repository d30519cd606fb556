"""What bin/demo prints on standard output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .runs import FIGURES, Row

HEADINGS = ("source", "type", "run", *FIGURES[:-1], "errors", "records/s")


def render(rows: Sequence[Row]) -> str:
    """One line a run, and below them why a run or a record did not come in."""
    cells = [HEADINGS, *map(_cells, rows)]
    widths = [max(len(each) for each in column) for column in zip(*cells, strict=True)]
    lines = [_line(each, widths) for each in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([*lines, *_messages(rows)])


def _cells(row: Row) -> tuple[str, ...]:
    rate = "" if row.rate is None else f"{row.rate:,.0f}"
    figures = (str(row.figures[name]) for name in FIGURES)
    return (row.source.title, row.source.kind, row.label, *figures, rate)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    # Words to the left, figures to the right.
    words = [cell.ljust(width) for cell, width in zip(cells[:3], widths[:3], strict=True)]
    figures = [cell.rjust(width) for cell, width in zip(cells[3:], widths[3:], strict=True)]
    return "  ".join([*words, *figures]).rstrip()


def _messages(rows: Iterable[Row]) -> list[str]:
    lines = [f"  {row.source.kind}, {row.label}: {text}" for row in rows for text in row.messages]
    return ["", *lines] if lines else []
