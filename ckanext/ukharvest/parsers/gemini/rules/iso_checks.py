"""Checks shared by the rules of ISO 19139's table A.1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import Failure, Rule, Test

iso_rule = partial(Rule, versions=frozenset(), is_error=False)


def has(node: IsoNode, *paths: str) -> bool:
    return node.first(*paths) is not None


def one_of(name: str, *children: str, found: str) -> Test:
    """Require that each element of a class has one of these children, empty or not."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.classes(name):
            if not has(node, *children):
                yield Failure(found, node)

    return test
