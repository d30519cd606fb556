"""Records for the rules on title to keyword."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import ABSTRACT, TITLE, dataset, service

GOOD = dataset()
_LANGUAGE = el("gmd:LanguageCode", "eng", codeList="#", codeListValue="eng")

CASES = {
    "gemini-01-value": (dataset(title=nil("gmd:title")), GOOD),
    "gemini-02-value": (
        dataset(alternate=nil("gmd:alternateTitle", "no")),
        dataset(alternate=nil("gmd:alternateTitle", "other:none")),
    ),
    "gemini-03-lang": (
        dataset(resource_language=code("gmd:language", "LanguageCode", "en")),
        dataset(resource_language=code("gmd:language", "LanguageCode", "zxx")),
    ),
    "gemini-04-value": (dataset(abstract=text("gmd:abstract", " ")), GOOD),
    "gemini-04-text": (dataset(abstract=el("gmd:abstract", ABSTRACT)), GOOD),
    "gemini-04-title": (
        dataset(abstract=text("gmd:abstract", f"  {TITLE}\n")),
        dataset(abstract=text("gmd:abstract", f"{TITLE}: what it holds")),
    ),
    "gemini-04-short": (
        dataset(abstract=text("gmd:abstract", "x" * 99)),
        dataset(abstract=text("gmd:abstract", "x" * 100)),
    ),
    "gemini-05-needed": (dataset(topic=""), service()),
    "gemini-05-nil": (dataset(topic=nil("gmd:topicCategory", "unknown")), GOOD),
    "gemini-06-needed": (dataset(keywords=""), GOOD),
    "gemini-06-value": (
        dataset(keyword="{keyword}" + text("gmd:keyword", "")),
        dataset(keyword="{keyword}" + nil("gmd:keyword", "unknown")),
    ),
    "gemini-06-thes-title": (dataset(thesaurus_title=text("gmd:title", "")), GOOD),
    "gemini-06-thes-date": (
        dataset(thesaurus_date_type=code("gmd:dateType", "CI_DateTypeCode", "")),
        GOOD,
    ),
    "gemini-w03-language-name": (
        dataset(resource_language=el("gmd:language", _LANGUAGE)),
        dataset(resource_language=el("gmd:language", _LANGUAGE.replace(">eng<", ">English<"))),
    ),
}
