"""Template helpers of datasets' and resources' pages and forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from ckan.plugins import toolkit as tk
from markupsafe import Markup

from ckanext.ukharvest import config, dataset_schema, fields
from ckanext.ukharvest.core.dataset_changes import compare_texts
from ckanext.ukharvest.core.http.urls import normalise
from ckanext.ukharvest.core.records import OF_DATASET, OF_RESOURCE
from ckanext.ukharvest.core.values import gazetteer, organization_types
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.datasets import search
from ckanext.ukharvest.datasets.provenance import fact, facts_of, portal, ukharvest_is_harvested
from ckanext.ukharvest.datasets.rows import find_place, ukharvest_field_value
from ckanext.ukharvest.harvest.index import index_values
from ckanext.ukharvest.lib.lookups import once
from ckanext.ukharvest.rendering import extent_map, form_fields, inspire, values
from ckanext.ukharvest.rendering.fields import OF_RESOURCE as RESOURCE_FIELDS

DETAILED = "detailed_map"  # URL parameter: show the map with tiles
_TILES = "ckanext.spatial.common_map.type"


def ukharvest_run_stats(job_id: str) -> dict[str, int]:
    """Return the figures of a run as ``harvest_job_show`` has them: added, updated, …"""
    context = {"ignore_auth": True, "return_error_summary": False}
    return dict(tk.get_action("harvest_job_show")(context, {"id": job_id})["stats"])


@tk.chained_helper
def format_resource_items(
    next_: Callable[[list[tuple[str, Any]]], list[tuple[str, Any]]], items: list[tuple[str, Any]]
) -> list[tuple[str, Any]]:
    """Return a resource's additional fields for its page: our fields with labels and links."""
    others, own = dict(items), []
    for field in (field for field in fields.FIELDS if field.of == fields.RESOURCE):
        stored = [others.pop(key, None) for key in (field.key, *field.aliases)]
        if value := next(filter(None, stored), None):
            own.append((tk._(field.label), ukharvest_field_value(field.key, value)))
    own += [
        (tk._(RESOURCE_FIELDS[key].label), texts)
        for key in OF_RESOURCE
        if (texts := values.render_translations(others.pop(key, None), portal()))
    ]
    return sorted(next_(list(others.items())) + own, key=lambda row: row[0].lower())


@tk.chained_helper
def resource_display_name(next_: Callable[[Any], str], resource_dict: Mapping[str, Any]) -> str:
    """Return a file's name: where it has none, nor a description, its file name or its server's."""
    named = (value for key, value in resource_dict.items() if key.startswith(("name", "descripti")))
    url = str(resource_dict.get("url") or "")
    if any(named) or not is_web_url(url):
        return next_(resource_dict)
    place = urlsplit(normalise(url))
    file = unquote(place.path).rpartition("/")[2]
    return file if "." in file else str(place.hostname)


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
    geometry, facts, publisher = fact(package, "spatial"), facts_of(package), ""
    drawn = extent_map.render_extent(geometry, tk.h.url_for_static, tk._)
    places, url = facts.get(find_place(facts), ""), facts.get("spatial_uri", "")
    # Tiles are configured, and ckanext-spatial's plugin that draws them is loaded.
    has_tiles = bool(drawn) and "get_common_map_config" in tk.h and bool(tk.config.get(_TILES))
    if drawn is None and not places:
        area = _area_of_publisher(package)
        if area is None:
            return None
        geometry, publisher = area.as_geojson(), area.name
        drawn = extent_map.render_extent(geometry, tk.h.url_for_static, tk._)
    is_link = bool(places) and is_web_url(url)
    return {
        "figure": drawn,
        "places": values.render_link(url, places) if is_link else values.render_extra(places),
        "geometry": geometry,
        "detailed": bool(tk.request.args.get(DETAILED)) if has_tiles else None,
        "publisher": publisher,
    }


def _area_of_publisher(package: Mapping[str, Any]) -> gazetteer.Place | None:
    """Return the area by which the search finds a dataset without an extent, None without one."""
    owner = package.get("owner_org") if search.is_offered() else None
    return once(
        ("area", owner), lambda: gazetteer.find_one(index_values.area_of(owner)) if owner else None
    )


def ukharvest_results_map(
    packages: Iterable[Mapping[str, Any]], place: Mapping[str, Any]
) -> Markup | None:
    """Return a map of the datasets on a page of results near a place; None without an extent.

    Args:
        place: as ``ukharvest_place`` returns it.
    """
    datasets = []
    for package in packages:
        area = None if fact(package, "spatial") else _area_of_publisher(package)
        geometry = area.as_geojson() if area else fact(package, "spatial")
        datasets.append((tk.h.dataset_display_name(package), geometry))
    west, south, east, north = map(float, place["box"].split(","))
    box = (west, south, east, north)
    return extent_map.render_results(datasets, place["name"], box, tk.h.url_for_static, tk._)


