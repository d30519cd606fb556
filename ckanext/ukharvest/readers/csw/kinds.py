"""The types of record (hierarchy levels) of a CSW, counted by GetRecords with resultType="hits".

GetDomain, which names the values of a queryable, is optional, and gives no numbers.
"""

from __future__ import annotations

from dataclasses import replace

from ckanext.ukharvest.core.record_filter import FilterFields, FilterValue, field_of
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.readers.csw.probe import Probe
from ckanext.ukharvest.readers.csw.server import Server

# Of ISO 19115's MD_ScopeCode those that GEMINI 2.3 allows for data and services.
_KINDS = ("dataset", "series", "service", "nonGeographicDataset")


def filter_fields(source: Source) -> FilterFields:
    """Return the types that the catalogue has records of.

    Raises:
        SourceError: no answer, or not a CSW.
    """
    if "://" not in source.url:
        return FilterFields()
    options = {"method": source.options.get("method", "auto"), "page_size": 1}
    server = Server(replace(source, options=options, since="", resume=""))
    total = Probe(server, 1).first_page().answer.matched
    values = []
    for kind in _KINDS:
        server.wanted = replace(server.wanted, types=(kind,))
        count = server.count()
        if count > 0:
            values.append(FilterValue(kind, count))
    if sum(each.records or 0 for each in values) > total >= 0:
        values = []  # the server finds everything, whatever type is asked for
    fields = (field_of("type", values, include="types"),) if values else ()
    return FilterFields(fields, total if total >= 0 else None)
