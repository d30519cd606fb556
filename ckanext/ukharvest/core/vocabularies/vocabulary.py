"""Lists of values as plain files, which a portal can replace by newer ones.

The bundled lists are CSV files in ``ckanext/ukharvest/vocabularies``: RFC 4180 in UTF-8, below a
head of ``# title: …`` lines; see ``Vocabulary`` and ``CELLS``. Lists of some portals are bundled
too, in folders there. A file of the same name in the portal's own folder replaces a list. It is
read while the portal runs, by all its processes; if it is faulty, the fault is logged and returned
by ``faults``, and the bundled list is used.
"""

from __future__ import annotations

import csv
import functools
import io
import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

_LGA = ("schemas.opendata.esd.org.uk", "csvchecker.opendata.esd.org.uk") + (
    "validator.opendata.esd.org.uk",
    "schemas.esd.org.uk",  # the first one, in DataShare's inventories
)


def forms(url: str) -> Iterator[str]:
    """Yield the URLs under which a schema may be in the register, the nearest first.

    For any URL this is the same without its query; for the LGA's servers also the schema's page:
    ``schemas.opendata.esd.org.uk/Spend`` for a file below it (``…/Spend/Spend.json?v=0.41``), for
    the validators' pages (``validator.…/spend``), and for the checker's downloads
    (``csvchecker.…/schema/downloadjsonschema?schemaId=spend&…``).
    """
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").lower()
    except ValueError:
        return
    yield f"{parts.scheme}://{parts.netloc}{parts.path}"
    if host not in _LGA:
        return
    asked = {key.lower(): value for key, value in parse_qs(parts.query).items()}
    for name in (*asked.get("schemaid", ()), parts.path.strip("/").partition("/")[0]):
        yield f"http://{_LGA[0]}/{name}"


__all__ = ["Vocabulary", "VocabularyError", "parts"]

log = logging.getLogger(__name__)

BUNDLED = Path(__file__).parents[2] / "vocabularies"

T = TypeVar("T")


class _State:
    """The portal's folder, and what was read; one per process."""

    folder: Path | None = None
    lists: dict[str, Vocabulary] = {}
    faults: dict[str, str] = {}
    made: dict[Any, Any] = {}  # function of ``derived`` → its result; list → its entries


def use(folder: str | Path | None) -> None:
    """Use the lists in this folder instead of bundled ones; None or "" for bundled lists only.

    All lists are read again.

    Args:
        folder: a path, or the name of a folder of bundled lists of one portal ("data.gov.uk").
    """
    bundled_one = BUNDLED / str(folder) if folder and Path(folder).name == str(folder) else None
    is_bundled = bundled_one is not None and bundled_one.is_dir()
    _State.folder = bundled_one if is_bundled else Path(folder) if folder else None
    _State.lists, _State.faults, _State.made = {}, {}, {}


def folder() -> Path | None:
    """Return the portal's own folder, None if it has none."""
    return _State.folder


def names() -> tuple[str, ...]:
    """Return the names of all lists."""
    return tuple(sorted(path.stem for path in BUNDLED.glob("*.csv")))


def load(name: str) -> Vocabulary:
    """Return a list by its name; raise KeyError for an unknown name."""
    if name not in _State.lists:
        _State.lists[name] = _read_once(name)
    return _State.lists[name]


def faults() -> dict[str, str]:
    """Return the faults of files in the portal's folder: list → a sentence."""
    for name in names():
        load(name)
    return dict(_State.faults)


def _read_once(name: str) -> Vocabulary:
    """Return the portal's list, the bundled one if it has none or a faulty one."""
    own = bundled(name)
    path = _State.folder / f"{name}.csv" if _State.folder else None
    if path is None or not path.exists():
        return own
    try:
        return read(name, path)
    except VocabularyError as exc:
        log.warning("%s is not used, but the list that came with this extension: %s", path, exc)
        _State.faults[name] = str(exc)
        return own


@functools.cache
def bundled(name: str) -> Vocabulary:
    """Return the bundled list of this name."""
    path = BUNDLED / f"{name}.csv"
    if not (name.isidentifier() and path.is_file()):
        raise KeyError(name)
    return parse(name, path.read_text(encoding="utf-8"))


def read(name: str, path: Path) -> Vocabulary:
    """Return the list of this name in a file; without a title it has the bundled one's.

    Raises:
        VocabularyError: the file is invalid.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as exc:
        raise VocabularyError(f"the file is not in UTF-8: {exc}") from exc
    except OSError as exc:
        raise VocabularyError(f"the file cannot be read: {exc.strerror}") from exc
    own = bundled(name)
    vocabulary = parse(name, text, [column for column in own.columns if column not in OPTIONAL])
    return replace(vocabulary, about={"title": own.about["title"], **vocabulary.about})


def derived(name: str) -> Callable[[Callable[[Vocabulary], T]], Callable[[], T]]:
    """Turn a function of a list into one without arguments, called once.

    If it fails for the portal's file, the bundled list is used.
    """

    def decorate(make: Callable[[Vocabulary], T]) -> Callable[[], T]:
        @functools.wraps(make)
        def get() -> T:
            results = _State.made
            if make not in results:
                results[make] = _make(make, load(name))
            result: T = results[make]
            return result

        return get

    return decorate


def _make(make: Callable[[Vocabulary], T], vocabulary: Vocabulary) -> T:
    name = vocabulary.name
    own = bundled(name)
    if vocabulary is own:
        return make(own)
    try:
        return make(vocabulary)
    except Exception as exc:
        # Whatever a file holds, imports continue.
        log.exception("The portal's own list %s cannot be used", name)
        _State.faults[name] = f"the list cannot be used: {exc}"
        _State.lists[name], _State.made = own, {}
        return make(own)


def row(name: str, key: str) -> Mapping[str, str] | None:
    """Return the entry of a list with this key, None if it has none.

    Case, ``https`` for ``http`` and a slash at the end do not matter; other URLs in the column
    ``aliases`` count too, and for schemas all URLs of ``forms``.
    """
    entries = _entries(name)
    keys = (folded(key), *(map(folded, forms(key)) if name == "schemas" else ()))
    return next((entries[one] for one in keys if one in entries), None)


def label(name: str, key: str) -> str:
    """Return the label of the entry with this key, "" if the list has none."""
    entry = row(name, key)
    return load(name).label(entry) if entry else ""


def _entries(name: str) -> Mapping[str, Mapping[str, str]]:
    """Return key → entry of a list; an entry's own key wins over an alias of another."""
    if name not in _State.made:
        vocabulary = load(name)
        aliases = (
            (alias, row) for row in vocabulary.rows for alias in parts(row.get("aliases", ""))
        )
        own = ((vocabulary.key(row), row) for row in vocabulary.rows)
        _State.made[name] = {folded(key): row for key, row in (*aliases, *own)}
    entries: Mapping[str, Mapping[str, str]] = _State.made[name]
    return entries


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
