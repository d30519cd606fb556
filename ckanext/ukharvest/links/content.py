"""What a file is, by its first bytes.

Order of evidence: marks that only one format has; what lies in an archive; for text, a page, an
XML document's root, JSON's members, the ways that text formats begin, rows of cells; libmagic for
the rest. A name's extension and the server's media type only decide between what the bytes leave
open ("text", "XML", an archive cut off): a login page at rivers.csv is a page.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from ckanext.ukharvest.core.protocols import SERVICES
from ckanext.ukharvest.core.sniff import html_title
from ckanext.ukharvest.links import archives, marks, texts, xml_roots

HEAD = 64 * 1024  # bytes that are looked at

# What the bytes say of these is certain, so that no name makes anything else one of them.
_CERTAIN = marks.LABELS | archives.LABELS | texts.LABELS | xml_roots.LABELS
# What may be more than its bytes show.
_OPEN = frozenset(("", "TXT", "XML", "JSON", "NT", "ZIP", "GZ", "TAR", "HDF", "SQLite"))
# One column is a table too, NetCDF 4 is HDF 5 with conventions, Turtle can begin as N-Triples do.
_WITHIN = frozenset((("TXT", "CSV"), ("HDF", "NetCDF"), ("NT", "TTL")))


def label_of(head: bytes, *, is_cut: bool, named: Iterable[str] = (), typed: str = "") -> str:
    """Return CKAN's label of a file, "" when nothing tells.

    Args:
        head: the file's first bytes.
        is_cut: whether there are more.
        named: labels of its names' extensions (Content-Disposition, addresses), the best first.
        typed: label of the media type that the server says.
    """
    found = _by_bytes(head, is_cut)
    if found not in _OPEN or not head:
        return found
    if found == "TXT" and len(head.split(b"\n", 2)) < 3:
        return found  # "Please sign in" is no table of one column
    return next((label for label in (*named, typed) if label and _may_be(found, label)), found)


def _by_bytes(head: bytes, is_cut: bool) -> str:
    found = marks.label_of(head)
    if found == "ZIP":
        return archives.of_zip(head, is_cut)
    if found == "GZ":
        return _in_gzip(head) or found
    if found:
        return found
    text = texts.decode(head, is_cut)
    if text is None:
        return marks.by_libmagic(head)
    if html_title(head) is not None:
        return "HTML"
    return xml_roots.label_of(head, text) or texts.label_of(text, is_cut)


def _in_gzip(head: bytes) -> str:
    """Return what lies in a gzip file: as many bytes are unpacked as are looked at elsewhere."""
    try:
        inner = zlib.decompressobj(31).decompress(head, HEAD)
    except zlib.error:
        return ""
    found = _by_bytes(inner, len(inner) == HEAD or len(head) == HEAD) if inner else ""
    # A text may be anything ("data.sql.gz"), and the name without .gz says it.
    return "" if found in _OPEN else found


def _may_be(found: str, label: str) -> bool:
    return (found, label) in _WITHIN or label not in _CERTAIN | SERVICES
