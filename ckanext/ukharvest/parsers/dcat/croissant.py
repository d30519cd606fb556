"""Croissant 1.0 and 1.1: what is in the files of a dataset, which CKAN has no fields for.

Specification: https://docs.mlcommons.org/croissant/docs/croissant-spec.html. Record sets with their
fields, and files within archives, are kept as JSON.
"""

from __future__ import annotations

import json
from typing import Any

from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers.dcat.node import Node, Term
from ckanext.ukharvest.parsers.table import FieldValues

RECORD_SETS = "cr:recordSet"
_WITHIN = ("cr:containedIn", "schema:containedIn")
# Predicates whose nodes belong to a record set.
_NESTED = frozenset(
    f"cr:{name}" for name in ("field", "subField", "source", "extract", "transform", "annotation")
)
_LISTS = ("cr:field", "cr:subField")  # also of one
_MAX_DEPTH = 8


def is_archived(part: Node) -> bool:
    """Tell whether a file is within another one, which has the URL."""
    return part.has(*_WITHIN) and not any(map(is_web_url, part.values("schema:contentUrl")))


def structure(node: Node) -> FieldValues:
    """Return the record sets, and the files within archives."""
    seen: set[Term] = set()
    record_sets = [_facts(part, seen) for part in node.nodes(RECORD_SETS)]
    archived = filter(is_archived, node.nodes("schema:distribution"))
    files = [_facts(part, seen) for part in archived]
    return {"extras": {"record_sets": _as_json(record_sets), "archived_files": _as_json(files)}}


def _as_json(items: list[dict[str, Any]]) -> str:
    return json.dumps(items, ensure_ascii=False) if items else ""


def _facts(node: Node, seen: set[Term], depth: int = 0) -> dict[str, Any]:
    """Return a node's values by the local names of its predicates, and those of its parts.

    Args:
        seen: the nodes returned before, which as parts are named alone: nodes may name each other.
    """
    seen.add(node.term)
    facts: dict[str, Any] = {"uri": node.uri} if node.uri else {}
    for predicate in node.predicates():
        if predicate == "rdf:type":
            continue
        values: list[Any] = node.values(predicate)
        if predicate in _NESTED and depth < _MAX_DEPTH:
            values = [
                part.value()
                if part.term in seen or part.term.kind == "literal"
                else _facts(part, seen, depth + 1)
                for part in node.nodes(predicate)
            ]
        is_list = len(values) != 1 or predicate in _LISTS
        facts[predicate.rpartition(":")[2]] = values if is_list else values[0]
    return facts
