"""Actions, in one module per subject; ``__all__`` lists those that CKAN gets."""

from __future__ import annotations

from ckanext.ukharvest.doctor.actions import (
    ukharvest_dashboard_show,
    ukharvest_doctor_show,
    ukharvest_notice_show,
    ukharvest_notice_update,
)
from ckanext.ukharvest.logic.action.adopt import ukharvest_source_adopt
from ckanext.ukharvest.logic.action.changed_identifiers import (
    ukharvest_identifier_change_decide,
    ukharvest_identifier_change_list,
)
from ckanext.ukharvest.logic.action.core import (
    organization_create,
    organization_update,
    package_create,
    package_update,
    status_show,
)
from ckanext.ukharvest.logic.action.data_checks import (
    ukharvest_data_check_list,
    ukharvest_data_check_show,
)
from ckanext.ukharvest.logic.action.deletions import (
    ukharvest_deletion_decide,
    ukharvest_deletion_list,
)
from ckanext.ukharvest.logic.action.figures import (
    harvest_job_list,
    harvest_job_show,
    harvest_source_reindex,
    harvest_source_show_status,
)
from ckanext.ukharvest.logic.action.links import (
    ukharvest_broken_link_list,
    ukharvest_link_check,
    ukharvest_link_show,
)
from ckanext.ukharvest.logic.action.lists import (
    ukharvest_link_list,
    ukharvest_place_list,
    ukharvest_type_list,
)
from ckanext.ukharvest.logic.action.mail import (
    ukharvest_mail_show,
    ukharvest_mail_update,
)
from ckanext.ukharvest.logic.action.operations import (
    harvest_job_create,
    harvest_jobs_run,
    ukharvest_run_create,
    ukharvest_schedule_update,
)
from ckanext.ukharvest.logic.action.problems import (
    ukharvest_problem_group_list,
    ukharvest_problem_list,
    ukharvest_record_list,
    ukharvest_run_show,
)
from ckanext.ukharvest.logic.action.provenance import (
    ukharvest_dataset_change_list,
    ukharvest_dataset_show,
)
from ckanext.ukharvest.logic.action.record import ukharvest_record_show
from ckanext.ukharvest.logic.action.runs import (
    harvest_abort_failed_jobs,
    harvest_job_abort,
    ukharvest_run_list,
    ukharvest_run_stop,
    ukharvest_source_show,
)
from ckanext.ukharvest.logic.action.source_list import ukharvest_source_list
from ckanext.ukharvest.logic.action.source_previews import (
    ukharvest_check_create,
    ukharvest_source_move,
    ukharvest_source_preview_create,
    ukharvest_source_preview_show,
    ukharvest_source_preview_stop,
)
from ckanext.ukharvest.logic.action.stock import (
    harvest_get_notifications_recipients,
    harvest_object_show,
    harvest_source_clear,
    harvest_source_job_history_clear,
    harvest_sources_job_history_clear,
)
from ckanext.ukharvest.logic.action.versions import ukharvest_record_version_list
from ckanext.ukharvest.stars.actions import (
    ukharvest_stars_list,
    ukharvest_stars_show,
)
from ckanext.ukharvest.themes.actions import ukharvest_theme_suggest

__all__ = [
    "harvest_abort_failed_jobs",
    "harvest_get_notifications_recipients",
    "harvest_job_abort",
    "harvest_job_create",
    "harvest_job_list",
    "harvest_job_show",
    "harvest_jobs_run",
    "harvest_object_show",
    "harvest_source_clear",
    "harvest_source_job_history_clear",
    "harvest_source_reindex",
    "harvest_source_show_status",
    "harvest_sources_job_history_clear",
    "organization_create",
    "organization_update",
    "package_create",
    "package_update",
    "status_show",
    "ukharvest_check_create",
    "ukharvest_dashboard_show",
    "ukharvest_data_check_list",
    "ukharvest_data_check_show",
    "ukharvest_dataset_change_list",
    "ukharvest_dataset_show",
    "ukharvest_deletion_decide",
    "ukharvest_deletion_list",
    "ukharvest_doctor_show",
    "ukharvest_identifier_change_decide",
    "ukharvest_identifier_change_list",
    "ukharvest_run_list",
    "ukharvest_link_list",
    "ukharvest_link_show",
    "ukharvest_link_check",
    "ukharvest_broken_link_list",
    "ukharvest_notice_show",
    "ukharvest_notice_update",
    "ukharvest_problem_group_list",
    "ukharvest_problem_list",
    "ukharvest_record_list",
    "ukharvest_record_show",
    "ukharvest_mail_show",
    "ukharvest_mail_update",
    "ukharvest_record_version_list",
    "ukharvest_run_create",
    "ukharvest_run_show",
    "ukharvest_run_stop",
    "ukharvest_schedule_update",
    "ukharvest_source_adopt",
    "ukharvest_source_move",
    "ukharvest_source_preview_create",
    "ukharvest_source_show",
    "ukharvest_source_list",
    "ukharvest_stars_list",
    "ukharvest_stars_show",
    "ukharvest_theme_suggest",
    "ukharvest_source_preview_show",
    "ukharvest_source_preview_stop",
    "ukharvest_place_list",
    "ukharvest_type_list",
]
