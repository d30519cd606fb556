"""Texts in several languages of a CKAN site with ckanext-fluent, or of ckanext-dcat's profiles.

``title_translated`` and its kin: language code → text, or list of tags; JSON in extras.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.translations import (
    OF_DATASET,
    OF_RESOURCE,
    Pairs,
    ResourceTranslation,
    Translation,
    collect_translations,
)
from ckanext.ukharvest.core.values.languages import language_pairs
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.tags import clean_tags


def of_dataset(flat: Mapping[str, Any]) -> dict[str, Translation]:
    """Return a package's texts by language: of ``title_translated``, else of ``title``."""
    fields = {
        name: _pairs(flat.get(key), name) or map_pairs(flat.get(name), name)
        for key, name in OF_DATASET.items()
    }
    return collect_translations(Translation, fields, least=1)


def of_resource(flat: Mapping[str, Any]) -> dict[str, ResourceTranslation]:
    """Return a resource's texts by language."""
    fields = {
        name: _pairs(flat.get(key), name) or map_pairs(flat.get(name), name)
        for key, name in OF_RESOURCE.items()
    }
    return collect_translations(ResourceTranslation, fields, least=1)


def language_of(text: str, translations: Mapping[str, Translation]) -> str:
    """Return the code of the language whose title a text is, "" for none."""
    return next((code for code, each in translations.items() if each.title == text), "")


def map_pairs(value: Any, name: str) -> Pairs:
    """Return language and text of a value that is a language map.

    Args:
        name: attribute of Translation or ResourceTranslation.
    """
    return [(tag, _value(each, name)) for tag, each in language_pairs(value)]


def _pairs(value: Any, name: str) -> Pairs:
    if isinstance(value, str):
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    if not isinstance(value, Mapping):
        return []
    return [(str(tag), _value(each, name)) for tag, each in value.items()]


def _value(value: Any, name: str) -> str | tuple[str, ...]:
    if name != "tags":
        clean = plain_line if name in ("title", "name") else plain_text
        return clean(value) if isinstance(value, str) else ""
    return clean_tags(value, "")[0] if isinstance(value, list) else ()
