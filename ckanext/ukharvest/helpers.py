"""Template helpers."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins.toolkit as tk
from ckan.lib.search import SearchError
from markupsafe import Markup

from ckanext.ukharvest import extent_map, fields_shown, record_form
from ckanext.ukharvest.model import documents

log = logging.getLogger(__name__)


def ukharvest_job_stats(job_id: str) -> dict[str, int]:
    """Return the figures of a run as ``harvest_job_show`` has them: added, updated, …"""
    context = {"ignore_auth": True, "return_error_summary": False}
    stats: dict[str, int] = tk.get_action("harvest_job_show")(context, {"id": job_id})["stats"]
    return stats


def ukharvest_coupled(package_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return the coupled datasets and services that the reader of the page may see."""
    try:
        context = {"user": tk.current_user.name}
        return dict(tk.get_action("ukharvest_coupled_show")(context, {"id": package_id}))
    except SearchError:  # the page is of use without them
        log.exception("What is coupled with %s could not be looked up", package_id)
        return {"datasets": [], "services": []}


def ukharvest_facts(package: dict[str, Any]) -> list[tuple[str, Markup]] | None:
    """Return label and value of each extra of a harvested dataset; None if it is of another kind.

    What the portal hides (``package_hide_extras``) stays hidden.
    """
    if not _is_harvested(package):
        return None
    shown = tk.h.sorted_extras(package.get("extras", ()))
    facts = {key: str(value) for key, value in shown}
    facts["spatial"] = extent_map.in_words(facts.get("spatial", "")) or facts.get("spatial", "")
    return [(tk._(label), value) for label, value in fields_shown.rows(facts)]


def ukharvest_extent(package: dict[str, Any]) -> Markup | None:
    """Return a map of where a harvested dataset lies, None if it does not say."""
    geometry = _fact(package, "spatial")
    if not geometry or not _is_harvested(package):
        return None
    return extent_map.figure(geometry, tk.h.url_for_static)


def ukharvest_source_record(package: dict[str, Any]) -> dict[str, str] | None:
    """Return ``form``, ``extension`` and ``size`` of the stored record of a harvested dataset.

    None for other datasets, and where nothing is stored.
    """
    glance = documents.glance_at(package["id"]) if _is_harvested(package) else None
    if glance is None:
        return None
    form = record_form.form_of(glance.head)
    size = record_form.size_in_words(glance.size)
    return {"form": form.label, "extension": form.extension, "size": size}


def ukharvest_link(resource: dict[str, Any]) -> dict[str, Any]:
    """Return what was found at a resource's address, as far as the reader of the page may see it.

    As ``ukharvest_link_show``; {} if it was never looked at.
    """
    try:
        context = {"user": tk.current_user.name}
        return dict(tk.get_action("ukharvest_link_show")(context, {"id": resource["id"]}))
    except (tk.ObjectNotFound, tk.NotAuthorized):
        return {}


def _is_harvested(package: dict[str, Any]) -> bool:
    return _fact(package, "import_source") == "harvest"


def _fact(package: dict[str, Any], key: str) -> str:
    """Return a field of the portal's dataset schema, or the extra of that name."""
    extras = {each["key"]: each["value"] for each in package.get("extras", ())}
    return str(package.get(key) or extras.get(key) or "")
