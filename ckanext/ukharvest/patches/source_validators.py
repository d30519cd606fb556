"""Replace ckanext-harvest's validators of a source's name, URL and options with ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckan import model
from ckan.logic.validators import package_name_validator
from ckanext.harvest import plugin as harvest_plugin
from ckanext.harvest.logic import validators as stock

from ckanext.ukharvest import source_types
from ckanext.ukharvest.logic import source_rules
from ckanext.ukharvest.model import privileged_options

Session = model.Session


def _remembering(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a save action so that it also stores the reserved options a sysadmin set."""

    def save(context: Any, data_dict: dict[str, Any]) -> Any:
        source = original(context, data_dict)
        kind = source_types.find(source.type or "")
        if kind and source_rules.is_trusted(context):
            given = source_rules.parse_options(source.config)
            reserved = source_types.reserved_options(kind)
            Session.flush()
            privileged_options.remember(source.id, {n: given[n] for n in reserved if n in given})
        return source

    return save


def _drops_the_query() -> bool:
    first, second = "http://trial.example/csw?map=1", "http://trial.example/csw?map=2"
    return bool(stock._normalize_url(first) == stock._normalize_url(second))


def _schema() -> Any:
    # Its import asks CKAN for validators, and CKAN then caches those of the plugins so far.
    from ckanext.harvest.logic import schema

    return schema


def _patch_url() -> None:
    _schema().harvest_source_url_validator = source_rules.check_url


def _checks_options_alone() -> bool:
    return _schema().harvest_source_config_validator is stock.harvest_source_config_validator


def _patch_config() -> None:
    _schema().harvest_source_config_validator = source_rules.check_config
    for name in ("_create_harvest_source_object", "_update_harvest_source_object"):
        setattr(harvest_plugin, name, _remembering(getattr(harvest_plugin, name)))


def _takes_any_name() -> bool:
    return _schema().package_name_validator is package_name_validator


def _patch_name() -> None:
    _schema().package_name_validator = source_rules.check_name


PATCHES = (
    ("source-url (ckanext-harvest#449)", _drops_the_query, _patch_url),
    ("source-options (who may save them is not checked)", _checks_options_alone, _patch_config),
    ("source-name (names of pages)", _takes_any_name, _patch_name),
)
