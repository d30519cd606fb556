"""Texts in tables without ``_()``: they are translated when they are rendered.

A table's module may not import CKAN, and a mark around each of its hundreds of texts would say no
more than the table's name does here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ckanext.ukharvest import fields, source_types
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.problems import texts as problem_words
from ckanext.ukharvest.core.problems import tips
from ckanext.ukharvest.core.values import theme_names
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.presentation.rendering import field_labels, inspire
from ckanext.ukharvest.presentation.rendering import resources as shown_resources
from ckanext.ukharvest.presentation.rendering.extent import texts as extent_words


@dataclass(frozen=True, slots=True)
class Table:
    """Texts of one module.

    Attributes:
        path: the module's, inside the package.
    """

    path: str
    texts: Iterable[str]


def tables() -> Iterator[Table]:
    """Yield every table, each with its texts in its own order."""
    yield Table("core/problems/tips.py", tips.TIPS.values())
    yield Table("core/problems/texts.py", (words.title for words in _problem_titles()))
    yield Table("core/values/theme_names.py", map(theme_names.title, theme_names.names()))
    yield Table("fields.py", _of_fields())
    yield Table("presentation/rendering/extent/texts.py", extent_words.TEXTS.values())
    yield Table("parsers/gemini/rules", _of_rules())
    yield Table("presentation/rendering/inspire.py", inspire.CODES.values())
    yield Table(
        "presentation/rendering/field_labels.py",
        (*field_labels.LABELS.values(), *field_labels.TEXTS),
    )
    yield Table("presentation/rendering/resources.py", shown_resources.HEADINGS.values())
    yield Table("source_types", _of_types())
    yield Table("vocabularies/frequencies.csv", _labels("frequencies"))
    yield Table("vocabularies/organization_types.csv", _labels("organization_types"))


def _problem_titles() -> Iterator[problem_words.ProblemText]:
    yield from problem_words.PROBLEM_TEXTS.values()
    yield problem_words.OTHER


def _of_rules() -> Iterator[str]:
    for rule in RULES:
        yield from (rule.element, rule.wanted)


def _labels(name: str) -> Iterator[str]:
    for row in vocabulary.bundled(name).rows:
        yield row["label"]


def _of_fields() -> Iterator[str]:
    for field in fields.FIELDS:
        yield from (field.label, field.help, field.facet)


def _of_types() -> Iterator[str]:
    for kind in source_types.TYPES.ours.values():
        yield from (kind.title, kind.description)
        yield from _of_options(kind.options)
    yield from _of_options(source_types.COMMON_OPTIONS)


def _of_options(options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        yield option.help
