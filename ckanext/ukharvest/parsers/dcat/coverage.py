"""Languages and update frequency of a dataset, and its texts by language."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ckanext.ukharvest.core.records import (
    Pairs,
    ResourceTranslation,
    Translation,
    collect_translations,
)
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.languages import language_code
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.dcat.node import Node, Term
from ckanext.ukharvest.parsers.table import FieldValues

SPATIAL = ("dct:spatial", "dct:coverage", "schema:spatialCoverage", "dct:spacial")
LANGUAGE = ("dct:language", "dc:language", "schema:inLanguage")
FREQUENCY = ("dct:accrualPeriodicity", "dct:frequency")
TEMPORAL = ("dct:temporal", "schema:temporalCoverage", "schema:temporal")
_MAX_LEVEL = 4  # of nested durations


def frequency(node: Node, names: table.Names) -> str:
    """Return the update frequency: a code, text, or a duration of OWL-Time."""
    refused = written = ""
    seen: set[Term] = set()
    for part in node.nodes(*names):
        for text in filter(None, (part.uri, part.label(), _duration(part, seen))):
            try:
                return parse_frequency(text)
            except ValueError as exc:
                refused, written = refused or str(exc), written or text
    if refused:
        node.report("bad-frequency", names[0], refused, written)
    return ""


def _duration(part: Node, seen: set[Term], level: int = 0) -> str:
    """Return ``P1Y`` for a time:DurationDescription, which may be nested below rdf:value.

    Args:
        seen: the nodes read before, which are not read again: nodes may name each other.
    """
    seen.add(part.term)
    for unit in ("years", "months", "weeks", "days"):
        if number := part.text(f"time:{unit}"):
            return f"P{number.removesuffix('.0')}{unit[0].upper()}"
    below = part.nodes("rdf:value") if level < _MAX_LEVEL else ()
    durations = (_duration(part, seen, level + 1) for part in below if part.term not in seen)
    return next(filter(None, durations), "")


Names = tuple[str, ...]
Literals = list[tuple[str, str]]  # language tag and text


def text_language(node: Node, titles: Names) -> str:
    """Return the code of the language of the title that is used, "" if it has no tag."""
    literals = _first_literals(node, titles)
    return language_code(literals[0][0]) if literals else ""


def dataset_translations(
    titles: Names, notes: Names, abstracts: Names, keywords: Names, node: Node
) -> FieldValues:
    """Return a dataset's texts by language.

    Args:
        titles, abstracts: predicates; the first that has literals counts.
        notes: predicates; all of them count, before ``abstracts``.
        keywords: predicates.
    """
    texts = [pair for name in notes for pair in node.literals(name)]
    fields: dict[str, Pairs] = {
        "title": _joined(_first_literals(node, titles), _first_line),
        "notes": _joined(texts or _first_literals(node, abstracts), _paragraphs),
        "tags": [
            (tag, clean_tags(words, "")[0]) for tag, words in _grouped(node.literals(*keywords))
        ],
    }
    return {"translations": collect_translations(Translation, fields)}


def distribution_translations(titles: Names, texts: Names, node: Node) -> FieldValues:
    """Return a distribution's texts by language."""
    fields = {
        "name": _joined(_first_literals(node, titles), _first_line),
        "description": _joined(_first_literals(node, texts), _lines),
    }
    return {"translations": collect_translations(ResourceTranslation, fields)}


def _first_literals(node: Node, names: Names) -> Literals:
    return next(filter(None, (node.literals(name) for name in names)), [])


def _grouped(literals: Literals) -> Iterable[tuple[str, list[str]]]:
    texts: dict[str, list[str]] = {}
    for tag, text in literals:
        texts.setdefault(tag, []).append(text)
    return texts.items()


def _joined(literals: Literals, join: Callable[[list[str]], str]) -> Literals:
    return [(tag, join(texts)) for tag, texts in _grouped(literals)]


def _first_line(texts: list[str]) -> str:
    return plain_line(texts[0])


def _lines(texts: list[str]) -> str:
    return "\n".join(map(plain_text, texts))


def _paragraphs(texts: list[str]) -> str:
    return "\n\n".join(dict.fromkeys(map(plain_text, texts)))
