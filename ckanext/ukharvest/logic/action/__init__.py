"""Actions, by subject; CKAN exports what ``__all__`` names."""

from __future__ import annotations

from ckanext.ukharvest.logic.action.coupled import ukharvest_coupled_show
from ckanext.ukharvest.logic.action.deletions import (
    ukharvest_deletions_approve,
    ukharvest_deletions_list,
)
from ckanext.ukharvest.logic.action.figures import (
    harvest_job_list,
    harvest_job_show,
    harvest_source_reindex,
    harvest_source_show_status,
)
from ckanext.ukharvest.logic.action.links import ukharvest_link_show, ukharvest_links_look
from ckanext.ukharvest.logic.action.lists import (
    ukharvest_doctor,
    ukharvest_jobs_list,
    ukharvest_link_list,
    ukharvest_sources_list,
    ukharvest_types_list,
)
from ckanext.ukharvest.logic.action.operations import (
    harvest_jobs_run,
    ukharvest_run_create,
    ukharvest_schedule_show,
    ukharvest_schedule_update,
)
from ckanext.ukharvest.logic.action.stars import (
    ukharvest_stars_list,
    ukharvest_stars_report,
    ukharvest_stars_show,
)
from ckanext.ukharvest.logic.action.stock import (
    harvest_object_show,
    harvest_source_clear,
    harvest_source_job_history_clear,
    harvest_sources_job_history_clear,
)
from ckanext.ukharvest.logic.action.themes import (
    ukharvest_theme_show,
    ukharvest_theme_suggest,
)
from ckanext.ukharvest.logic.action.versions import ukharvest_record_versions
from ckanext.ukharvest.logic.action.vocabularies import (
    ukharvest_vocabulary_list,
    ukharvest_vocabulary_show,
)

__all__ = [
    "harvest_job_list",
    "harvest_job_show",
    "harvest_jobs_run",
    "harvest_object_show",
    "harvest_source_clear",
    "harvest_source_job_history_clear",
    "harvest_source_reindex",
    "harvest_source_show_status",
    "harvest_sources_job_history_clear",
    "ukharvest_coupled_show",
    "ukharvest_deletions_approve",
    "ukharvest_deletions_list",
    "ukharvest_doctor",
    "ukharvest_jobs_list",
    "ukharvest_link_list",
    "ukharvest_link_show",
    "ukharvest_links_look",
    "ukharvest_record_versions",
    "ukharvest_run_create",
    "ukharvest_schedule_show",
    "ukharvest_schedule_update",
    "ukharvest_sources_list",
    "ukharvest_stars_list",
    "ukharvest_stars_report",
    "ukharvest_stars_show",
    "ukharvest_theme_show",
    "ukharvest_theme_suggest",
    "ukharvest_types_list",
    "ukharvest_vocabulary_list",
    "ukharvest_vocabulary_show",
]
