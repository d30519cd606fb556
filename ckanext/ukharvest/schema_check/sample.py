"""The rows of a checked table that are shown: its first ones, and those with the first errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.schema_check.column_summary import MAX_CELL, MAX_COLUMNS

if TYPE_CHECKING:
    from ckanext.ukharvest.schema_check.report import Finding

FIRST_ROWS = 10


@dataclass(frozen=True, slots=True)
class SampleFault:
    """An error in a shown row.

    Attributes:
        cell: position of the cell from 0; None for the whole row, and for cells that are not shown.
        column, found, expected, example: as in ``Finding``.
    """

    cell: int | None
    column: str
    found: str
    expected: str
    example: str


@dataclass(frozen=True, slots=True)
class SampleRow:
    """A shown row.

    Attributes:
        row: its number, with the header as row 1.
        cells: their texts, cut; as many as the row has, at most ``MAX_COLUMNS``.
        left_out: number of its further cells.
        faults: its errors.
    """

    row: int
    cells: tuple[str, ...]
    left_out: int = 0
    faults: tuple[SampleFault, ...] = ()

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> SampleRow:
        """Return the row that ``asdict`` turned into this dict."""
        faults = tuple(SampleFault(**each) for each in value["faults"])
        return cls(value["row"], tuple(value["cells"]), value["left_out"], faults)


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows of a table.

    Attributes:
        header: row 1.
        rows: the first ones, and those with one of the errors that the report shows.
    """

    header: SampleRow
    rows: tuple[SampleRow, ...]


def make_row(
    number: int, cells: Sequence[str], errors: Iterable[tuple[Sequence[int], Finding]]
) -> SampleRow:
    """Return a row as it is shown.

    Args:
        number: of the row.
        cells: all its cells.
        errors: its errors, each with the positions of the cells at fault.
    """
    faults = []
    for positions, found in errors:
        values = found.column, found.found, found.expected, found.example
        places = [each for each in positions if each < MAX_COLUMNS]
        faults += [SampleFault(each, *values) for each in places or (None,)]
    wrong = {each.cell for each in faults}
    texts = (show_cell(t) if n in wrong else t for n, t in enumerate(cells[:MAX_COLUMNS]))
    shown = tuple(shorten(text, MAX_CELL) for text in texts)
    return SampleRow(number, shown, max(0, len(cells) - MAX_COLUMNS), tuple(faults))


def show_cell(text: str) -> str:
    """Return a cell with the spaces around it named, which may be what is wrong with it."""
    inner = text.strip()
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if not inner:
        return "[space]" if text else ""
    return ("[space]" if before else "") + inner + ("[space]" if after else "")
