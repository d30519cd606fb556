"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.auth import (
    Answer,
    answer,
    answer_of_source,
    is_administrator,
    source_of_record,
    update_source,
    update_source_of_run,
)


def ukharvest_record_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source of the record ``id``."""
    return answer_of_source(context, source_of_record(data_dict.get("id")))


def ukharvest_problem_decide(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow administrators of the source's organisation."""
    refusal = tk._("Only an administrator of the source's organisation may accept a problem")
    package = model.Package.get(data_dict.get("source_id") or "-")
    return answer(is_administrator(context, package), refusal)


ukharvest_problem_group_list = update_source
ukharvest_problem_list = update_source
ukharvest_record_list = update_source
ukharvest_record_version_list = update_source

ukharvest_run_show = update_source_of_run
