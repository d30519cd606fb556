"""The features, and what CKAN gets from each: actions, auth functions, pages, helpers, commands.

Who removes a feature deletes its folder, its line in FEATURES and its templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import click
from flask import Blueprint

from ckanext.ukharvest.harvest.lists import LISTS
from ckanext.ukharvest.lib.actions import guard

# Folder → its modules with something for CKAN or the harvest, besides the folder's own. The first
# four stay; the others could be removed.
FEATURES: dict[str, tuple[str, ...]] = {
    "lib": ("texts", "pages"),
    "harvest": ("actions", "auth"),
    "sources": ("actions", "auth", "pages", "steps", "form", "help", "helpers", "cli"),
    "datasets": ("actions", "auth", "validators", "pages", "helpers"),
    "runs": ("actions", "auth", "pages", "cli"),
    "previews": ("actions", "auth", "pages", "jobs", "cli"),
    "deletions": ("actions", "auth", "pages", "cli"),
    "adoption": ("actions", "auth", "cli"),
    "stars": ("model", "actions", "auth", "pages", "jobs", "doctor", "cli"),
    "themes": ("actions", "auth"),
    "links": ("actions", "auth", "pages", "texts", "jobs", "doctor", "cli"),
    "data_checks": ("model", "actions", "auth", "pages", "jobs"),
    "notifications": ("actions", "auth", "pages", "mails", "doctor"),
    "export": ("pages", "doctor", "cli"),
    "doctor": ("actions", "auth", "pages", "cli"),
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
            if wanted in ("", name):
                yield import_module(f"ckanext.ukharvest.{folder}.{name}")


def _functions(module_name: str, attribute: str = "") -> dict[str, Callable[..., Any]]:
    """Return the functions of the modules of a name that have our names or ones of CKAN's actions.

    Args:
        attribute: a dict of further functions by name, in any module.

    Raises:
        ValueError: two features have functions of one name.
    """
    functions: dict[str, Callable[..., Any]] = {}
    for module in _modules("" if attribute else module_name):
        is_wanted = module.__name__.endswith(f".{module_name}")
        own = {
            name: value
            for name, value in vars(module).items()
            if is_wanted
            and callable(value)
            and (name.startswith(("ukharvest_", "harvest_")) or name in OF_CKAN)
        } | getattr(module, attribute or "-", {})
        if twice := functions.keys() & own.keys():
            raise ValueError(f"{module.__name__}: {', '.join(sorted(twice))} is defined twice")
        functions |= own
    return functions


def actions() -> dict[str, Callable[..., Any]]:
    """Return the actions by name; ours refuse texts that cannot be stored."""
    return {
        name: action if name in OF_CKAN else guard(action)
        for name, action in _functions("actions").items()
    }


def auth_functions() -> dict[str, Callable[..., Any]]:
    """Return the auth functions by the names of their actions."""
    return _functions("auth")


def helpers() -> dict[str, Callable[..., Any]]:
    """Return the template helpers by name."""
    return _functions("helpers", "HELPERS")


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
    """Fill the lists of ``harvest/lists.py``; a second call changes nothing."""
    modules = list(_modules())
    for name, values in LISTS.items():
        values[:] = [value for module in modules for value in getattr(module, name, ())]


def commands() -> list[click.Command]:
    """Return the commands of ``ckan ukharvest``."""
    return [command for module in _modules("cli") for command in module.COMMANDS]
