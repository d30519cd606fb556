"""Authorisation of our own actions; ckanext-harvest's actions keep theirs."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz, model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.logic.may import may, may_if_there
from ckanext.ukharvest.model import Record, trials

Answer = dict[str, Any]


def _answer(allowed: bool, refusal: str) -> Answer:
    return {"success": True} if allowed else {"success": False, "msg": refusal}


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
    refusal = tk._("Not authorised to read this harvest object")
    return _answer(may_if_there(context, action, id=wanted), refusal)


def _of_source(context: Any, source_id: str | None) -> Answer:
    refusal = tk._("Not authorised to see how this harvest source is")
    return _answer(may(context, "harvest_source_update", id=source_id), refusal)


def _source_id(data_dict: dict[str, Any]) -> str | None:
    """Return the source of the run ``job_id``; without one, what ``source_id`` names."""
    if data_dict.get("job_id"):
        return _source_of_run(data_dict["job_id"])
    return data_dict.get("source_id")


def _source_of_run(job_id: Any) -> str:
    job = model.Session.get(HarvestJob, str(job_id))
    if job is None:
        raise tk.ObjectNotFound(tk._("There is no run of this id."))
    return str(job.source_id)


def _source_of_record(record_id: Any) -> str:
    row = model.Session.get(Record, int(record_id)) if str(record_id).isdecimal() else None
    if row is None:
        raise tk.ObjectNotFound(tk._("There is no record of this number."))
    return str(row.source_id)


@tk.auth_allow_anonymous_access
def ukharvest_sources_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Everybody: what is not public is left out, or told to those who may update the source."""
    return {"success": True}


ukharvest_types_list = ukharvest_sources_list
ukharvest_vocabulary_list = ukharvest_sources_list
ukharvest_vocabulary_show = ukharvest_sources_list
ukharvest_stars_report = ukharvest_sources_list
ukharvest_stars_list = ukharvest_sources_list


def ukharvest_theme_suggest(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Every user: CKAN itself refuses those who are not logged in."""
    return {"success": True}


@tk.auth_allow_anonymous_access
def ukharvest_dataset_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may read the dataset."""
    refusal = tk._("Not authorised to read this dataset")
    return _answer(may(context, "package_show", id=data_dict.get("id")), refusal)


ukharvest_dataset_changes = ukharvest_dataset_show
ukharvest_coupled_show = ukharvest_dataset_show
ukharvest_theme_show = ukharvest_dataset_show
ukharvest_stars_show = ukharvest_dataset_show


def ukharvest_source_check(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source of the run ``job_id``, or the one that ``source_id`` names."""
    return _of_source(context, _source_id(data_dict))


ukharvest_deletions_list = ukharvest_source_check
ukharvest_mail_show = ukharvest_source_check
ukharvest_mail_test = ukharvest_source_check
ukharvest_mail_update = ukharvest_source_check
ukharvest_problem_groups = ukharvest_source_check
ukharvest_problem_list = ukharvest_source_check
ukharvest_record_list = ukharvest_source_check
ukharvest_record_versions = ukharvest_source_check
ukharvest_schedule_show = ukharvest_source_check
ukharvest_schedule_update = ukharvest_source_check


def ukharvest_run_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source of the run ``id``."""
    return _of_source(context, _source_of_run(data_dict.get("id")))


ukharvest_run_stop = ukharvest_run_show


def ukharvest_record_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source of the record ``id``."""
    return _of_source(context, _source_of_record(data_dict.get("id")))


def ukharvest_run_create(context: Any, data_dict: dict[str, Any]) -> Answer:
    """As harvest_job_create, whatever starts the run."""
    refusal = tk._("Not authorised to run this harvest source")
    source_id = data_dict.get("source_id")
    return _answer(may(context, "harvest_job_create", source_id=source_id), refusal)


def ukharvest_record_run(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may start a run of the source of the record ``id``."""
    source_id = _source_of_record(data_dict.get("id"))
    return ukharvest_run_create(context, {"source_id": source_id})


def ukharvest_deletions_approve(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Administrators of the source's organisation; sysadmins are not asked."""
    package = model.Package.get(data_dict.get("source_id") or "-")
    organisation = package.owner_org if package and package.type == "harvest" else None
    # No role below "admin" has the permission of this name.
    role = authz.has_user_permission_for_group_or_org(organisation, context.get("user"), "admin")
    refusal = tk._("Only an administrator of the source's organisation may approve deletions")
    return _answer(role, refusal)


ukharvest_deletions_keep = ukharvest_deletions_approve


def ukharvest_jobs_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source; without a source, sysadmins."""
    source = data_dict.get("source")
    if not source:
        return {"success": False, "msg": tk._("Only sysadmins may list the runs of all sources")}
    return _of_source(context, source)


def ukharvest_link_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may update the source; without a source, sysadmins."""
    source = data_dict.get("source")
    if not source:
        return {"success": False, "msg": tk._("Only sysadmins may list the links of all sources")}
    return _of_source(context, source)


@tk.auth_allow_anonymous_access
def ukharvest_link_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may see the resource."""
    refusal = tk._("Not authorised to read this resource")
    return _answer(may(context, "resource_show", id=data_dict.get("id")), refusal)


def ukharvest_links_look(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may edit the dataset."""
    refusal = tk._("Not authorised to edit this dataset")
    return _answer(may(context, "package_update", id=data_dict.get("id")), refusal)


@tk.auth_allow_anonymous_access
def ukharvest_source_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may see the source; how it does is told to those who may update it."""
    refusal = tk._("Not authorised to see this harvest source")
    id_ = data_dict.get("source_id")
    # Who may update it may see it, and is asked for anyhow; the other question costs twice that.
    is_seen = may(context, "harvest_source_update", id=id_) or may(context, "package_show", id=id_)
    return _answer(is_seen, refusal)


def ukharvest_source_test(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who may add a source to an organisation; of a saved one, who may update it."""
    refusal = tk._("Not authorised to test harvest sources")
    if data_dict.get("id"):
        return _answer(may(context, "harvest_source_update", id=data_dict["id"]), refusal)
    user = context.get("user")
    if not authz.has_user_permission_for_some_org(user, "create_dataset"):
        return {"success": False, "msg": refusal}
    return _answer(may(context, "harvest_source_create", id=None), refusal)


def ukharvest_trial_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Who asked for it; of a saved source, who may update that."""
    trial = data_dict.get("trial") or trials.get(str(data_dict.get("id")))
    if trial is not None and trial.source_id:
        return _of_source(context, trial.source_id)
    if trial is not None and trial.user_name == context.get("user"):
        return {"success": True}
    return {"success": False, "msg": tk._("Only who asked for a test sees what it found")}


ukharvest_trial_stop = ukharvest_trial_show


def ukharvest_notice_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Whoever may add or edit a source somewhere."""
    if authz.has_user_permission_for_some_org(context.get("user"), "update_dataset"):
        return {"success": True}
    return {"success": False, "msg": tk._("The notice is for those who look after sources")}


def ukharvest_notice_update(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Sysadmins, to whom CKAN never refuses anything."""
    return {"success": False, "msg": tk._("Only sysadmins may set the notice")}


def ukharvest_dashboard(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Sysadmins, to whom CKAN never refuses anything."""
    return {"success": False, "msg": tk._("Only sysadmins see how harvesting as a whole is")}


def ukharvest_doctor(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Sysadmins, to whom CKAN never refuses anything."""
    return {"success": False, "msg": tk._("Only sysadmins may have the portal examined")}
