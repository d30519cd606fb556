"""Check data against a schema: the way in.

The check runs in a process of its own, because schemas come from strangers: their patterns can run
for years, and their recursion can use any amount of memory. Time and memory of a process can be
limited, and its end costs nothing else. That process runs this module: the file is its standard
input, the schema another descriptor. It writes what it finds to its standard output, a JSON list of
a name and a value on each line, so that what was found before it is ended is not lost.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from io import UnsupportedOperation
from typing import IO, Any

from ckanext.ukharvest.core.errors import Aborted
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.schema_check import (
    columns,
    files,
    table_check,
    table_schema,
    tree_check,
)
from ckanext.ukharvest.schema_check.report import (
    Collector,
    ColumnSummary,
    DataReport,
    Finding,
    Limits,
    Stopped,
    Unchecked,
    Verdict,
)

DEFAULT_LIMITS = Limits()
_GRACE = 5.0  # seconds to start and to end by itself
_EVERY = 0.5  # seconds between two questions whether to go on, and between two writes
_MODULE = "ckanext.ukharvest.schema_check.check"


def check_data(
    data: IO[bytes],
    schema: bytes | None,
    limits: Limits = DEFAULT_LIMITS,
    *,
    on_finding: Callable[[Finding], None] | None = None,
    must_end: Callable[[], bool] = lambda: False,
) -> DataReport:
    """Check a file against its schema.

    CSV is checked against a schema of the LGA (csvlint's dialect) or a Table Schema, JSON against a
    JSON Schema, XML against an XSD; which of them the schema is, its content says. GeoJSON is also
    checked against RFC 7946, and needs no schema.

    Args:
        data: the file, seekable; it is read from its beginning.
        schema: the schema's bytes; None for GeoJSON without one.
        limits: limits of time, memory and sizes.
        on_finding: called with each finding, up to ``limits.findings``; the report has the first.
        must_end: asked twice a second whether to break off.

    Returns:
        The report. Bad data, bad schemas and reached limits are results; nothing is raised for
        them.

    Raises:
        Aborted: ``must_end`` returned True; the process was ended.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as schema_file:
        schema_file.write(schema or b"")
        schema_file.flush()
        with _as_file(data) as file:
            code = _run(file, None if schema is None else schema_file, output, limits, must_end)
        output.seek(0)
        return _report(_lines(output), code, limits, on_finding)


def _as_file(data: IO[bytes]) -> IO[bytes]:
    """Return a file of the system with the data, which is closed without closing them."""
    data.seek(0)
    try:
        return open(f"/proc/self/fd/{data.fileno()}", "rb")
    except (UnsupportedOperation, OSError, AttributeError):
        copy = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        while piece := data.read(1 << 20):
            copy.write(piece)
        copy.seek(0)
        return copy


def _run(
    data: IO[bytes],
    schema: IO[bytes] | None,
    output: IO[bytes],
    limits: Limits,
    must_end: Callable[[], bool],
) -> int | None:
    """Run the check to its end, and return its exit code; None if it took too long."""
    descriptors = []
    if schema is not None:
        schema.seek(0)
        descriptors = [schema.fileno()]
    command = [sys.executable, "-m", _MODULE, json.dumps(asdict(limits))]
    command.append(str(descriptors[0]) if descriptors else "-")
    process = subprocess.Popen(  # noqa: S603 - our own module; data and schema are files
        command,
        stdin=data,
        stdout=output,
        stderr=subprocess.DEVNULL,
        pass_fds=descriptors,
        cwd="/",  # else modules of the current directory come before ours
    )
    ends = time.monotonic() + limits.seconds + _GRACE
    try:
        while (left := ends - time.monotonic()) > 0:
            try:
                return process.wait(min(_EVERY, left))
            except subprocess.TimeoutExpired:
                if must_end():
                    raise Aborted from None
        return None
    finally:
        process.kill()
        process.wait()


def _lines(output: IO[bytes]) -> Iterator[tuple[str, Any]]:
    for line in output:
        try:
            name, value = json.loads(line)
        except ValueError:  # cut off when the process was ended
            return
        yield name, value


def _report(
    lines: Iterator[tuple[str, Any]],
    code: int | None,
    limits: Limits,
    on_finding: Callable[[Finding], None] | None,
) -> DataReport:
    values: dict[str, Any] = {}  # of these the last one counts
    lists: dict[str, list[Any]] = {"finding": [], "note": [], "column": [], "sample_row": []}
    for name, value in lines:
        if name in lists:
            lists[name].append(value)
        else:
            values[name] = value
    findings = [Finding(*value) for value in lists["finding"]]
    if on_finding:
        for finding in findings:
            on_finding(finding)
    errors = max(len(findings), values.get("errors", 0))
    stopped = values.get("stopped", "")
    reason = values.get("unchecked", "") if "end" in values else _broken_off(code, limits)
    rows = lists["sample_row"]
    if errors:  # what was found before the end is known
        reason, stopped = "", stopped or reason
    return DataReport(
        verdict=Verdict.UNCHECKED if reason else Verdict.INVALID if errors else Verdict.VALID,
        schema_type=values.get("schema_type", ""),
        reason=reason,
        errors=errors,
        checked=values.get("checked", 0),
        unit=values.get("unit", ""),
        stopped=stopped,
        findings=tuple(findings[: limits.shown]),
        notes=tuple(lists["note"]),
        sample={"header": rows[0], "rows": rows[1:]} if rows else None,
        columns=tuple(ColumnSummary(**column) for column in lists["column"]),
    )


def _broken_off(code: int | None, limits: Limits) -> str:
    if code is None:
        return (
            f"The check was stopped after {limits.seconds:g} seconds; a pattern of the schema may"
            " be too complex."
        )
    if code < 0:
        return "The check used too much memory or time and was stopped by the system."
    return f"The check failed (exit code {code}); this is a fault of ukharvest."


def judge(data: IO[bytes], schema: bytes | None, collector: Collector) -> None:
    """Check a file, and pass on what is found.

    Args:
        data: the file, seekable.
        schema: the schema; None only for GeoJSON.

    Raises:
        Unchecked: nothing can be said about the data.
        Stopped: a limit ended the check.
    """
    if schema is None:
        collector.set_schema_type("geojson")
        tree_check.check_json(data, None, collector)
        return
    read = files.read(schema, collector)
    if read.type == files.XSD:
        tree_check.check_xml(data, read.document, collector)
    elif read.type == files.JSON_SCHEMA:
        tree_check.check_json(data, read.document, collector)
    else:
        rules_of = columns.read if read.type == files.CSVLINT else table_schema.read
        table_check.check(data, rules_of(read.document, collector), collector)


class Output:
    """Writes lines: the first ones at once, later ones at the latest every half second."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._written = time.monotonic()
        self._at_once = 100

    def __call__(self, name: str, value: Any) -> None:
        self._out.write(json.dumps([name, value]) + "\n")
        self._at_once -= 1
        if self._at_once > 0 or time.monotonic() - self._written > _EVERY:
            self._written = time.monotonic()
            self._out.flush()


def main(arguments: list[str]) -> None:
    """Check the file; the arguments are the limits as JSON and the schema's descriptor or "-"."""
    limits = Limits(**json.loads(arguments[0]))
    _limit(resource.RLIMIT_AS, limits.memory)
    # Should the parent be killed, this process still ends.
    _limit(resource.RLIMIT_CPU, int(limits.seconds) + 10)
    output = Output(sys.stdout)
    collector = Collector(limits, output)
    try:
        schema = None
        if arguments[1] != "-":
            with open(int(arguments[1]), "rb") as file:
                schema = file.read()
        with open(os.dup(0), "rb") as data:
            judge(data, schema, collector)
    except Unchecked as exc:
        output("unchecked", str(exc))
    except Stopped as exc:
        output("stopped", str(exc))
    except MemoryError:
        size = limits.memory / 1024 / 1024
        output("unchecked", f"The check needs more than {size:,.4g} MB of memory.")
    except Exception as exc:  # noqa: BLE001 - a bug costs this check only, and is reported
        fault = f"internal error ({type(exc).__name__}: {shorten(str(exc), 200)})"
        output("unchecked", f"{fault}; this is a fault of ukharvest.")
    collector.save_progress()
    output("end", True)


def _limit(what: int, value: int) -> None:
    """Limit this process, where its system can (macOS cannot limit the address space)."""
    _soft, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(what, (value, hard))


if __name__ == "__main__":
    main(sys.argv[1:])
