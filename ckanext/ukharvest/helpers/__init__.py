"""Template helpers, in one module per page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckanext.ukharvest import config
from ckanext.ukharvest.core.dataset_changes import compare_texts
from ckanext.ukharvest.helpers import (
    dataset,
    dataset_head,
    dataset_rows,
    facts,
    form,
    pages,
    portal,
    provenance,
    source,
)
from ckanext.ukharvest.presentation.messages import links
from ckanext.ukharvest.presentation.rendering import resources
from ckanext.ukharvest.presentation.rendering.source_record.form import format_size
from ckanext.ukharvest.search import facets, place

_MODULES = (
    *(dataset, dataset_head, dataset_rows, facts, form),
    *(pages, place, portal, provenance, source),
)
# Those that CKAN gets, by name: the modules' own, and functions that templates call as they are.
HELPERS: dict[str, Callable[..., Any]] = {
    **{
        name: function
        for module in _MODULES
        for name, function in vars(module).items()
        if name.startswith("ukharvest_")
    },
    "format_resource_items": dataset.format_resource_items,
    "ukharvest_difference": compare_texts,
    "ukharvest_facet_items": facets.items,
    "ukharvest_link_state": links.state_label,
    "ukharvest_phone_order": config.phone_order,
    "ukharvest_resource_groups": resources.groups,
    "ukharvest_size": format_size,
}
