"""Collects the findings, notes and counts of one check, and ends it at its limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.schema_check.report import ColumnSummary, Finding, Limits, make_row

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
            self._emit("sample_row", asdict(make_row(number, cells, own)))

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
