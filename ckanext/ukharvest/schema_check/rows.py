"""The rows of a CSV file: its encoding, its separator, and rows with their numbers."""

from __future__ import annotations

import csv
import io
import itertools
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import IO

from ckanext.ukharvest.core.values.text import fold_name
from ckanext.ukharvest.schema_check import files
from ckanext.ukharvest.schema_check.report import Collector, Stopped, Unchecked

_HEAD = 65536  # characters in which the header is
# Characters of a line or a cell. Excel's cells have 32,767; boundaries as GeoJSON are longer.
MAX_CELL = 1_000_000
_MAX_LINE = 2 * MAX_CELL
_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_SIGNATURES = {
    b"PK\x03\x04": "a ZIP archive, such as an Excel file",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip archive",
}


def refuse_other_files(data: IO[bytes]) -> None:
    """Raise Unchecked for a file that is obviously no CSV; it is then at position 0."""
    data.seek(0)
    head = data.read(_HEAD)
    data.seek(0)
    for signature, name in _SIGNATURES.items():
        if head.startswith(signature):
            raise Unchecked(f"The file is {name}; the schema is for CSV.")
    files.refuse_web_page(head, "The file is", "the schema is for CSV")
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b'{"', b"{\n", b"{\r", b"[{", b"[\n", b"<?xml")):
        name = "XML" if start.startswith(b"<") else "JSON"
        raise Unchecked(f"The file is {name}; the schema is for CSV.")


class Rows:
    """The rows of a CSV file (RFC 4180), whichever separator of four it has.

    Args:
        data: the file, seekable.
        names: the schema's names of columns, by which the separator is recognised.
        header_rows: number of the first rows among which the header is.
    """

    def __init__(
        self,
        data: IO[bytes],
        names: Collection[str],
        collector: Collector,
        *,
        header_rows: int = 1,
    ) -> None:
        self._collector = collector
        size = collector.limits.data_bytes
        encoding = files.detect(data, size)
        if encoding.label:
            collector.note(f"The file is {encoding.label}; expected UTF-8.")
        text, self._beginning = files.open_text(data, encoding, size)
        head = text.read(_HEAD)
        if head.endswith("\r"):  # half a line end
            head += text.read(1)
        self.separator = find_separator(head, {fold_name(name) for name in names}, header_rows)
        if self.separator != ",":
            name = _SEPARATORS[self.separator]
            collector.note(f"The separator is a {name}; expected a comma.")
        self._lines = _lines(head, text)
        csv.field_size_limit(MAX_CELL)

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each row with its number, from 1; rows that cannot be read are reported.

        Raises:
            Stopped: the file or the number of rows is beyond the limits.
        """
        most = self._collector.limits.rows + 1  # and the header
        before: tuple[int, list[str]] | None = None
        for number, cells in self._read():
            if before:
                yield before
            if number > most:
                raise Stopped(f"Only the first {most - 1:,} rows were checked.")
            before = number, cells
        if self._beginning.is_cut:  # the last row may be cut, too
            size = self._collector.limits.data_bytes / 1024 / 1024
            raise Stopped(f"Only the first {size:,.4g} MB were checked.")
        if before:
            yield before

    def _read(self) -> Iterator[tuple[int, list[str]]]:
        lines = self._lines
        if sys.version_info < (3, 11):  # whose csv refuses a NUL
            lines = (line.replace("\0", "\ufffd") for line in lines)
        reader = csv.reader(lines, delimiter=self.separator, strict=True)
        for number in itertools.count(1):
            try:
                yield number, next(reader)
            except StopIteration:
                return
            except csv.Error as exc:
                if self._beginning.is_cut:
                    return
                self._report(number, str(exc))

    def _report(self, number: int, why: str) -> None:
        """Report a row that is no CSV."""
        expected = f"a row of CSV ({why})"
        if "field larger" in why:
            expected = f"a cell of at most {MAX_CELL:,} characters; is a quotation mark missing?"
        elif "end of data" in why:
            expected = "a quotation mark at the end of a quoted cell"
        elif "expected after" in why:
            expected = 'quotation marks within a quoted cell written twice ("")'
        self._collector.error("csv-syntax", expected, row=number)
        self._collector.count()


def _lines(head: str, rest: io.TextIOWrapper) -> Iterator[str]:
    """Yield the lines of a text whose beginning was read.

    Raises:
        Unchecked: a line is too long.
    """
    *whole, last = io.StringIO(head, newline="").readlines() or [""]
    yield from whole
    if not last.endswith(("\n", "\r")):
        last += rest.readline(_MAX_LINE)
    while last:
        if len(last) > _MAX_LINE:
            why = f"The file has a line of more than {_MAX_LINE:,} characters; expected CSV."
            raise Unchecked(why)
        yield last
        last = rest.readline(_MAX_LINE + 1)


def find_separator(head: str, names: Collection[str], rows: int = 1) -> str:
    """Return the separator of a table: the one that finds most names in one of its first rows.

    Args:
        head: the beginning of the file.
        names: the schema's names of columns, folded.
        rows: number of the rows.
    """

    def score(separator: str) -> tuple[int, int]:
        best = 0, 0
        with suppress(csv.Error):
            lines = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
            for cells in itertools.islice(lines, rows):
                number = sum(fold_name(cell) in names for cell in cells)
                best = max(best, (number, len(cells)))
        return best

    return max(_SEPARATORS, key=score)
