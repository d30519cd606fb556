"""Subjects of a GEMINI record's resource: elements 5 and 6, and INSPIRE's themes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values import local_government_lists
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.theme_names import theme_of_address, theme_of_label
from ckanext.ukharvest.parsers import uk_fields
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list, without_blanks
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode, PropertyText

Group = tuple[IsoNode, tuple[PropertyText, ...]]

# A vocabulary that is one of the LGA's lists, by its URL or its name.
_LIST = r"esd\.org\.uk/\S{{0,100}}{0}|local (?:government|authority) {0}"
_FUNCTIONS = re.compile(_LIST.format("functions"), re.I)
_SERVICES = re.compile(rf"{_LIST.format('services')}|\bLGSL\b", re.I)


def _read(entry: Entry) -> FieldValues:
    groups = [
        (node, node.texts_at("keyword"))
        for node in entry.identification.find_all("descriptiveKeywords/*")
    ]
    tags, problems = clean_tags(
        (said.text for _, keywords in groups for said in keywords if not _is_identifier(said.text)),
        "gmd:keyword",
    )
    for problem in problems:
        entry.identification.add(problem)
    topics = tuple(dict.fromkeys(entry.identification.codes("topicCategory")))
    themes = tuple(dict.fromkeys(theme for group in groups for theme in _themes(group)))
    return {
        "tags": tags,
        "themes": (*topics, *themes),
        "extras": {
            "topic-category": json_list(topics),
            "inspire-themes": json_list(themes),
            "keywords": json_list(_as_dict(*group) for group in groups if group[1]),
            **uk_fields.authority(*map(_of_authority, groups))["extras"],
        },
    }


def _is_identifier(text: str) -> bool:
    """Tell whether a text is a URL of the LGA's lists: nobody searches for it as a tag."""
    return "esd" in text.lower() and not local_government_lists.find([text]).others


def _of_authority(group: Group) -> uk_fields.FieldTexts:
    """Return keywords as functions and services of local government; most are neither."""
    node, keywords = group
    vocabulary = _vocabulary(node)
    kind = local_government_lists.FUNCTION if _FUNCTIONS.search(vocabulary) else ""
    kind = local_government_lists.SERVICE if _SERVICES.search(vocabulary) else kind
    texts = [said.href if "esd.org.uk" in said.href.lower() else said.text for said in keywords]
    return uk_fields.FieldTexts(kind, texts, partial(_report, node))


def _report(node: IsoNode, code: str, words: str) -> None:
    node.report(code, "gmd:keyword", words)


def _vocabulary(node: IsoNode) -> str:
    said = node.texts_at("thesaurusName/*/title")
    return " ".join(f"{each.text} {each.href}" for each in said)


def _themes(group: Group) -> Iterator[str]:
    """Yield themes by their URLs; by their labels only if the vocabulary is INSPIRE's.

    "Soil" and "Buildings" are ordinary words elsewhere.
    """
    node, keywords = group
    vocabulary = _vocabulary(node)
    for said in keywords:
        theme = theme_of_address(said.href) or theme_of_address(said.text)
        if not theme and "inspire" in vocabulary.lower():
            theme = theme_of_label(said.text)
        if theme:
            yield theme


def _as_dict(node: IsoNode, keywords: tuple[PropertyText, ...]) -> dict[str, Any]:
    """Return a group as stored in the extra: its keywords as written, and their vocabulary."""
    vocabulary = node.first_text_at("thesaurusName/*/title") or PropertyText("")
    facts = {
        "vocabulary": vocabulary.text,
        "href": vocabulary.href,
        "date": node.text("thesaurusName/*/date/*/date"),
        "type": node.code("type"),
    }
    words = [{"text": said.text, **({"href": said.href} if said.href else {})} for said in keywords]
    return {**without_blanks(facts), "keywords": words}


MAPPING: tuple[Field[Entry], ...] = (
    Field(
        ("gmd:keyword", "gmd:thesaurusName", "gmd:topicCategory"),
        "tags, themes; extras topic-category, inspire-themes, keywords, la_function, la_service",
        _read,
    ),
)
