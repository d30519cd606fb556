"""The rows of a downloaded spreadsheet: CSV in any usual encoding, or the first sheet of an XLSX.

XLSX as in ECMA-376: formulas by their stored values, dates in ISO form, without a time.
"""

from __future__ import annotations

import io
import posixpath
import re
import string
import zlib
from collections.abc import Collection, Iterator
from datetime import date, timedelta
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from lxml import etree

from ckanext.ukharvest.core.document_kind import html_title, sent_as
from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.schema_check.report import MIB, Collector, Limits, Stopped, Unchecked
from ckanext.ukharvest.schema_check.rows import Rows

HEADER_ROWS = 20  # among the first of which the header is
MAX_ROWS = 100_000
MAX_COLUMNS = 500
MAX_BYTES = 50 * MIB  # of the text of all cells, and of one unpacked part of an XLSX
MAX_XLSX = 10 * MIB  # packed: its list of parts is read into memory
XLSX = b"PK\x03\x04"

_DATE_FORMATS = frozenset(map(str, (*range(14, 18), 22, *range(27, 37), *range(50, 59))))
_NO_LETTERS = re.compile(r'"[^"]*"?|\[[^\]]*\]?|\\.')  # of a number's format
# What zipfile and a broken part raise.
_UNREADABLE = (
    *(BadZipFile, zlib.error, EOFError, KeyError, IndexError, StopIteration, ValueError),
    *(NotImplementedError, RuntimeError, OverflowError, ParseError),
)


