"""Reads a CSV file over HTTP and cuts it into records: each row as a JSON object."""

from __future__ import annotations

import csv
import json
from collections.abc import Generator, Iterator
from contextlib import closing

from ckanext.ukharvest.source_type_api import (
    Ending,
    Option,
    ParseError,
    ProtocolError,
    RawRecord,
    Reply,
    Source,
    unchanged,
)

ACCEPT = "text/csv, */*;q=0.1"
REQUIRED = ("id", "title")
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}
OPTIONS = (
    Option(
        "delimiter",
        "text",
        "comma",
        "What separates the columns.",
        choices=tuple(DELIMITERS),
        label="Separator of columns",
    ),
)


class CsvList:
    """Reads one CSV file. Keeps nothing between runs: one instance serves all of them."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield a record for each row.

        Raises:
            SourceError: no answer, no CSV, or a required column is missing.
        """
        old = source.validators.get(source.url)
        with closing(source.http.get(source.url, accept=ACCEPT, validators=old)) as reply:
            if reply.not_modified:
                return unchanged(source)
            count = 0
            for raw in _rows(source, reply):
                count += 1
                yield raw
            validators = reply.validators
        if not count:
            return Ending(complete=False, reason=f"{source.url} has no rows; nothing was deleted")
        # The client has checked the length that the server declared, so no row is missing.
        return Ending(complete=True, validators={source.url: validators})

    def fetch(self, _source: Source, raw: RawRecord) -> RawRecord:
        """Return the record unchanged: the file had all of it."""
        return raw


def is_list(head: bytes) -> bool:
    """Tell whether a response's first bytes are such a list."""
    names = head.partition(b"\n")[0].removeprefix(b"\xef\xbb\xbf").strip().lower()
    return any(
        {b"id", b"title"} <= {name.strip(b'" ') for name in names.split(delimiter)}
        for delimiter in (b",", b";", b"\t")
    )


def _rows(source: Source, reply: Reply) -> Iterator[RawRecord]:
    url = source.url
    try:
        text = reply.content.decode("utf-8-sig")
        delimiter = DELIMITERS[source.options.get("delimiter", "comma")]
        rows = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
        names = [name.strip().lower() for name in next(rows, [])]
        missing = [name for name in REQUIRED if name not in names]
        if missing:
            raise ProtocolError(
                f"{url} has no column {missing[0]}; expected a CSV file whose first row names the"
                " columns id and title",
                url=url,
            )
        for number, row in enumerate(rows, 1):
            if any(row):
                cells = zip(names, row, strict=False)
                yield _record({k: v.strip() for k, v in cells if v.strip()}, number, url)
    except UnicodeDecodeError as exc:
        raise ProtocolError(f"{url} is not text in UTF-8: {exc.reason}", url=url) from exc
    except csv.Error as exc:
        raise ProtocolError(f"{url} is not CSV: {exc}", url=url) from exc


def _record(cells: dict[str, str], number: int, url: str) -> RawRecord:
    position = f"row {number}"
    guid = cells.get("id", "")
    error = None
    if not guid:
        message = f"{position}: id is empty; expected a text that stays the same"
        error = ParseError(message, code="missing-identifier")
    content = json.dumps(cells, ensure_ascii=False, sort_keys=True)
    return RawRecord(guid, content, url=url, position=position, error=error)
