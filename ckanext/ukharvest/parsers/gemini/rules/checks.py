"""Checks shared by many rules; each function returns the test of one rule.

AP-1a, AP-2, … are the names of the same checks in AGI's Schematron of GEMINI 2.3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from lxml import etree

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import Failure, Test

# Not itertext, whose time grows with the square of the comments in a text.
_STRING = etree.XPath("string()")

_TOLD = 3

NIL_REASONS = frozenset(("inapplicable", "missing", "template", "unknown", "withheld"))


def text_of(node: IsoNode) -> str:
    """Return all text in an element as written, including blanks."""
    if not len(node.element):
        return node.element.text or ""
    return str(_STRING(node.element))


def is_class(node: IsoNode, name: str) -> bool:
    """Tell whether an element is of an ISO class, or of a profile's class derived from it."""
    return any(each.endswith(name) for each in (node.name, node.attribute("isoType")))


def written_name(element: etree._Element) -> str:
    """Return an element's name as written in the record, such as gmd:title."""
    name = xml.local_name(element)
    return shorten(f"{element.prefix}:{name}" if element.prefix else name)


def quoted(words: Iterable[str], between: str) -> str:
    """Quote texts of a record, without repeats; at most three of them. "" for none."""
    found = [f"'{shorten(word, 60)}'" for word in dict.fromkeys(filter(None, words))]
    return between.join((*found[:_TOLD], *(("others",) if len(found) > _TOLD else ())))


def nil_failure(node: IsoNode) -> Failure:
    """Return the failure of a required element that has a nilReason instead of a value."""
    return Failure(f"is absent, with nilReason '{shorten(node.nil)}'", node)


def needed(*paths: str) -> Test:
    """Require at least one element at the end of a path."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        if not metadata.at(*paths):
            yield Failure("is missing", metadata.holder(paths[0]))

    return test


def value(*paths: str) -> Test:
    """Require that each element holds text and is not nil (AP-2); no element passes."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            if node.nil:
                yield nil_failure(node)
            elif not text_of(node).strip():
                yield Failure("is empty", node)

    return test


def value_or_reason(
    *paths: str, reasons: Collection[str] = NIL_REASONS, other: bool = True
) -> Test:
    """Require that each element holds text or a nilReason (AP-1a; with two reasons AP-1b).

    Args:
        reasons: values of nilReason that are allowed.
        other: also allow "other:" with a text.
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
    """Require that each property holds a code with a codeListValue (AP-3).

    Args:
        nil: a nilReason may replace the code.
    """

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            children = list(node.find_all("*"))
            if nil and node.nil and not children:
                continue
            if not children or not any(child.attribute("codeListValue") for child in children):
                yield Failure("has no codeListValue", node)

    return test


def codes_from(*paths: str, words: Collection[str]) -> Test:
    """Require that each code is in a list; empty ones are left to ``code``."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            for child in node.find_all("*"):
                word = child.attribute("codeListValue")
                if word and word not in words:
                    yield Failure(f"is '{shorten(word)}'", node)

    return test


def exactly_one(*paths: str) -> Test:
    """Require exactly one element at the end of a path."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        nodes = metadata.at(*paths)
        if not nodes:
            yield Failure("is missing", metadata.holder(paths[0]))
        elif len(nodes) > 1:
            yield Failure(f"is there {len(nodes)} times", nodes[1])

    return test


def not_nil(*paths: str) -> Test:
    """Require that no element has a nilReason."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            if node.nil:
                yield nil_failure(node)

    return test


def language(*paths: str) -> Test:
    """Require that each property holds one gmd:LanguageCode of three letters (AP-4)."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            codes = list(node.find_all("LanguageCode"))
            word = codes[0].attribute("codeListValue") if len(codes) == 1 else ""
            if not codes:
                yield Failure("has no gmd:LanguageCode", node)
            elif len(codes) > 1:
                yield Failure(f"has {len(codes)} of gmd:LanguageCode", node)
            elif len(word) != 3:
                yield Failure(f"is '{shorten(word)}'" if word else "has no codeListValue", node)

    return test


# Paths of the values that GEMINI requires of a party.
ORGANISATION = "*/organisationName"
MAIL = "*/contactInfo/*/address/*/electronicMailAddress"


def party(*paths: str) -> Test:
    """Require that each party has exactly one organisation name and email address (AP-5)."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(*paths):
            counts = {
                "organisation name": len(list(node.find_all(ORGANISATION))),
                "email address": len(list(node.find_all(MAIL))),
            }
            missing = [f"no {name}" for name, count in counts.items() if not count]
            many = [f"more than one {name}" for name, count in counts.items() if count > 1]
            if missing or many:
                yield Failure(f"has {' and '.join(missing + many)}", node)

    return test