def add_translations(package: dict[str, Any]) -> None:
    """Add ``title_translated`` and its kin to a dataset for a page: h.get_translated reads them.

    From our extras; where the portal's schema has them (ckanext-fluent), they are there already.
    """
    for extra in package.get("extras") or ():
        key = extra.get("key")
        if key in OF_DATASET and key not in package:
            package[key] = values.parse_translations(extra.get("value"))
    for resource in package.get("resources") or ():
        for key in OF_RESOURCE.keys() & resource.keys():
            # CKAN's pages fail if it is a text, such as another harvester's JSON.
            resource[key] = values.parse_translations(resource[key])


def ukharvest_language_names(codes: Iterable[str]) -> str:
    """Return the names of languages in the reader's language, separated by commas."""
    return ", ".join(values.language_name(code, portal()) for code in codes)


def ukharvest_form_keys(of: str, dataset_type: str) -> list[str]:
    """Return the keys of our fields for a form of datasets or resources.

    Only those in the type's schema: the type of another extension would drop others.

    Args:
        of: "dataset" or "resource".
        dataset_type: the dataset type of the form.
    """
    known = dataset_schema.own_fields(of, dataset_type)
    return [field.key for field in fields.FIELDS if field.of == of and field.key in known]


def ukharvest_form_field(key: str, data: dict[str, Any], name: str = "") -> dict[str, Any]:
    """Return ``label``, ``help`` and ``part`` (``form_fields.Part``) of a field in a form.

    Args:
        key: key of a field in ``fields.FIELDS``.
        data: a dataset or resource from the API, or the data that the form sent.
        name: name of the field in the form's own schema, if it has another one.
    """
    field = next(field for field in fields.FIELDS if field.key == key)
    value = next(filter(None, map(data.get, (name or key, *field.aliases))), None)
    part = form_fields.build_part(field, value, tk._)
    # gettext gives the header of its catalogue for an empty text.
    help_text = tk._(field.help) if field.help else ""
    return {"label": tk._(field.label), "help": help_text, "part": part}


def ukharvest_form_hidden_fields(data: dict[str, Any], dataset_type: str) -> list[str]:
    """Return the fields that a resource has and its form does not show; [] for a new one.

    Args:
        data: the resource, or the data that the form sent.
        dataset_type: the dataset type of the form.
    """
    if not data.get("id"):
        return []
    shown = dataset_schema.own_fields(fields.RESOURCE, dataset_type)
    aliases = {name for field in fields.FIELDS if field.key in shown for name in field.aliases}
    known = {*form_fields.OF_RESOURCES, *shown, *aliases, form_fields.KEPT}
    # Flags and objects are left to the extensions that set them.
    others = [k for k, v in data.items() if k not in known and type(v) in (str, int) and v != ""]
    before = data.get(form_fields.KEPT, ())
    return list(dict.fromkeys([*others, *([before] if isinstance(before, str) else before)]))


def ukharvest_organization_fields(extras: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
    """Return type and area of an organisation for its form, and its other extras.

    Args:
        extras: of the organisation, or what the form sent.

    Returns:
        ``types``: {"value", "text"} of each type in the list, of none, and of a type that is not
        in the list; ``type``: the chosen one; ``area``: the name of its area, None if the portal
        cannot search by place; ``others``: the other extras.
    """
    stored = {str(extra.get("key")): str(extra.get("value") or "") for extra in extras or ()}
    chosen = organization_types.find(stored.get(organization_types.KEY, ""))
    values = list(organization_types.values())
    if chosen and chosen not in values:
        values.append(chosen)
    types = [{"value": value, "text": tk._(organization_types.label(value))} for value in values]
    area = stored.get(gazetteer.AREA, "") if search.is_offered() else None
    own = {organization_types.KEY} if area is None else {organization_types.KEY, gazetteer.AREA}
    return {
        "types": [{"value": "", "text": tk._("Not specified")}, *types],
        "type": chosen,
        "area": area,
        "others": [extra for extra in extras or () if extra.get("key") not in own],
    }


# Functions of other modules that templates call.
HELPERS = {
    "format_resource_items": format_resource_items,
    "resource_display_name": resource_display_name,
    "ukharvest_difference": compare_texts,
    "ukharvest_facet_items": search.facet_items,
    "ukharvest_facet_label": lambda item: str(item["display_name"]),
    "ukharvest_phone_order": config.phone_order,
    "ukharvest_resource_groups": inspire.groups,
    "ukharvest_resource_kind": inspire.kind_of,
}
