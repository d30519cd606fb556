"""Texts in tables without ``_()``: they are translated when they are rendered.

A table's module may not import CKAN, and a mark around each of its hundreds of texts would say no
more than the table's name does here.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from ckanext.ukharvest.core.values import frequencies, theme_names
from ckanext.ukharvest.fields import FIELDS
from ckanext.ukharvest.rendering import extent_map, inspire
from ckanext.ukharvest.rendering import fields as field_rows
from ckanext.ukharvest.source_types import TYPES

from docs.codes import PACKAGE

# CSV file → columns with texts.
_CSV = {
    "core/problems/problems.csv": ("title", "tip"),
    "parsers/gemini/rules/rules.csv": ("element", "wanted"),
    "vocabularies/organization_types.csv": ("label",),
}


def tables() -> dict[str, Iterable[str]]:
    """Return each module (its path inside the package) with its texts in their own order."""
    return {
        "core/values/theme_names.py": map(theme_names.title, theme_names.names()),
        "fields.py": (text for each in FIELDS for text in (each.label, each.help, each.facet)),
        "rendering/extent_map.py": extent_map.TEXTS.values(),
        "rendering/inspire.py": (*inspire.CODES.values(), *inspire.HEADINGS.values()),
        "rendering/fields.py": (
            *field_rows.LABELS.values(),
            *(field.label for field in field_rows.OF_CKAN.values()),
            *(field.label for field in field_rows.OF_RESOURCE.values()),
            *field_rows.TEXTS,
        ),
        "source_types": (
            # Names such as CKAN are the same in every language.
            *(kind.title for kind in TYPES.ours.values() if " " in kind.title),
            *(
                option.help
                for kind in TYPES.ours.values()
                for option in kind.all_options
                if option.label and option.form_help is None
            ),
        ),
        "vocabularies/frequencies.csv": (
            frequencies.split_label(label)[0]
            for label in _of_csv("vocabularies/frequencies.csv", "label")
        ),
        **{path: _of_csv(path, *columns) for path, columns in _CSV.items()},
    }


def _of_csv(path: str, *columns: str) -> Iterator[str]:
    with (PACKAGE / path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            yield from (row[column].strip() for column in columns)
