"""Actions, by subject; CKAN exports what ``__all__`` names."""

from __future__ import annotations

from ckanext.ukharvest.logic.action.figures import (
    harvest_job_list,
    harvest_job_show,
    harvest_source_reindex,
    harvest_source_show_status,
)
from ckanext.ukharvest.logic.action.lists import (
    ukharvest_doctor,
    ukharvest_jobs_list,
    ukharvest_sources_list,
    ukharvest_types_list,
)

__all__ = [
    "harvest_job_list",
    "harvest_job_show",
    "harvest_source_reindex",
    "harvest_source_show_status",
    "ukharvest_doctor",
    "ukharvest_jobs_list",
    "ukharvest_sources_list",
    "ukharvest_types_list",
]
