"""Call the plugins of ``IUkHarvest`` before a dataset is saved."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins as p
import sqlalchemy as sa

from ckanext.ukharvest.core.errors import HookFailed, SkipRecord, UkharvestError
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values.text import one_line
from ckanext.ukharvest.interfaces import IUkHarvest, SourceFacts
from ckanext.ukharvest.model.service_faults import failing_service

log = logging.getLogger(__name__)

_LISTS = ("extras", "resources", "tags", "groups")


def hook_versions() -> list[list[str]]:
    """Return name and version of each hook, in their order; [] if there is none.

    Raises:
        HookFailed: a plugin does not say its version.
    """
    versions = []
    for plugin in p.PluginImplementations(IUkHarvest):
        try:
            versions.append([plugin.name, str(plugin.dataset_hook_version())])
        except Exception as exc:
            log.exception("Plugin %r failed to say its version", plugin.name)
            raise _failure(plugin, exc) from exc
    return versions


def change_dataset(record: DatasetRecord, source: SourceFacts, package: dict[str, Any]) -> None:
    """Let each plugin change a package dict in place.

    Raises:
        SkipRecord: a plugin skips the record.
        HookFailed: a plugin failed, or left no package dict behind.
    """
    for plugin in p.PluginImplementations(IUkHarvest):
        try:
            _check(plugin.before_dataset_save(record, source, package), package)
            package.pop("id", None)  # CKAN's own
        except SkipRecord as exc:
            raise SkipRecord(f"{plugin.name}: {exc.message}") from exc
        except Exception as exc:
            # The database is down, not the plugin: all records wait.
            if failing_service(exc) or isinstance(exc, sa.exc.OperationalError):
                raise
            log.exception("Plugin %r failed to change the dataset of %r", plugin.name, record.guid)
            raise _failure(plugin, exc) from exc


def _failure(plugin: Any, exc: Exception) -> HookFailed:
    # The text of other exceptions is not written for publishers.
    reason = exc.message if isinstance(exc, UkharvestError) else type(exc).__name__
    return HookFailed(
        f"the plugin {plugin.name} of this portal failed ({one_line(reason)}); the portal's log has"
        " the details"
    )


def _check(result: Any, package: dict[str, Any]) -> None:
    """Check what a plugin left behind.

    Raises:
        TypeError: it returned another dict, or a list of the dict has another form.
    """
    if result is not None and result is not package:
        raise TypeError("before_dataset_save has to change the dict in place and return None")
    for key in _LISTS:
        rows = package.get(key, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise TypeError(f"{key} is no list of dicts")
    extras = package.setdefault("extras", [])
    package.setdefault("resources", [])
    keys = {str(extra["key"]) for extra in extras if extra.get("key") and "value" in extra}
    if len(keys) != len(extras):
        raise TypeError("extras need a key and a value each, and no key twice")
    if not all(group.get("name") for group in package.get("groups", [])):
        raise TypeError("groups need a name each")
