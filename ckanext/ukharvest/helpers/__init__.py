"""Template helpers, in one module per page; ``__all__`` lists those that CKAN gets."""

from __future__ import annotations

from ckanext.ukharvest.helpers.dataset import (
    format_resource_items,
    ukharvest_data_check,
    ukharvest_extent,
    ukharvest_facet_items,
    ukharvest_facet_label,
    ukharvest_link,
    ukharvest_link_state,
    ukharvest_resource_groups,
    ukharvest_run_stats,
    ukharvest_source_record,
)
from ckanext.ukharvest.helpers.dataset_head import (
    ukharvest_contacts,
    ukharvest_dataset_head,
    ukharvest_licence,
    ukharvest_phone_order,
    ukharvest_resource_line,
)
from ckanext.ukharvest.helpers.dataset_rows import (
    ukharvest_couplings,
    ukharvest_facts,
    ukharvest_field_value,
    ukharvest_further_facts,
    ukharvest_harvested_extras,
    ukharvest_harvested_rows,
    ukharvest_own_extras,
)
from ckanext.ukharvest.helpers.facts import ukharvest_is_harvested
from ckanext.ukharvest.helpers.form import (
    ukharvest_form_field,
    ukharvest_form_hidden_fields,
    ukharvest_form_keys,
    ukharvest_form_suggestion,
)
from ckanext.ukharvest.helpers.listing import ukharvest_dataset_badges
from ckanext.ukharvest.helpers.organization import ukharvest_organization_fields
from ckanext.ukharvest.helpers.pages import (
    ukharvest_age,
    ukharvest_day,
    ukharvest_duration,
    ukharvest_number,
    ukharvest_page_numbers,
    ukharvest_severities,
    ukharvest_status,
    ukharvest_time,
)
from ckanext.ukharvest.helpers.portal import (
    ukharvest_export,
    ukharvest_frequency,
    ukharvest_in_navigation,
    ukharvest_may_harvest,
    ukharvest_notice,
    ukharvest_own_pages,
    ukharvest_source_count,
    ukharvest_source_type,
)
from ckanext.ukharvest.helpers.provenance import (
    ukharvest_difference,
    ukharvest_may_edit,
    ukharvest_may_manage,
    ukharvest_provenance,
    ukharvest_record_form,
    ukharvest_record_problems,
    ukharvest_size,
    ukharvest_supplied_labels,
    ukharvest_web_url,
)
from ckanext.ukharvest.helpers.source import ukharvest_run_chart, ukharvest_source_tabs
from ckanext.ukharvest.helpers.translated_texts import ukharvest_language_names
from ckanext.ukharvest.search.place import ukharvest_place

__all__ = [
    "format_resource_items",
    "ukharvest_age",
    "ukharvest_contacts",
    "ukharvest_couplings",
    "ukharvest_data_check",
    "ukharvest_day",
    "ukharvest_difference",
    "ukharvest_duration",
    "ukharvest_export",
    "ukharvest_extent",
    "ukharvest_facet_items",
    "ukharvest_facet_label",
    "ukharvest_facts",
    "ukharvest_field_value",
    "ukharvest_form_field",
    "ukharvest_form_hidden_fields",
    "ukharvest_form_keys",
    "ukharvest_form_suggestion",
    "ukharvest_frequency",
    "ukharvest_further_facts",
    "ukharvest_harvested_extras",
    "ukharvest_harvested_rows",
    "ukharvest_dataset_head",
    "ukharvest_in_navigation",
    "ukharvest_is_harvested",
    "ukharvest_run_stats",
    "ukharvest_licence",
    "ukharvest_language_names",
    "ukharvest_link",
    "ukharvest_link_state",
    "ukharvest_dataset_badges",
    "ukharvest_may_edit",
    "ukharvest_may_harvest",
    "ukharvest_may_manage",
    "ukharvest_notice",
    "ukharvest_number",
    "ukharvest_organization_fields",
    "ukharvest_own_extras",
    "ukharvest_own_pages",
    "ukharvest_page_numbers",
    "ukharvest_phone_order",
    "ukharvest_place",
    "ukharvest_provenance",
    "ukharvest_record_form",
    "ukharvest_record_problems",
    "ukharvest_resource_groups",
    "ukharvest_resource_line",
    "ukharvest_run_chart",
    "ukharvest_size",
    "ukharvest_source_record",
    "ukharvest_source_tabs",
    "ukharvest_source_count",
    "ukharvest_source_type",
    "ukharvest_severities",
    "ukharvest_status",
    "ukharvest_supplied_labels",
    "ukharvest_web_url",
    "ukharvest_time",
]
