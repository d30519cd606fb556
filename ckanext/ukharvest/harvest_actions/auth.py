"""Who may call ckanext-harvest's actions, and ours about runs. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.lib import permissions
from ckanext.ukharvest.lib.auth import (
    Answer,
    answer,
    is_administrator,
    only_sysadmins,
    update_source,
    update_source_of_run,
    update_source_or_sysadmin,
)
from ckanext.ukharvest.lib.permissions import may, may_if_exists


def ukharvest_run_create(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may call harvest_job_create for the source ``source_id``."""
    is_allowed = may(context, "harvest_job_create", source_id=data_dict.get("source_id"))
    return answer(context, is_allowed)


ukharvest_run_list = update_source_or_sysadmin
ukharvest_run_stop = update_source_of_run
ukharvest_schedule_update = update_source


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
    if obj.package_id:
        is_readable = may_if_exists(context, "package_show", id=obj.package_id)
        return answer(context, is_readable, permissions.MEMBERS)
    return answer(
        context, may_if_exists(context, "harvest_source_update", id=obj.harvest_source_id)
    )


@tk.chained_auth_function
def harvest_source_clear(original: Any, context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may approve deletions; ckanext-harvest also allows editors."""
    allowed: Answer = original(context, data_dict)
    return _may_remove(context, data_dict) if allowed["success"] else allowed


def _may_remove(context: Any, data_dict: dict[str, Any]) -> Answer:
    package = model.Package.get(data_dict.get("id") or "-")
    return answer(context, is_administrator(context, package), permissions.ADMINISTRATORS)


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
    is_allowed = bool(source_id) and may(context, "harvest_source_update", id=str(source_id))
    return answer(context, is_allowed)


@tk.chained_auth_function
def _only_sysadmins(_original: Any, context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow sysadmins only, as ckanext-harvest does; but its function fails without a user."""
    return only_sysadmins(context, data_dict)


harvest_job_abort = _only_sysadmins
harvest_job_create_all = _only_sysadmins
harvest_jobs_run = _only_sysadmins
harvest_objects_import = _only_sysadmins
harvest_sources_clear = _only_sysadmins
harvest_sources_reindex = _only_sysadmins
