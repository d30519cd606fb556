"""Who may call the actions of doctor, dashboard and notice. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan import authz

from ckanext.ukharvest.lib.auth import Answer, answer, only_sysadmins
from ckanext.ukharvest.lib.texts import gettext


def ukharvest_notice_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may add or edit datasets in any organisation."""
    is_allowed = authz.has_user_permission_for_some_org(context.get("user"), "update_dataset")
    refusal = gettext("Only people who can add or edit a source can see the notice")
    return answer(is_allowed, refusal)


ukharvest_dashboard_show = only_sysadmins
ukharvest_doctor_show = only_sysadmins
ukharvest_notice_update = only_sysadmins
