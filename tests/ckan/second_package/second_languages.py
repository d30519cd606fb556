"""Other extensions that have to do with languages: translations, and ckanext-fluent's validators.

ckanext-fluent 1.0.0, the only version on PyPI, is for Python 2: where a newer one is not installed,
``LikeFluentPlugin`` stores and shows its fields in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.records import (
    DatasetRecord,
    ResourceRecord,
    ResourceTranslation,
    Translation,
)
from ckanext.ukharvest.interfaces import IUkHarvestTranslations


class SecondTranslationsPlugin(p.SingletonPlugin):
    """Translates everything into Irish and Welsh, in a way."""

    p.implements(IUkHarvestTranslations, inherit=True)

    def dataset_translations(self, record: DatasetRecord) -> Mapping[str, Translation]:
        made = Translation(f"ga: {record.title}", tags=("ga-tag",))
        return {"ga": made, "cy": made, "en": made}

    def resource_translations(
        self, record: DatasetRecord, resource: ResourceRecord
    ) -> Mapping[str, ResourceTranslation]:
        return {"ga": ResourceTranslation(f"ga: {resource.name}")}


class FaultyTranslationsPlugin(p.SingletonPlugin):
    """One method returns another form."""

    p.implements(IUkHarvestTranslations, inherit=True)

    def dataset_translations(self, record: DatasetRecord) -> Any:
        return {"cy": record.title}


def _text(value: Any) -> str:
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise tk.Invalid("expecting JSON object")
    return json.dumps(value)


def _tags(value: Any) -> str:
    if not isinstance(value, dict) or not all(isinstance(each, list) for each in value.values()):
        raise tk.Invalid("expecting JSON object")
    return json.dumps(value)


def _shown(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _shown_with_core_field(key: Any, data: Any, _errors: Any, _context: Any) -> None:
    data[key] = _shown(data[key])
    core = (*key[:-1], key[-1].removesuffix("_translated"))
    if core in data:
        data[core] = data[key].get("en") or min(data[key].items())[1]


class LikeFluentPlugin(p.SingletonPlugin):
    """The validators of ckanext-fluent that the schema names."""

    p.implements(p.IValidators)

    def get_validators(self) -> dict[str, Any]:
        return {
            "fluent_text": _text,
            "fluent_tags": _tags,
            "fluent_text_output": _shown,
            "fluent_tags_output": _shown,
            "fluent_core_translated_output": _shown_with_core_field,
        }
