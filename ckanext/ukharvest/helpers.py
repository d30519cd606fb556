"""Template helpers."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection
from typing import Any

import ckan.plugins.toolkit as tk
from ckan.lib.search import SearchError
from markupsafe import Markup, escape

from ckanext.ukharvest import (
    extent_map,
    facets,
    field_values,
    fields,
    fields_shown,
    form_fields,
    record_form,
)
from ckanext.ukharvest.core import themes
from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.model import assessments, documents

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
    facts, is_harvested = _facts(package), _is_harvested(package)
    if not is_harvested and not facts.keys() & _DATASET_KEYS:
        return None
    others = () if is_harvested else facts.keys() - _DATASET_KEYS
    return _rows(package, facts, others) + [(key, escape(facts[key])) for key in sorted(others)]


def ukharvest_further_facts(package: dict[str, Any]) -> list[tuple[str, Markup]]:
    """Return what of ``ukharvest_facts`` the page of a dataset type of ckanext-scheming leaves out.

    That page shows the fields of the type's own schema and no extras.
    """
    if "scheming_get_dataset_schema" not in tk.h:
        return []
    schema = tk.h.scheming_get_dataset_schema(package["type"])
    if not schema:
        return []
    facts, shown = _facts(package), {each["field_name"] for each in schema["dataset_fields"]}
    others = () if _is_harvested(package) else facts.keys() - _DATASET_KEYS
    return _rows(package, facts, {*shown, *others})


def ukharvest_field_value(key: str, value: Any, package: dict[str, Any] | None = None) -> Markup:
    """Return a value of one of our fields for the page: labels with links.

    Args:
        key: of a field of ``fields.FIELDS``; other keys' texts are shown as extras are.
        value: as it is stored, or a list.
        package: the dataset of a theme, of which is said whether it is only suggested.
    """
    if value in (None, "", []):
        return Markup("")
    if key not in field_values.KEYS:
        return fields_shown.shown(value if isinstance(value, str) else json.dumps(value))
    shown = field_values.shown(key, value, field_values.Portal(tk._, _search_address))
    if key == "theme-primary" and package and _is_suggested(package):
        words = tk._("suggested by what the dataset says of itself")
        shown += Markup(' <span class="small text-muted">({})</span>').format(words)
    return shown


def ukharvest_facet_items(field: str, search_facets: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the values of one of our facets in the order of the page."""
    return facets.items(field, search_facets)


def ukharvest_facet_label(item: dict[str, Any]) -> str:
    """Return what a value of a facet is called, in full."""
    return str(item["display_name"])


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


def ukharvest_form_keys(of: str, dataset_type: str) -> list[str]:
    """Return the fields of forms of datasets or resources ("dataset", "resource").

    Only those that the type's schema has: a type of another extension would drop them.
    """
    known = schema.own_fields(of, dataset_type)
    return [field.key for field in fields.FIELDS if field.of == of and field.key in known]


def ukharvest_form_field(key: str, data: dict[str, Any], name: str = "") -> dict[str, Any]:
    """Return ``label``, ``help`` and ``part`` (``form_fields.Part``) of a field in a form.

    Args:
        key: of a field of ``fields.FIELDS``.
        data: a dataset or resource as it is shown, or what was sent.
        name: what the form's own schema calls the field.
    """
    field = next(each for each in fields.FIELDS if each.key == key)
    given = (data.get(each) for each in (name or key, *field.aliases))
    value = next((each for each in given if each), None)
    part = form_fields.part(field, value, tk._)
    return {"label": tk._(field.label), "help": tk._(field.help), "part": part}


def ukharvest_form_suggestion(data: dict[str, Any]) -> dict[str, Any]:
    """Return the theme that a form's data speaks for, as ``ukharvest_theme_suggest`` does.

    {} for who may not ask, where a portal lets anybody create datasets.
    """
    given = {key: data.get(key) for key in ("title", "notes", "la_function", "la_service")}
    given["tags"] = data.get("tag_string") or data.get("tags")
    try:
        context = {"user": tk.current_user.name}
        return dict(tk.get_action("ukharvest_theme_suggest")(context, given))
    except tk.NotAuthorized:
        return {}


def ukharvest_form_kept(data: dict[str, Any], dataset_type: str) -> list[str]:
    """Return the names of what a resource has and its form does not show (``form_fields.keep``).

    Args:
        data: the resource, or what was sent; of a new one nothing is kept.
    """
    if not data.get("id"):
        return []
    shown = schema.own_fields(fields.RESOURCE, dataset_type)
    aliases = {name for field in fields.FIELDS if field.key in shown for name in field.aliases}
    known = {*form_fields.OF_RESOURCES, *shown, *aliases, form_fields.KEPT}
    # Flags of other extensions are theirs to set, and objects theirs to work out.
    found = [k for k, v in data.items() if k not in known and type(v) in (str, int) and v != ""]
    before = data.get(form_fields.KEPT, ())
    return list(dict.fromkeys([*found, *([before] if isinstance(before, str) else before)]))


def _rows(
    package: dict[str, Any], facts: dict[str, str], left_out: Collection[str]
) -> list[tuple[str, Markup]]:
    facts = {key: text for key, text in facts.items() if key not in left_out}
    keys = field_values.KEYS.keys() & facts.keys()
    said = {key: ukharvest_field_value(key, facts[key], package) for key in keys}
    if "spatial" in facts:
        facts["spatial"] = extent_map.in_words(facts["spatial"]) or facts["spatial"]
    return [(tk._(label), value) for label, value in fields_shown.rows(facts, said)]


def _is_suggested(package: dict[str, Any]) -> bool:
    """Tell whether words alone speak for a dataset's theme."""
    found = assessments.themes_of(package["id"]) if package.get("id") else None
    return found is not None and found[1] == themes.WORDS


def _search_address(field: str, value: str) -> str:
    return str(tk.h.url_for("dataset.search", **{field: value}))


def _facts(package: dict[str, Any]) -> dict[str, str]:
    """Return what the page may show of a dataset's extras and of our fields at its top level."""
    hidden = tk.aslist(tk.config.get("package_hide_extras") or "")
    given = {key: package[key] for key in _DATASET_KEYS if package.get(key) and key not in hidden}
    top = {  # numbers and lists of a schema of the portal's own
        key: value if key in field_values.KEYS or isinstance(value, str) else json.dumps(value)
        for key, value in given.items()
    }
    extras = {key: str(value) for key, value in tk.h.sorted_extras(package.get("extras", ()))}
    return {**top, **extras}


def _is_harvested(package: dict[str, Any]) -> bool:
    return _fact(package, "import_source") == "harvest"


def _fact(package: dict[str, Any], key: str) -> str:
    """Return a field of the portal's dataset schema, or the extra of that name."""
    extras = {each["key"]: each["value"] for each in package.get("extras", ())}
    return str(package.get(key) or extras.get(key) or "")
