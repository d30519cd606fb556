"""Check a CSV file against the rules for its columns, row by row, in constant memory."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from typing import IO

from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.schema_check import header, rows
from ckanext.ukharvest.schema_check.collector import Collector
from ckanext.ukharvest.schema_check.column_summary import ColumnSummaries
from ckanext.ukharvest.schema_check.columns import Column, TableRules
from ckanext.ukharvest.schema_check.sample import FIRST_ROWS, show_cell

# Values that are remembered to find them again, for all columns together: some 200 MB.
MAX_REMEMBERED = 2_000_000


class Remembered:
    """Values that may occur once, as hashes, up to a number."""

    def __init__(self, collector: Collector, most: int = MAX_REMEMBERED) -> None:
        self._collector = collector
        self._most = most
        self._rows: dict[int, int] = {}

    def find(self, key: Hashable, row: int) -> int:
        """Return the row in which a value was first met, 0 if that is this row."""
        place = hash(key)  # salted by the process: two values of a file do not meet on purpose
        if first := self._rows.get(place):
            return first
        if len(self._rows) < self._most:
            self._rows[place] = row
        else:
            note = f"Values that occur twice were looked for among the first {self._most:,} only."
            self._collector.note(note)
        return 0


def check(data: IO[bytes], rules: TableRules, collector: Collector) -> None:
    """Check a file.

    Raises:
        Unchecked: it is no CSV.
        Stopped: a limit is reached.
    """
    rows.refuse_other_files(data)
    collector.set_unit("row")
    table = iter(rows.Rows(data, [each.name for each in rules.columns], collector))
    names = next(table, (0, []))[1]
    columns = _match(names, rules, collector)
    if names:
        collector.end_row(1, names, is_first=True)
    if columns:
        _check_rows(table, names, columns, rules, collector)
    elif names:  # the rows may show what the file is
        for number, cells in itertools.islice(table, FIRST_ROWS):
            collector.end_row(number, cells, is_first=True)


def _match(
    names: Sequence[str], rules: TableRules, collector: Collector
) -> list[tuple[int, Column]]:
    if any(name.strip() for name in names):
        return header.match(names, rules, collector)
    expected = f"a header row with: {', '.join(each.name for each in rules.columns)}"
    collector.error("no-header", expected, row=1)
    return []


def _check_rows(
    table: Iterator[tuple[int, list[str]]],
    names: Sequence[str],
    columns: Sequence[tuple[int, Column]],
    rules: TableRules,
    collector: Collector,
) -> None:
    checker = _Checker(len(names), columns, rules, collector)
    summaries = ColumnSummaries(names, {position: each.missing for position, each in columns})
    most = FIRST_ROWS
    try:
        for number, cells in table:
            if checker.check(number, cells):
                summaries.add(cells)
            collector.end_row(number, cells, is_first=most > 0)
            most -= 1
            collector.count()
    finally:  # a limit may end the check
        collector.set_columns(summaries.summaries())


class _Checker:
    """Checks the rows below the header."""

    def __init__(
        self,
        width: int,
        columns: Sequence[tuple[int, Column]],
        rules: TableRules,
        collector: Collector,
    ) -> None:
        self._width = width
        self._columns = columns
        self._collector = collector
        self._remembered = Remembered(collector)
        by_name = {column.name: (position, column) for position, column in columns}
        names = rules.primary_key
        self._key = [by_name[name] for name in names] if set(names) <= set(by_name) else []
        self._key_name = ", ".join(names)

    def check(self, number: int, cells: list[str]) -> bool:
        """Check one row; return False for one that is empty or has a wrong number of cells.

        Of such a row nothing else is checked.
        """
        if not any(map(str.strip, cells)):
            self._collector.error("blank-row", "a row with values", row=number)
            return False
        if len(cells) != self._width:
            self._collector.error(
                "ragged-row",
                f"{counted(self._width, 'cell')}, as in the header",
                row=number,
                found=counted(len(cells), "cell"),
            )
            return False
        for position, column in self._columns:
            self._check_cell(number, column, position, cells[position])
        if self._key:
            self._check_key(number, cells)
        return True

    def _check_cell(self, number: int, column: Column, position: int, text: str) -> None:
        if fault := column.fault(text):
            self._collector.error(
                *(fault.code, fault.expected),
                row=number,
                column=column.name,
                found=show_cell(text),
                example=fault.example,
                cells=(position,),
            )
        elif column.unique and (column.unique_when_missing or text not in column.missing):
            key = (column.name, text)
            self._check_once("unique", number, column.name, text, key, (position,))

    def _check_key(self, number: int, cells: list[str]) -> None:
        places = [position for position, _column in self._key]
        values = tuple(cells[position] for position in places)
        if all(cells[position] in column.missing for position, column in self._key):
            expected = "a value, as a part of the primary key"
            name, code = self._key_name, "primary-key"
            self._collector.error(code, expected, row=number, column=name, cells=places)
        else:
            found = ", ".join(values)
            self._check_once("primary-key", number, self._key_name, found, values, places)

    def _check_once(
        self,
        code: str,
        number: int,
        name: str,
        found: str,
        key: Hashable,
        cells: Sequence[int],
    ) -> None:
        if first := self._remembered.find(key, number):
            expected = f"a value that occurs once; row {first:,} has it, too"
            self._collector.error(code, expected, row=number, column=name, found=found, cells=cells)
