"""The encoding that the XML declaration at a document's beginning names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ckanext.ukharvest.core import encodings

_DECLARATION = re.compile(rb"\s*<\?xml\s[^>]*")
# Looser than XML: libxml2 also reads declarations without a blank before the name. A run of blanks
# is tried from its beginning only.
_ENCODING = re.compile(rb"""(?<!\s)\s*\bencoding\s*=\s*["']([^"'<>]*)["']?""")


def declared_encoding(data: bytes) -> str:
    """Return the name of the encoding that a document declares, "" if it declares none.

    Args:
        data: the document or its beginning, in ASCII as far as the declaration goes.
    """
    return next(_names(data), "")


def unread_encoding(data: bytes) -> str:
    """Return the name of the encoding that a document declares if it is not read, else ""."""
    return next((name for name in _names(data) if not encodings.find_codec(name)), "")


def without_encoding(data: bytes) -> bytes:
    """Return a document whose declaration names no encoding; lines stay."""
    declaration = _DECLARATION.match(data)
    if declaration is None:
        return data
    text = _ENCODING.sub(lambda match: b"\n" * match[0].count(b"\n"), declaration[0])
    return text + data[declaration.end() :]


def _names(data: bytes) -> Iterator[str]:
    declaration = _DECLARATION.match(data)
    for match in _ENCODING.finditer(declaration[0] if declaration else b""):
        yield match[1].decode("utf-8", "replace").strip() or "?"
