"""Who may call the actions of doctor, dashboard and notice. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan import authz

from ckanext.ukharvest.lib.auth import Answer, answer
from ckanext.ukharvest.lib.texts import gettext


def ukharvest_notice_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may add or edit datasets in any organisation."""
    is_allowed = authz.has_user_permission_for_some_org(context.get("user"), "update_dataset")
    refusal = gettext("Only people who can add or edit a source can see the notice")
    return answer(is_allowed, refusal)


def ukharvest_notice_update(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow sysadmins only."""
    return answer(False, gettext("Only sysadmins may set the notice"))


def ukharvest_dashboard_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow sysadmins only."""
    return answer(False, gettext("Only sysadmins can see the dashboard"))


def ukharvest_doctor_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow sysadmins only."""
    return answer(False, gettext("Only sysadmins can run these checks"))
