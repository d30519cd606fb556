"""The keywords and publishers of an endpoint's datasets, counted by the endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from ckanext.ukharvest.core.filter_values import (
    MOST_VALUES,
    FilterFields,
    FilterValue,
    field_of,
)
from ckanext.ukharvest.core.record_filter import EXCLUDE, INCLUDE
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.readers.sparql import request as requests
from ckanext.ukharvest.readers.sparql.connection import Connection
from ckanext.ukharvest.readers.sparql.request import Selection
from ckanext.ukharvest.readers.sparql.response import ROWS, rows

# Field → property path from a dataset (DCAT 2).
_PATHS = {"organisation": "dct:publisher/foaf:name", "keyword": "dcat:keyword"}


def filter_fields(source: Source) -> FilterFields:
    """Return the values of the datasets that the source's graphs and query select.

    Raises:
        SourceError: no answer, or an endpoint that cannot count.
    """
    if "://" not in source.url:
        return FilterFields()
    selection = Selection.from_options(source.options)
    method = source.options.get("method", "auto")
    connection = Connection(source.http, requests.endpoint(source.url), method)
    fields = []
    for name, path in _PATHS.items():
        with closing(connection.ask(selection.values(path, MOST_VALUES), ROWS)) as reply:
            found = rows(reply, requests.VALUE, MOST_VALUES)
        values = list(_values(name, (each.value for each in found)))
        options = {"include": INCLUDE, "exclude": EXCLUDE, "prefix": f"{name}:"}
        fields.append(field_of(name, values, **options))
    with closing(connection.ask(selection.count(), ROWS)) as reply:
        total = rows(reply, requests.COUNT, 1)
    number = total[0].value if total else ""
    filled = tuple(each for each in fields if each.values)
    return FilterFields(filled, int(number) if number.isdecimal() else None)


def _values(name: str, texts: Iterator[str]) -> Iterator[FilterValue]:
    """Yield the values as records have them once they are parsed, since those are compared."""
    for text in texts:
        count, _, value = text.partition(" ")
        found = clean_tags([value], "")[0] if name == "keyword" else (clean_text(value),)
        if count.isdecimal() and len(found) == 1:
            yield FilterValue(found[0], int(count))
