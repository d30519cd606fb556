"""Texts in tables, where no ``_()`` marks them: they are translated where they are shown.

A table's module may know no CKAN, and a mark around each of its hundreds of texts would say no more
than the table's name does here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ckanext.ukharvest import fields, types
from ckanext.ukharvest.core import problem_words, problems, theme_names, vocabulary
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.extent import words as extent_words
from ckanext.ukharvest.parsers.gemini_rules import RULES
from ckanext.ukharvest.shown import inspire, labels
from ckanext.ukharvest.shown import resources as shown_resources


@dataclass(frozen=True, slots=True)
class Table:
    """Texts of one module.

    Attributes:
        path: the module's, inside the package.
    """

    path: str
    texts: Iterable[str]


def tables() -> Iterator[Table]:
    """Every table, each with its texts in its own order."""
    yield Table("core/problems.py", problems.TIPS.values())
    yield Table("core/problem_words.py", (words.title for words in _problem_titles()))
    yield Table("core/theme_names.py", map(theme_names.title, theme_names.names()))
    yield Table("fields.py", _of_fields())
    yield Table("extent/words.py", extent_words.TEXTS.values())
    yield Table("parsers/gemini_rules", _of_rules())
    yield Table("shown/inspire.py", inspire.CODES.values())
    yield Table("shown/labels.py", (*labels.LABELS.values(), *labels.TEXTS))
    yield Table("shown/resources.py", shown_resources.HEADINGS.values())
    yield Table("types.py", _of_types())
    yield Table("vocabularies/frequencies.csv", _of_frequencies())


def _problem_titles() -> Iterator[problem_words.Words]:
    yield from problem_words.WORDS.values()
    yield problem_words.OTHER


def _of_rules() -> Iterator[str]:
    for rule in RULES:
        yield from (rule.element, rule.wanted)


def _of_frequencies() -> Iterator[str]:
    for row in vocabulary.bundled("frequencies").rows:
        yield row["label"]


def _of_fields() -> Iterator[str]:
    for field in fields.FIELDS:
        yield from (field.label, field.help, field.facet)


def _of_types() -> Iterator[str]:
    for kind in types.TYPES.values():
        yield from (kind.title, kind.description)
        yield from _of_options(kind.options)
    yield from _of_options(types.COMMON_OPTIONS)


def _of_options(options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        yield option.help
