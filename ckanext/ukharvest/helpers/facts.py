"""What helpers of datasets' pages share: a dataset's facts, and what values need of the portal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import ckan.plugins.toolkit as tk
from flask import g

from ckanext.ukharvest import fields
from ckanext.ukharvest.shown import values as shown_values
from ckanext.ukharvest.shown.portal import Portal

_T = TypeVar("_T")

DATASET_KEYS = frozenset(each.key for each in fields.FIELDS if each.of == fields.DATASET)


def portal() -> Portal:
    """Return what values need of the portal, for the reader of the page."""
    return Portal(tk._, search_address, tk.h.lang() or "en")


def search_address(field: str, value: str) -> str:
    """Return the address of the portal's search for a value of a field of its index."""
    return str(tk.h.url_for("dataset.search", **{field: value}))


def facts_of(package: Mapping[str, Any]) -> dict[str, str]:
    """Return what the page may show of a dataset's extras and of our fields at its top level.

    What the portal hides (``package_hide_extras``) is left out.
    """
    hidden = tk.aslist(tk.config.get("package_hide_extras") or "")
    given = {key: package[key] for key in DATASET_KEYS if package.get(key) and key not in hidden}
    top = {  # numbers and lists of a schema of the portal's own
        key: value if key in shown_values.KEYS or isinstance(value, str) else json.dumps(value)
        for key, value in given.items()
    }
    extras = {key: str(value) for key, value in tk.h.sorted_extras(package.get("extras") or ())}
    return {**top, **extras}


def ukharvest_is_harvested(package: Mapping[str, Any]) -> bool:
    """Tell whether a dataset came by a harvest, without asking the database."""
    return fact(package, "import_source") == "harvest"


def fact(package: Mapping[str, Any], key: str) -> str:
    """Return a field of the portal's dataset schema, or the extra of that name."""
    extras = {each["key"]: each["value"] for each in package.get("extras") or ()}
    return str(package.get(key) or extras.get(key) or "")


def once(kind: str, package: Mapping[str, Any], make: Callable[[], _T]) -> _T:
    """Return what is made of a dataset, made once a request: pages ask in several places."""
    known: dict[tuple[str, str], Any] = g.setdefault("ukharvest_of_datasets", {})
    key = (kind, str(package.get("id") or ""))
    if key not in known or not key[1]:
        known[key] = make()
    return known[key]  # type: ignore[no-any-return]
