"""Check a CSV file against the rules for its columns, row by row, in constant memory."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import IO

from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.schema_check import header, rows
from ckanext.ukharvest.schema_check.collector import Collector
from ckanext.ukharvest.schema_check.columns import Column, TableRules

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


def show_cell(text: str) -> str:
    """Return a cell with the spaces around it named, which may be what is wrong with it."""
    inner = text.strip()
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if not inner:
        return "[space]" if text else ""
    return ("[space]" if before else "") + inner + ("[space]" if after else "")


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
    if not any(name.strip() for name in names):
        expected = f"a header row with: {', '.join(each.name for each in rules.columns)}"
        collector.error("no-header", expected, row=1)
        return
    columns = header.match(names, rules, collector)
    if not columns:
        return
    checker = _Checker(len(names), columns, rules, collector)
    for number, cells in table:
        checker.check(number, cells)
        collector.count()


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

    def check(self, number: int, cells: list[str]) -> None:
        """Check one row; of a row that is empty or has a wrong number of cells, only that."""
        if not any(map(str.strip, cells)):
            self._collector.error("blank-row", "a row with values", row=number)
            return
        if len(cells) != self._width:
            self._collector.error(
                "ragged-row",
                f"{counted(self._width, 'cell')}, as in the header",
                row=number,
                found=counted(len(cells), "cell"),
            )
            return
        for position, column in self._columns:
            self._check_cell(number, column, cells[position])
        if self._key:
            self._check_key(number, cells)

    def _check_cell(self, number: int, column: Column, text: str) -> None:
        if fault := column.fault(text):
            self._collector.error(
                *(fault.code, fault.expected),
                row=number,
                column=column.name,
                found=show_cell(text),
                example=fault.example,
            )
        elif column.unique and (column.unique_when_missing or text not in column.missing):
            self._check_once("unique", number, column.name, text, (column.name, text))

    def _check_key(self, number: int, cells: list[str]) -> None:
        values = tuple(cells[position] for position, _column in self._key)
        if all(cells[position] in column.missing for position, column in self._key):
            expected = "a value, as a part of the primary key"
            self._collector.error("primary-key", expected, row=number, column=self._key_name)
        else:
            self._check_once("primary-key", number, self._key_name, ", ".join(values), values)

    def _check_once(self, code: str, number: int, name: str, found: str, key: Hashable) -> None:
        if first := self._remembered.find(key, number):
            expected = f"a value that occurs once; row {first:,} has it, too"
            self._collector.error(code, expected, row=number, column=name, found=found)
