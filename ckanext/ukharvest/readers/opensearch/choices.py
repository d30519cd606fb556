"""The values that an OpenSearch service offers for its parameters, counted by searches."""

from __future__ import annotations

from ckanext.ukharvest.core.errors import ConfigError, SourceError
from ckanext.ukharvest.core.record_filter import FilterFields, FilterValue, field_of
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.readers.opensearch.reader import description_of
from ckanext.ukharvest.readers.opensearch.response import Description, Page, ask
from ckanext.ukharvest.readers.opensearch.search import Search, choose
from ckanext.ukharvest.readers.opensearch.template import PAGING

_MOST_COUNTED = 20  # values; each takes a request


def filter_fields(source: Source) -> FilterFields:
    """Return the parameters for which the description document lists values.

    Raises:
        SourceError: no answer, or not OpenSearch.
    """
    found = description_of(ask(source.http, source.url), source)
    if not isinstance(found, Description):
        return FilterFields()
    kept = {name: source.options.get(name) for name in ("search_for", "answer")}
    try:
        search = choose(found, {**kept, "page_size": 1})
    except ConfigError:  # it needs a value that only a person knows
        return FilterFields()
    fields, asked = [], 0
    for name, limits in search.template.limits.items():
        if name in PAGING or not limits.choices:
            continue
        values = []
        for choice in limits.choices:
            asked += 1
            count = _count(source, search, {name: choice}) if asked <= _MOST_COUNTED else None
            values.append(FilterValue(choice, count))
        fields.append(field_of(name, values, include="parameters", prefix=f"{name}="))
    return FilterFields(tuple(fields), _count(source, search, {}) if fields else None)


def _count(source: Source, search: Search, more: dict[str, str]) -> int | None:
    try:
        page = ask(source.http, Search(search.template, {**search.values, **more}).first_url())
    except SourceError:
        return None
    if not isinstance(page, Page) or page.total < 0 or page.is_estimate:
        return None
    return page.total
