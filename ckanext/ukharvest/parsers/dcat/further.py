"""Statements about a dataset or a file that no row of the mapping reads: they become extras."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from ckanext.ukharvest.parsers.dcat.node import Node

_MAX_LEVEL = 4
# What a node is, and who lists it.
_ABOUT_NODES = frozenset(("rdf:type", "owl:sameAs", "foaf:isPrimaryTopicOf", "schema:mainEntity"))
# schema.org, about creative works or about the record: see the list "Not read".
_OF_WORKS = frozenset(
    f"schema:{name}"
    for name in ("accessMode", "award", "comment", "contentLocation", "contentReferenceTime")
    + ("discussionUrl", "educationalUse", "encodingFormat", "learningResourceType")
    + ("locationCreated", "mainEntityOfPage", "material", "position", "publication")
    + ("publishingPrinciples", "releasedEvent", "review", "sdDatePublished", "sdLicense")
    + ("sdPublisher", "spatial", "teaches", "text", "typicalAgeRange")
)
NOT_READ = _ABOUT_NODES | _OF_WORKS


def unread(node: Node, read: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the local name and the text of each predicate that is not among those read."""
    for predicate in node.predicates():
        if predicate not in read:
            values = [value for part in node.nodes(predicate) if (value := _value(part, 1))]
            if values:
                yield _name(predicate), _text(values)


def _text(values: list[Any]) -> str:
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return json.dumps(values if len(values) > 1 else values[0], ensure_ascii=False)


def _name(predicate: str) -> str:
    return re.split(r"[#/:]", predicate.rstrip("#/"))[-1]


def _value(node: Node, level: int) -> Any:
    """Return a URI or a text; of a blank node what hangs below it."""
    below = [name for name in node.predicates() if name != "rdf:type"]
    if node.term.kind != "blank" or level == _MAX_LEVEL:
        return node.value()
    return {_name(name): [_value(part, level + 1) for part in node.nodes(name)] for name in below}
