"""Check a CSV file against the rules for its columns, row by row, in constant memory.

Its header is matched with the columns of the schema, and differences are reported.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from difflib import get_close_matches
from typing import IO

from ckanext.ukharvest.core.values.text import counted, fold_name, shorten
from ckanext.ukharvest.schema_check import rows
from ckanext.ukharvest.schema_check.collector import Collector
from ckanext.ukharvest.schema_check.columns import Column, TableRules
from ckanext.ukharvest.schema_check.report import FIRST_ROWS, ColumnSummaries, show_cell

_ROW = 1  # of the header


def match(
    header: Sequence[str], rules: TableRules, collector: Collector
) -> list[tuple[int, Column]]:
    """Return each column of the schema that the file has, with its position from 0.

    Columns are found by name, also where case or spaces differ; what differs is reported or noted
    as ``rules.match`` says. If no column is found, that is the one error.
    """
    names = [name.strip() for name in header]
    names[0] = names[0].lstrip("\ufeff")
    positions = _find(names, rules.columns)
    if not positions:
        expected = ", ".join(column.name for column in rules.columns)
        text = ", ".join(header)
        wanted = f"a header row with the schema's columns: {expected}"
        collector.error("no-header", wanted, row=_ROW, found=text)
        return []
    _report_names(names, collector)
    missing = [column for column in rules.columns if column.name not in positions]
    extra = [n for n in range(len(names)) if n not in positions.values() and names[n]]
    if rules.match == "by-name":
        _note_differences(names, positions, missing, extra, rules, collector)
    else:
        _report_differences(names, positions, missing, extra, rules, collector)
    return [
        (positions[column.name], column) for column in rules.columns if column.name in positions
    ]


def _find(names: Sequence[str], columns: Sequence[Column]) -> dict[str, int]:
    """Return positions by the schema's names: exact names first, then folded ones."""
    wanted = {expected.name for expected in columns}
    backwards = list(enumerate(names))[::-1]  # so that the first of two of one name wins
    places = {name: position for position, name in backwards if name in wanted}
    folded = {fold_name(name): position for position, name in backwards}
    for column in columns:
        position = folded.get(fold_name(column.name))
        if column.name not in places and position is not None and position not in places.values():
            places[column.name] = position
    return places


def _report_names(names: Sequence[str], collector: Collector) -> None:
    """Report columns without a name, and names that occur twice."""
    for number, name in enumerate(names, 1):
        if not name:
            expected = f"a name for column {number}"
            collector.error("blank-label", expected, row=_ROW, cells=(number - 1,))
        elif name in names[: number - 1]:
            expected = f"each name once; column {names.index(name) + 1} has it, too"
            code, cells = "duplicate-label", (number - 1,)
            collector.error(code, expected, row=_ROW, column=name, found=name, cells=cells)


def _note_differences(
    names: Sequence[str],
    found: dict[str, int],
    missing: Sequence[Column],
    extra: Sequence[int],
    rules: TableRules,
    collector: Collector,
) -> None:
    """csvlint's way: a required column that is missing is an error, other differences are noted."""
    for column, position in found.items():
        if names[position] != column:
            written, wanted = shorten(names[position]), shorten(column)
            collector.note(f"The column '{written}' is called '{wanted}' in the schema.")
    for missed in missing:
        if missed.required:
            _report_missing(missed, names, extra, collector)
    optional = [missed.name for missed in missing if not missed.required]
    if optional:
        shown = shorten(", ".join(optional), 200)
        collector.note(f"The file lacks {counted(len(optional), 'optional column')}: {shown}.")
    if extra:
        shown = shorten(", ".join(names[n] for n in extra), 200)
        collector.note(f"The schema does not have {counted(len(extra), 'column')}: {shown}.")


def _report_differences(
    names: Sequence[str],
    found: dict[str, int],
    missing: Sequence[Column],
    extra: Sequence[int],
    rules: TableRules,
    collector: Collector,
) -> None:
    """Table Schema's way: names are exact; ``fieldsMatch`` says what else may differ."""
    for column, position in found.items():
        if names[position] != column:
            written, code, cells = names[position], "incorrect-label", (position,)
            collector.error(code, column, row=_ROW, column=column, found=written, cells=cells)
    has_all = rules.match in ("exact", "equal", "subset")
    for one in missing:
        if has_all or one.required:
            _report_missing(one, names, extra, collector)
    if rules.match in ("exact", "equal", "superset"):
        for number in extra:
            name, code, cells = names[number], "extra-label", (number,)
            expected = "only the schema's columns"
            collector.error(code, expected, row=_ROW, column=name, found=name, cells=cells)
    positions = [found[one.name] for one in rules.columns if one.name in found]
    if rules.match == "exact" and positions != sorted(positions):
        order = ", ".join(one.name for one in rules.columns)
        text = ", ".join(names)
        collector.error("column-order", f"the columns in this order: {order}", row=_ROW, found=text)


def _report_missing(
    column: Column, names: Sequence[str], extra: Sequence[int], collector: Collector
) -> None:
    near = get_close_matches(column.name, [names[n] for n in extra], 1)
    what = "the required column" if column.required else "the column"
    collector.error(
        "missing-label",
        f"{what} {column.name}",
        row=_ROW,
        column=column.name,
        found=near[0] if near else "",
    )


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
    table = iter(rows.Rows(data, [column.name for column in rules.columns], collector))
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
        return match(names, rules, collector)
    expected = f"a header row with: {', '.join(column.name for column in rules.columns)}"
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
    summaries = ColumnSummaries(names, {position: column.missing for position, column in columns})
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
            shown = ", ".join(values)
            self._check_once("primary-key", number, self._key_name, shown, values, places)

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
