"""Values that a request needs again and again, loaded once: the source of a page, permissions.

A page calls several actions, and each begins with the id of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestSource
from flask import g, has_request_context

T = TypeVar("T")
# Only these requests keep values: consumers and commands have one application context for their
# whole life, and a POST can change what was loaded.
_READING = ("GET", "HEAD")


def once(key: Hashable, load: Callable[[], T]) -> T:
    """Return ``load()``, in a request that only reads the value of its first call."""
    if not has_request_context() or tk.request.method not in _READING:
        return load()
    known: dict[Any, Any] = g.setdefault("ukharvest_once", {})
    if key not in known:
        known[key] = load()
    return known[key]  # type: ignore[no-any-return]


def package_of(name_or_id: str) -> model.Package | None:
    """Return a dataset or a source's package by name or id."""
    package = once(("package", name_or_id), lambda: model.Package.get(name_or_id))
    if package is not None:
        once(("package", package.id), lambda: package)
    return package


def harvest_source_of(id_: str) -> HarvestSource | None:
    """Return a harvest source by its id."""
    return once(("source", id_), lambda: HarvestSource.get(id_))


def group_of(id_: str | None) -> model.Group | None:
    """Return an organisation by its id, None for none."""
    return once(("group", id_), lambda: model.Group.get(id_)) if id_ else None
