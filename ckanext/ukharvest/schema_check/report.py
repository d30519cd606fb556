"""The result of a check of data against its schema, and its limits.

With it go the rows that are shown (the first ones, and those with the first errors) and what the
columns of a table hold: type, empty cells, smallest, largest, number of values, found out while the
table is read once, in constant memory.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from enum import Enum
from typing import Any, TextIO

from ckanext.ukharvest.core.values.text import as_cell, counted, shorten

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
        faults = tuple(SampleFault(**fault) for fault in value["faults"])
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
    for positions, error in errors:
        values = error.column, error.found, error.expected, error.example
        cells_shown = [cell for cell in positions if cell < MAX_COLUMNS]
        faults += [SampleFault(cell, *values) for cell in cells_shown or (None,)]
    wrong = {fault.cell for fault in faults}
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


MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one check.

    Attributes:
        data_bytes: bytes of a table that are read; the rest of a larger one is not checked.
        tree_bytes: size of JSON and XML data, which are checked in memory; larger ones are not
            checked at all.
        schema_bytes: size of a schema.
        rows: rows of a table that are read.
        seconds: time of the check, without downloads.
        memory: bytes of address space of the process that checks.
        findings: findings that are kept, beyond which errors are only counted.
        shown: findings that the report itself has.
    """

    data_bytes: int = 200 * MIB
    tree_bytes: int = 50 * MIB
    schema_bytes: int = 5 * MIB
    rows: int = 1_000_000
    seconds: float = 60.0
    memory: int = 1024 * MIB
    findings: int = 10_000
    shown: int = 20

    @classmethod
    def for_bytes(cls, most: int) -> Limits:
        """Return limits for data of at most so many bytes."""
        return cls(data_bytes=most, tree_bytes=min(most, cls().tree_bytes))


class Verdict(str, Enum):
    """Whether data follow their schema; ``UNCHECKED`` if nothing can be said."""

    VALID = "valid"
    INVALID = "invalid"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Finding:
    """One error in the data.

    Attributes:
        row: row of a table, with the header as row 1; line of an XML document; 0 for none.
        column: name of a column; path within JSON data, as in RFC 6901; name of an XML element.
        found: what the data have there, shortened; "" where there is nothing.
        expected: what the schema expects, to follow "expected".
        example: a valid value, "" where none can be given.
        code: stable identifier of the rule.
    """

    row: int
    column: str
    found: str
    expected: str
    example: str
    code: str

    def sentence(self, place: str = "row") -> str:
        """Return the finding as one sentence; ``place`` is what ``row`` counts."""
        where = [f"{place} {self.row:,}"] if self.row else []
        where += [self.column] if self.column else []
        such = f", such as {self.example}" if self.example else ""
        instead = f"found '{self.found}'" if self.found else "found nothing"
        text = f"{instead}; expected {self.expected}{such}"
        return f"{', '.join(where)}: {text}" if where else text


@dataclass(frozen=True, slots=True)
class DataReport:
    """The result of one check.

    Attributes:
        verdict: valid, invalid or unchecked.
        schema_type: what the schema is: csvlint, tableschema, json-schema, xsd, or geojson for
            GeoJSON without a schema; "" if that is not known.
        reason: why the data were not checked, as a sentence; "" if they were.
        errors: number of errors.
        checked: number of rows, features or items that were checked.
        unit: what ``checked`` counts: "row", "feature", "item"; "" for other data.
        stopped: why the check ended early, as a sentence; "" if it did not.
        findings: the first errors.
        notes: sentences about what is unusual and no error, in the file or in the schema.
        sample: some rows of a table; None for other data.
        columns: what the columns of a table hold, at most ``MAX_COLUMNS``.
    """

    verdict: Verdict
    schema_type: str = ""
    reason: str = ""
    errors: int = 0
    checked: int = 0
    unit: str = ""
    stopped: str = ""
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    sample: Sample | None = None
    columns: tuple[ColumnSummary, ...] = ()

    @property
    def place(self) -> str:
        """What ``Finding.row`` counts: "line" in XML, otherwise "row"."""
        return "line" if self.schema_type == "xsd" else "row"

    @property
    def summary(self) -> str:
        """The result in a few words: "Valid", "3 errors in 1,204 rows"."""
        if self.verdict is Verdict.UNCHECKED:
            return f"Not checked: {self.reason}"
        extent = counted(self.checked, self.unit) if self.unit else ""
        if self.stopped and extent:
            extent = f"the first {extent}"
        if self.verdict is Verdict.VALID:
            if not self.stopped:
                return "Valid"
            return f"No errors in {extent}" if extent else "No errors so far"
        return counted(self.errors, "error") + (f" in {extent}" if extent else "")

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {
            "verdict": self.verdict.value,
            "summary": self.summary,
            "schema_type": self.schema_type,
            "reason": self.reason,
            "errors": self.errors,
            "checked": self.checked,
            "unit": self.unit,
            "stopped": self.stopped,
            "findings": [
                {name: getattr(finding, name) for name in Finding.__slots__}
                for finding in self.findings
            ],
            "notes": list(self.notes),
            "sample": asdict(self.sample) if self.sample else None,
            "columns": [asdict(column) for column in self.columns],
        }


def storable(value: Any) -> Any:
    """Return a report without the characters that PostgreSQL cannot store."""
    if isinstance(value, dict):
        return {str(key): storable(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(part) for part in value]
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode()
    return value


class FindingsCsv:
    """Writes findings to a CSV file: call it with each finding."""

    def __init__(self, file: TextIO, place: str = "row") -> None:
        self._writer = csv.writer(file)
        self._writer.writerow((place, "column", "found", "expected", "example", "code"))

    def __call__(self, finding: Finding) -> None:
        texts = (finding.column, finding.found, finding.expected, finding.example, finding.code)
        self._writer.writerow((finding.row or "", *map(as_cell, texts)))
