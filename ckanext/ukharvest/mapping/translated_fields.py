"""Texts in several languages as ckanext-fluent stores them: language code → text, or list of tags.

A field of the dataset type's schema gets all languages. Without one, an extra (JSON) gets those
that CKAN's own field does not have, so that an edited title is shown as edited.
``h.get_translated`` of CKAN reads both (``presentation.translated_texts`` for extras).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from ckanext.ukharvest.core.records import DatasetRecord, ResourceRecord
from ckanext.ukharvest.core.translated_keys import OF_DATASET, OF_RESOURCE

Values = dict[str, Any]  # language code → a text, or a list of tags


def main_language(record: DatasetRecord) -> str:
    """Return the code of the language of a record's title and notes, "" if it is not known."""
    if record.text_language or len(record.language) != 1:
        return record.text_language
    return record.language[0].partition("-")[0]


def dataset_fields(record: DatasetRecord, schema: Collection[str], language: str) -> Values:
    """Return the values of those keys of OF_DATASET that the schema has.

    Args:
        schema: names of the dataset type's own fields.
        language: of texts whose language is not known: the portal's.
    """
    main = main_language(record) or language
    return {
        key: _all_languages(_texts(record.translations, name), getattr(record, name), main)
        for key, name in OF_DATASET.items()
        if key in schema
    }


def dataset_extras(record: DatasetRecord, schema: Collection[str]) -> dict[str, str]:
    """Return the extras for those keys of OF_DATASET that the schema does not have."""
    main = main_language(record)
    return {
        key: json.dumps(texts, ensure_ascii=False, sort_keys=True)
        for key, name in OF_DATASET.items()
        if key not in schema and (texts := _without(_texts(record.translations, name), main))
    }


def resource_fields(
    resource: ResourceRecord, record: DatasetRecord, schema: Collection[str], language: str
) -> Values:
    """Return the values of OF_RESOURCE: CKAN keeps them as they are, with or without a schema."""
    main = main_language(record)
    texts = {key: _texts(resource.translations, name) for key, name in OF_RESOURCE.items()}
    fields = {
        key: _all_languages(texts[key], getattr(resource, name), main or language)
        if key in schema
        else _without(texts[key], main)
        for key, name in OF_RESOURCE.items()
    }
    return {key: values for key, values in fields.items() if values}


def _texts(translations: Mapping[str, Any], name: str) -> Values:
    texts = {code: getattr(translation, name) for code, translation in translations.items()}
    return {
        code: list(value) if isinstance(value, tuple) else value
        for code, value in texts.items()
        if value
    }


def _without(texts: Values, main: str) -> Values:
    return {code: value for code, value in texts.items() if code != main}


def _all_languages(texts: Values, value: str | tuple[str, ...], main: str) -> Values:
    """Return the texts, with CKAN's own value in the main language if that is not among them.

    Never empty: a required field of the schema gets a value whatever the record has.
    """
    own: Any = value
    if isinstance(value, tuple):
        others = {tag for tags in texts.values() for tag in tags}
        own = [tag for tag in value if tag not in others]
    if texts and (main in texts or not own or own in texts.values()):
        return texts
    return {main: own, **texts}
