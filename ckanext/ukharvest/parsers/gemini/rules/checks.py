"""Checks shared by many rules: functions of a record and of the arguments in a rule's row.

AP-1a, AP-2, … are the names of the same checks in AGI's Schematron of GEMINI 2.3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from lxml import etree

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import Failure

# Not itertext, whose time grows with the square of the comments in a text.
_STRING = etree.XPath("string()")

_MOST_QUOTED = 3

NIL_REASONS = frozenset(("inapplicable", "missing", "template", "unknown", "withheld"))


def text_of(node: IsoNode) -> str:
    """Return all text in an element as written, including blanks."""
    if not len(node.element):
        return node.element.text or ""
    return str(_STRING(node.element))


def has(node: IsoNode, *paths: str) -> bool:
    return node.first(*paths) is not None


def is_class(node: IsoNode, name: str) -> bool:
    """Tell whether an element is of an ISO class, or of a profile's class derived from it."""
    return any(text.endswith(name) for text in (node.name, node.attribute("isoType")))


def written_name(element: etree._Element) -> str:
    """Return an element's name as written in the record, such as gmd:title."""
    name = xml.local_name(element)
    return shorten(f"{element.prefix}:{name}" if element.prefix else name)


def quoted(words: Iterable[str], between: str) -> str:
    """Quote texts of a record, without repeats; at most three of them. "" for none."""
    quotes = [f"'{shorten(word, 60)}'" for word in dict.fromkeys(filter(None, words))]
    rest = ("others",) if len(quotes) > _MOST_QUOTED else ()
    return between.join((*quotes[:_MOST_QUOTED], *rest))


def nil_failure(node: IsoNode) -> Failure:
    """Return the failure of a required element that has a nilReason instead of a value."""
    return Failure(f"is absent, with nilReason '{shorten(node.nil)}'", node)


def needed(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require at least one element at the end of a path."""
    if not metadata.at(*paths):
        yield Failure("is missing", metadata.holder(paths[0]))


def value(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require that each element holds text and is not nil (AP-2); no element passes."""
    for node in metadata.at(*paths):
        if node.nil:
            yield nil_failure(node)
        elif not text_of(node).strip():
            yield Failure("is empty", node)


def value_or_reason(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require that each element holds text or a nilReason, also "other:" with a text (AP-1a)."""
    for failure in _value_or(NIL_REASONS, metadata, paths):
        if not failure.node.nil.startswith("other:"):
            yield failure


def value_or_unknown(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require that each element holds text, or a nilReason unknown or inapplicable (AP-1b)."""
    return _value_or(("inapplicable", "unknown"), metadata, paths)


def _value_or(
    reasons: Collection[str], metadata: Metadata, paths: tuple[str, ...]
) -> Iterator[Failure]:
    for node in metadata.at(*paths):
        if not text_of(node).strip() and node.nil not in reasons:
            fault = f"is empty with nilReason '{shorten(node.nil)}'" if node.nil else "is empty"
            yield Failure(fault, node)


def code(metadata: Metadata, *paths: str, nil: bool = True) -> Iterator[Failure]:
    """Require that each property holds a code with a codeListValue (AP-3).

    Args:
        nil: a nilReason may replace the code.
    """
    for node in metadata.at(*paths):
        children = list(node.find_all("*"))
        if nil and node.nil and not children:
            continue
        if not children or not any(child.attribute("codeListValue") for child in children):
            yield Failure("has no codeListValue", node)


def code_not_nil(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require a code, as ``code``, that no nilReason replaces."""
    return code(metadata, *paths, nil=False)


def codes_from(metadata: Metadata, path: str, *words: str) -> Iterator[Failure]:
    """Require that each code is one of the words; empty ones are left to ``code``."""
    for node in metadata.at(path):
        for child in node.find_all("*"):
            word = child.attribute("codeListValue")
            if word and word not in words:
                yield Failure(f"is '{shorten(word)}'", node)


def exactly_one(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require exactly one element at the end of a path."""
    nodes = metadata.at(*paths)
    if not nodes:
        yield Failure("is missing", metadata.holder(paths[0]))
    elif len(nodes) > 1:
        yield Failure(f"is there {len(nodes)} times", nodes[1])


def not_nil(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require that no element has a nilReason."""
    return (nil_failure(node) for node in metadata.at(*paths) if node.nil)


def language(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require that each property holds one gmd:LanguageCode of three letters (AP-4)."""
    for node in metadata.at(*paths):
        codes = list(node.find_all("LanguageCode"))
        word = codes[0].attribute("codeListValue") if len(codes) == 1 else ""
        if not codes:
            yield Failure("has no gmd:LanguageCode", node)
        elif len(codes) > 1:
            yield Failure(f"has {len(codes)} of gmd:LanguageCode", node)
        elif len(word) != 3:
            yield Failure(f"is '{shorten(word)}'" if word else "has no codeListValue", node)


# Paths of the values that GEMINI requires of a party.
_ORGANISATION = "*/organisationName"
_MAIL = "*/contactInfo/*/address/*/electronicMailAddress"


def party(metadata: Metadata, path: str) -> Iterator[Failure]:
    """Require that each party has exactly one organisation name and email address (AP-5)."""
    for node in metadata.at(path):
        counts = {
            "organisation name": len(list(node.find_all(_ORGANISATION))),
            "email address": len(list(node.find_all(_MAIL))),
        }
        missing = [f"no {name}" for name, count in counts.items() if not count]
        many = [f"more than one {name}" for name, count in counts.items() if count > 1]
        if missing or many:
            yield Failure(f"has {' and '.join(missing + many)}", node)


def party_value(metadata: Metadata, path: str) -> Iterator[Failure]:
    """Require text in those of the two that each party has (AP-2); the message names the empty."""
    for node in metadata.at(f"{path}/{_ORGANISATION}", f"{path}/{_MAIL}"):
        if node.nil or not text_of(node).strip():
            content = f"nilReason '{shorten(node.nil)}'" if node.nil else "nothing"
            yield Failure(f"has {content} in {written_name(node.element)}", node)


def one_of(metadata: Metadata, fault: str, name: str, *children: str) -> Iterator[Failure]:
    """Require that each element of a class has one of these children, empty or not."""
    for node in metadata.classes(name):
        if not has(node, *children):
            yield Failure(fault, node)
