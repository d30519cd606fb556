"""What the columns of a table hold: type, empty cells, smallest, largest, number of values.

Found out while the table is read once, in constant memory.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from ckanext.ukharvest.core.values.text import shorten

MAX_COLUMNS = 100  # that are summarised, or shown in a sample
MAX_DISTINCT = 1000  # values of a column that are counted
MAX_CELL = 50  # characters that are shown of a cell

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


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """What one column holds.

    Attributes:
        name: as the header has it, cut.
        type: the type that more than half of the cells with a value have, in Table Schema's words
            (``integer``, ``number``, ``date``, ``datetime``), else ``string``; "" if no cell has a
            value. Numbers are as in XML Schema, dates as in ISO 8601 or written 31/05/2026.
        others: number of cells with a value of another type.
        empty: number of cells without a value: empty ones, spaces, and what the schema names as
            missing.
        smallest: the smallest value of the type, as the first such cell has it, cut; numbers
            compare as numbers, dates as dates, texts letter by letter.
        largest: the largest.
        distinct: number of different texts, at most ``MAX_DISTINCT``.
        has_more: whether there are more than ``distinct``.
    """

    name: str
    type: str
    others: int
    empty: int
    smallest: str
    largest: str
    distinct: int
    has_more: bool


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
    if found := _NUMERAL.fullmatch(text):
        return (_NUMBER, float(text)) if any(found.groups()) else (_INTEGER, int(text))
    try:
        return _classify_date(text)
    except (ValueError, OverflowError):  # the 31st of February
        return _TEXT, None


def _classify_date(text: str) -> tuple[int, Any]:
    if found := _ISO.fullmatch(text):
        moment, has_time = datetime.fromisoformat(text.replace("Z", "+00:00")), bool(found[1])
    elif found := _BRITISH.fullmatch(text):
        day, month, year, time = found.groups()
        iso = f"{year}-{month:0>2}-{day:0>2}" + (f"T{time}" if time else "")
        moment, has_time = datetime.fromisoformat(iso), bool(time)
    else:
        return _TEXT, None
    if moment.tzinfo:
        moment = moment.astimezone(timezone.utc).replace(tzinfo=None)
    return _DATETIME if has_time else _DATE, moment
