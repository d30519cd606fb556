"""The result of a check of data against its schema, and its limits.

With it go the rows that are shown (the first ones, and those with the first errors) and what the
columns of a table hold: type, empty cells, smallest, largest, number of values, found out while the
table is read once, in constant memory.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, TextIO

from ckanext.ukharvest.core.values.text import as_cell, counted, shorten

MAX_COLUMNS = 100  # that are summarised, or shown in a sample
MAX_CELL = 50  # characters that are shown of a cell


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
        distinct: number of different texts, at most 1000.
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


FIRST_ROWS = 10
_OF_FAULT = ("column", "found", "expected", "example")


def make_row(
    number: int, cells: Sequence[str], errors: Iterable[tuple[Sequence[int], Finding]]
) -> dict[str, Any]:
    """Return a row as it is shown.

    Args:
        number: of the row.
        cells: all its cells.
        errors: its errors, each with the positions of the cells at fault.

    Returns:
        ``row`` (its number, with the header as row 1), ``cells`` (their texts, cut; as many as the
        row has, at most ``MAX_COLUMNS``), ``left_out`` (number of its further cells) and
        ``faults``, a dict for each cell at fault: ``cell`` (its position from 0; None for the whole
        row, and for cells that are not shown), and the rest as in ``Finding``.
    """
    faults: list[dict[str, Any]] = []
    for positions, error in errors:
        values = {name: getattr(error, name) for name in _OF_FAULT}
        cells_shown = [cell for cell in positions if cell < MAX_COLUMNS]
        faults += [{"cell": cell, **values} for cell in cells_shown or (None,)]
    wrong = {fault["cell"] for fault in faults}
    texts = (show_cell(t) if n in wrong else t for n, t in enumerate(cells[:MAX_COLUMNS]))
    shown = [shorten(text, MAX_CELL) for text in texts]
    left_out = max(0, len(cells) - MAX_COLUMNS)
    return {"row": number, "cells": shown, "left_out": left_out, "faults": faults}


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
        sample: rows of a table as ``make_row`` makes them: ``header``, and ``rows``: the first
            ones, and those with one of ``findings``; None for other data.
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
    sample: dict[str, Any] | None = None
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
            "sample": self.sample,
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


_NOTES = 30  # in one report
_FOUND = 80  # characters
_EXPECTED = 200


class Unchecked(Exception):
    """Nothing can be said about the data; the message is the reason, as a sentence."""


class Stopped(Exception):
    """A limit ends the check early; the message says which, as a sentence."""


class Collector:
    """Passes on what a check finds.

    Args:
        limits: limits of the check.
        emit: called with a name and a value for each thing that becomes known: "schema_type",
            "unit", "note", "finding" (a list of its attributes), "checked", "errors", and of a
            table "sample_row" (the header first) and "column".
        clock: replaces time.monotonic in tests.
    """

    def __init__(
        self,
        limits: Limits,
        emit: Callable[[str, Any], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits
        self.errors = 0
        self.checked = 0
        self._emit = emit
        self._clock = clock
        self._end = clock() + limits.seconds
        self._notes: set[str] = set()
        self._pending: list[tuple[Sequence[int], Finding]] = []

    def set_schema_type(self, name: str) -> None:
        """Say what the schema is."""
        self._emit("schema_type", name)

    def set_unit(self, unit: str) -> None:
        """Say what is counted: "row", "feature", "item"."""
        self._emit("unit", unit)

    def note(self, text: str) -> None:
        """Add a sentence about what is unusual, once."""
        if text not in self._notes and len(self._notes) < _NOTES:
            self._notes.add(text)
            self._emit("note", text)

    def error(
        self,
        code: str,
        expected: str,
        *,
        row: int = 0,
        column: str = "",
        found: str = "",
        example: str = "",
        cells: Sequence[int] = (),
    ) -> None:
        """Add an error; the arguments are those of ``Finding``, and positions of wrong cells."""
        self.errors += 1
        if self.errors <= self.limits.findings:
            finding = Finding(
                row,
                shorten(column, _FOUND),
                shorten(found, _FOUND),
                shorten(expected, _EXPECTED),
                shorten(example, _FOUND),
                code,
            )
            self._emit("finding", [getattr(finding, name) for name in Finding.__slots__])
            self._pending.append((cells, finding))

    def end_row(self, number: int, cells: Sequence[str], *, is_first: bool) -> None:
        """Add a row of a table to the sample after it was checked, if it belongs there.

        Args:
            is_first: it is one of the first; others need an error that the report shows.
        """
        pending, self._pending = self._pending, []
        own = [error for error in pending if error[1].row == number]
        # Of the errors met since the row before, some may be of rows that cannot be read.
        if is_first or (own and self.errors - len(pending) < self.limits.shown):
            self._emit("sample_row", make_row(number, cells, own))

    def set_columns(self, columns: Iterable[ColumnSummary]) -> None:
        """Say what the columns of a table hold."""
        for column in columns:
            self._emit("column", asdict(column))

    def count(self, number: int = 1) -> None:
        """Count checked rows, features or items; raise Stopped when the time is over."""
        self.checked += number
        if self.checked % 1000 < number:
            self.save_progress()
            self.check_time()

    def check_time(self) -> None:
        """Raise Stopped when the time is over."""
        if self._clock() > self._end:
            raise Stopped(f"The check was stopped after {self.limits.seconds:g} seconds.")

    def save_progress(self) -> None:
        """Pass on the counts, which outlast the end of the process."""
        self._emit("checked", self.checked)
        self._emit("errors", self.errors)
