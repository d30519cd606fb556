"""Shared functions of the helpers of dataset pages: a dataset's fields, and a cache per request."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import ckan.plugins.toolkit as tk
from flask import g

from ckanext.ukharvest import fields
from ckanext.ukharvest.presentation.rendering import values as shown_values
from ckanext.ukharvest.presentation.rendering.portal_values import Portal

_T = TypeVar("_T")

DATASET_KEYS = frozenset(field.key for field in fields.FIELDS if field.of == fields.DATASET)


def portal() -> Portal:
    """Return the portal's functions for rendering values: translation, search URLs, language."""
    return Portal(tk._, search_url, tk.h.lang() or "en")


def search_url(field: str, value: str) -> str:
    """Return the URL of a dataset search for a value of an index field."""
    return str(tk.h.url_for("dataset.search", **{field: value}))


def facts_of(package: Mapping[str, Any]) -> dict[str, str]:
    """Return a dataset's extras, and our fields at its top level, as key → text.

    Leaves out the fields in ``package_hide_extras``.
    """
    hidden = tk.aslist(tk.config.get("package_hide_extras") or "")
    top = {  # the portal's own schema can have numbers and lists
        key: value if key in shown_values.KEYS or isinstance(value, str) else json.dumps(value)
        for key in DATASET_KEYS - set(hidden)
        if (value := package.get(key))
    }
    extras = {key: str(value) for key, value in tk.h.sorted_extras(package.get("extras") or ())}
    return {**top, **extras}


def ukharvest_is_harvested(package: Mapping[str, Any]) -> bool:
    """Tell whether a dataset was harvested, without a database query."""
    return fact(package, "import_source") == "harvest"


def fact(package: Mapping[str, Any], key: str) -> str:
    """Return the value of a top-level field, or of the extra of that name; "" for none."""
    extras = {extra["key"]: extra["value"] for extra in package.get("extras") or ()}
    return str(package.get(key) or extras.get(key) or "")


def once_per_request(
    function: Callable[[Mapping[str, Any]], _T],
) -> Callable[[Mapping[str, Any]], _T]:
    """Call a function of a dataset once per request, and return its result from then on."""

    @functools.wraps(function)
    def cached(package: Mapping[str, Any]) -> _T:
        known: dict[tuple[str, str], Any] = g.setdefault("ukharvest_of_datasets", {})
        key = (function.__name__, str(package.get("id") or ""))
        if key not in known or not key[1]:
            known[key] = function(package)
        return known[key]  # type: ignore[no-any-return]

    return cached
