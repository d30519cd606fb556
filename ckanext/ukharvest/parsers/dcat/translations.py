"""Language-tagged literals of titles, descriptions and keywords."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ckanext.ukharvest.core.translations import (
    Pairs,
    ResourceTranslation,
    Translation,
    collect_translations,
)
from ckanext.ukharvest.core.values.languages import language_code
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.parsers.dcat.node import Node

Names = tuple[str, ...]
Literals = list[tuple[str, str]]  # language tag and text


def text_language(node: Node, titles: Names) -> str:
    """Return the code of the language of the title that is used, "" if it has no tag."""
    found = _first_literals(node, titles)
    return language_code(found[0][0]) if found else ""


def of_dataset(
    node: Node, titles: Names, notes: Names, abstracts: Names, keywords: Names
) -> dict[str, Translation]:
    """Return a dataset's texts by language.

    Args:
        titles, abstracts: predicates; the first that has literals counts.
        notes: predicates; all of them count, before ``abstracts``.
        keywords: predicates.
    """
    texts = [pair for name in notes for pair in node.literals(name)]
    fields: dict[str, Pairs] = {
        "title": _joined(_first_literals(node, titles), _first),
        "notes": _joined(texts or _first_literals(node, abstracts), _paragraphs),
        "tags": [
            (tag, clean_tags(words, "")[0]) for tag, words in _grouped(node.literals(*keywords))
        ],
    }
    return collect_translations(Translation, fields)


def of_distribution(node: Node, titles: Names, texts: Names) -> dict[str, ResourceTranslation]:
    """Return a distribution's texts by language."""
    fields = {
        "name": _joined(_first_literals(node, titles), _first),
        "description": _joined(_first_literals(node, texts), _lines),
    }
    return collect_translations(ResourceTranslation, fields)


def _first_literals(node: Node, names: Names) -> Literals:
    return next(filter(None, (node.literals(name) for name in names)), [])


def _grouped(literals: Literals) -> Iterable[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for tag, text in literals:
        found.setdefault(tag, []).append(text)
    return found.items()


def _joined(literals: Literals, join: Callable[[list[str]], str]) -> Literals:
    return [(tag, join(texts)) for tag, texts in _grouped(literals)]


def _first(texts: list[str]) -> str:
    return plain_line(texts[0])


def _lines(texts: list[str]) -> str:
    return "\n".join(map(plain_text, texts))


def _paragraphs(texts: list[str]) -> str:
    return "\n\n".join(dict.fromkeys(map(plain_text, texts)))
