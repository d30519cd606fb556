"""The features, and what CKAN gets from each: actions, auth functions, pages, helpers, commands.

Who removes a feature deletes its folder, its line in FEATURES and its templates.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

import click
from ckan import plugins
from ckan.plugins import toolkit as tk
from flask import Blueprint

from ckanext.ukharvest.harvest.lists import LISTS
from ckanext.ukharvest.lib import slots as frames
from ckanext.ukharvest.lib.parameters import guard
from ckanext.ukharvest.lib.slots import Facet, Slot

_T = TypeVar("_T")

# Folder → its modules with something for CKAN or the harvest, besides the folder's own. The first
# four stay; the others could be removed.
FEATURES: dict[str, tuple[str, ...]] = {
    "lib": ("pages",),
    "harvest_actions": ("actions", "run_actions", "auth"),
    "sources": ("actions", "auth", "pages", "steps", "form", "help", "helpers", "cli"),
    "datasets": (
        *("actions", "auth", "validators", "pages"),
        *("helpers", "facts", "provenance", "rows", "search"),
    ),
    "runs": ("actions", "auth", "pages", "cli"),
    "previews": ("actions", "auth", "pages", "jobs", "searches", "cli"),
    "deletions": ("actions", "auth", "pages", "cli"),
    "approval": ("actions", "auth", "pages", "slots", "cli"),
    "duplicates": ("actions", "auth", "pages", "redirects", "slots"),
    "adoption": ("actions", "auth", "cli"),
    "stars": ("model", "actions", "auth", "pages", "jobs", "slots", "texts", "doctor", "cli"),
    "themes": ("actions", "auth", "slots"),
    "value_tables": ("actions", "auth", "pages", "cli"),
    "links": ("actions", "auth", "pages", "jobs", "slots", "texts", "doctor", "cli"),
    "data_checks": ("model", "actions", "auth", "pages", "jobs", "texts"),
    "notifications": ("actions", "auth", "pages", "due", "doctor"),
    "export": ("pages", "doctor", "cli"),
    "doctor": ("actions", "auth", "pages", "cli"),
    "to_do": ("actions", "auth", "pages", "slots"),
}
# Actions of CKAN that we chain; they check their texts themselves.
OF_CKAN = frozenset(
    {"organization_create", "organization_update", "package_create", "package_update"}
    | {"status_show"}
)


def _modules(wanted: str = "") -> Iterator[ModuleType]:
    """Yield the modules of a name, or all."""
    for folder, names in FEATURES.items():
        if not wanted:
            yield import_module(f"ckanext.ukharvest.{folder}")
        for name in names:
            if name.endswith(wanted):
                yield import_module(f"ckanext.ukharvest.{folder}.{name}")


def _functions(module_name: str) -> dict[str, Callable[..., Any]]:
    """Return the functions of the modules of a name that have our names or ones of CKAN's actions.

    Raises:
        ValueError: two features have functions of one name.
    """
    return _merge(
        {
            name: value
            for name, value in vars(module).items()
            if callable(value) and (name.startswith(("ukharvest_", "harvest_")) or name in OF_CKAN)
        }
        for module in _modules(module_name)
    )


def _merge(dicts: Iterable[Mapping[str, _T]]) -> dict[str, _T]:
    """Return one dict of the features' dicts.

    Raises:
        ValueError: two of them have the same key.
    """
    merged: dict[str, _T] = {}
    for own in dicts:
        if twice := merged.keys() & own.keys():
            raise ValueError(f"Two features define {', '.join(sorted(twice))}")
        merged |= own
    return merged


def _dicts(attribute: str) -> Iterator[Mapping[str, Any]]:
    """Yield the dicts of this name that features have, in any of their modules."""
    return (getattr(module, attribute, {}) for module in _modules())


def actions() -> dict[str, Callable[..., Any]]:
    """Return the actions by name, ckanext-harvest's included; they check their parameters first."""
    own = _functions("actions")
    harvest = plugins.get_plugin("harvest")
    others = {
        name: _pass_on(action)
        for name, action in (harvest.get_actions() if harvest else {}).items()
        if name not in own
    }
    return {
        name: action if name in OF_CKAN else guard(name, action)
        for name, action in {**others, **own}.items()
    }


def _pass_on(action: Callable[..., Any]) -> Callable[..., Any]:
    """Return a chained action that only calls an action of ckanext-harvest."""

    @tk.chained_action
    @functools.wraps(action)
    def chained(original: Callable[..., Any], context: Any, data_dict: dict[str, Any]) -> Any:
        return original(context, data_dict)

    chained.auth_audit_exempt = True  # type: ignore[attr-defined]  # as CKAN marks those of plugins
    return chained


def auth_functions() -> dict[str, Callable[..., Any]]:
    """Return the auth functions by the names of their actions."""
    return _functions("auth")


def helpers() -> dict[str, Callable[..., Any]]:
    """Return the template helpers by name: functions with our names, and dicts HELPERS."""
    own = (
        {
            name: value
            for name, value in vars(module).items()
            if name.startswith("ukharvest_") and value.__module__ == module.__name__
        }
        for module in _modules()
        if not module.__name__.endswith((".actions", ".auth", ".validators"))
    )
    return _merge((*own, *_dicts("HELPERS")))


def slots() -> list[Slot]:
    """Return what features add to the frames' pages and mails, in the order of FEATURES."""
    return [slot for module in _modules() for slot in getattr(module, "SLOTS", ())]


def facets() -> dict[str, Facet]:
    """Return the features' facets of the dataset search by their names."""
    return _merge(_dicts("FACETS"))


def validators() -> dict[str, Callable[..., Any]]:
    """Return the validators by name."""
    return _functions("validators")


def blueprints() -> list[Blueprint]:
    """Return the blueprints of all pages."""
    return [
        value
        for module in _modules()
        for value in vars(module).values()
        if isinstance(value, Blueprint) and value.import_name == module.__name__
    ]


def register() -> None:
    """Set slots, facets and the lists of ``harvest/lists.py``; a second call changes nothing."""
    frames.register(slots(), facets())
    modules = list(_modules())
    for name, values in LISTS.items():
        values[:] = [value for module in modules for value in getattr(module, name, ())]


def commands() -> list[click.Command]:
    """Return the commands of ``ckan ukharvest``."""
    return [command for module in _modules("cli") for command in module.COMMANDS]
