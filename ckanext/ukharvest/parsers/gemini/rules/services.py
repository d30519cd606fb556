"""GEMINI 37, 38, 39 and 47: the type of resource, and a service's type and coupled data."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.rules import lists
from ckanext.ukharvest.parsers.gemini.rules.checks import (
    code,
    codes_from,
    exactly_one,
    needed,
    text_of,
    value_or_reason,
)
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import (
    GEMINI_23,
    SERIES,
    SERVICE,
    SERVICES,
    Failure,
    Rule,
)

_TYPE = "hierarchyLevel"
_TYPE_NAME = "Resource type"
_TYPE_EXAMPLE = '<gmd:MD_ScopeCode … codeListValue="dataset"/>'
_LEVEL_NAME = "hierarchyLevelName"
_SERVICE_TYPE = "identificationInfo/*/serviceType"
_SERVICE_TYPE_NAME = "Spatial data service type"
_SERVICE_TYPES = "view, download, discovery, transformation, invoke or other"


def _unknown_service(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(_SERVICE_TYPE):
        names = [text_of(name) for name in node.find_all("LocalName")]
        if not names:
            yield Failure("has no gco:LocalName", node)
        elif names[0] not in lists.SERVICE_TYPES:
            yield Failure(f"is '{shorten(names[0])}'", node)


def _uncoupled(metadata: Metadata) -> Iterator[Failure]:
    # AGI's Schematron accepts an empty URL, which leads nowhere.
    for node in metadata.at("identificationInfo/*/operatesOn"):
        if not node.href:
            yield Failure("has no xlink:href", node)


def _not_the_word(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(f"{_LEVEL_NAME}/*"):
        word = text_of(node)
        if word.strip() and word != SERVICE:
            yield Failure(f"is '{shorten(word)}'", node)


def _blank_name(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(f"{_LEVEL_NAME}/*"):
        if not text_of(node).strip():
            yield Failure("is empty", node)


RULES = (
    Rule(
        "gemini-39-one",
        _TYPE_NAME,
        "gmd:hierarchyLevel",
        exactly_one(_TYPE),
        "exactly one: dataset, series or service",
        _TYPE_EXAMPLE,
        number="MI-39a",
    ),
    Rule(
        "gemini-39-code",
        _TYPE_NAME,
        "gmd:hierarchyLevel",
        code(_TYPE, nil=False),
        "dataset, series or service",
        _TYPE_EXAMPLE,
        number="AP-3",
    ),
    Rule(
        "gemini-39-list",
        _TYPE_NAME,
        "gmd:hierarchyLevel",
        codes_from(_TYPE, words=lists.RESOURCE_TYPES),
        "dataset, series or service, in lower case",
        _TYPE_EXAMPLE,
        number="MI-39b",
        # Of two types the first may be right.
        unless=("gemini-39-one",),
    ),
    Rule(
        "gemini-47-needed",
        "Hierarchy level name",
        "gmd:hierarchyLevelName",
        needed(_LEVEL_NAME),
        "the resource type as text",
        "<gco:CharacterString>service</gco:CharacterString>, for a series: series",
        number="MI-47a",
        types=frozenset((SERIES, SERVICE)),
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-47-value",
        "Hierarchy level name",
        "gmd:hierarchyLevelName",
        _blank_name,
        "a word, or no such element in the record of a dataset",
        "service",
        number="MI-47c",
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-47-word",
        "Hierarchy level name",
        "gmd:hierarchyLevelName",
        _not_the_word,
        "service, in lower case and without spaces around it",
        "<gco:CharacterString>service</gco:CharacterString>",
        number="MI-47b",
        types=SERVICES,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-37-needed",
        _SERVICE_TYPE_NAME,
        "srv:serviceType",
        exactly_one(_SERVICE_TYPE),
        f"one of {_SERVICE_TYPES}",
        "<gco:LocalName>view</gco:LocalName>",
        number="MI-37a",
        types=SERVICES,
    ),
    Rule(
        "gemini-37-value",
        _SERVICE_TYPE_NAME,
        "srv:serviceType",
        value_or_reason(_SERVICE_TYPE),
        _SERVICE_TYPES,
        "<gco:LocalName>view</gco:LocalName>",
        number="AP-1a",
        types=SERVICES,
    ),
    Rule(
        "gemini-37-list",
        _SERVICE_TYPE_NAME,
        "srv:serviceType",
        _unknown_service,
        _SERVICE_TYPES,
        "<gco:LocalName>view</gco:LocalName>",
        number="MI-37b",
        types=SERVICES,
        unless=("gemini-37-value",),
    ),
    Rule(
        "gemini-38-href",
        "Coupled resource",
        "srv:operatesOn",
        _uncoupled,
        "the URL of the record that describes the data behind the service",
        'xlink:href="https://maps.borchester.example/records/land-use-2025.xml"',
        number="MI-38",
        types=SERVICES,
        unless=("missing-url srv:operatesOn",),
    ),
)
