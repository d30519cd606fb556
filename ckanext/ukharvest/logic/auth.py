"""Authorisation of our own actions; ckanext-harvest's actions keep theirs."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

Answer = dict[str, Any]


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


@tk.auth_allow_anonymous_access
def ukharvest_types_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Everybody, as with ckanext-harvest's list of harvesters."""
    return {"success": True}


def ukharvest_doctor(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Sysadmins, to whom CKAN never refuses anything."""
    return {"success": False, "msg": tk._("Only sysadmins may have the portal examined")}
