"""The values that an Opendatasoft portal's datasets have, counted by the portal.

Explore API 2.1: ``/catalog/facets``; Search API 1.0: ``facet=`` of the search
(help.opendatasoft.com/apis/ods-explore-v2, …/ods-search-v1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.filter_values import FilterField, FilterFields, FilterValue, field_of
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.readers.json_api import read_json, wrong_shape
from ckanext.ukharvest.readers.ods.listing import EXPLORE, SEARCH
from ckanext.ukharvest.readers.ods.portal import Parameters, Portal, with_parameters

_FACETS = "/api/explore/v2.1/catalog/facets"
# The portal's name → the name of the field for people. "modified" counts by year.
_NAMES = {
    "publisher": "organisation",
    "keyword": "keyword",
    "theme": "theme",
    "license": "licence",
    "language": "language",
    "modified": "year",
}


def filter_fields(source: Source) -> FilterFields:
    """Return the values of all datasets of the portal, or of those that the source's URL selects.

    Raises:
        SourceError: no answer, or the portal has no interface that counts.
    """
    portal = Portal.parse(source.url, {"language": source.options.get("language")})
    if portal is None:
        return FilterFields()
    try:
        wanted = portal.explore_parameters()
        groups = _ask(source, portal, _FACETS, wanted).get("facets")
        total = _ask(source, portal, EXPLORE.path, [("limit", "0"), *wanted]).get(EXPLORE.total)
    except ProtocolError:
        asked = [("rows", "0"), *(("facet", name) for name in _NAMES)]
        answer = _ask(source, portal, SEARCH.path, [*asked, *portal.search_parameters()])
        groups, total = answer.get("facet_groups"), answer.get(SEARCH.total)
    fields = _fields(groups) if isinstance(groups, list) else ()
    return FilterFields(tuple(fields), total if isinstance(total, int) else None)


def _ask(source: Source, portal: Portal, path: str, query: Parameters) -> Mapping[str, Any]:
    url = with_parameters(portal.base + path, query)
    answer = read_json(source.http, url)
    if not isinstance(answer, Mapping):
        raise wrong_shape(url, answer, "an object")
    return answer


def _fields(groups: list[Any]) -> Iterator[FilterField]:
    for group in groups:
        facet = clean_text(group.get("name")) if isinstance(group, Mapping) else ""
        items = group.get("facets") if facet in _NAMES else None
        values = list(_values(items)) if isinstance(items, list) else []
        if values:
            options = {"include": "refine", "exclude": "exclude", "prefix": f"{facet}:"}
            yield field_of(_NAMES[facet], values, **options)


def _values(items: list[Any]) -> Iterator[FilterValue]:
    for each in items:
        count = each.get("count") if isinstance(each, Mapping) else None
        if isinstance(count, int):
            value = clean_text(each.get("value") or each.get("path") or each.get("name"))
            yield FilterValue(value, count, clean_text(each.get("name")))
