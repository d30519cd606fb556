"""Replace ckanext-harvest's validators of a source's name, URL and options with ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckan import model
from ckanext.harvest import plugin as harvest_plugin

from ckanext.ukharvest import source_types
from ckanext.ukharvest.compat import Patch
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


def _schema() -> Any:
    # Its import asks CKAN for validators, and CKAN then caches those of the plugins so far.
    from ckanext.harvest.logic import schema

    return schema


def _patch_url() -> None:
    _schema().harvest_source_url_validator = source_rules.check_url


def _patch_config() -> None:
    _schema().harvest_source_config_validator = source_rules.check_config
    for name in ("_create_harvest_source_object", "_update_harvest_source_object"):
        setattr(harvest_plugin, name, _remembering(getattr(harvest_plugin, name)))


def _patch_name() -> None:
    _schema().package_name_validator = source_rules.check_name


_SCHEMA = "ckanext.harvest.logic.schema"
_PLUGIN = "ckanext.harvest.plugin"
# Not among the faults: the guard and our rules check what is saved, whatever a release does.
HOOKS = (
    Patch(
        "source-url (ckanext-harvest#449)",
        {
            f"{_SCHEMA}:harvest_source_url_validator": "88a628f10b95",
            "ckanext.harvest.logic.validators:_normalize_url": "9a97ed4ba3c3",
        },
        _patch_url,
    ),
    Patch(
        "source-options (who may save them is not checked)",
        {
            f"{_SCHEMA}:harvest_source_config_validator": "39668ad22a1c",
            f"{_PLUGIN}:_create_harvest_source_object": "bd2ff60fc2fa",
            f"{_PLUGIN}:_update_harvest_source_object": "d88200983817",
        },
        _patch_config,
    ),
    Patch(
        "source-name (names of pages)",
        {f"{_SCHEMA}:package_name_validator": "4902419bd190 780dfc83d68f"},  # CKAN 2.12, 2.11
        _patch_name,
    ),
)
