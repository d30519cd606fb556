"""Facets of the dataset search: titles, and labels of their indexed values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import config, fields
from ckanext.ukharvest.core.values import local_government_lists, organization_types, theme_names
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.presentation.messages.data_checks import verdict_label
from ckanext.ukharvest.presentation.rendering import values as shown_values
from ckanext.ukharvest.presentation.rendering.values import FACETS, INDEXED
from ckanext.ukharvest.stars.texts import out_of_five

# Of facets that are no field of a dataset.
_OTHER_TITLES = {
    "data_check": _("Data follow their schema"),
    "stars": _("Stars of openness"),
    "organization_type": _("Type of organisation"),
}


def titles() -> dict[str, str]:
    """Return the portal's facets in its order: index field → title."""
    known = {FACETS[field.key]: field.facet for field in fields.FIELDS if field.facet}
    known |= _OTHER_TITLES
    return {INDEXED[name]: tk._(known[name]) for name in config.facets()}


def add_facets(facets: dict[str, str], package_type: str | None) -> dict[str, str]:
    """Return a search's facets with ours added; those that the portal lists keep their place.

    Args:
        facets: index field → title, as ``IFacets`` has them.
        package_type: of what is searched; harvest sources have their own facets.
    """
    return facets if package_type == "harvest" else {**facets, **titles()}


def label(results: dict[str, Any], asked: str | list[str]) -> None:
    """Add labels to a search's facet values.

    A filter value without any result is added with a count of 0: pages label the active filters by
    it.

    Args:
        results: as ``after_dataset_search`` has them.
        asked: the filters of the search, such as ``vocab_ukharvest_theme:"Health"``.
    """
    filters = asked if isinstance(asked, str) else " ".join(asked)
    own = titles()
    for name, field in INDEXED.items():
        facet = results.get("search_facets", {}).get(field)
        if facet is None:
            continue
        facet["title"] = own.get(field, facet["title"])
        present = {item["name"] for item in facet["items"]}
        for value in dict.fromkeys(re.findall(rf'(?<![-!])\b{field}:"([^"\\]*)"', filters)):
            if value not in present:
                facet["items"].append({"name": value, "display_name": value, "count": 0})
        for item in facet["items"]:
            item["display_name"] = _LABELS[name](item["name"])


def items(field: str, search_facets: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a facet's values in the order of its page.

    Most datasets first; stars in descending order, functions below their parents.
    """
    values: list[dict[str, Any]] = tk.h.get_facet_items_dict(field, search_facets)
    if field == INDEXED["stars"]:
        return sorted(values, key=lambda item: item["name"], reverse=True)
    return list(_tree(values)) if field == INDEXED["function"] else values


def _tree(values: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    names = {item["name"] for item in values}
    above = {
        name: next(filter(names.__contains__, local_government_lists.parent_functions([name])), "")
        for name in names
    }

    def below(upper: str, depth: int) -> Iterator[dict[str, Any]]:
        for item in values:
            if above[item["name"]] == upper:
                yield {**item, "display_name": "› " * depth + item["display_name"]}
                yield from below(item["name"], depth + 1)

    return below("", 0)


_LABELS: dict[str, Callable[[str], str]] = {
    "theme": lambda name: tk._(theme_names.title(name)),
    "function": shown_values.lga_label,
    "service": shown_values.lga_label,
    "schema": lambda url: shown_values.address_label("schemas", url),
    "data_check": verdict_label,
    "stars": lambda name: out_of_five(int(name)) if name in tuple("012345") else name,
    "organization_type": lambda name: tk._(organization_types.label(name)),
}
