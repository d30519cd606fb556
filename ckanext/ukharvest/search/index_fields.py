"""Fields of the search index beyond CKAN's own: values for facets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.values import (
    gazetteer,
    local_government_lists,
    organization_types,
    theme_names,
)
from ckanext.ukharvest.core.values.geometries import bbox_polygon, bounds, valid_geojson
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.model import index_values, runs
from ckanext.ukharvest.model.index_values import IndexValues
from ckanext.ukharvest.presentation.rendering import values as shown_values
from ckanext.ukharvest.search import place

MOST = 100  # values of one field
LONGEST = 1000  # characters of one value
# Solr refuses a dataset with an untokenised text of more than 32,766 bytes.
_REFUSED = 32_766
_WIDTH = 0.0001  # degrees, added on each side; Solr's numbers are no finer
_SCHEMA_KEYS = ("schema_url", "schema-url")


def build_index_fields(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return index fields that are added to CKAN's or replace them.

    Args:
        package: as ``before_dataset_index`` has it.
    """
    values = index_values.of_dataset(package["id"])
    # The type of the organisation, never an extra of the dataset of the same name.
    key, type_ = organization_types.KEY, organization_types.find(values.organization_type)
    own_type = {key: type_ or None} if type_ or key in package else {}
    if package.get("type") == "harvest":  # a harvest source, which CKAN keeps as a dataset
        return {**_of_source(package), **own_type}
    return {
        **_shortened(package),
        **_counted(package, values),
        **_extent(package, values.area),
        **own_type,
    }


def _of_source(package: Mapping[str, Any]) -> dict[str, str]:
    """Exclude a source's last errors, which ckanext-harvest shows with it, from searches."""
    status = runs.short_status(package["id"])
    own = {"status": json.dumps(status)} if "status" in package else {}
    dicts = {
        key: json.dumps({**json.loads(package[key]), "status": status})
        for key in ("data_dict", "validated_data_dict")
        if package.get(key)
    }
    return own | dicts


def _extent(package: Mapping[str, Any], area: str) -> dict[str, str]:
    """Return the extent for the search by place where the dataset's own does not do.

    A dataset without one is found by its organisation's area. A point or a line gets some metres of
    width: ckanext-spatial's backend solr-bbox compares areas, and finds no place that has none.
    """
    if not package.get("spatial"):
        where = gazetteer.find_one(area) if area and place.is_offered() else None
        # ckanext-spatial reads the first if there is the second, and indexes neither.
        return dict.fromkeys(("spatial", "extras_spatial"), where.as_geojson()) if where else {}
    try:
        west, south, east, north = bounds(valid_geojson(json.loads(package["spatial"])))
    except (ValueError, TypeError, RecursionError):
        return {}
    if west != east and south != north:
        return {}
    west, east = max(west - _WIDTH, -180.0), min(east + _WIDTH, 180.0)
    south, north = max(south - _WIDTH, -90.0), min(north + _WIDTH, 90.0)
    return {"spatial": json.dumps(bbox_polygon(west, south, east, north))}


def _shortened(package: Mapping[str, Any]) -> dict[str, str]:
    """Shorten what CKAN indexes twice: ``extras_*`` keeps all words for the search."""
    return {
        key: text[:LONGEST]
        for key, text in package.items()
        if f"extras_{key}" in package
        and isinstance(text, str)
        and len(text) * 4 > _REFUSED
        and len(text.encode()) > _REFUSED
    }


def _counted(package: Mapping[str, Any], known: IndexValues) -> dict[str, list[str]]:
    """Return the facet fields.

    Functions include their parents, so that a branch can be chosen.
    """
    local = [
        shown_values.parse_local_government(_text(package, f"la_{kind}"), kind)
        for kind in (local_government_lists.FUNCTION, local_government_lists.SERVICE)
    ]
    functions = [uri for uris in local for uri in uris.functions]
    services = [uri for uris in local for uri in uris.services]
    themes = [
        theme_names.find(text)
        for key in ("theme-primary", "theme-secondary")
        for text in shown_values.names(_text(package, key))
    ]
    values: dict[str, Iterable[str]] = {
        "theme": filter(None, themes),
        "function": (*functions, *local_government_lists.parent_functions((*functions, *services))),
        "service": services,
        "schema": _schemas(package),
        "data_check": known.data_checks,
        "stars": () if known.stars is None else (str(known.stars),),
    }
    few = {shown_values.INDEXED[facet]: _few(texts) for facet, texts in values.items()}
    return {field: texts for field, texts in few.items() if texts}


def _text(package: Mapping[str, Any], key: str) -> str:
    """Return the text of an extra, or of a schema's own field, which is stored as an extra."""
    return str(shown_values.truncate(package.get(f"extras_{key}")) or "")


def _few(values: Iterable[str]) -> list[str]:
    """Return the first distinct values; the rest is not read."""
    distinct: dict[str, None] = {}
    for value in values:
        if len(value) <= LONGEST:
            distinct[value] = None
        if len(distinct) == MOST:
            break
    return list(distinct)


def _schemas(package: Mapping[str, Any]) -> Iterator[str]:
    """Return the schemas of the dataset, then of its resources; listed ones by the list's URL."""
    texts = shown_values.addresses(_text(package, "schema"))
    whole = str(package.get("data_dict") or "")
    if any(f'"{key}"' in whole for key in _SCHEMA_KEYS):
        for resource in json.loads(whole).get("resources", ()):
            texts += [str(resource[key]) for key in _SCHEMA_KEYS if resource.get(key)]
    for text in texts:
        if is_web_url(text):
            entry = vocabulary.row("schemas", text)
            yield entry["url"] if entry else text
