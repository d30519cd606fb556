"""The format of a file, from its first bytes, its names and the server's media type.

libmagic, by the Python package that CKAN requires, recognises what has a signature. Further looked
at is what it does not tell and decides about stars: the data in a zip or gzip file, tables, GeoJSON
and JSON-LD. A name's extension and the server's media type only decide what the bytes leave open
("text", "XML", "ZIP"): a login page at rivers.csv is a page.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable

import magic

from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.link_protocols import SERVICES
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml.parser import local_name
from ckanext.ukharvest.quality.link_check import archives, texts

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


def label_of(head: bytes, *, is_cut: bool, named: Iterable[str] = (), typed: str = "") -> str:
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
        return archives.of_zip(head)
    if label == "GZ":
        return _in_gzip(head) or label
    if label not in _TEXTS:
        return label
    text = texts.decode(head, is_cut)
    if text is None:
        return ""
    if html_title(head) is not None:
        return "HTML"
    root = xml.parse_beginning(head) if _XML.match(text) else None
    if root is not None:
        return _ROOTS.get(local_name(root), "XML")
    return texts.label_of(text, is_cut) or (label and "TXT")


def _in_gzip(head: bytes) -> str:
    """Return the format in a gzip file: as many bytes are unpacked as are read elsewhere."""
    try:
        inner = zlib.decompressobj(31).decompress(head, HEAD)
    except zlib.error:
        return ""
    label = _by_bytes(inner, len(inner) == HEAD or len(head) == HEAD) if inner else ""
    # Text may be anything ("data.sql.gz"); the name without .gz tells the format.
    return "" if label in _OPEN else label
