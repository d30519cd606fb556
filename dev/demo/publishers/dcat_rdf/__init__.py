"""A county's DCAT catalogue in RDF/XML, in pages with Hydra links, as a CKAN serves them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.publisher import Response

from demo.publishers import FAULTS as ALL_FAULTS
from demo.publishers import Read, Served, document, failure

from . import catalogue, counting

TITLE = "Wendshire County Council (DCAT)"
ORGANISATION = "Wendshire County Council"
PATH = "/catalog.rdf"
CONFIG: Mapping[str, Any] = {}
FAULTS = tuple(ALL_FAULTS)

PAGE = 25
# Away from each other and from the pages' ends.
BAD = 31
GONE = (4, 60)


def routes(base: str, fault: str) -> dict[str, Response]:
    """Return the pages; each links the next by its full URL."""
    entries = catalogue.entries()
    if fault == "bad-record":
        entries[BAD] = {**entries[BAD], "title": ""}
    if fault == "two-gone":
        entries = [each for index, each in enumerate(entries) if index not in GONE]
    pages = [entries[start : start + PAGE] for start in range(0, len(entries), PAGE)]
    found = {}
    for number, page in enumerate(pages, 1):
        after = base + _path(number + 1) if number < len(pages) else ""
        text = catalogue.page(page, base + _path(number), after, total=len(entries))
        found[_path(number)] = document(text, "application/rdf+xml; charset=utf-8")
    if fault == "page2-500":
        found[_path(2)] = failure()
    return found


def count(read: Read, url: str) -> list[Served]:
    """Follow the links from page to page."""
    found: list[Served] = []
    while url:
        served, url = counting.served(read(url))
        found += served
    return found


def _path(number: int) -> str:
    return PATH if number == 1 else f"{PATH}?page={number}"
