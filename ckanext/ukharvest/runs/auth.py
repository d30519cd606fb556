"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.lib.auth import (
    Answer,
    administer_source,
    answer_of_source,
    source_of_record,
    update_source,
    update_source_of_run,
)


def ukharvest_record_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source of the record ``id``."""
    return answer_of_source(context, source_of_record(data_dict.get("id")))


ukharvest_problem_decide = administer_source
ukharvest_problem_group_list = update_source
ukharvest_problem_list = update_source
ukharvest_record_list = update_source
ukharvest_record_version_list = update_source

ukharvest_run_show = update_source_of_run
