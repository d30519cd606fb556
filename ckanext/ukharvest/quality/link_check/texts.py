"""Text formats that libmagic does not tell, or not of a truncated file: JSON's kinds and tables."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator

_JSON = re.compile(r'\{\s*["}]|\[\s*(?:["{\[\]]|-?\d|true\b|false\b|null\b)')
_GEOMETRIES = "(?:Multi)?(?:Point|LineString|Polygon)|GeometryCollection"
_GEOJSON = re.compile(
    rf'\{{\s*"type"\s*:\s*"(?:Feature|{_GEOMETRIES})"|"type"\s*:\s*"FeatureCollection"'
    r'|"features"\s*:\s*\[\s*\{\s*"type"\s*:\s*"Feature"'
)
_JSON_LD = re.compile(r'"@(?:context|graph|id)"\s*:')
_LINKED = 2000  # characters in which JSON-LD shows itself
_DELIMITERS = ((",", "CSV"), ("\t", "TSV"), (";", "CSV"), ("|", "PSV"))
_ROWS = 50  # that are looked at
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decode(head: bytes, is_cut: bool) -> str | None:
    """Return bytes as text, None if they are not text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "ignore").lstrip("\ufeff")
    # A character of up to four bytes may be truncated.
    for end in range(4 if is_cut else 1):
        try:
            text = head[: len(head) - end].decode("utf-8-sig")
        except UnicodeDecodeError:
            continue
        return None if _CONTROLS.search(text) else text
    text = head.decode("cp1252", "replace")
    strange = sum(1 for sign in text if sign > "\x7f")
    return None if _CONTROLS.search(text) or strange > len(text) * 0.3 else text


def label_of(text: str, is_cut: bool) -> str:
    """Return the format of JSON or a table, "" for another text."""
    start = text.lstrip()
    return _json(start) if _JSON.match(start) else _table(text, is_cut)


def _json(text: str) -> str:
    if _GEOJSON.search(text):
        return "GeoJSON"
    return "JSON-LD" if _JSON_LD.search(text, 0, _LINKED) else "JSON"


def _table(text: str, is_cut: bool) -> str:
    for delimiter, label in _DELIMITERS:
        counts = list(_cells(text, delimiter, is_cut))
        usual, rows = Counter(counts).most_common(1)[0] if counts else (0, 0)
        # A title and notes around a table are common; one comma per line is common in prose.
        enough = len(counts) if usual == 2 else len(counts) * 0.6
        if usual >= 2 and rows >= 2 and rows >= enough:
            return label
    return ""


def _cells(text: str, delimiter: str, is_cut: bool) -> Iterator[int]:
    """Yield the number of cells in each of the first rows, without a truncated last one."""
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    before = 0
    try:
        for number, row in enumerate(rows):
            if before:
                yield before
            # "A title,,," and a line of code with its semicolon are one cell.
            before = len(row) if any(map(str.strip, row[1:])) else bool("".join(row).strip())
            if number == _ROWS:
                return
    except csv.Error:
        return
    if before and not is_cut:
        yield before
