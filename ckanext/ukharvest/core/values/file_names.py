"""Names of files that have no title: the end of their URL, or their format."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from ckanext.ukharvest.core.values.text import clean_text, shorten

_LONGEST = 100


def name_of(url: str, label: str) -> str:
    """Return the last part of a URL's path, such as "rivers.csv", if it looks like a file's name.

    Otherwise a format's label and "resource" ("CSV resource"), or "" without a label.
    """
    try:
        path = unquote(urlsplit(url).path)
    except ValueError:
        path = ""
    name = clean_text(path.rstrip("/").rpartition("/")[2])
    stem, dot, ending = name.rpartition(".")
    if dot and stem and ending.isalnum() and len(ending) <= 8:
        return shorten(name, _LONGEST)
    return f"{label} resource" if label else ""
