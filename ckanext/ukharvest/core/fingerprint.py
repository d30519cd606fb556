"""Fingerprints: tell whether a record's content changed, whatever its serialisation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.xml import parser as xml


def _plain(value: object) -> float:
    # ijson reads decimal numbers as Decimal, json as float: both must give the same text.
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _encoder(*, sort_keys: bool) -> json.JSONEncoder:
    return json.JSONEncoder(
        sort_keys=sort_keys, separators=(",", ":"), ensure_ascii=False, default=_plain
    )


_CANONICAL, _IN_ORDER = _encoder(sort_keys=True), _encoder(sort_keys=False)


def canonical_json(value: Any) -> str:
    """Return one text for equal JSON values: sorted keys, no whitespace, floats as in Python.

    ``1.0`` and ``1`` stay different, ``1.0`` and ``1.00`` do not. Lone surrogates, which no
    database stores, become "?". NaN is written as Python does, so that the record does not fail.
    """
    return _storable(_CANONICAL.encode(value))


def ordered_json(value: Any) -> str:
    """Return a JSON value as ``canonical_json`` does, with the publisher's order of the keys."""
    return _storable(_IN_ORDER.encode(value))


def _storable(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def fingerprint(content: str, form: str, import_rules: Sequence[object]) -> str:
    """Return the fingerprint of a record: SHA-256, in hex, of its content and import rules.

    Equal for the same record serialised differently: JSON with other key order and layout; XML with
    other attribute order, encoding, namespace declarations, comments, indentation.

    Args:
        content: the record's text.
        form: the parser's FORM, a key of ``CANONICAL``.
        import_rules: versions of parser and mapper, and options, as JSON values.

    Raises:
        ParseError: content is not of this form.
        ValueError: the form is unknown.
    """
    if form not in CANONICAL:
        raise ValueError(f"no fingerprint for form '{form}'; there is: {', '.join(CANONICAL)}")
    digest = hashlib.sha256(canonical_json(list(import_rules)).encode("utf-8"))
    digest.update(b"\0" + form.encode("ascii") + b"\0")
    digest.update(_canonical(form, content))
    return digest.hexdigest()


# After an upgrade, a record's fingerprint is computed under the new, the old and the new rules.
@lru_cache(maxsize=1)
def _canonical(form: str, content: str) -> bytes:
    return CANONICAL[form](content)


def _json(content: str) -> bytes:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as exc:
        line = exc.lineno if isinstance(exc, json.JSONDecodeError) else None
        raise ParseError(
            Message("the record is not JSON: {reason}", reason=exc), code="not-json", line=line
        ) from exc
    return canonical_json(value).encode("utf-8")


def _xml(content: str) -> bytes:
    if is_triples(content):  # a CSW server may have DCAT
        return _rdf(content)
    root = xml.parse(content)
    _drop_layout(root)
    return xml.canonical(root)


def _drop_layout(root: etree._Element) -> None:
    """Remove whitespace between elements; keep all text of elements that hold any word.

    Indentation is not content in any format we read, nor part of the record: it depends on how deep
    a response nests the record and on the server's pretty-print switch. Without it, GetRecords and
    GetRecordById give equal records.
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
    # Readers return core.rdf's canonical N-Triples: parsing them again would change nothing.
    return content.encode("utf-8", "replace")


def is_triples(content: str) -> bool:
    """Tell whether the content of a form "…_or_rdf" is core.rdf's canonical N-Triples."""
    return content.endswith(" .\n")  # no document of XML or JSON does


def is_xml(content: str) -> bool:
    """Tell whether the content of a form "xml_or_json" is XML."""
    return content.lstrip().startswith("<")


def _xml_or_json(content: str) -> bytes:
    return _xml(content) if is_xml(content) else _json(content)


CANONICAL: dict[str, Callable[[str], bytes]] = {
    "json": _json,
    "json_or_rdf": _json,
    "rdf": _rdf,
    "xml": _xml,
    "xml_or_json": _xml_or_json,
    "xml_or_rdf": _xml,
}
