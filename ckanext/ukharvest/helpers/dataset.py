"""Template helpers of the pages of datasets and resources; texts in other languages for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import ckan.plugins.toolkit as tk
from markupsafe import Markup

from ckanext.ukharvest import config, fields
from ckanext.ukharvest.core.translations import OF_DATASET, OF_RESOURCE
from ckanext.ukharvest.core.values import gazetteer
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.helpers.dataset_rows import ukharvest_field_value
from ckanext.ukharvest.helpers.facts import fact, facts_of, portal, ukharvest_is_harvested
from ckanext.ukharvest.logic.permissions import may_if_exists
from ckanext.ukharvest.model import documents, organization_types
from ckanext.ukharvest.presentation.messages import links as link_texts
from ckanext.ukharvest.presentation.rendering import facts as shown_facts
from ckanext.ukharvest.presentation.rendering import translations
from ckanext.ukharvest.presentation.rendering.extent import svg_map
from ckanext.ukharvest.presentation.rendering.source_record import form as record_form
from ckanext.ukharvest.presentation.rendering.translations import (
    LABELS_OF_RESOURCES,
    render_translations,
)
from ckanext.ukharvest.search import place

DETAILED = "detailed_map"  # URL parameter: show the map with tiles
_TILES = "ckanext.spatial.common_map.type"
_PLACES = ("spatial-text", "geographic_coverage", "spatial-coverage")


def ukharvest_run_stats(job_id: str) -> dict[str, int]:
    """Return the figures of a run as ``harvest_job_show`` has them: added, updated, …"""
    context = {"ignore_auth": True, "return_error_summary": False}
    stats: dict[str, int] = tk.get_action("harvest_job_show")(context, {"id": job_id})["stats"]
    return stats


def ukharvest_facet_label(item: dict[str, Any]) -> str:
    """Return the full label of a facet value."""
    return str(item["display_name"])


@tk.chained_helper
def format_resource_items(
    next_: Callable[[list[tuple[str, Any]]], list[tuple[str, Any]]], items: list[tuple[str, Any]]
) -> list[tuple[str, Any]]:
    """Return a resource's additional fields for its page: our fields with labels and links."""
    found = dict(items)
    own = []
    for field in fields.FIELDS:
        if field.of != fields.RESOURCE:
            continue
        given = [found.pop(key, None) for key in (field.key, *field.aliases)]
        if value := next(filter(None, given), None):
            own.append((tk._(field.label), ukharvest_field_value(field.key, value)))
    for key, label in LABELS_OF_RESOURCES.items():
        if texts := render_translations(found.pop(key, None), portal()):
            own.append((tk._(label), texts))
    return sorted(next_(list(found.items())) + own, key=lambda row: row[0].lower())


def ukharvest_extent(package: dict[str, Any]) -> dict[str, Any] | None:
    """Return the extent of a harvested dataset, None if it has none.

    Returns:
        ``figure`` (map and coordinates), ``places`` (markup of place names, "" for none),
        ``geometry`` (GeoJSON text), ``detailed`` (whether the URL asks for ckanext-spatial's map;
        None without that map) and ``publisher`` (the name of the area, if it is that of the
        dataset's organisation, by which the search finds it).
    """
    if not ukharvest_is_harvested(package):
        return None
    geometry, facts = fact(package, "spatial"), facts_of(package)
    drawn = svg_map.render_extent(geometry, tk.h.url_for_static, tk._) if geometry else None
    places = next((facts[key] for key in _PLACES if facts.get(key)), "")
    if drawn is None and not places:
        return _extent_of_publisher(package)
    is_possible = drawn is not None and _has_detailed_map()
    return {
        "figure": drawn,
        "places": _named(places, facts.get("spatial_uri", "")),
        "geometry": geometry,
        "detailed": bool(tk.request.args.get(DETAILED)) if is_possible else None,
        "publisher": "",
    }


def _extent_of_publisher(package: dict[str, Any]) -> dict[str, Any] | None:
    if not (place.is_offered() and package.get("owner_org")):
        return None
    area = gazetteer.find_one(organization_types.area_of(package["owner_org"]))
    if area is None:
        return None
    geometry = area.as_geojson()
    return {
        "figure": svg_map.render_extent(geometry, tk.h.url_for_static, tk._),
        "places": "",
        "geometry": geometry,
        "detailed": None,
        "publisher": area.name,
    }


def ukharvest_source_record(package: dict[str, Any]) -> dict[str, str] | None:
    """Return ``form``, ``extension`` and ``size`` of the stored record of a harvested dataset.

    None for other datasets, and if no record is stored.
    """
    glance = documents.glance_at(package["id"]) if ukharvest_is_harvested(package) else None
    if glance is None:
        return None
    form = record_form.form_of(glance.head)
    size = record_form.format_size(glance.size)
    return {"form": form.label, "extension": form.extension, "size": size}


def ukharvest_link(resource: dict[str, Any]) -> dict[str, Any]:
    """Return the link check of a resource, as ``ukharvest_link_show`` does.

    {} if it was never checked or the user may not see it. Also returns ``sentences``: whether the
    link works, and whether its format is another than the metadata say.
    """
    try:
        context = {"user": tk.current_user.name}
        link = dict(tk.get_action("ukharvest_link_show")(context, {"id": resource["id"]}))
    except (tk.ObjectNotFound, tk.NotAuthorized):
        return {}
    if not link:
        return {}
    state = f"{link['text']} {link_texts.describe_last_success(link)}".strip()
    declared = str(resource.get("format") or "")
    sentences = (state, link_texts.describe_difference(link, declared))
    return {**link, "sentences": list(filter(None, sentences))}


def ukharvest_data_check(package: dict[str, Any], resource: dict[str, Any]) -> dict[str, Any]:
    """Return the check of a resource's data, as ``ukharvest_data_check_show`` does.

    {} without a schema, or if the user may not see it. Also returns ``may_edit``: whether the user
    may have the data checked again.
    """
    context = {"user": tk.current_user.name}
    try:
        show = tk.get_action("ukharvest_data_check_show")
        found = dict(show(dict(context), {"id": resource["id"]}))
    except (tk.ObjectNotFound, tk.NotAuthorized):
        return {}
    if not found:
        return {}
    is_checked = config.checks_links() and config.checks_data()
    return {
        **found,
        "may_edit": is_checked and may_if_exists(context, "package_update", id=package["id"]),
    }


def _has_detailed_map() -> bool:
    """Tell whether tiles are configured and ckanext-spatial's plugin that draws them is loaded."""
    return "get_common_map_config" in tk.h and bool(tk.config.get(_TILES))


def _named(places: str, url: str) -> Markup:
    if places and is_web_url(url):
        return shown_facts.render_link(url, places)
    return shown_facts.render_extra(places) if places else Markup("")


def add_translations(package: dict[str, Any]) -> None:
    """Add ``title_translated`` and its kin to a dataset for a page: h.get_translated reads them.

    From our extras; where the portal's schema has them (ckanext-fluent), they are there already.
    """
    for extra in package.get("extras") or ():
        key = extra.get("key")
        if key in OF_DATASET and key not in package:
            package[key] = translations.parse_translations(extra.get("value"))
    for resource in package.get("resources") or ():
        for key in OF_RESOURCE.keys() & resource.keys():
            # CKAN's pages fail if it is a text, such as another harvester's JSON.
            resource[key] = translations.parse_translations(resource[key])


def ukharvest_language_names(codes: Iterable[str]) -> str:
    """Return the names of languages in the reader's language, separated by commas."""
    return ", ".join(translations.language_name(code, portal()) for code in codes)
