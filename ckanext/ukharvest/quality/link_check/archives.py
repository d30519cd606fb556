"""The data in a zip file, from the names in its first bytes.

The file list is at the end of a zip file, which is not read; but each file's name also precedes
its data (APPNOTE.TXT, 4.3.7).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from ckanext.ukharvest.core.values import formats

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
