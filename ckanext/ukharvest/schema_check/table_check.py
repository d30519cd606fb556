"""Check a CSV file against the rules for its columns, row by row, in constant memory.

Its header is matched with the columns of the schema, and differences are reported. In the same pass
it is found out what the columns hold: type, empty cells, smallest, largest, number of values.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Hashable, Iterator, Sequence
from datetime import datetime, timezone
from difflib import get_close_matches
from typing import IO, Any

from ckanext.ukharvest.core.values.text import counted, fold_name, shorten
from ckanext.ukharvest.schema_check import rows
from ckanext.ukharvest.schema_check.columns import Column, TableRules
from ckanext.ukharvest.schema_check.report import (
    FIRST_ROWS,
    MAX_CELL,
    MAX_COLUMNS,
    Collector,
    ColumnSummary,
    show_cell,
)

_ROW = 1  # of the header


def match(
    header: Sequence[str], rules: TableRules, collector: Collector
) -> list[tuple[int, Column]]:
    """Return each column of the schema that the file has, with its position from 0.

    Columns are found by name, also where case or spaces differ; what differs is reported or noted
    as ``rules.match`` says. If no column is found, that is the one error.
    """
    names = [name.strip() for name in header]
    expected = ", ".join(column.name for column in rules.columns)
    if not any(names):
        collector.error("no-header", f"a header row with: {expected}", row=_ROW)
        return []
    names[0] = names[0].lstrip("\ufeff")
    positions = _find(names, rules.columns)
    if not positions:
        wanted = f"a header row with the schema's columns: {expected}"
        collector.error("no-header", wanted, row=_ROW, found=", ".join(header))
        return []
    _report_names(names, collector)
    missing = [column for column in rules.columns if column.name not in positions]
    extra = [n for n in range(len(names)) if n not in positions.values() and names[n]]
    if rules.match == "by-name":
        _note_differences(names, positions, missing, extra, collector)
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
    columns = match(names, rules, collector)
    if names:
        collector.end_row(1, names, is_first=True)
    if columns:
        _check_rows(table, names, columns, rules, collector)
    elif names:  # the rows may show what the file is
        for number, cells in itertools.islice(table, FIRST_ROWS):
            collector.end_row(number, cells, is_first=True)


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


MAX_DISTINCT = 1000  # values of a column that are counted

_LONG = 100  # characters of a value beyond which its hash is kept instead
_COMPARED = 200  # characters of texts
_EMPTY, _INTEGER, _NUMBER, _DATE, _DATETIME, _TEXT = range(6)
_NUMBERS = (_INTEGER, _NUMBER)
_NAMES = ("", "integer", "number", "date", "datetime", "string")  # Table Schema's
_SIGNS = frozenset("0123456789+-.")

# A whole number has none of the groups. Comparing more digits would be slow.
_NUMERAL = re.compile(r"[+-]?(?:[0-9]{1,40}(\.[0-9]{0,40})?|(\.[0-9]{1,40}))([eE][+-]?[0-9]{1,3})?")
_TIME = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{3}(?:[0-9]{3})?)?)?"  # which Python 3.10 reads
_ISO = re.compile(
    rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([T ]{_TIME}(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})?)?"
)
_BRITISH = re.compile(rf"([0-9]{{1,2}})/([0-9]{{1,2}})/([0-9]{{4}})(?: ({_TIME}))?")


class ColumnSummaries:
    """Summarises the columns of one table; rows of another width than the header do not count.

    Args:
        names: of the header.
        missing: texts that stand for no value, by the positions of their columns.
    """

    def __init__(self, names: Sequence[str], missing: dict[int, Collection[str]]) -> None:
        self._names = names[:MAX_COLUMNS]
        self._columns = [_Values(missing.get(n, ())) for n in range(len(self._names))]

    def add(self, cells: Sequence[str]) -> None:
        """Add a row."""
        for column, text in zip(self._columns, cells):  # noqa: B905 - columns beyond the most
            kind = column.known.get(text)
            column.counts[column.meet(text) if kind is None else kind] += 1

    def summaries(self) -> list[ColumnSummary]:
        """Return the summaries of the rows added so far."""
        pairs = zip(self._names, self._columns, strict=True)
        return [column.summary(shorten(name.strip("\ufeff"), MAX_CELL)) for name, column in pairs]


class _Range:
    """The smallest and the largest of some values, with the texts that they are written as."""

    __slots__ = ("_largest", "_smallest", "largest", "smallest")

    def __init__(self) -> None:
        self._smallest: Any = None
        self._largest: Any = None
        self.smallest = self.largest = ""

    def add(self, value: Any, text: str) -> None:
        if self._smallest is None:
            self._smallest = self._largest = value
            self.smallest = self.largest = text
        elif value < self._smallest:
            self._smallest, self.smallest = value, text
        elif value > self._largest:
            self._largest, self.largest = value, text


class _Values:
    """The values of one column.

    Attributes:
        known: kind by value; of a long one, by its hash.
        counts: numbers of cells by kind.
    """

    def __init__(self, missing: Collection[str]) -> None:
        self.known: dict[Any, int] = dict.fromkeys((*missing, ""), _EMPTY)
        self.counts = [0] * len(_NAMES)
        self._distinct = 0
        self._has_more = False
        self._numbers, self._dates, self._texts = _Range(), _Range(), _Range()

    def meet(self, text: str) -> int:
        """Return the kind of a value that ``known`` does not have as it is."""
        key: Any = text
        if len(text) > _LONG:
            key = hash(text)
            if key in self.known:
                return self.known[key]
        # Most words begin with a letter, and need not be looked at.
        kind, value = (_TEXT, None) if "A" <= text[0] <= "z" else _classify(text)
        if kind == _EMPTY:
            return kind
        if self._distinct < MAX_DISTINCT:
            self._distinct += 1
            self.known[key] = kind
        else:
            self._has_more = True
        self._texts.add(text[:_COMPARED], text[:_COMPARED])
        if kind != _TEXT:
            (self._numbers if kind in _NUMBERS else self._dates).add(value, text)
        return kind

    def summary(self, name: str) -> ColumnSummary:
        counts = self.counts
        filled = sum(counts) - counts[_EMPTY]
        numbers, dates = counts[_INTEGER] + counts[_NUMBER], counts[_DATE] + counts[_DATETIME]
        kind, others, values = _TEXT if filled else _EMPTY, 0, self._texts
        if numbers * 2 > filled:
            kind = _NUMBER if counts[_NUMBER] else _INTEGER
            others, values = filled - numbers, self._numbers
        elif dates * 2 > filled:
            kind = _DATETIME if counts[_DATETIME] else _DATE
            others, values = filled - dates, self._dates
        return ColumnSummary(
            name,
            _NAMES[kind],
            others,
            counts[_EMPTY],
            shorten(values.smallest, MAX_CELL),
            shorten(values.largest, MAX_CELL),
            self._distinct,
            self._has_more,
        )


def _classify(text: str) -> tuple[int, Any]:
    """Return the kind of a cell and, of numbers and dates, what they are compared by."""
    text = text.strip()
    if not text:
        return _EMPTY, None
    if text[0] not in _SIGNS:
        return _TEXT, None
    if numeral := _NUMERAL.fullmatch(text):
        return (_NUMBER, float(text)) if any(numeral.groups()) else (_INTEGER, int(text))
    try:
        return _classify_date(text)
    except (ValueError, OverflowError):  # the 31st of February
        return _TEXT, None


def _classify_date(text: str) -> tuple[int, Any]:
    if date := _ISO.fullmatch(text):
        moment, has_time = datetime.fromisoformat(text.replace("Z", "+00:00")), bool(date[1])
    elif date := _BRITISH.fullmatch(text):
        day, month, year, time = date.groups()
        iso = f"{year}-{month:0>2}-{day:0>2}" + (f"T{time}" if time else "")
        moment, has_time = datetime.fromisoformat(iso), bool(time)
    else:
        return _TEXT, None
    if moment.tzinfo:
        moment = moment.astimezone(timezone.utc).replace(tzinfo=None)
    return _DATETIME if has_time else _DATE, moment
