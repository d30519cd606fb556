"""Schema types (``schema_type``): usual names, and a guess from the schema's URL.

data.gov.uk's guide has csvlint (the dialect of the LGA's schemas) and xsd; the others are newer.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

SCHEMA_TYPES = ("csvlint", "xsd", "tableschema", "csvw", "json-schema")

_SAME = {
    "jsontableschema": "tableschema",
    "frictionless": "tableschema",
    "csvontheweb": "csvw",
    "xmlschema": "xsd",
    "xmlschemadefinition": "xsd",
}
_NONE = ("none", "null")  # data.gov.uk wrote Python's None
# Types that publishers were asked to write, by file format.
_OF_FORMATS = {"CSV": "csvlint", "XML": "xsd"}
_LGA = ".esd.org.uk"


def name(text: str) -> str:
    """Return the usual name of a type, such as csvlint for "CSV Lint"; other text unchanged."""
    folded = re.sub(r"[\s_-]+", "", text.casefold())
    known = {kind.replace("-", ""): kind for kind in SCHEMA_TYPES} | _SAME
    return "" if folded in _NONE else known.get(folded, text)


def guess(url: str, label: str) -> str:
    """Return the type that a schema's URL suggests, "" if none.

    Args:
        label: CKAN's label of the format of the file that follows the schema.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host, path = f".{parts.hostname or ''}", parts.path.casefold()
    if path.endswith(".xsd"):
        return "xsd"
    if path.endswith("-metadata.json"):  # W3C, CSV on the Web: its default for a file's schema
        return "csvw"
    is_schema = path.endswith((".json", ".xml")) or host.endswith(_LGA)
    return _OF_FORMATS.get(label, "") if is_schema else ""
