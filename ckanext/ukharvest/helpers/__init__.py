"""Template helpers, by page; CKAN takes what ``__all__`` names."""

from __future__ import annotations

from ckanext.ukharvest.helpers.dataset import (
    format_resource_items,
    ukharvest_extent,
    ukharvest_facet_items,
    ukharvest_facet_label,
    ukharvest_job_stats,
    ukharvest_link,
    ukharvest_resource_groups,
    ukharvest_source_record,
)
from ckanext.ukharvest.helpers.dataset_head import (
    ukharvest_contacts,
    ukharvest_head,
    ukharvest_licence,
    ukharvest_phone_order,
    ukharvest_resource_line,
)
from ckanext.ukharvest.helpers.dataset_rows import (
    ukharvest_coupled,
    ukharvest_facts,
    ukharvest_field_value,
    ukharvest_further_facts,
)
from ckanext.ukharvest.helpers.facts import ukharvest_is_harvested
from ckanext.ukharvest.helpers.form import (
    ukharvest_form_field,
    ukharvest_form_kept,
    ukharvest_form_keys,
    ukharvest_form_suggestion,
)
from ckanext.ukharvest.helpers.listing import ukharvest_listed
from ckanext.ukharvest.helpers.pages import (
    ukharvest_age,
    ukharvest_day,
    ukharvest_duration,
    ukharvest_number,
    ukharvest_pages,
    ukharvest_seconds,
    ukharvest_status,
    ukharvest_when,
)
from ckanext.ukharvest.helpers.portal import (
    ukharvest_frequency,
    ukharvest_in_navigation,
    ukharvest_may_harvest,
    ukharvest_notice,
    ukharvest_own_pages,
    ukharvest_source_type,
    ukharvest_sources_of,
)
from ckanext.ukharvest.helpers.provenance import (
    ukharvest_difference,
    ukharvest_may_edit,
    ukharvest_may_manage,
    ukharvest_provenance,
    ukharvest_record_problems,
    ukharvest_size,
    ukharvest_web_url,
)
from ckanext.ukharvest.helpers.source import ukharvest_run_chart, ukharvest_source_tabs
from ckanext.ukharvest.search.place import ukharvest_place

__all__ = [
    "format_resource_items",
    "ukharvest_age",
    "ukharvest_contacts",
    "ukharvest_coupled",
    "ukharvest_day",
    "ukharvest_difference",
    "ukharvest_duration",
    "ukharvest_extent",
    "ukharvest_facet_items",
    "ukharvest_facet_label",
    "ukharvest_facts",
    "ukharvest_field_value",
    "ukharvest_form_field",
    "ukharvest_form_kept",
    "ukharvest_form_keys",
    "ukharvest_form_suggestion",
    "ukharvest_frequency",
    "ukharvest_further_facts",
    "ukharvest_head",
    "ukharvest_in_navigation",
    "ukharvest_is_harvested",
    "ukharvest_job_stats",
    "ukharvest_licence",
    "ukharvest_link",
    "ukharvest_listed",
    "ukharvest_may_edit",
    "ukharvest_may_harvest",
    "ukharvest_may_manage",
    "ukharvest_notice",
    "ukharvest_number",
    "ukharvest_own_pages",
    "ukharvest_pages",
    "ukharvest_phone_order",
    "ukharvest_place",
    "ukharvest_provenance",
    "ukharvest_record_problems",
    "ukharvest_resource_groups",
    "ukharvest_resource_line",
    "ukharvest_run_chart",
    "ukharvest_seconds",
    "ukharvest_size",
    "ukharvest_source_record",
    "ukharvest_source_tabs",
    "ukharvest_sources_of",
    "ukharvest_source_type",
    "ukharvest_status",
    "ukharvest_web_url",
    "ukharvest_when",
]
