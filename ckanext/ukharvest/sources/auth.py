"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.auth import (
    Answer,
    answer,
    answer_of_source,
    anyone,
    update_source_of_run,
)
from ckanext.ukharvest.lib.permissions import may


def ukharvest_run_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source; without a source, only sysadmins."""
    refusal = answer(False, tk._("Only sysadmins may list the runs of all sources"))
    return answer_of_source(context, data_dict["source"]) if data_dict.get("source") else refusal


def ukharvest_decision_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source; without a source, only sysadmins."""
    refusal = answer(False, tk._("Only sysadmins may list the decisions about all sources"))
    return answer_of_source(context, data_dict["source"]) if data_dict.get("source") else refusal


@tk.auth_allow_anonymous_access
def ukharvest_source_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may read the source; its status is shown to those who may update it."""
    refusal = tk._("Not authorised to see this harvest source")
    id_ = data_dict.get("source_id")
    # Whoever may update it may read it. The action needs this check anyway; the other is slower.
    is_seen = may(context, "harvest_source_update", id=id_) or may(context, "package_show", id=id_)
    return answer(is_seen, refusal)


ukharvest_source_list = anyone
ukharvest_type_list = anyone
ukharvest_place_list = anyone

ukharvest_run_stop = update_source_of_run
