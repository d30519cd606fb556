"""The format of a file, from its first bytes.

Order of evidence: signatures that only one format has; the content of an archive; for text, a web
page, an XML document's root, JSON's members, typical beginnings of text formats, rows of cells;
libmagic for the rest. A name's extension and the server's media type only decide what the bytes
leave open ("text", "XML", a truncated archive): a login page at rivers.csv is a page.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.values.link_protocols import SERVICES
from ckanext.ukharvest.quality.link_check import archives, file_signatures, texts, xml_roots

HEAD = 64 * 1024  # bytes that are looked at

# Formats whose bytes are conclusive: a name cannot make another format one of them.
_CERTAIN = file_signatures.LABELS | archives.LABELS | texts.LABELS | xml_roots.LABELS
# Formats that may be more than their bytes show.
_OPEN = frozenset(("", "TXT", "XML", "JSON", "NT", "ZIP", "GZ", "TAR", "HDF", "SQLite"))
# One column is a table too, NetCDF 4 is HDF 5 with conventions, Turtle can begin like N-Triples.
_WITHIN = frozenset((("TXT", "CSV"), ("HDF", "NetCDF"), ("NT", "TTL")))


def label_of(head: bytes, *, is_cut: bool, named: Iterable[str] = (), typed: str = "") -> str:
    """Return CKAN's label of a file, "" if unknown.

    Args:
        head: the file's first bytes.
        is_cut: whether there are more bytes.
        named: labels of its names' extensions (Content-Disposition, URLs), the best first.
        typed: label of the server's media type.
    """
    found = _by_bytes(head, is_cut)
    if found not in _OPEN or not head:
        return found
    if found == "TXT" and len(head.split(b"\n", 2)) < 3:
        return found  # "Please sign in" is no table of one column
    return next((label for label in (*named, typed) if label and _may_be(found, label)), found)


def _by_bytes(head: bytes, is_cut: bool) -> str:
    found = file_signatures.label_of(head)
    if found == "ZIP":
        return archives.of_zip(head, is_cut)
    if found == "GZ":
        return _in_gzip(head) or found
    if found:
        return found
    text = texts.decode(head, is_cut)
    if text is None:
        return file_signatures.by_libmagic(head)
    if html_title(head) is not None:
        return "HTML"
    return xml_roots.label_of(head, text) or texts.label_of(text, is_cut)


def _in_gzip(head: bytes) -> str:
    """Return the format in a gzip file: as many bytes are unpacked as are read elsewhere."""
    try:
        inner = zlib.decompressobj(31).decompress(head, HEAD)
    except zlib.error:
        return ""
    found = _by_bytes(inner, len(inner) == HEAD or len(head) == HEAD) if inner else ""
    # Text may be anything ("data.sql.gz"); the name without .gz tells the format.
    return "" if found in _OPEN else found


def _may_be(found: str, label: str) -> bool:
    return (found, label) in _WITHIN or label not in _CERTAIN | SERVICES
