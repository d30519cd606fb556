"""Template helpers, in one module per page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckanext.ukharvest import config
from ckanext.ukharvest.core.dataset_changes import compare_texts
from ckanext.ukharvest.core.problems.texts import SEVERITIES
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
from ckanext.ukharvest.helpers import pages as helper_pages
from ckanext.ukharvest.logic.source_state import type_label
from ckanext.ukharvest.model import source_list
from ckanext.ukharvest.operations.export import manifest
from ckanext.ukharvest.presentation.messages import links, numbers, status_labels, times
from ckanext.ukharvest.presentation.messages.source_status import frequency_words
from ckanext.ukharvest.presentation.rendering import resources
from ckanext.ukharvest.presentation.rendering.source_record.form import format_size
from ckanext.ukharvest.search import facets, place

_MODULES = (
    *(dataset, dataset_head, dataset_rows, facts, form),
    *(helper_pages, place, portal, provenance, source),
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
    "ukharvest_age": times.age,
    "ukharvest_day": lambda time: times.when(time, day_only=True),
    "ukharvest_difference": compare_texts,
    "ukharvest_duration": times.duration,
    "ukharvest_export": lambda: manifest.load(config.export_folder()),
    "ukharvest_facet_items": facets.items,
    "ukharvest_facet_label": lambda item: str(item["display_name"]),
    "ukharvest_frequency": frequency_words,
    "ukharvest_link_state": links.state_label,
    "ukharvest_number": numbers.number,
    "ukharvest_phone_order": config.phone_order,
    "ukharvest_resource_groups": resources.groups,
    "ukharvest_severities": lambda: SEVERITIES,
    "ukharvest_size": format_size,
    "ukharvest_source_count": source_list.of_organisation,
    "ukharvest_source_type": type_label,
    "ukharvest_status": status_labels.find,
    "ukharvest_time": times.when,
}
