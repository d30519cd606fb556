"""The format of a file, from its first bytes, its names and the server's media type."""

from __future__ import annotations

import csv
import io
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator

import magic

from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.link_protocols import SERVICES
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml.parser import local_name

_LOCAL = re.compile(rb"PK\x03\x04|PK\x01\x02")
# The files that every edition of the General Transit Feed Specification requires.
_GTFS = frozenset(("agency.txt", "stops.txt", "routes.txt", "trips.txt", "stop_times.txt"))
# Files that accompany data: documentation.
_BESIDE = frozenset(("", "TXT", "MD", "PDF", "HTML", "DOC", "DOCX", "RTF", "XML", "XSLT", "QGIS"))


def of_zip(head: bytes) -> str:
    """Return the format of the data in a zip file, "ZIP" for a mixture, or if unknown."""
    names = list(dict.fromkeys(_names(head)))
    # Of an office document that libmagic does not recognise; its pictures are not the data.
    return "ZIP" if "[Content_Types].xml" in names else _data(names) or "ZIP"


def _names(head: bytes) -> Iterator[str]:
    """Yield the names that precede the files and, if read, those in the list at the end."""
    for match in _LOCAL.finditer(head):
        # In both, the name's length is two bytes before the extra field's.
        lengths, fixed = (26, 30) if head[match.start() + 2] == 3 else (28, 46)
        start = match.start()
        if start + fixed > len(head):
            return
        (length,) = struct.unpack_from("<H", head, start + lengths)
        name = head[start + fixed : start + fixed + length]
        if len(name) == length and length:
            yield name.decode("utf-8", "replace")


def _data(names: list[str]) -> str:
    lower = [name.lower() for name in names]
    extensions = {name.rpartition(".")[2] for name in lower}
    if ".gdb/" in "".join(lower):
        return "GDB"
    if "shp" in extensions or {"shx", "dbf"} <= extensions:
        return "SHP"
    if len(_GTFS.intersection(name.rpartition("/")[2] for name in lower)) >= 3:
        return "GTFS"
    if "doc.kml" in lower:
        return "KMZ"
    labels = {formats.of_url("/" + name) for name in lower if not name.endswith("/")}
    data = labels - _BESIDE or labels
    return next(iter(data)) if len(data) == 1 else ""


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


HEAD = 64 * 1024  # bytes that are looked at

# What libmagic says of texts that are looked at further.
_TEXTS = frozenset(("", "TXT", "XML", "JSON", "HTML"))
# Formats that may be more than their bytes show.
_OPEN = frozenset(("", "TXT", "XML", "JSON", "ZIP", "GZ", "TAR", "HDF", "SQLite"))
# Which of the formats that have a signature, or a look of their own, such bytes can be.
_WITHIN = {
    "": frozenset(
        ("Parquet", "Arrow", "FlatGeobuf", "JP2", "LAS", "LAZ", "MDB", "ACCDB", "SAV", "DTA")
    ),
    "TXT": frozenset(("CSV",)),  # one column is a table too
    "XML": frozenset(
        ("Atom Feed", "GML", "GPX", "IATI", "KML", "NeTEx", "OAI-PMH", "OData", "QGIS", "RSS")
        + ("SDMX", "SIRI", "SPARQL", "SVG", "TransXChange", "WMC", "XBRL", "XSD", "XSLT")
    ),
    "ZIP": frozenset(("DOCX", "PPTX", "XLSX", "XLSM", "XLSB", "ODS", "ODT", "ODP", "ODG", "EPUB")),
    "HDF": frozenset(("NetCDF",)),
    "SQLite": frozenset(("GPKG", "MBTiles")),
}
CERTAIN = SERVICES.union(
    ("PDF", "PNG", "JPEG", "GIF", "TIFF", "GRIB", "RTF", "HTML", "RDF", "JSON", "NDJSON"),
    ("GeoJSON", "JSON-LD", "TSV", "PSV", "ICS", "VCF", "DXF"),
    *_WITHIN.values(),
)
# A tag, a declaration or a comment; N-Triples have URLs in angle brackets.
_XML = re.compile(r"\s*<(?!\w+://)[^\W\d]|\s*<[?!]")
# Roots that decide about stars.
_ROOTS = {"RDF": "RDF", "html": "HTML"}


def format_label(head: bytes, *, is_cut: bool, named: Iterable[str] = (), typed: str = "") -> str:
    """Return CKAN's label of a file, "" if unknown.

    Args:
        head: the file's first bytes.
        is_cut: whether there are more bytes.
        named: labels of its names' extensions (Content-Disposition, URLs), the best first.
        typed: label of the server's media type.
    """
    label = _by_bytes(head, is_cut)
    # "Please sign in" is no table of one column.
    is_short = label == "TXT" and len(head.split(b"\n", 2)) < 3
    if label not in _OPEN or not head or is_short:
        return label
    may_be = _WITHIN.get(label, frozenset())
    named = (name for name in (*named, typed) if name)
    return next((name for name in named if name in may_be or name not in CERTAIN), label)


def _by_bytes(head: bytes, is_cut: bool) -> str:
    if not head:
        return ""
    label = formats.label(magic.from_buffer(head, mime=True))
    if label == "ZIP":
        return of_zip(head)
    if label == "GZ":
        return _in_gzip(head) or label
    if label not in _TEXTS:
        return label
    text = decode(head, is_cut)
    if text is None:
        return ""
    if html_title(head) is not None:
        return "HTML"
    root = xml.parse_beginning(head) if _XML.match(text) else None
    if root is not None:
        return _ROOTS.get(local_name(root), "XML")
    return label_of(text, is_cut) or (label and "TXT")


def _in_gzip(head: bytes) -> str:
    """Return the format in a gzip file: as many bytes are unpacked as are read elsewhere."""
    try:
        inner = zlib.decompressobj(31).decompress(head, HEAD)
    except zlib.error:
        return ""
    label = _by_bytes(inner, len(inner) == HEAD or len(head) == HEAD) if inner else ""
    # Text may be anything ("data.sql.gz"); the name without .gz tells the format.
    return "" if label in _OPEN else label
