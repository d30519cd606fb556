"""The leaves of a document, and those of them that a record does not have.

A document that is written for this has another value in each leaf, so that a value's arrival is
a search for it in the record's fields, resources, extras and problems.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

_NO_CLASSES = ("ISBN", "ISSN", "@href", "@uom", "@id", "@uuidref", "@codeListValue")
_LAYOUT = re.compile(r"\s+")
# Attributes of XML that are a document's own, whatever it says.
_OWN = re.compile(r"\{http://www\.(?:w3\.org/2001/XMLSchema-instance|opengis\.net/gml.*)\}")


NOT_READ = Path(__file__).parent.parent.parent / "dev" / "docs" / "not_read.csv"


def not_read() -> Iterator[tuple[str, str]]:
    """Yield parser and field of each row of the documentation's list "Not read"."""
    with NOT_READ.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert row["reason"], row
            yield row["parser"], row["field"]


class Leaf(NamedTuple):
    """A value of a document and the path of names that leads to it."""

    path: str
    value: str


def leaves_of_json(value: Any, path: str = "") -> Iterator[Leaf]:
    """Yield the texts, numbers and booleans of a JSON value; a list adds nothing to the path."""
    if isinstance(value, Mapping):
        # A pair of names and values is one named value.
        if set(value) == {"key", "value"}:
            yield from leaves_of_json(value["value"], f"{path}.{value['key']}")
            return
        for key, item in value.items():
            yield from leaves_of_json(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for item in value:
            yield from leaves_of_json(item, path)
    elif value is not None:
        yield Leaf(path, value if isinstance(value, str) else json.dumps(value))


def leaves_of_xml(element: etree._Element, path: str = "") -> Iterator[Leaf]:
    """Yield the texts and attributes of an element and those below; names without namespaces."""
    for name, text in element.attrib.items():
        if not _OWN.match(str(name)):
            yield Leaf(_below(path, f"@{etree.QName(name).localname}"), str(text))
    for text in (element.text, *(child.tail for child in element)):
        if text and text.strip():
            yield Leaf(path, text.strip())
    for child in element.iterchildren("*"):
        yield from leaves_of_xml(child, _below(path, etree.QName(child).localname))


def leaves_of_iso(element: etree._Element, path: str = "") -> Iterator[Leaf]:
    """Do the same with ISO's records: their classes and code lists are no part of the path."""
    for leaf in leaves_of_xml(element, path):
        *above, last = leaf.path.split("/")
        if last != "@codeList":
            names = [each for each in (*above, last) if each in _NO_CLASSES or each[:1].islower()]
            yield Leaf("/".join(names).removesuffix("/@codeListValue"), leaf.value)


def _below(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def lost(leaves: list[Leaf], record: Mapping[str, Any], coded: Mapping[str, str]) -> list[Leaf]:
    """Return the leaves whose value is nowhere in the record.

    Args:
        record: as ``ukharvest check`` prints it.
        coded: path → what the value becomes, where that is another text: ``field: text`` is
            a part of one field's text, such as ``frequency: annual``.
    """
    everything = _plain(" ".join(_texts(record)))

    def arrived(leaf: Leaf) -> bool:
        if leaf.path not in coded:
            return _plain(leaf.value) in everything
        for part in coded[leaf.path].split("; "):
            name, _, text = part.partition(": ")
            if _plain(text) not in _plain(" ".join(_texts(_field(record, name)))):
                return False
        return True

    return [leaf for leaf in leaves if not arrived(leaf)]


def _field(record: Mapping[str, Any], name: str) -> Any:
    """Return a field, an extra, or a field of any of the resources (``resource.format``)."""
    if name.startswith("resource."):
        found = (_field(each, name.partition(".")[2]) for each in record["resources"])
        return list(found)
    return record.get(name) or record.get("extras", {}).get(name)


def repeated(leaves: list[Leaf], coded: Mapping[str, str]) -> list[Leaf]:
    """Return the leaves whose value is also part of another one's: they cannot be searched for."""
    plain = [(leaf, _plain(leaf.value)) for leaf in leaves]
    return [
        leaf
        for number, (leaf, value) in enumerate(plain)
        if leaf.path not in coded
        and any(value in other for place, (_, other) in enumerate(plain) if place != number)
    ]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield value if isinstance(value, str) else json.dumps(value)


def _plain(text: str) -> str:
    return _LAYOUT.sub(" ", text).strip().casefold()
