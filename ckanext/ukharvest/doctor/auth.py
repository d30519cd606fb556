"""Who may call the actions of doctor, dashboard and notice. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan import authz

from ckanext.ukharvest.lib.auth import Answer, answer, only_sysadmins


def ukharvest_notice_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may add or edit datasets in any organisation."""
    is_allowed = authz.has_user_permission_for_some_org(context.get("user"), "update_dataset")
    return answer(context, is_allowed)


ukharvest_dashboard_show = only_sysadmins
ukharvest_doctor_show = only_sysadmins
ukharvest_notice_update = only_sysadmins
