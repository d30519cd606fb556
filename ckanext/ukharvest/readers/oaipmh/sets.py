"""The sets of an OAI-PMH 2.0 repository (sections 2.6 and 4.6), with their numbers of records.

No request counts: the number is what the first page of ListIdentifiers says (completeListSize), or
how many headers it has if there is no other page.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from lxml import etree

from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.core.record_filter import FilterFields, FilterValue, field_of
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.readers.oaipmh.request import OAI_DC, endpoint
from ckanext.ukharvest.readers.oaipmh.response import answer_of, ask, token_of

_MOST_PAGES = 5  # of ListSets
_MOST_COUNTED = 20  # sets; each takes a request


def filter_fields(source: Source) -> FilterFields:
    """Return the repository's sets; those beyond the first 20 without their numbers.

    Raises:
        SourceError: no answer, or a repository without sets.
    """
    if "://" not in source.url:
        return FilterFields()
    prefix = source.options.get("metadata_prefix") or OAI_DC
    sets = dict(_sets(source))
    values = [
        FilterValue(spec, _count(source, prefix, spec) if number < _MOST_COUNTED else None, name)
        for number, (spec, name) in enumerate(sets.items())
    ]
    if not values:
        return FilterFields()
    return FilterFields((field_of("set", values, include="sets"),), _count(source, prefix, ""))


def _sets(source: Source) -> Iterator[tuple[str, str]]:
    """Yield setSpec and setName."""
    query: dict[str, str | int] = {"verb": "ListSets"}
    for _ in range(_MOST_PAGES):
        found = _ask(source, query)
        for each in found.iterchildren("{*}set"):
            spec = clean_text(each.findtext("{*}setSpec"))
            if spec:
                yield spec, clean_text(each.findtext("{*}setName"))
        token, _size = token_of(found)
        if not token:
            break
        query = {"verb": "ListSets", "resumptionToken": token}


def _count(source: Source, prefix: str, spec: str) -> int | None:
    query: dict[str, str | int] = {"verb": "ListIdentifiers", "metadataPrefix": prefix}
    try:
        found = _ask(source, query | ({"set": spec} if spec else {}))
    except SourceError:
        return None
    token, size = token_of(found)
    if size < 0 and not token:
        return len(list(found.iterchildren("{*}header")))
    return size if size >= 0 else None


def _ask(source: Source, query: dict[str, str | int]) -> etree._Element:
    with closing(ask(source.http, endpoint(source.url), query)) as reply:
        return answer_of(reply, str(query["verb"]))
