"""Template helpers."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
from ckan.lib.search import SearchError
from markupsafe import Markup, escape

from ckanext.ukharvest import extent_map, field_values, fields, fields_shown, record_form
from ckanext.ukharvest.model import documents

_DATASET_KEYS = frozenset(each.key for each in fields.FIELDS if each.of == fields.DATASET)

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
    """Return label and value of each extra of a dataset, and of this extension's own fields.

    None if it was not harvested and has none of these fields. What the portal hides
    (``package_hide_extras``) stays hidden.
    """
    facts = _facts(package)
    own = {key: each for key, each in facts.items() if key in _DATASET_KEYS}
    if not own and not _is_harvested(package):
        return None
    said = {key: ukharvest_field_value(key, facts[key]) for key in field_values.KEYS & facts.keys()}
    if not _is_harvested(package):
        others = [(key, escape(facts[key])) for key in facts if key not in own]
        return [(tk._(label), value) for label, value in fields_shown.rows(own, said)] + others
    facts["spatial"] = extent_map.in_words(facts.get("spatial", "")) or facts.get("spatial", "")
    return [(tk._(label), value) for label, value in fields_shown.rows(facts, said)]


def ukharvest_field_value(key: str, value: Any) -> Markup:
    """Return a value of one of our fields for the page: labels with links.

    Args:
        key: of a field of ``fields.FIELDS``; other keys' texts are shown as extras are.
        value: as it is stored, or a list.
    """
    if value in (None, "", []):
        return Markup("")
    if key not in field_values.KEYS:
        return fields_shown.shown(value if isinstance(value, str) else json.dumps(value))
    return field_values.shown(key, value, field_values.Portal(tk._, _search_address))


@tk.chained_helper
def format_resource_items(
    next_: Callable[[list[tuple[str, Any]]], list[tuple[str, Any]]], items: list[tuple[str, Any]]
) -> list[tuple[str, Any]]:
    """Return a resource's further fields for its page; schemas with label and link."""
    found = dict(items)
    own = []
    for field in fields.FIELDS:
        if field.of != fields.RESOURCE:
            continue
        given = [found.pop(key, None) for key in (field.key, *field.aliases)]
        if value := next(filter(None, given), None):
            own.append((tk._(field.label), ukharvest_field_value(field.key, value)))
    return sorted(next_(list(found.items())) + own, key=lambda row: row[0].lower())


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


def _search_address(field: str, value: str) -> str:
    return str(tk.h.url_for("dataset.search", **{field: value}))


def _facts(package: dict[str, Any]) -> dict[str, str]:
    """Return what the page may show of a dataset's extras and of our fields at its top level."""
    hidden = tk.aslist(tk.config.get("package_hide_extras") or "")
    top = {key: package[key] for key in _DATASET_KEYS if package.get(key) and key not in hidden}
    extras = {key: str(value) for key, value in tk.h.sorted_extras(package.get("extras", ()))}
    return {**top, **extras}


def _is_harvested(package: dict[str, Any]) -> bool:
    return _fact(package, "import_source") == "harvest"


def _fact(package: dict[str, Any], key: str) -> str:
    """Return a field of the portal's dataset schema, or the extra of that name."""
    extras = {each["key"]: each["value"] for each in package.get("extras", ())}
    return str(package.get(key) or extras.get(key) or "")
