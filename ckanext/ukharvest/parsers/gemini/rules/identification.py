"""GEMINI, elements 1 to 6: title, alternative title, language, abstract, topic, keyword."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.rules.checks import (
    code,
    language,
    needed,
    text_of,
    value,
    value_or_reason,
)
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import DATA, GEMINI_23, Failure, Rule

_TITLE = "identificationInfo/*/citation/*/title"
_ABSTRACT = "identificationInfo/*/abstract"
_LANGUAGE = "identificationInfo/*/language"
_TOPIC = "identificationInfo/*/topicCategory"
_KEYWORDS = "identificationInfo/*/descriptiveKeywords"
_THESAURUS = f"{_KEYWORDS}/*/thesaurusName/*"

_ENOUGH = 100  # characters of an abstract
_SUMMARY = "Land use of every parcel in Borchester, surveyed from the air in summer 2025 …"


def _abstract_text(metadata: Metadata) -> Iterator[Failure]:
    """Require text; AGI leaves a missing abstract to the XSD."""
    nodes = metadata.at(_ABSTRACT)
    if not nodes:
        yield Failure("is missing", metadata.record)
    for node in nodes:
        if text_of(node).strip() and not node.first("*"):
            yield Failure("has its words without gco:CharacterString around them", node)


def _abstract_title(metadata: Metadata) -> Iterator[Failure]:
    # Without a title AGI's rule (MI-4c) fires for any abstract: in every gmi:MI_Metadata.
    titles = {said.text.casefold() for node in metadata.at(_TITLE) if (said := node.own_text())}
    for node in metadata.at(_ABSTRACT):
        if (text := node.own_text().text) and text.casefold() in titles:
            yield Failure("is the title again", node)


def _abstract_short(metadata: Metadata) -> Iterator[Failure]:
    """Require a minimum length, without the blanks around the text that AGI's rule counts."""
    for node in metadata.at(_ABSTRACT):
        length = len(node.own_text().text)
        if 0 < length < _ENOUGH:
            yield Failure(f"has {length} character{'s' if length > 1 else ''}", node)


def _language_name(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.at(f"{_LANGUAGE}/LanguageCode"):
        if (words := text_of(node)) and words == node.attribute("codeListValue"):
            yield Failure(f"has the text '{shorten(words)}', which is its codeListValue", node)


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
        "gemini-03-lang",
        "Dataset language",
        "gmd:language",
        language(_LANGUAGE),
        "one gmd:LanguageCode of three letters, zxx if the data has no text",
        '<gmd:LanguageCode codeList="…#LanguageCode" codeListValue="eng">English</…>',
        number="AP-4a AP-4b AP-4c",
    ),
    Rule(
        "gemini-04-value",
        "Abstract",
        "gmd:abstract",
        value(_ABSTRACT),
        f"a summary of at least {_ENOUGH} characters",
        _SUMMARY,
        number="AP-2 MI-4a",
    ),
    Rule(
        "gemini-04-text",
        "Abstract",
        "gmd:abstract",
        _abstract_text,
        f"a summary of at least {_ENOUGH} characters in a gco:CharacterString",
        "<gco:CharacterString>Land use of every parcel in Borchester …</…>",
        number="MI-4a",
        versions=GEMINI_23,
        unless=("gemini-04-value",),
    ),
    Rule(
        "gemini-04-title",
        "Abstract",
        "gmd:abstract",
        _abstract_title,
        f"words of its own, at least {_ENOUGH} characters, that say what the resource holds",
        _SUMMARY,
        number="MI-4c",
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-04-short",
        "Abstract",
        "gmd:abstract",
        _abstract_short,
        f"at least {_ENOUGH} characters that say what the resource holds",
        _SUMMARY,
        number="MI-4b",
        versions=GEMINI_23,
        unless=("gemini-04-title",),
    ),
    Rule(
        "gemini-05-needed",
        "Topic category",
        "gmd:topicCategory",
        needed(_TOPIC),
        "one or more of ISO's topic categories",
        "<gmd:MD_TopicCategoryCode>inlandWaters</gmd:MD_TopicCategoryCode>",
        number="MI-5a",
        types=DATA,
    ),
    Rule(
        "gemini-05-nil",
        "Topic category",
        "gmd:topicCategory",
        value(_TOPIC),
        "one of ISO's topic categories",
        "<gmd:MD_TopicCategoryCode>inlandWaters</gmd:MD_TopicCategoryCode>",
        number="MI-5b",
        types=DATA,
    ),
    Rule(
        "gemini-06-needed",
        "Keyword",
        "gmd:descriptiveKeywords",
        needed(_KEYWORDS),
        "at least one keyword: an INSPIRE theme for data, a category for services",
        '<gmd:keyword><gmx:Anchor xlink:href="http://inspire.ec.europa.eu/theme/lu">Land use</…>',
        number="MI-6",
    ),
    Rule(
        "gemini-06-value",
        "Keyword",
        "gmd:keyword",
        value_or_reason(f"{_KEYWORDS}/*/keyword"),
        "a word or term, or no such element",
        "<gmd:keyword><gco:CharacterString>land use</…>",
        number="AP-1a",
    ),
    Rule(
        "gemini-06-thes-title",
        "Keyword's vocabulary",
        "gmd:thesaurusName/gmd:title",
        value(f"{_THESAURUS}/title"),
        "the vocabulary's name, or no gmd:thesaurusName",
        "GEMET - INSPIRE themes, version 1.0",
        number="AP-2",
    ),
    Rule(
        "gemini-06-thes-date",
        "Date of a keyword's vocabulary",
        "gmd:thesaurusName/gmd:dateType",
        code(f"{_THESAURUS}/date/*/dateType"),
        "creation, publication or revision in codeListValue",
        '<gmd:CI_DateTypeCode codeList="…#CI_DateTypeCode" codeListValue="publication"/>',
        number="AP-3",
    ),
    Rule(
        "gemini-w03-language-name",
        "Dataset language",
        "gmd:LanguageCode",
        _language_name,
        "the language's name as text as well as the code",
        '<gmd:LanguageCode codeList="…#LanguageCode" codeListValue="eng">English</…>',
        number="SP-3",
        versions=GEMINI_23,
        is_error=False,
    ),
)
