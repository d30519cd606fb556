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
        replace(each, translations=_merged(each.translations, more, main_language(record)))
        if (more := _checked(plugin.resource_translations(record, each), ResourceTranslation))
        else each
        for each in record.resources
    )
    if not added and resources == record.resources:
        return record
    merged = _merged(record.translations, added, main_language(record))
    return replace(record, translations=merged, resources=resources)


def _checked(found: Any, kind: type[Texts]) -> Mapping[str, Texts]:
    """Return a plugin's answer by language code.

    Raises:
        TypeError: it has another form.
    """
    if not isinstance(found, Mapping):
        raise TypeError(f"{found!r} is no mapping of languages")
    for key, texts in found.items():
        if not language_code(str(key)) or not isinstance(texts, kind):
            raise TypeError(f"{key!r}: {texts!r} is no {kind.__name__}")
        for each in fields(kind):
            _check_value(getattr(texts, each.name), is_list=each.name == "tags")
    return {language_code(str(key)): texts for key, texts in found.items()}


def _check_value(value: object, *, is_list: bool) -> None:
    values = value if is_list else (value,)
    if not isinstance(values, tuple) or not all(isinstance(each, str) for each in values):
        raise TypeError(f"{value!r} is no {'tuple of tags' if is_list else 'text'}")


def _merged(given: Mapping[str, Texts], added: Mapping[str, Texts], main: str) -> dict[str, Texts]:
    """Return the translations with those added; the source's own texts stay."""
    merged = dict(given)
    for code, texts in added.items():
        own = merged.get(code)
        if code == main:
            continue
        if own is None:
            merged[code] = texts
        else:
            missing = {
                each.name: getattr(texts, each.name)
                for each in fields(texts)
                if not getattr(own, each.name)
            }
            merged[code] = replace(own, **missing)
    return merged
