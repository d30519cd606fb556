"""Whether a record's content is the same as last time, whatever its outer form."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.errors import ParseError


def _plain(value: object) -> float:
    # ijson reads numbers with a point as Decimal, json as float: both have to end alike.
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain
)


def canonical_json(value: Any) -> str:
    """Return one text for equal JSON values: sorted keys, no blanks, floats as Python writes them.

    ``1.0`` and ``1`` stay different, ``1.0`` and ``1.00`` do not. Half surrogate pairs, which no
    database stores, become "?". NaN is written as Python does, so that it loses no record.
    """
    text = _ENCODER.encode(value)
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def fingerprint(content: str, form: str, salt: Sequence[object]) -> str:
    """Return the SHA-256, in hex, of a record's meaning together with a salt.

    Equal for the same record in another outer form: JSON with other key order and layout; XML
    with other attribute order, encoding, place of namespace declarations, comments, indentation.

    Args:
        content: the record's text.
        form: the parser's FORM, a key of ``CANONICAL``.
        salt: what else decides the result (versions of parser and mapper, options): JSON values.

    Raises:
        ParseError: content is not of this form.
        ValueError: there is no such form.
    """
    if form not in CANONICAL:
        raise ValueError(f"no fingerprint for form '{form}'; there is: {', '.join(CANONICAL)}")
    digest = hashlib.sha256(canonical_json(list(salt)).encode("utf-8"))
    digest.update(b"\0" + form.encode("ascii") + b"\0")
    digest.update(CANONICAL[form](content))
    return digest.hexdigest()


def _json(content: str) -> bytes:
    try:
        value = json.loads(content)
    except ValueError as exc:
        line = exc.lineno if isinstance(exc, json.JSONDecodeError) else None
        raise ParseError(f"the record is not JSON: {exc}", code="not-json", line=line) from exc
    return canonical_json(value).encode("utf-8")


def _xml(content: str) -> bytes:
    root = xml.parse(content)
    _drop_layout(root)
    return xml.canonical(root)


def _drop_layout(root: etree._Element) -> None:
    """Remove blanks between elements; text with any word beside an element stays as it is.

    Indentation is no content in any format we read, and it is not the record's own: it follows
    the depth at which a response nests the record and the server's pretty-print switch (pycsw:
    ``server.pretty_print``), so that GetRecords and GetRecordById differ in nothing else.
    """
    for element in root.iter(etree.Element):
        if len(element) == 0 or _has_text(element):
            continue
        element.text = None
        for child in element:
            child.tail = None


def _has_text(element: etree._Element) -> bool:
    if element.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve":
        return True
    texts = [element.text, *(child.tail for child in element)]
    return any(text and text.strip() for text in texts)


def _rdf(content: str) -> bytes:
    # Readers hand over core.rdf's canonical N-Triples: parsing them again could change nothing.
    return content.encode("utf-8", "replace")


CANONICAL: dict[str, Callable[[str], bytes]] = {"json": _json, "xml": _xml, "rdf": _rdf}
