"""The file of a list of values: CSV (RFC 4180, UTF-8) below a head of ``# title: …`` lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

# Allowed cells of a column, in whatever list: pattern, and a description of it.
_ADDRESS = (r"https?://\S+", "an address such as http://id.esd.org.uk/function/40")
_TEXT = (r".*\S.*", "some text")
_DEGREES = (r"-?\d{1,3}(\.\d+)?", "a number of degrees, such as -1.549")
CELLS = {
    "uri": _ADDRESS,
    "url": _ADDRESS,
    "parent": (rf"(?:{_ADDRESS[0]})?", f"{_ADDRESS[1]}, or nothing"),
    "text_url": (rf"(?:{_ADDRESS[0]})?", f"{_ADDRESS[1]}, or nothing"),
    "id": _TEXT,
    "name": _TEXT,
    "code": _TEXT,
    "value": _TEXT,
    "label": _TEXT,
    "title": _TEXT,
    "stars": (r"[0-5]?", "a number from 0 to 5, or nothing"),
    "addresses": (r"(?:[^\[\]]|\[[^\[\]]*\])*", "brackets in pairs, and none within another"),
    "place": _TEXT,
    **dict.fromkeys(("longitude", "latitude", "west", "south", "east", "north"), _DEGREES),
    "number": (r"\d{0,4}", "a number, or nothing"),
    "fields": (r"\d{0,4}", "a number, or nothing"),
}
# First columns that identify an entry. Others may repeat: a word counts for many themes.
KEYS = frozenset(("uri", "url", "id", "name", "code", "value", "label"))
# Columns of bundled lists that a portal's own list may lack: they came later.
OPTIONAL = frozenset(("type", "fields"))
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LABELS = ("label", "title")


class VocabularyError(ValueError):
    """A fault in a file: one sentence with the line, the text there, and what was expected."""


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """A list of values. Each reading of a file makes an object of its own, equal to no other.

    Attributes:
        name: the file's name without its ending.
        about: the fields of its head: "title", "source", "licence", "attribution", "date", and
            "download", the URL of its publisher's newest version.
        columns: their names in the file's order; the first identifies an entry (see ``KEYS``).
        rows: the entries, column → text, in the file's order.
    """

    name: str
    about: Mapping[str, str]
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]

    def key(self, row: Mapping[str, str]) -> str:
        """Return the key that identifies an entry."""
        return row[self.columns[0]]

    def label(self, row: Mapping[str, str]) -> str:
        """Return an entry's name for people."""
        column = next((name for name in _LABELS if name in self.columns), self.columns[0])
        return row[column]


def folded(key: str) -> str:
    """Normalise a key so that case, ``https`` and a slash at the end do not matter."""
    return re.sub(r"^https?://", "", key.strip().casefold()).rstrip("/")


def parts(cell: str) -> tuple[str, ...]:
    """Return the values of a cell that holds several, separated by semicolons."""
    return tuple(part for part in map(str.strip, cell.split(";")) if part)


def parse(name: str, text: str, columns: Collection[str] = ()) -> Vocabulary:
    """Read a list.

    Args:
        columns: required columns; the list may have more.

    Raises:
        VocabularyError: a column is missing, a cell is invalid for its column, an entry is
            repeated, or there is none.
    """
    # Lines with their ends; U+2028 and the like (written by Word) end none.
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="").readlines()
    heads = 0
    while heads < len(lines) and lines[heads].startswith("#"):
        heads += 1
    fields = (line.lstrip("#").partition(":") for line in lines[:heads])
    about = {key.strip(): value.strip() for key, _colon, value in fields}
    reader = csv.reader(lines[heads:], strict=True)
    try:
        names = tuple(cell.strip() for cell in next(reader, []))
        _check_columns(names, columns)
        rows = tuple(_rows(reader, names, heads))
    except csv.Error as exc:
        raise VocabularyError(f"line {heads + reader.line_num} is no CSV: {exc}") from exc
    if not rows:
        raise VocabularyError(f"there is no entry below the line of columns {', '.join(names)}")
    return Vocabulary(name, about, names, rows)


def _check_columns(names: tuple[str, ...], wanted: Collection[str]) -> None:
    missing = [column for column in wanted if column not in names]
    if missing:
        raise VocabularyError(
            f"the column {missing[0]} is missing; expected {', '.join(wanted)}, "
            f"found {', '.join(names)[:200] or 'nothing'}"
        )
    twice = [column for column in names if names.count(column) > 1]
    if twice:
        raise VocabularyError(f"the column {twice[0]!r} stands there twice")


def _rows(
    reader: Iterable[list[str]], names: tuple[str, ...], heads: int
) -> Iterator[Mapping[str, str]]:
    seen: dict[str, int] = {}
    for cells in reader:
        line = heads + reader.line_num  # type: ignore[attr-defined]  # it is a csv.reader
        if not cells:
            continue
        if len(cells) != len(names):
            raise VocabularyError(
                f"line {line} has {len(cells)} cells; expected {len(names)}: {', '.join(names)}"
            )
        row = dict(zip(names, (cell.strip() for cell in cells), strict=True))
        _check_cells(row, line)
        if names[0] in KEYS:
            first = seen.setdefault(folded(row[names[0]]), line)
            if first != line:
                raise VocabularyError(
                    f"line {line}: {row[names[0]]} is listed twice, first on line {first}"
                )
        yield row


def _check_cells(row: Mapping[str, str], line: int) -> None:
    """Check that each cell is valid for its column.

    Raises:
        VocabularyError: one is not.
    """
    for column, cell in row.items():
        if _CONTROL.search(cell):
            raise VocabularyError(f"line {line}: {column} has a control character or a line end")
        pattern, words = CELLS.get(column, ("", ""))
        if pattern and not re.fullmatch(pattern, cell):
            raise VocabularyError(f"line {line}: {column} is {cell[:80]!r}; expected {words}")