def read_rows(
    body: IO[bytes], url: str, names: Collection[str], problems: list[Problem], media_type: str = ""
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number, from 1, and the stripped cells of each row that has any.

    Args:
        body: the file, seekable.
        url: for messages.
        names: usual names of columns, by which the separator of CSV is recognised.
        problems: list to which that of another encoding than UTF-8 is added.
        media_type: as which the server sent it, for messages.

    Raises:
        ProtocolError: another file, a broken one, or one beyond the limits.
    """
    body.seek(0)
    is_xlsx = body.read(len(XLSX)) == XLSX
    left = MAX_BYTES
    rows = _xlsx(body, url) if is_xlsx else _csv(body, url, names, problems, media_type)
    for number, cells in rows:
        left -= sum(map(len, cells))
        if number > MAX_ROWS + 1 or len(cells) > MAX_COLUMNS or left < 0:
            raise too_large(url, Message(" in row {number:,}", number=number))
        if any(cell.strip() for cell in cells):
            yield number, [cell.strip() for cell in cells]


def too_large(url: str, place: str) -> ProtocolError:
    """Return the error of a file that is beyond the limits."""
    return ProtocolError(
        Message(
            "{url} is too large{place}; expected at most {max_rows:,} rows, {max_columns}"
            " columns and {most} MB of text, as XLSX {max_xlsx} MB",
            url=url,
            place=place,
            max_rows=MAX_ROWS,
            max_columns=MAX_COLUMNS,
            most=MAX_BYTES // MIB,
            max_xlsx=MAX_XLSX // MIB,
        ),
        code="too-large",
        url=url,
    )


def _csv(
    body: IO[bytes], url: str, names: Collection[str], problems: list[Problem], media_type: str
) -> Iterator[tuple[int, list[str]]]:
    body.seek(max(0, body.seek(0, io.SEEK_END) - 2))
    has_line_end = body.read().rstrip(b"\0").endswith((b"\n", b"\r"))  # of UTF-16, too
    body.seek(0)
    title = html_title(body.read(1 << 16))
    if title is not None:
        raise ProtocolError(
            Message(
                "{url} is not a table but a web page, title '{title}'{sent}; expected CSV or"
                " XLSX that opens without a login (of a Google sheet: share it with everyone"
                " who has the link)",
                url=url,
                title=title,
                sent=sent_as(media_type, "html"),
            ),
            code="html-page",
            url=url,
        )

    def emit(name: str, value: Any) -> None:
        if name == "finding":
            raise ProtocolError(
                Message(
                    "{url}: row {row:,}: expected {expected}",
                    url=url,
                    row=value[0],
                    expected=value[3],
                ),
                url=url,
            )
        if name == "note" and "UTF-8" in value:
            problems.append(
                Problem("not-utf-8", "", Message("{url}: {value}", url=url, value=value))
            )

    row, columns, cells = 0, 0, list[str]()
    try:
        limits = Limits(data_bytes=MAX_BYTES, rows=MAX_ROWS)
        for row, cells in Rows(body, names, Collector(limits, emit), header_rows=HEADER_ROWS):
            columns = columns if columns > 1 else len(cells)  # lines above the header have one
            yield row, cells
    except Stopped as exc:
        raise too_large(url, Message(" in row {row:,}", row=row + 1)) from exc
    except Unchecked as exc:
        raise ProtocolError(Message("{url}: {reason}", url=url, reason=exc), url=url) from exc
    if len(cells) < columns and not has_line_end:
        raise ProtocolError(
            Message(
                "{url} was not read to its end: the last row, {row:,}, has {count} of"
                " {columns} cells and no line end, as in a file that is cut off; expected one"
                " of them",
                url=url,
                row=row,
                count=len(cells),
                columns=columns,
            ),
            url=url,
        )


def _xlsx(body: IO[bytes], url: str) -> Iterator[tuple[int, list[str]]]:
    if body.seek(0, io.SEEK_END) > MAX_XLSX:
        raise too_large(url, "")
    try:
        with ZipFile(body) as archive:
            yield from _Workbook(archive, url).rows()
    except _UNREADABLE as exc:
        text = exc.message if isinstance(exc, ParseError) else str(exc) or type(exc).__name__
        raise ProtocolError(
            Message("{url} is an XLSX that cannot be read: {text}", url=url, text=text), url=url
        ) from exc


class _Workbook:
    """The parts of an XLSX that say what the cells of its first sheet hold."""

    def __init__(self, archive: ZipFile, url: str) -> None:
        self._archive = archive
        self._url = url
        book = xml.parse(self._part("xl/workbook.xml").read(), url=url)
        sheets = book.iterfind("{*}sheets/{*}sheet")
        sheet = next(node for node in sheets if node.get("state", "visible") == "visible")
        link = next(str(value) for name, value in sheet.items() if str(name).endswith("}id"))
        links = xml.parse(self._part("xl/_rels/workbook.xml.rels").read(), url=url)
        targets = {node.get("Id"): node.get("Target", "") for node in links}
        self._sheet = posixpath.normpath(posixpath.join("xl", targets[link])).lstrip("/")
        is_1904 = book.find("{*}workbookPr[@date1904='1']") is not None
        self._day_0 = date(1904, 1, 1) if is_1904 else date(1899, 12, 30)
        self._strings = [_text(node) for node in self._nodes("xl/sharedStrings.xml", "sst", "si")]
        self._dates = self._styles_of_dates()

    def _part(self, name: str) -> IO[bytes]:
        """Return an unpacked part; raise ValueError for one beyond the limit."""
        with self._archive.open(name) as part:
            data = part.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(
                Message("{name} unpacks to more than {most} MB", name=name, most=MAX_BYTES // MIB)
            )
        return io.BytesIO(data)

    def _nodes(self, name: str, *path: str) -> Iterator[etree._Element]:
        """Yield the elements at a path of a part, none if there is no such part."""
        if name in self._archive.NameToInfo:
            yield from xml.elements(self._part(name), [path], url=self._url)

    def _styles_of_dates(self) -> frozenset[str]:
        """Return the numbers of the styles that show a number as a date."""
        formats = {
            node.get("numFmtId"): _NO_LETTERS.sub("", node.get("formatCode", "")).lower()
            for node in self._nodes("xl/styles.xml", "styleSheet", "numFmts", "numFmt")
        }
        styles = self._nodes("xl/styles.xml", "styleSheet", "cellXfs", "xf")
        return frozenset(
            str(number)
            for number, style in enumerate(styles)
            if style.get("numFmtId") in _DATE_FORMATS
            or re.search("[dy]", formats.get(style.get("numFmtId"), ""))
        )

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the cells of each row."""
        number = 0
        for row in self._nodes(self._sheet, "worksheet", "sheetData", "row"):
            number = int(row.get("r", number + 1))
            cells: list[str] = []
            for cell in row.iterfind("{*}c"):
                if value := self._value(cell):
                    column = _column(cell.get("r", "")) or len(cells) + 1
                    if column > MAX_COLUMNS:
                        raise too_large(self._url, Message(" in row {number:,}", number=number))
                    cells += [""] * (column - len(cells))
                    cells[column - 1] = value
            yield number, cells

    def _value(self, cell: etree._Element) -> str:
        kind, value = cell.get("t", "n"), cell.findtext("{*}v") or ""
        if kind == "s":
            return self._strings[int(value)]
        if kind == "inlineStr":
            return _text(cell)
        if kind == "n" and value and cell.get("s", "0") in self._dates:
            return (self._day_0 + timedelta(days=float(value))).isoformat()
        return "" if kind == "e" else value  # the error of a formula


def _text(node: etree._Element) -> str:
    """Return the text of a string, without the phonetic one beside it."""
    etree.strip_elements(node, "{*}rPh")
    return "".join(part.text or "" for part in node.iter("{*}t"))


def _column(reference: str) -> int:
    """Return the column of a reference such as "B5", from 1, or 0."""
    column = 0
    for letter in reference.rstrip(string.digits):
        column = column * 26 + ord(letter) - ord("A") + 1
    return column
