"""Find the format in a file's name, where data.gov.uk asks publishers to write it.

The rule of data.gov.uk's guide for location data ("a carefully formed name"), in full: a known
format in brackets or behind a dash at the end (``Rivers (CSV)``, ``Rivers - WFS``), or before a
colon at the start (``WMS: rivers``), or a name that is only a format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ckanext.ukharvest.core.values import formats

# A hyphen within a word is part of it ("GTFS-RT"): a dash has a space next to it, or is long.
_DASH = re.compile(r"\s-+\s*|-+\s|[–—]")
# Longer texts are not formats, and would slow the pattern above.
_LONGEST = 200

# Names and extensions of formats that usually mean something else in a file's name: words ("Rights
# of way - Access", "Owl: sightings") and initials of places (NC, MD, NT).
_EVERYDAY = frozenset(
    ("access", "bin", "binary", "binarydata", "mapservice", "md", "mop", "nc", "nq", "nt", "owl")
    + ("r", "rest", "shape", "sid", "text", "viewservice", "word")
)


def of_title(name: str) -> str:
    """Return CKAN's label of the format in a file's name, "" if it names none."""
    text = " ".join(name.split()).rstrip(" .")
    if "://" in text:
        return ""
    # Without a space after it, the colon is part of a layer's name: "gml:Province".
    before = text.partition(": ")[0] if ": " in text else ""
    for part in (text, before, *_ends(text[-_LONGEST:])):
        if found := formats.label(part, unless=_EVERYDAY):
            return found
    return ""


def _ends(text: str) -> Iterator[str]:
    """Yield the text after each dash, the longest first, and the text in brackets at the end."""
    for dash in _DASH.finditer(text):
        yield text[dash.end() :]
    opening = {")": "(", "]": "["}.get(text[-1:], "")
    if opening:
        yield text[:-1].rpartition(opening)[2]
