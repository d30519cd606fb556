"""The values that a CKAN site's datasets have, counted by its search."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.record_filter import (
    MOST_VALUES,
    FilterField,
    FilterFields,
    FilterValue,
    field_of,
)
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.readers.ckan_api.package import count_of
from ckanext.ukharvest.readers.ckan_api.site import FILTERS, SEARCH, Site
from ckanext.ukharvest.readers.json_api import action, wrong_shape

# Beginning of an option's name → name of the field for people.
_NAMES = {
    "organizations": "organisation",
    "groups": "group",
    "tags": "keyword",
    "licenses": "licence",
    "types": "type",
}


def filter_fields(source: Source) -> FilterFields:
    """Return the values of all datasets that the source's URL names, by one search.

    Raises:
        SourceError: no answer, or the site has no search.
    """
    site = Site.parse(source.url)
    if site.is_document:
        return FilterFields()
    for base in site.bases:
        try:
            result = _search(source, base + SEARCH, site)
        except ProtocolError:
            if base == site.bases[-1]:
                raise
            continue
        total = count_of(result)
        return FilterFields(tuple(_fields(result)), total if total >= 0 else None)
    return FilterFields()


def _search(source: Source, url: str, site: Site) -> Mapping[str, Any]:
    params: dict[str, str | int] = {
        "rows": 0,
        "facet.field": json.dumps(list(FILTERS.values())),
        "facet.limit": MOST_VALUES,
    }
    given = {"q": site.q, "fq": " ".join(site.fq)}
    params |= {name: value for name, value in given.items() if value}
    result = action(source.http, url, params)
    if not isinstance(result, Mapping):
        raise wrong_shape(url, result, "an object with count and search_facets")
    return result


def _fields(result: Mapping[str, Any]) -> Iterator[FilterField]:
    facets = result.get("search_facets")
    for name, facet in FILTERS.items():
        found = facets.get(facet) if isinstance(facets, Mapping) else None
        items = found.get("items") if isinstance(found, Mapping) else None
        values = list(_values(items if isinstance(items, list) else []))
        if values:
            options = {"include": f"{name}_filter_include", "exclude": f"{name}_filter_exclude"}
            yield field_of(_NAMES[name], values, **options)


def _values(items: list[Any]) -> Iterator[FilterValue]:
    for each in items:
        count = each.get("count") if isinstance(each, Mapping) else None
        if isinstance(count, int):
            title = clean_text(each.get("display_name"))
            yield FilterValue(clean_text(each.get("name")), count, title)
