"""The result of a check of data against its schema, and its limits."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, TextIO

from ckanext.ukharvest.core.values.text import as_cell, counted
from ckanext.ukharvest.schema_check.column_summary import ColumnSummary
from ckanext.ukharvest.schema_check.sample import Sample

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
        found = f"found '{self.found}'" if self.found else "found nothing"
        text = f"{found}; expected {self.expected}{such}"
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
                {name: getattr(each, name) for name in Finding.__slots__} for each in self.findings
            ],
            "notes": list(self.notes),
            "sample": asdict(self.sample) if self.sample else None,
            "columns": [asdict(each) for each in self.columns],
        }


class FindingsCsv:
    """Writes findings to a CSV file: call it with each finding."""

    def __init__(self, file: TextIO, place: str = "row") -> None:
        self._writer = csv.writer(file)
        self._writer.writerow((place, "column", "found", "expected", "example", "code"))

    def __call__(self, finding: Finding) -> None:
        texts = (finding.column, finding.found, finding.expected, finding.example, finding.code)
        self._writer.writerow((finding.row or "", *map(as_cell, texts)))
