"""The process that checks one file: ``python -m ckanext.ukharvest.schema_check.child``.

The file is its standard input, the schema another descriptor. It writes what it finds to its
standard output, a JSON list of a name and a value on each line, so that what was found before it
is ended is not lost.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from contextlib import suppress
from typing import IO, Any

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.schema_check import (
    csvlint,
    files,
    json_check,
    table_check,
    table_schema,
    xml_check,
)
from ckanext.ukharvest.schema_check.collector import Collector, Stopped, Unchecked
from ckanext.ukharvest.schema_check.report import Limits


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
        json_check.check(data, None, collector)
        return
    read = files.read(schema, collector)
    if read.type == files.XSD:
        xml_check.check(data, read.document, collector)
    elif read.type == files.JSON_SCHEMA:
        json_check.check(data, read.document, collector)
    else:
        rules_of = csvlint.read if read.type == files.CSVLINT else table_schema.read
        table_check.check(data, rules_of(read.document, collector), collector)


_EVERY = 0.5  # seconds between two writes


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
