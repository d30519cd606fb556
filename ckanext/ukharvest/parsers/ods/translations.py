"""The language of a dataset's texts, and those in other languages that the reader added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.mapping_table import FieldValues
from ckanext.ukharvest.core.translations import Translation, collect_translations
from ckanext.ukharvest.core.values.languages import language_code
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.parsers.json_fields import Fields
from ckanext.ukharvest.parsers.ods.dataset import Dataset

# Where the reader keeps the texts of requests in other languages: code → title, description, …
KEY = "translations"


def read(dataset: Dataset, main: Translation, asked: str) -> FieldValues:
    """Return ``text_language`` and ``translations``.

    A portal gives the original text where it has none in the language that is asked for. So texts
    count only if the dataset has their language and they differ from the main ones.

    Args:
        main: the texts in the main language.
        asked: code of the language that they were requested in, "" for the portal's own.
    """
    languages = _languages(dataset)
    code = language_code(asked)
    if code not in languages:
        # Of several, the metadata does not say which is the portal's own.
        code = next(iter(languages)) if len(languages) == 1 else ""
    texts = {code: main} if code else {}
    given = dataset.own.get(KEY)
    for other, each in (given if isinstance(given, Mapping) else {}).items():
        if isinstance(each, Mapping) and (not languages or language_code(other) in languages):
            texts.setdefault(language_code(other), _translation(each, main))
    fields = {
        name: [(tag, getattr(each, name)) for tag, each in texts.items()]
        for name in ("title", "notes", "tags")
    }
    found = collect_translations(Translation, fields, least=2 if code else 1)
    return {"text_language": code, "translations": found}


def _languages(dataset: Dataset) -> frozenset[str]:
    given = dataset.default.texts("metadata_languages", strict=False)
    return frozenset(filter(None, map(language_code, given)))


def _translation(data: Mapping[str, Any], main: Translation) -> Translation:
    """Return the texts that differ from the main ones; they have no problems of their own."""
    fields = Fields(data, [])
    title, notes = plain_line(fields.text("title")), plain_text(fields.text("description"))
    tags = clean_tags(fields.items("keyword", strict=False), "")[0]
    return Translation(
        "" if title == main.title else title,
        "" if notes == main.notes else notes,
        () if tags == main.tags else tags,
    )
