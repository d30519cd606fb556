"""The format in a file's name, where publishers are told to write it.

The rule of data.gov.uk's guide for location data ("a carefully formed name"), in full: a known
format in brackets or behind a dash at the end (``Rivers (CSV)``, ``Rivers - WFS``), or before a
colon at the start (``WMS: rivers``), or a name that is only a format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ckanext.ukharvest.core import formats

# A hyphen within a word is part of it ("GTFS-RT"): a dash has a blank beside it, or is long.
_DASH = re.compile(r"\s-+\s*|-+\s|[–—]")
# Longer is no format, and the pattern above has to end in time.
_LONGEST = 200

# Names and extensions of formats that in a file's name are more often something else: words
# ("Rights of way - Access", "Owl: sightings") and places' initials (NC, MD, NT).
_EVERYDAY = frozenset(
    ("access", "bin", "binary", "binarydata", "mapservice", "md", "mop", "nc", "nq", "nt", "owl")
    + ("r", "rest", "shape", "sid", "text", "viewservice", "word")
)


def of_title(name: str) -> str:
    """Return CKAN's label of the format that a file's name states, "" if it states none."""
    text = " ".join(name.split()).rstrip(" .")
    if "://" in text:
        return ""
    # Without a blank behind it the colon is part of a layer's name: "gml:Province".
    before = text.partition(": ")[0] if ": " in text else ""
    for part in (text, before, *_ends(text[-_LONGEST:])):
        if found := formats.label(part, unless=_EVERYDAY):
            return found
    return ""


def _ends(text: str) -> Iterator[str]:
    """What stands behind each dash, the longest first, and in brackets at the end."""
    for dash in _DASH.finditer(text):
        yield text[dash.end() :]
    opening = {")": "(", "]": "["}.get(text[-1:], "")
    if opening:
        yield text[:-1].rpartition(opening)[2]
