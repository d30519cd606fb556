"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan import authz, model

from ckanext.ukharvest.lib.auth import (
    Answer,
    answer,
    answer_of_source,
    read_resource,
    update_source_or_sysadmin,
)
from ckanext.ukharvest.lib.permissions import may


def ukharvest_broken_link_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow who may update the source, or edit the organisation's datasets; else sysadmins."""
    if data_dict.get("source"):
        return answer_of_source(context, data_dict["source"])
    organisation = model.Group.get(data_dict.get("organization") or "-")
    may_edit = organisation is not None and authz.has_user_permission_for_group_or_org(
        organisation.id, context.get("user"), "update_dataset"
    )
    return answer(context, bool(may_edit))


def ukharvest_link_check(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may edit the dataset."""
    return answer(context, may(context, "package_update", id=data_dict.get("id")))


ukharvest_link_list = update_source_or_sysadmin
ukharvest_link_show = read_resource
