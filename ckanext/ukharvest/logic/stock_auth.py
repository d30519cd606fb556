"""Auth functions that restrict actions of ckanext-harvest, and where all auth functions are listed.

The first line of each says who is allowed. CKAN allows sysadmins everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.doctor import auth as doctor_auth
from ckanext.ukharvest.logic import auth
from ckanext.ukharvest.logic import auth as logic_auth
from ckanext.ukharvest.logic.auth import Answer, answer, is_administrator
from ckanext.ukharvest.logic.permissions import may, may_if_exists


def _object(data_dict: dict[str, Any]) -> HarvestObject | None:
    """Return the harvest object that ckanext-harvest's action will show."""
    if data_dict.get("id"):
        return HarvestObject.get(data_dict["id"], attr=data_dict.get("attr"))
    package = model.Package.get(data_dict.get("dataset_id") or "-")
    if package is None:
        return None
    return (
        model.Session.query(HarvestObject)
        .filter(HarvestObject.package_id == package.id, HarvestObject.current.is_(True))
        .order_by(HarvestObject.import_finished.desc())
        .first()
    )


@tk.auth_allow_anonymous_access
@tk.chained_auth_function
def harvest_object_show(original: Any, context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may read the dataset; without a dataset, those who may update the source.

    ckanext-harvest shows every object to everybody, also those of private datasets.
    """
    obj = _object(data_dict)
    if obj is None:
        return dict(original(context, data_dict))  # the action says that there is none
    is_readable = (
        may_if_exists(context, "package_show", id=obj.package_id)
        if obj.package_id
        else may_if_exists(context, "harvest_source_update", id=obj.harvest_source_id)
    )
    return answer(
        is_readable,
        tk._("Not authorised to read this harvest object"),
    )


@tk.chained_auth_function
def harvest_source_clear(original: Any, context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may approve deletions; ckanext-harvest also allows editors."""
    allowed: Answer = original(context, data_dict)
    return _may_remove(context, data_dict) if allowed["success"] else allowed


def _may_remove(context: Any, data_dict: dict[str, Any]) -> Answer:
    package = model.Package.get(data_dict.get("id") or "-")
    return answer(
        is_administrator(context, package),
        tk._("Only an administrator of the source's organisation may remove its datasets"),
    )


@tk.chained_auth_function
def harvest_source_delete(original: Any, context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow as ckanext-harvest does; with ``clear_source`` in the context, administrators only.

    With it the action also removes the datasets.
    """
    allowed: Answer = original(context, data_dict)
    if allowed["success"] and context.get("clear_source"):
        return _may_remove(context, data_dict)
    return allowed


@tk.chained_auth_function
def harvest_object_list(_original: Any, context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source ``source_id``; without a source, only sysadmins.

    ckanext-harvest allows everybody, and loads every harvest object with its content.
    """
    source_id = data_dict.get("source_id")
    refusal = tk._("Not authorised to list the harvest objects")
    is_allowed = bool(source_id) and may(context, "harvest_source_update", id=str(source_id))
    return answer(is_allowed, refusal)


@tk.chained_auth_function
def _only_sysadmins(_original: Any, context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow sysadmins only, as ckanext-harvest does; but its function fails without a user."""
    return answer(False, tk._("Only sysadmins may do this"))


_FOR_SYSADMINS = (
    *("harvest_job_abort", "harvest_job_create_all", "harvest_jobs_run", "harvest_objects_import"),
    *("harvest_sources_clear", "harvest_sources_reindex"),
)


def auth_functions() -> dict[str, Callable[..., Answer]]:
    """Return action name → auth function, of our own actions and of ckanext-harvest's."""
    own = {**vars(logic_auth), **vars(doctor_auth)}
    return {
        **{name: function for name, function in own.items() if name.startswith("ukharvest_")},
        **{
            f"ukharvest_{name}": function
            for function, names in auth.SAME_AS.items()
            for name in names
        },
        **dict.fromkeys(_FOR_SYSADMINS, _only_sysadmins),
        "harvest_object_list": harvest_object_list,
        "harvest_object_show": harvest_object_show,
        "harvest_source_clear": harvest_source_clear,
        "harvest_source_delete": harvest_source_delete,
    }
