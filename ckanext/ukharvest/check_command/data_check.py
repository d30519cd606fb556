"""``ukharvest check FILE --schema SCHEMA``: whether data follow their schema; needs no CKAN."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TextIO

from ckanext.ukharvest import __version__
from ckanext.ukharvest.check_command.output import write_indented, write_json
from ckanext.ukharvest.core.errors import Blocked, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.schema_check.check import check_data
from ckanext.ukharvest.schema_check.files import TITLES, open_data, read_schema
from ckanext.ukharvest.schema_check.report import (
    MIB,
    ColumnSummary,
    DataReport,
    Finding,
    FindingsCsv,
    Limits,
    Verdict,
)

EXIT_CODES = {Verdict.VALID: 0, Verdict.INVALID: 1, Verdict.UNCHECKED: 2}
_TYPES = {
    "integer": "whole number",
    "number": "number",
    "date": "date",
    "datetime": "date and time",
    "string": "text",
    "": "no values",
}
NO_SCHEMA = "none"  # for GeoJSON, which has rules of its own

_MAX_BYTES = 1024 * MIB
_AGENT = f"ckanext-ukharvest/{__version__} (check)"
_SCHEMA_DOWNLOAD = HttpLimits(read=10.0, total=30.0, retries=1)
_DOWNLOAD = HttpLimits(read=20.0, total=300.0, max_bytes=_MAX_BYTES, retries=1)


def run(
    location: str,
    schema: str,
    *,
    limit: int = 0,
    errors_file: str = "",
    as_json: bool = False,
    allow_private: bool = False,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Check data against a schema and print the result; return the exit code.

    Args:
        location: the data, a URL or a file.
        schema: the schema, a URL or a file; "none" for GeoJSON as such.
        limit: rows of a table to read, 0 for a million.
        errors_file: CSV file to write all errors to, "" for none.
    """
    out, err = out or sys.stdout, err or sys.stderr
    limits = Limits(data_bytes=_MAX_BYTES, seconds=300.0, **({"rows": limit} if limit else {}))
    guard = Guard(("0.0.0.0/0", "::/0") if allow_private else ())
    try:
        report = _check(location, schema, guard, limits, errors_file)
    except SourceError as exc:
        reason = exc.message if exc.message.endswith(".") else f"{exc.message}."
        report = DataReport(Verdict.UNCHECKED, reason=reason)
        if isinstance(exc, Blocked) and exc.url.startswith("http") and not allow_private:
            print("ukharvest check: here --allow-private allows private addresses", file=err)
    if as_json:
        result = {"location": location, "schema": schema, **report.as_dict()}
        write_json(result, out)
    else:
        _write(report, location, schema, errors_file, out)
    return EXIT_CODES[report.verdict]


def _check(
    location: str, schema: str, guard: Guard, limits: Limits, errors_file: str
) -> DataReport:
    content = None
    if schema != NO_SCHEMA:
        with HttpClient(guard, user_agent=_AGENT, limits=_SCHEMA_DOWNLOAD) as http:
            content = read_schema(schema, http, limits).content
    with HttpClient(guard, user_agent=_AGENT, limits=_DOWNLOAD) as http:
        opened = open_data(location, http)
    with opened as data, _findings_file(errors_file) as file:
        if file is None:
            return check_data(data, content, limits)
        place = "line" if content and content.lstrip().startswith(b"<") else "row"
        return check_data(data, content, limits, on_finding=FindingsCsv(file, place))


def _findings_file(path: str) -> AbstractContextManager[TextIO | None]:
    try:
        # With the mark, spreadsheets know that it is UTF-8.
        return Path(path).open("w", encoding="utf-8-sig", newline="") if path else nullcontext()
    except OSError as exc:
        raise SourceError(
            Message("{path} cannot be written: {reason}", path=path, reason=exc.strerror)
        ) from exc


def _write(report: DataReport, location: str, schema: str, errors_file: str, out: TextIO) -> None:
    write_indented(f"{location}: {report.summary}", out)
    if report.schema_type:
        named = "" if schema == NO_SCHEMA else f" {schema},"
        write_indented(f"Schema:{named} {TITLES[report.schema_type]}", out)
    if report.stopped:
        write_indented(report.stopped, out)
    if report.findings:
        out.write("\nErrors\n")
    for finding in report.findings:
        write_indented(_sentence(finding, report.place), out, 2)
    more = report.errors - len(report.findings)
    if more > 0 and not errors_file:
        write_indented(f"… and {more:,} more. --errors FILE saves them as CSV.", out, 2)
    elif report.errors and errors_file:
        write_indented(f"All errors are in {errors_file}.", out, 2)
    if report.notes:
        out.write("\nFor information\n")
    for note in report.notes:
        write_indented(note, out, 2)
    if report.columns:
        _write_columns(report, out)


def _write_columns(report: DataReport, out: TextIO) -> None:
    out.write("\nColumns\n")
    for column in report.columns:
        write_indented(_describe_column(column), out, 2)
    left_out = report.sample["header"]["left_out"] if report.sample else 0
    if left_out:
        write_indented(f"… and {left_out:,} more.", out, 2)


def _describe_column(column: ColumnSummary) -> str:
    """Return "Amount: number (1 cell is not), 3 empty, 0.5 to 1200.5, 17 different values"."""
    text = f"{column.name or '(no name)'}: {_TYPES[column.type]}"
    if column.others:
        text += f" ({counted(column.others, 'cell')} {'is' if column.others == 1 else 'are'} not)"
    if column.empty:
        text += f", {column.empty:,} empty"
    if column.distinct:
        more = "more than " if column.has_more else ""
        values = counted(column.distinct, "different value")
        ends = dict.fromkeys((column.smallest, column.largest))
        text += f", {' to '.join(ends)}, {more}{values}"
    return text


def _sentence(finding: Finding, place: str) -> str:
    text = finding.sentence(place)
    return text[:1].upper() + text[1:] + ("" if text.endswith("…") else ".")
