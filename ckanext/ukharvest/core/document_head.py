"""The first bytes of a document, as the text, JSON or XML that they begin: to recognise its format.

A document may be cut off anywhere, broken, and in any encoding that the readers accept.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import InvalidOperation
from functools import cached_property, lru_cache
from typing import Any

import ijson
from lxml import etree

from ckanext.ukharvest.core import json_limits
from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.encodings import shown_encoding
from ckanext.ukharvest.core.xml import parser as xml

_JSON = re.compile(r"\{|\[\s*(?:[\[{\"\d-]|(?:true|false|null)\b|\]\s*\Z|\Z)")
_META = re.compile(r"<meta\b[^<>]*>", re.IGNORECASE)
_SCHEMA_ORG = re.compile(r'"@context"\s*:\s*(?:\[\s*|\{\s*"@vocab"\s*:\s*)?"https?://schema\.org\b')
# ijson returns the values of a piece together: of the piece with a syntax error it returns none.
_PIECE = 256


@dataclass(frozen=True)
class DocumentHead:
    """The first bytes of a document.

    Args:
        content: the bytes; as many as are there, or the whole document.
    """

    content: bytes

    @cached_property
    def text(self) -> str:
        """The text, without a byte order mark and blanks at its beginning."""
        encoding, skip = shown_encoding(self.content)
        return self.content[skip:].decode(encoding, "replace").lstrip()

    @cached_property
    def page_title(self) -> str | None:
        """The title of an HTML page, "" if it has none, None if this is no HTML page."""
        return html_title(self.text.encode("utf-8", "replace"))

    @property
    def generator(self) -> str:
        """The elements ``meta`` that name the software of an HTML page, in lower case."""
        if self.page_title is None:
            return ""
        metas = (element.lower() for element in _META.findall(self.text))
        return " ".join(element for element in metas if "generator" in element)

    @property
    def is_schema_org(self) -> bool:
        """Whether this is JSON-LD whose context is schema.org's."""
        return bool(self.is_json and _SCHEMA_ORG.search(self.text))

    @property
    def is_json(self) -> bool:
        """Whether it begins as a list or an object, and not as a blank node of Turtle."""
        return _JSON.match(self.text) is not None

    @property
    def values(self) -> Mapping[str, Any]:
        """The first value at each ijson prefix of JSON: a text, number, bool or None, or its
        event ("start_map", "start_array"); empty if this is no JSON."""
        return self._json[0]

    def keys(self, prefix: str = "") -> frozenset[str]:
        """Return the names that the objects at an ijson prefix have, "" is the outermost."""
        return frozenset(self._json[1].get(prefix, ()))

    @cached_property
    def _json(self) -> tuple[dict[str, Any], dict[str, set[str]]]:
        values: dict[str, Any] = {}
        keys: dict[str, set[str]] = {}
        body = io.BytesIO(self.text.encode("utf-8", "replace") if self.is_json else b"")
        try:
            for prefix, event, value in ijson.parse(json_limits.JsonPieces(body), buf_size=_PIECE):
                if event == "map_key":
                    keys.setdefault(prefix, set()).add(value)
                elif event not in ("end_map", "end_array"):
                    is_scalar = value is not None or event == "null"
                    values.setdefault(prefix, value if is_scalar else event)
        except (ijson.JSONError, json_limits.BeyondLimit, InvalidOperation):
            pass  # the end of what can be read
        return values, keys

    @cached_property
    def root(self) -> etree._Element | None:
        """The root element of XML, with what could be read of it; None if this is no XML."""
        if self.page_title is not None or not self.text.startswith("<"):
            return None
        return xml.parse_beginning(self.content)

    @property
    def root_name(self) -> str:
        """The root element's name without its namespace, "" if this is no XML."""
        return "" if self.root is None else xml.local_name(self.root)

    @property
    def root_namespace(self) -> str:
        """The root element's namespace, "" if it has none."""
        return "" if self.root is None else str(self.root.tag).rpartition("}")[0].lstrip("{")


@lru_cache(maxsize=8)
def read_head(content: bytes) -> DocumentHead:
    """Return the head of a document; it is parsed once, however many types look at it."""
    return DocumentHead(content)
