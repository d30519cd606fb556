"""GEMINI 2.3, elements 1 to 4: title, alternative title, language, abstract."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.parsers.gemini_rules.checks import text_of, value, value_or_reason
from ckanext.ukharvest.parsers.gemini_rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini_rules.rule import GEMINI_23, Failure, Rule

_TITLE = "identificationInfo/*/citation/*/title"
_ABSTRACT = "identificationInfo/*/abstract"


def _abstract_short(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(_ABSTRACT):
        length = len(text_of(node).strip())
        if 0 < length < 100:
            yield Failure(f"has {length} characters", node)


RULES = (
    Rule(
        "gemini-01-value",
        "Title",
        "gmd:title",
        value(_TITLE),
        "the resource's name",
        "Land use of Borchester 2025",
        number="AP-2",
    ),
    Rule(
        "gemini-02-value",
        "Alternative title",
        "gmd:alternateTitle",
        value_or_reason("identificationInfo/*/citation/*/alternateTitle"),
        "a name, or no such element",
        "Borchester LU25",
        number="AP-1a",
    ),
    Rule(
        "gemini-04-value",
        "Abstract",
        "gmd:abstract",
        value(_ABSTRACT),
        "a summary of at least 100 characters",
        "Land use of every parcel in Borchester, surveyed from the air in summer 2025 …",
        number="AP-2 MI-4a",
    ),
    Rule(
        "gemini-04-short",
        "Abstract",
        "gmd:abstract",
        _abstract_short,
        "at least 100 characters that say what the resource holds",
        "Land use of every parcel in Borchester, surveyed from the air in summer 2025 …",
        number="MI-4b",
        versions=GEMINI_23,
    ),
)
