"""What auth functions of actions share; each feature has its own in ``auth.py``.

There is one for each parameter that names something, and an action calls it with the parameter by
which it then finds the thing.

The first line of each says who is allowed. CKAN allows sysadmins everything.
"""

from __future__ import annotations

from typing import Any

from ckan import authz, model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib import lookups, permissions
from ckanext.ukharvest.lib.lookups import run_row
from ckanext.ukharvest.lib.permissions import may

Answer = dict[str, Any]


def answer(context: Any, allowed: bool, refusal: str = permissions.EDITORS) -> Answer:
    """Return what CKAN expects of an auth function.

    Args:
        refusal: who is allowed, English; anonymous users are asked to log in instead.
    """
    if allowed:
        return {"success": True}
    return {"success": False, "msg": tk._(refusal if context.get("user") else permissions.LOG_IN)}


def answer_of_source(context: Any, source_id: str | None) -> Answer:
    """Allow users who may update the source."""
    return answer(context, may(context, "harvest_source_update", id=source_id))


def source_of_run(job_id: Any) -> str:
    """Return the id of the source of a run."""
    return str(run_row(str(job_id)).job.source_id)


def source_of_record(record_id: Any) -> str:
    """Return the id of the source of a record."""
    return str(lookups.find_record(record_id).row.source_id)


@tk.auth_allow_anonymous_access
def anyone(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow everybody: the actions return what is not public only to users who may see it."""
    return {"success": True}


@tk.auth_allow_anonymous_access
def read_dataset(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may read the dataset."""
    is_readable = may(context, "package_show", id=data_dict.get("id"))
    return answer(context, is_readable, permissions.MEMBERS)


def update_source(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source ``source_id``."""
    return answer_of_source(context, data_dict.get("source_id"))


def update_source_or_sysadmin(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source ``source``; without a source, only sysadmins."""
    source = data_dict.get("source")
    return answer_of_source(context, source) if source else only_sysadmins(context, data_dict)


def only_sysadmins(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow sysadmins only."""
    return answer(context, False, permissions.SYSADMINS)


def update_source_of_run(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source of the run ``id``."""
    return answer_of_source(context, source_of_run(data_dict.get("id")))


def is_administrator(context: Any, source: model.Package | None) -> bool:
    """Tell whether the user is an administrator of the source's organisation."""
    organisation = source.owner_org if source and source.type == "harvest" else None
    # No role below "admin" has the permission of this name.
    user = context.get("user")
    return bool(authz.has_user_permission_for_group_or_org(organisation, user, "admin"))


def administer_source(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow administrators of the organisation of the source ``source_id``."""
    package = model.Package.get(data_dict.get("source_id") or "-")
    return answer(context, is_administrator(context, package), permissions.ADMINISTRATORS)


@tk.auth_allow_anonymous_access
def read_resource(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may read the resource."""
    is_readable = may(context, "resource_show", id=data_dict.get("id"))
    return answer(context, is_readable, permissions.MEMBERS)
