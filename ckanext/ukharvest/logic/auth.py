"""Auth functions of our own actions; ``stock_auth.py`` has those that restrict ckanext-harvest's.

The first line of each says who is allowed. CKAN allows sysadmins everything.
"""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz, model

from ckanext.ukharvest import config
from ckanext.ukharvest.logic.permissions import may
from ckanext.ukharvest.logic.sources import run_row
from ckanext.ukharvest.model import Record, source_previews

Answer = dict[str, Any]


def answer(allowed: bool, refusal: str) -> Answer:
    """Return what CKAN expects of an auth function."""
    return {"success": True} if allowed else {"success": False, "msg": refusal}


def _of_source(context: Any, source_id: str | None) -> Answer:
    return answer(
        may(context, "harvest_source_update", id=source_id),
        tk._("Not authorised to see the status of this harvest source"),
    )


def _source_id(data_dict: dict[str, Any]) -> str | None:
    """Return the id of the source of the run ``job_id``; without it, ``source_id``."""
    job_id = data_dict.get("job_id")
    return _source_of_run(job_id) if job_id else data_dict.get("source_id")


def _source_of_run(job_id: Any) -> str:
    return str(run_row(str(job_id)).job.source_id)


def _source_of_record(record_id: Any) -> str:
    row = model.Session.get(Record, int(record_id)) if str(record_id).isdecimal() else None
    if row is None:
        raise tk.ObjectNotFound(tk._("No record has this number."))
    return str(row.source_id)


@tk.auth_allow_anonymous_access
def ukharvest_source_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow everybody: the actions return what is not public only to users who may see it."""
    return {"success": True}


def ukharvest_theme_suggest(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow every logged-in user.

    Over the API CKAN does not refuse anonymous ones by itself: it takes its object for them, which
    is in the context, for a user.
    """
    return answer(bool(context.get("user")), tk._("Log in to have a theme suggested"))


@tk.auth_allow_anonymous_access
def ukharvest_dataset_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may read the dataset."""
    return answer(
        may(context, "package_show", id=data_dict.get("id")),
        tk._("Not authorised to read this dataset"),
    )


def ukharvest_deletion_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source of the run ``job_id``, or the source ``source_id``."""
    return _of_source(context, _source_id(data_dict))


def ukharvest_run_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source of the run ``id``."""
    return _of_source(context, _source_of_run(data_dict.get("id")))


def ukharvest_record_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source of the record ``id``."""
    return _of_source(context, _source_of_record(data_dict.get("id")))


def ukharvest_run_create(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may call harvest_job_create for the source, or that of ``record_id``."""
    refusal = tk._("Not authorised to run this harvest source")
    record_id, source_id = data_dict.get("record_id"), data_dict.get("source_id")
    source_id = _source_of_record(record_id) if record_id else source_id
    return answer(may(context, "harvest_job_create", source_id=source_id), refusal)


def ukharvest_deletion_decide(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow administrators of the source's organisation."""
    refusal = tk._("Only an administrator of the source's organisation may approve deletions")
    package = model.Package.get(data_dict.get("source_id") or "-")
    return answer(is_administrator(context, package), refusal)


def is_administrator(context: Any, source: model.Package | None) -> bool:
    """Tell whether the user is an administrator of the source's organisation."""
    organisation = source.owner_org if source and source.type == "harvest" else None
    # No role below "admin" has the permission of this name.
    user = context.get("user")
    return bool(authz.has_user_permission_for_group_or_org(organisation, user, "admin"))


def ukharvest_identifier_change_decide(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow administrators of the source's organisation."""
    refusal = tk._("Only an administrator of the source's organisation may decide this")
    package = model.Package.get(data_dict.get("source_id") or "-")
    return answer(is_administrator(context, package), refusal)


def ukharvest_run_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source; without a source, only sysadmins."""
    refusal = answer(False, tk._("Only sysadmins may list the runs of all sources"))
    return _of_source(context, data_dict["source"]) if data_dict.get("source") else refusal


def ukharvest_link_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may update the source; without a source, only sysadmins."""
    refusal = answer(False, tk._("Only sysadmins may list the links of all sources"))
    return _of_source(context, data_dict["source"]) if data_dict.get("source") else refusal


def ukharvest_broken_link_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow who may update the source, or edit the organisation's datasets; else sysadmins."""
    if data_dict.get("source"):
        return _of_source(context, data_dict["source"])
    organisation = model.Group.get(data_dict.get("organization") or "-")
    may_edit = organisation is not None and authz.has_user_permission_for_group_or_org(
        organisation.id, context.get("user"), "update_dataset"
    )
    return answer(
        bool(may_edit), tk._("Only users who may edit the datasets may list links that do not work")
    )


@tk.auth_allow_anonymous_access
def ukharvest_link_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may read the resource."""
    return answer(
        may(context, "resource_show", id=data_dict.get("id")),
        tk._("Not authorised to read this resource"),
    )


def ukharvest_link_check(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may edit the dataset."""
    return answer(
        may(context, "package_update", id=data_dict.get("id")),
        tk._("Not authorised to edit this dataset"),
    )


@tk.auth_allow_anonymous_access
def ukharvest_source_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who may read the source; its status is shown to those who may update it."""
    refusal = tk._("Not authorised to see this harvest source")
    id_ = data_dict.get("source_id")
    # Whoever may update it may read it. The action needs this check anyway; the other is slower.
    is_seen = may(context, "harvest_source_update", id=id_) or may(context, "package_show", id=id_)
    return answer(is_seen, refusal)


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
def ukharvest_source_preview_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow the user who started it; of a saved source, users who may update the source.

    A check is for everybody who has its id: no list shows ids, and they cannot be guessed.
    """
    preview = data_dict.get("preview") or source_previews.get(str(data_dict.get("id")))
    if preview is not None and preview.given is not None:
        return {"success": True}
    if preview is not None and preview.source_id:
        return _of_source(context, preview.source_id)
    user = context.get("user")
    is_own = preview is not None and bool(user) and preview.user_name == user
    return answer(is_own, tk._("Only the person who started a preview can see its result"))


@tk.auth_allow_anonymous_access
def ukharvest_check_create(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow every logged-in user, and visitors if the ini says so."""
    is_allowed = bool(context.get("user")) or config.check_visitors()
    return answer(is_allowed, tk._("Log in to check a file or a source"))


def ukharvest_source_adopt(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow sysadmins only."""
    return {"success": False, "msg": tk._("Only sysadmins may adopt harvest sources")}


# Actions that are allowed as another one is.
SAME_AS = {
    ukharvest_source_list: (
        "type_list",
        "place_list",
        "stars_list",
        "data_check_list",
    ),
    ukharvest_dataset_show: (
        "dataset_change_list",
        "stars_show",
    ),
    ukharvest_deletion_list: (
        "identifier_change_list",
        "mail_show",
        "mail_update",
        "problem_group_list",
        "problem_list",
        "record_list",
        "record_version_list",
        "schedule_update",
        "source_move",
    ),
    ukharvest_run_show: ("run_stop",),
    ukharvest_link_show: ("data_check_show",),
    ukharvest_source_preview_show: ("source_preview_stop",),
}
