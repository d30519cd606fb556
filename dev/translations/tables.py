"""Texts in tables without ``_()``: they are translated when they are rendered.

A table's module may not import CKAN, and a mark around each of its hundreds of texts would say no
more than the table's name does here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ckanext.ukharvest.core.problems.texts import OTHER, PROBLEM_TEXTS
from ckanext.ukharvest.core.problems.tips import TIPS
from ckanext.ukharvest.core.values import theme_names
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.fields import FIELDS
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.presentation.rendering import dataset_fields, inspire, resources
from ckanext.ukharvest.presentation.rendering.extent import svg_map
from ckanext.ukharvest.source_types import COMMON_OPTIONS, TYPES


def tables() -> dict[str, Iterable[str]]:
    """Return each module (its path inside the package) with its texts in their own order."""
    return {
        "core/problems/tips.py": TIPS.values(),
        "core/problems/texts.py": (text.title for text in (*PROBLEM_TEXTS.values(), OTHER)),
        "core/values/theme_names.py": map(theme_names.title, theme_names.names()),
        "fields.py": (text for each in FIELDS for text in (each.label, each.help, each.facet)),
        "presentation/rendering/extent/svg_map.py": svg_map.TEXTS.values(),
        "parsers/gemini/rules": (text for rule in RULES for text in (rule.element, rule.wanted)),
        "presentation/rendering/inspire.py": inspire.CODES.values(),
        "presentation/rendering/dataset_fields.py": (
            *dataset_fields.LABELS.values(),
            *dataset_fields.TEXTS,
        ),
        "presentation/rendering/resources.py": resources.HEADINGS.values(),
        "source_types": _of_types(),
        **{
            f"vocabularies/{name}.csv": (row["label"] for row in vocabulary.bundled(name).rows)
            for name in ("frequencies", "organization_types")
        },
    }


def _of_types() -> Iterator[str]:
    for kind in TYPES.ours.values():
        yield from (kind.title, kind.description, *(option.help for option in kind.options))
    yield from (option.help for option in COMMON_OPTIONS)
