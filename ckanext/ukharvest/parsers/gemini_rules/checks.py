"""The checks that many rules share; each makes the test of one rule.

The words AP-1a, AP-2, … name the same checks in AGI's Schematron of GEMINI 2.3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.parsers.gemini_rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini_rules.rule import Failure, Test
from ckanext.ukharvest.parsers.iso_node import IsoNode

# Not itertext, whose time grows with the square of the comments in a text.
_STRING = etree.XPath("string()")

_TOLD = 3

NIL_REASONS = frozenset(("inapplicable", "missing", "template", "unknown", "withheld"))


def text_of(node: IsoNode) -> str:
    """All text in an element as it stands there, blanks and all."""
    if not len(node.element):
        return node.element.text or ""
    return str(_STRING(node.element))


def is_class(node: IsoNode, name: str) -> bool:
    """Whether an element is of a class of ISO's, or of a profile's that stands for it."""
    return any(each.endswith(name) for each in (node.name, node.attribute("isoType")))


def spelt(element: etree._Element) -> str:
    """An element's name as it stands in the record: gmd:title."""
    name = xml.local_name(element)
    return shorten(f"{element.prefix}:{name}" if element.prefix else name)


def quoted(words: Iterable[str], between: str) -> str:
    """Words that stand in a record, each once; "" for none. More than three are not all told."""
    found = [f"'{shorten(word, 60)}'" for word in dict.fromkeys(filter(None, words))]
    return between.join((*found[:_TOLD], *(("others",) if len(found) > _TOLD else ())))


def left_out(node: IsoNode) -> Failure:
    """The failure of an element that says by a nilReason why it has no value, and must have one."""
    return Failure(f"is left out with nilReason '{shorten(node.nil)}'", node)


def needed(*paths: str) -> Test:
    """At least one element at the end of a path."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        if not metadata.at(*paths):
            yield Failure("is missing", metadata.holder(paths[0]))

    return test


def value(*paths: str) -> Test:
    """Each element holds text and is not nil (AP-2); none is no fault."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            if node.nil:
                yield left_out(node)
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


def code(*paths: str, nil: bool = True) -> Test:
    """Each property holds a code with a codeListValue (AP-3).

    Args:
        nil: it may be left out with a nilReason.
    """

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            children = list(node.each("*"))
            if nil and node.nil and not children:
                continue
            if not children or not any(child.attribute("codeListValue") for child in children):
                yield Failure("has no codeListValue", node)

    return test


def listed(*paths: str, words: Collection[str]) -> Test:
    """Each code is one of a list; an empty one is left to ``code``."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            for child in node.each("*"):
                word = child.attribute("codeListValue")
                if word and word not in words:
                    yield Failure(f"is '{shorten(word)}'", node)

    return test


def one(*paths: str) -> Test:
    """Exactly one element at the end of a path."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        nodes = metadata.at(*paths)
        if not nodes:
            yield Failure("is missing", metadata.holder(paths[0]))
        elif len(nodes) > 1:
            yield Failure(f"is there {len(nodes)} times", nodes[1])

    return test


def not_nil(*paths: str) -> Test:
    """No element is left out with a nilReason."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            if node.nil:
                yield left_out(node)

    return test


def language(*paths: str) -> Test:
    """Each property holds one gmd:LanguageCode of three letters (AP-4)."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            codes = list(node.each("LanguageCode"))
            word = codes[0].attribute("codeListValue") if len(codes) == 1 else ""
            if not codes:
                yield Failure("has no gmd:LanguageCode", node)
            elif len(codes) > 1:
                yield Failure(f"has {len(codes)} of gmd:LanguageCode", node)
            elif len(word) != 3:
                yield Failure(f"is '{shorten(word)}'" if word else "has no codeListValue", node)

    return test


# Where a party has what GEMINI wants of it.
ORGANISATION = "*/organisationName"
MAIL = "*/contactInfo/*/address/*/electronicMailAddress"


def party(*paths: str) -> Test:
    """Each party has exactly one organisation name and one e-mail address (AP-5)."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            counts = {
                "organisation name": len(list(node.each(ORGANISATION))),
                "e-mail address": len(list(node.each(MAIL))),
            }
            missing = [f"no {name}" for name, count in counts.items() if not count]
            many = [f"more than one {name}" for name, count in counts.items() if count > 1]
            if missing or many:
                yield Failure(f"has {' and '.join(missing + many)}", node)

    return test
