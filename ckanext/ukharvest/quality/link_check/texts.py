"""Text formats by their beginning: JSON's members, signs in the first lines, rows of cells."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator

import ijson

from ckanext.ukharvest.core import json_limits

LABELS = frozenset(
    ("CSV", "TSV", "PSV", "JSON", "GeoJSON", "TopoJSON", "JSON-LD", "NDJSON", "ICS", "VCF")
    + ("OPeNDAP", "DXF", "E00", "API")
)

_TERM = r"<[^<>\"\s]+>"
_OBJECT = rf"(?:{_TERM}|_:\S+|\"(?:[^\"\\\n]|\\.)*\"(?:@[\w-]+|\^\^{_TERM})?)"
_COMMENTS = r"(?:\s*#[^\n]*\n)*\s*"
_BEGINNINGS = (
    (re.compile(rf"{_COMMENTS}(?:@prefix\s|@base\s|PREFIX\s+\S*:\s*<)", re.IGNORECASE), "TTL"),
    (re.compile(rf"{_COMMENTS}(?:{_TERM}|_:\S+)\s+{_TERM}\s+{_OBJECT}\s*\.\s*$", re.M), "NT"),
    (
        re.compile(rf"{_COMMENTS}(?:{_TERM}|_:\S+)\s+{_TERM}\s+{_OBJECT}\s+{_TERM}\s*\.\s*$", re.M),
        "NQ",
    ),
    (re.compile(r"\s*BEGIN:VCALENDAR", re.IGNORECASE), "ICS"),
    (re.compile(r"\s*BEGIN:VCARD", re.IGNORECASE), "VCF"),
    (re.compile(r"\s*ncols\s+\d+\s+nrows\s+\d+", re.IGNORECASE), "ASC"),
    (re.compile(r"\s*(?:AXIS-VERSION|CHARSET)\s*=\s*\"", re.IGNORECASE), "PC-Axis"),
    (re.compile(r"Version\s+\d+\s*\n\s*Charset\s", re.IGNORECASE), "MIF"),
    (re.compile(r"\s*0\r?\n\s*SECTION\s"), "DXF"),
    (re.compile(r"EXP\s+[01]\s"), "E00"),
    (re.compile(r"Dataset\s*\{"), "OPeNDAP"),
)
_DELIMITERS = ((",", "CSV"), ("\t", "TSV"), (";", "CSV"), ("|", "PSV"))
_ROWS = 50  # that are looked at
_OPENING = frozenset(("start_map", "start_array"))
_CLOSING = frozenset(("end_map", "end_array"))
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_GEOMETRIES = frozenset(
    ("FeatureCollection", "Feature", "GeometryCollection", "Point", "MultiPoint", "LineString")
    + ("MultiLineString", "Polygon", "MultiPolygon")
)


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
    """Return the format of a text, "TXT" if it is nothing special, "" if it is empty."""
    start = text.lstrip()
    if not start:
        return ""
    if start[0] in "{[" and (label := _json(start, is_cut)):
        return label
    for pattern, label in _BEGINNINGS:
        if pattern.match(text):
            return label
    return _table(text, is_cut) or "TXT"


def _json(text: str, is_cut: bool) -> str:
    """Return the format of JSON, "" if it is not JSON."""
    first, _, rest = text.partition("\n")
    if _is_object(first) and rest.lstrip().startswith("{"):
        return "NDJSON"
    try:
        members, kind = _members(text, is_cut)
    except ValueError:
        return ""
    if kind == "Topology":
        return "TopoJSON"
    # "type" may follow the features, which can be long.
    if kind in _GEOMETRIES or (
        not kind and "features" in members and re.search(r'"type"\s*:\s*"Feature"', text)
    ):
        return "GeoJSON"
    if members & {"@context", "@graph"} or (text[0] == "[" and '"@id"' in text[:2000]):
        return "JSON-LD"
    return "API" if members & {"openapi", "swagger"} else "JSON"


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _members(text: str, is_cut: bool) -> tuple[set[str], str]:
    """Return an object's members and its "type"; raise ValueError if the text is not JSON."""
    members: set[str] = set()
    kind = ""
    data = text.encode("utf-8", "replace")
    json_limits.check(data)
    depth, member = 0, ""
    # Without ijson's own paths, whose time grows with the square of the depth.
    events = ijson.basic_parse(io.BytesIO(data), use_float=True)
    try:
        for event, value in events:
            depth += (event in _OPENING) - (event in _CLOSING)
            if depth == 1 and event == "map_key":
                member = str(value)
                members.add(member)
            elif depth == 1 and event == "string" and member == "type":
                kind = str(value)
    except ijson.IncompleteJSONError:
        if not is_cut:
            raise ValueError("the text ends within JSON") from None
    except ijson.JSONError as exc:
        raise ValueError("not JSON") from exc
    return members, kind


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
