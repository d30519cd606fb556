"""Add the translations of plugins to a record."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

import ckan.plugins as p

from ckanext.ukharvest.core.records import DatasetRecord, Problem
from ckanext.ukharvest.core.translations import ResourceTranslation, Translation
from ckanext.ukharvest.core.values.languages import language_code
from ckanext.ukharvest.interfaces import IUkHarvestTranslations
from ckanext.ukharvest.mapping.package_mapper import main_language

log = logging.getLogger(__name__)

Texts = TypeVar("Texts", Translation, ResourceTranslation)


def with_plugins_translations(record: DatasetRecord) -> DatasetRecord:
    """Return the record with what plugins of ``IUkHarvestTranslations`` add to it.

    A plugin that fails adds nothing: the record gets a problem and is imported.
    """
    for plugin in p.PluginImplementations(IUkHarvestTranslations):
        try:
            record = _translated(plugin, record)
        except Exception as exc:  # noqa: BLE001 - plugins are other people's code
            log.exception("Plugin %r failed to translate %r", plugin.name, record.guid)
            message = (
                f"translation: the plugin {plugin.name} failed ({type(exc).__name__}); the dataset"
                " is imported without its translations, and the portal's log has the details"
            )
            problem = Problem("translation-failed", "translation", message)
            record = replace(record, problems=(*record.problems, problem))
    return record


def _translated(plugin: Any, record: DatasetRecord) -> DatasetRecord:
    added = _checked(plugin.dataset_translations(record), Translation)
    resources = tuple(
        replace(file, translations=_merged(file.translations, more, main_language(record)))
        if (more := _checked(plugin.resource_translations(record, file), ResourceTranslation))
        else file
        for file in record.resources
    )
    if not added and resources == record.resources:
        return record
    merged = _merged(record.translations, added, main_language(record))
    return replace(record, translations=merged, resources=resources)


def _checked(answer: Any, kind: type[Texts]) -> Mapping[str, Texts]:
    """Return a plugin's answer by language code.

    Raises:
        TypeError: it has another form.
    """
    if not isinstance(answer, Mapping):
        raise TypeError(f"{answer!r} is no mapping of languages")
    for key, texts in answer.items():
        if not language_code(str(key)) or not isinstance(texts, kind):
            raise TypeError(f"{key!r}: {texts!r} is no {kind.__name__}")
        for field in fields(kind):
            _check_value(getattr(texts, field.name), is_list=field.name == "tags")
    return {language_code(str(key)): texts for key, texts in answer.items()}


def _check_value(value: object, *, is_list: bool) -> None:
    values = value if is_list else (value,)
    if not isinstance(values, tuple) or not all(isinstance(text, str) for text in values):
        raise TypeError(f"{value!r} is no {'tuple of tags' if is_list else 'text'}")


def _merged(own: Mapping[str, Texts], added: Mapping[str, Texts], main: str) -> dict[str, Texts]:
    """Return the translations with those added; the source's own texts stay."""
    merged = dict(own)
    for code, texts in added.items():
        if code != main:
            before = own.get(code, texts)
            names = [field.name for field in fields(texts) if not getattr(before, field.name)]
            merged[code] = replace(before, **{name: getattr(texts, name) for name in names})
    return merged
