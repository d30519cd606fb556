"""Actions, by subject; CKAN exports what ``__all__`` names."""

from __future__ import annotations

from ckanext.ukharvest.logic.action.figures import (
    harvest_job_list,
    harvest_job_show,
    harvest_source_reindex,
    harvest_source_show_status,
)

__all__ = [
    "harvest_job_list",
    "harvest_job_show",
    "harvest_source_reindex",
    "harvest_source_show_status",
]
