"""A newer list in place of an older one: read in either of two forms, checked, written at once.

Beside the columns of our own file, functions and services are read as their publisher hands them
out (``http://standards.esd.org.uk/csv?uri=list/services``): Identifier, Label and more.
"""

from __future__ import annotations

import codecs
import csv
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ckanext.ukharvest.core import vocabulary
from ckanext.ukharvest.core.vocabulary_file import (
    Vocabulary,
    VocabularyError,
    check_cells,
    folded,
    lines_of,
    parse,
    write,
)

# The publisher's column → ours; what it leaves out stays as it was.
_PUBLISHED = {
    "identifier": "uri",
    "uri": "uri",
    "label": "label",
    "mapped identifier": "parent",
    "parent": "parent",
    "theme": "theme",
}
_KINDS = {"functions": "function", "services": "service"}
_FUNCTION = "http://id.esd.org.uk/function/"


def decoded(content: bytes) -> str:
    """Return the text of a file: UTF-8, or UTF-16 with its mark.

    Raises:
        VocabularyError: it is neither.
    """
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as exc:
        raise VocabularyError(f"the file is not in UTF-8: {exc}") from exc


def newer(name: str, text: str, *, source: str, date: str) -> Vocabulary:
    """Return the list that a file holds, with its head completed.

    Args:
        source: where the file is from, for one without a head of its own.
        date: today, as ISO 8601 has it; for the same.

    Raises:
        VocabularyError: what is wrong with the file.
        KeyError: there is no list of this name.
    """
    own = vocabulary.bundled(name)
    try:
        if name in _KINDS and own.columns[0] not in _columns(text):
            text = _converted(name, text)
    except csv.Error as exc:
        raise VocabularyError(f"the file is no CSV: {exc}") from exc
    read = parse(name, text, own.columns)
    _check_parents(read)
    about = {**own.about, "source": source, "date": date, **read.about}
    return Vocabulary(name, about, read.columns, read.rows)


def loss(old: Vocabulary, new: Vocabulary) -> int:
    """Return how many entries of a list are missing in another."""
    kept = {folded(new.key(row)) for row in new.rows}
    return sum(folded(old.key(row)) not in kept for row in old.rows)


def save(read: Vocabulary, folder: Path) -> Path:
    """Write a list into the portal's folder, so that a reader meets the old file or the new one.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{read.name}.csv"
    number, name = tempfile.mkstemp(prefix=f".{read.name}-", dir=folder)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(write(read.about, read.columns, read.rows))
            file.flush()
            os.fsync(file.fileno())
        # mkstemp keeps it to its user; web servers and consumers may run as others.
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return path


def _columns(text: str) -> list[str]:
    """Return the names of a file's columns."""
    lines = (line for line in lines_of(text) if line[:1] != "#")
    return [cell.strip() for cell in next(csv.reader(lines), [])]


def _converted(name: str, text: str) -> str:
    """Write the publisher's file as ours."""
    reader = csv.DictReader(lines_of(text), strict=True)
    names = {
        each: _PUBLISHED.get((each or "").strip().lower(), "") for each in reader.fieldnames or ()
    }
    if not {"uri", "label"} <= set(names.values()):
        raise VocabularyError(
            "the columns are neither those of ckanext-ukharvest (uri, label, parent, theme) nor "
            "those of the publisher (Identifier, Label); found "
            + (", ".join(map(str, names))[:200] or "nothing")
        )
    rows: dict[str, dict[str, str]] = {}
    for line in reader:
        cells = {ours: (line[each] or "").strip() for each, ours in names.items() if ours}
        row = _row(name, cells)
        check_cells(row, reader.line_num)
        # The publisher's file has a line for each function that a service belongs to.
        rows.setdefault(folded(row["uri"]), row)
    return write({}, ("uri", "label", "parent", "theme"), rows.values())


def _row(name: str, cells: Mapping[str, str]) -> dict[str, str]:
    uri = _address(f"http://id.esd.org.uk/{_KINDS[name]}/", cells["uri"])
    known = vocabulary.row(name, uri) or {}
    parent = cells.get("parent", "")
    return {
        "uri": uri,
        "label": cells["label"],
        "parent": _address(_FUNCTION, parent) if parent else known.get("parent", ""),
        "theme": cells.get("theme", "") or known.get("theme", ""),
    }


def _address(start: str, text: str) -> str:
    """Write a number, or an address with ``https`` or a slash at its end, as the list has it."""
    number = text.rstrip("/").rpartition("/")[2]
    is_number = number.isascii() and number.isdigit()
    return (
        start + number if is_number and folded(text) in (number, folded(start + number)) else text
    )


def _check_parents(read: Vocabulary) -> None:
    """See that what an entry stands in is there."""
    if read.name not in _KINDS:
        return
    functions = read if read.name == "functions" else vocabulary.load("functions")
    there = {folded(functions.key(row)) for row in functions.rows}
    for row in read.rows:
        if row["parent"] and folded(row["parent"]) not in there:
            raise VocabularyError(
                f"{row['uri']} stands in {row['parent']}, which is no function of the list; "
                "update the functions first"
            )
