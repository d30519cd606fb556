"""The checks that many rules share; each makes the test of one rule.

The words AP-1a, AP-2, … name the same checks in AGI's Schematron of GEMINI 2.3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.parsers.gemini_rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini_rules.rule import Failure, Test
from ckanext.ukharvest.parsers.iso_node import IsoNode

NIL_REASONS = frozenset(("inapplicable", "missing", "template", "unknown", "withheld"))


def text_of(node: IsoNode) -> str:
    """All text in an element as it stands there, blanks and all."""
    return "".join(str(part) for part in node.element.itertext())


def needed(*paths: str) -> Test:
    """At least one element at the end of a path."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        if not metadata.at(*paths):
            yield Failure("is missing", metadata.record)

    return test


def value(*paths: str) -> Test:
    """Each element holds text and is not nil (AP-2); none is no fault."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            if node.nil:
                yield Failure(f"is left out with nilReason '{shorten(node.nil)}'", node)
            elif not text_of(node).strip():
                yield Failure("is empty", node)

    return test


def value_or_reason(
    *paths: str, reasons: Collection[str] = NIL_REASONS, other: bool = True
) -> Test:
    """Each element holds text, or says why not (AP-1a; with two reasons AP-1b).

    Args:
        reasons: values of nilReason that are allowed.
        other: also "other:" with a text.
    """

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            if text_of(node).strip() or node.nil in reasons:
                continue
            if other and node.nil.startswith("other:"):
                continue
            said = f"is empty with nilReason '{shorten(node.nil)}'" if node.nil else "is empty"
            yield Failure(said, node)

    return test


def code(*paths: str) -> Test:
    """Each property holds a code with a codeListValue (AP-3)."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            children = list(node.each("*"))
            if not children or not any(child.attribute("codeListValue") for child in children):
                yield Failure("has no codeListValue", node)

    return test
