"""Authorisation of our own actions; ckanext-harvest's actions keep theirs."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz, model
from ckanext.harvest.model import HarvestObject

Answer = dict[str, Any]


def _as(action: str, context: Any, id_: Any, refusal: str) -> Answer:
    """Answer as another action's authorisation does for the same user."""
    own_context = {"user": context.get("user"), "model": model, "session": model.Session}
    try:
        tk.check_access(action, own_context, {"id": id_})
    except tk.NotAuthorized:
        return {"success": False, "msg": refusal}
    return {"success": True}


def _object(data_dict: dict[str, Any]) -> HarvestObject | None:
    """Return the object that ckanext-harvest's action is going to show."""
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
    """Who may read the dataset; for an object without one, who may update the source.

    ckanext-harvest shows every object to everybody, those of private datasets too.
    """
    obj = _object(data_dict)
    if obj is None:
        answer: Answer = original(context, data_dict)  # the action says that there is none
        return answer
    action, wanted = "package_show", obj.package_id
    if not wanted:
        action, wanted = "harvest_source_update", obj.harvest_source_id
    try:
        own_context = {"user": context.get("user"), "model": model, "session": model.Session}
        tk.check_access(action, own_context, {"id": wanted})
    except (tk.NotAuthorized, tk.ObjectNotFound):
        return {"success": False, "msg": tk._("Not authorised to read this harvest object")}
    return {"success": True}


def ukharvest_sources_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Sysadmins, to whom CKAN never refuses anything."""
    return {"success": False, "msg": tk._("Only sysadmins may list all harvest sources")}


def ukharvest_jobs_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source; without a source, sysadmins."""
    source = data_dict.get("source")
    if not source:
        return {"success": False, "msg": tk._("Only sysadmins may list the runs of all sources")}
    try:
        tk.check_access("harvest_source_update", context, {"id": source})
    except tk.NotAuthorized:
        return {"success": False, "msg": tk._("Not authorised to list the runs of this source")}
    return {"success": True}


def ukharvest_link_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source; without a source, sysadmins."""
    source = data_dict.get("source")
    if not source:
        return {"success": False, "msg": tk._("Only sysadmins may list the links of all sources")}
    return _may_update_source(context, {"source_id": source})


@tk.auth_allow_anonymous_access
def ukharvest_link_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may see the resource."""
    refusal = tk._("Not authorised to read this resource")
    return _as("resource_show", context, data_dict.get("id"), refusal)


def ukharvest_links_look(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may edit the dataset."""
    refusal = tk._("Not authorised to edit this dataset")
    return _as("package_update", context, data_dict.get("id"), refusal)


@tk.auth_allow_anonymous_access
def ukharvest_types_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Everybody, as with ckanext-harvest's list of harvesters."""
    return {"success": True}


@tk.auth_allow_anonymous_access
def ukharvest_vocabulary_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Everybody: they are published lists."""
    return {"success": True}


@tk.auth_allow_anonymous_access
def ukharvest_vocabulary_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Everybody."""
    return {"success": True}


@tk.auth_allow_anonymous_access
def ukharvest_coupled_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may read the dataset."""
    return _may_read_dataset(context, data_dict)


@tk.auth_allow_anonymous_access
def ukharvest_theme_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may read the dataset."""
    return _may_read_dataset(context, data_dict)


def ukharvest_theme_suggest(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Every user: CKAN itself refuses those who are not logged in."""
    return {"success": True}


@tk.auth_allow_anonymous_access
def ukharvest_stars_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may read the dataset."""
    return _may_read_dataset(context, data_dict)


@tk.auth_allow_anonymous_access
def ukharvest_stars_report(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Everybody: only public datasets are counted."""
    return {"success": True}


@tk.auth_allow_anonymous_access
def ukharvest_stars_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Everybody: only public datasets are listed."""
    return {"success": True}


def ukharvest_doctor(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Sysadmins, to whom CKAN never refuses anything."""
    return {"success": False, "msg": tk._("Only sysadmins may have the portal examined")}


def _may_read_dataset(context: Any, data_dict: dict[str, Any]) -> Answer:
    refusal = tk._("Not authorised to read this dataset")
    return _as("package_show", context, data_dict.get("id"), refusal)


def _may_update_source(context: Any, data_dict: dict[str, Any]) -> Answer:
    refusal = tk._("Not authorised to see this harvest source's state")
    return _as("harvest_source_update", context, data_dict.get("source_id"), refusal)


def ukharvest_deletions_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source."""
    return _may_update_source(context, data_dict)


def ukharvest_record_versions(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source."""
    return _may_update_source(context, data_dict)


def ukharvest_deletions_approve(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Administrators of the source's organisation; sysadmins are not asked."""
    package = model.Package.get(data_dict.get("source_id") or "-")
    organisation = package.owner_org if package and package.type == "harvest" else None
    user = context.get("user")
    # No role below "admin" has the permission of this name.
    if authz.has_user_permission_for_group_or_org(organisation, user, "admin"):
        return {"success": True}
    return {
        "success": False,
        "msg": tk._("Only an administrator of the source's organisation may approve deletions"),
    }


def ukharvest_schedule_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source."""
    return _may_update_source(context, data_dict)


def ukharvest_schedule_update(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source."""
    return _may_update_source(context, data_dict)


def ukharvest_run_create(context: Any, data_dict: dict[str, Any]) -> Answer:
    """As harvest_job_create, whatever starts the run."""
    own_context = {"user": context.get("user"), "model": model, "session": model.Session}
    try:
        tk.check_access("harvest_job_create", own_context, {"source_id": data_dict["source_id"]})
    except tk.NotAuthorized:
        return {"success": False, "msg": tk._("Not authorised to run this harvest source")}
    return {"success": True}
