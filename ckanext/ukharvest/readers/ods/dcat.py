"""The DCAT export of an Opendatasoft portal, under the identities of its other interfaces."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from urllib.parse import unquote

from ckanext.ukharvest.core import rdf
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.ods.portal import Portal, with_parameters
from ckanext.ukharvest.readers.rdf.reader import RdfReader

# Version 2.1 and 2.0 of the Explore API.
INTERFACES = {
    "dcat-2.1": "/api/explore/v2.1/catalog/exports/dcat",
    "dcat-2.0": "/api/v2/catalog/exports/dcat",
}
_PAGE = re.compile(r"/explore/dataset/([^/?#]+)")
_IDENTIFIER = " <http://purl.org/dc/terms/identifier> "


Records = Generator[RawRecord, None, Ending]


def start(name: str, source: Source, portal: Portal) -> Records:
    """Request an export and return its datasets.

    Raises:
        SourceError: it is not there, or no RDF with datasets.
    """
    records = _records(name, source, portal)
    try:
        first = next(records)
    except StopIteration as stop:
        return _ended(stop.value)
    return _with_first(first, records)


def _with_first(first: RawRecord, others: Records) -> Records:
    with closing(others):
        yield first
        return (yield from others)


def _ended(ending: Ending) -> Records:
    return ending
    yield  # makes it a generator


def _records(name: str, source: Source, portal: Portal) -> Records:
    url = with_parameters(portal.base + INTERFACES[name], portal.explore_parameters())
    export = replace(source, url=url, options={"paging": "none"})
    reading = Reading(RdfReader().records(export))
    for raw in reading:
        yield _renamed(raw, portal) if raw.guid else raw
    assert reading.ending is not None
    return reading.ending


def _renamed(raw: RawRecord, portal: Portal) -> RawRecord:
    """Give a record the dataset's own id, so that a portal's interfaces may change."""
    guid = _dataset_id(raw)
    return replace(raw, guid=guid, url=portal.page(guid)) if guid else raw


def _dataset_id(raw: RawRecord) -> str:
    """Return dct:identifier, else the id in the URI, which is that of the dataset's page."""
    start = f"<{raw.guid}>{_IDENTIFIER}"
    for line in (raw.content or "").splitlines():
        if line.startswith(start):
            text = rdf.value(line.removeprefix(start).removesuffix(" ."))
            page = _PAGE.search(text)
            if text and (page or "://" not in text):
                return unquote(page[1]) if page else text
    page = _PAGE.search(raw.guid)
    return unquote(page[1]) if page else ""
