"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.auth import (
    Answer,
    answer,
    anyone,
    update_source_or_sysadmin,
)
from ckanext.ukharvest.lib.permissions import MEMBERS, may


@tk.auth_allow_anonymous_access
def ukharvest_source_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may read the source; its status is shown to those who may update it."""
    id_ = data_dict.get("source_id")
    # Whoever may update it may read it. The action needs this check anyway; the other is slower.
    is_seen = may(context, "harvest_source_update", id=id_) or may(context, "package_show", id=id_)
    return answer(context, is_seen, MEMBERS)


ukharvest_source_list = anyone
ukharvest_type_list = anyone
ukharvest_place_list = anyone

ukharvest_decision_list = update_source_or_sysadmin
