"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan import authz
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.lib.auth import Answer, answer, see_preview, update_source
from ckanext.ukharvest.lib.permissions import may


def ukharvest_source_preview_create(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may add a source to an organisation; of a saved one, who may update it."""
    refusal = tk._("Not authorised to test harvest sources")
    if data_dict.get("id"):
        return answer(may(context, "harvest_source_update", id=data_dict["id"]), refusal)
    user = context.get("user")
    if not authz.has_user_permission_for_some_org(user, "create_dataset"):
        return {"success": False, "msg": refusal}
    return answer(may(context, "harvest_source_create", id=None), refusal)


@tk.auth_allow_anonymous_access
def ukharvest_check_create(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow every logged-in user, and visitors if the ini says so."""
    is_allowed = bool(context.get("user")) or config.check_visitors()
    return answer(is_allowed, tk._("Log in to check a file or a source"))


ukharvest_source_move = update_source

ukharvest_source_preview_show = see_preview
ukharvest_source_preview_stop = see_preview
