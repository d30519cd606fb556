"""A survey's catalogue of aerial photographs with OpenSearch: Atom by startIndex, 20 at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from tests.publisher import Response, Route

from demo.publishers import FAULTS as ALL_FAULTS
from demo.publishers import Read, Served, document, failure

from . import catalogue

TITLE = "Harrier Aerial Survey (OpenSearch)"
ORGANISATION = "Harrier Aerial Survey"
PATH = "/opensearch/description.xml"
CONFIG: Mapping[str, Any] = {}
FAULTS = tuple(ALL_FAULTS)

ATOM = "{http://www.w3.org/2005/Atom}"
PAGE = 20  # the most that the server returns, however many are requested
# Away from each other and from the pages' ends.
BAD = 31
GONE = (7, 45)


def routes(base: str, fault: str) -> dict[str, Route]:
    """Return the routes: the description document and each page of results."""
    photographs = catalogue.photographs()
    if fault == "bad-record":
        photographs[BAD].title = ""
    if fault == "two-gone":
        photographs = [each for index, each in enumerate(photographs) if index not in GONE]
    entries = [catalogue.entry(each) for each in photographs]
    described = document(catalogue.description(base), "application/opensearchdescription+xml")
    found: dict[str, Route] = {PATH: described}
    for start in range(0, len(entries) + PAGE, PAGE):
        start = min(start, len(entries))  # the page behind the last record
        page = _page(entries[start : start + PAGE], start, len(entries))
        found[_path(start)] = failure() if start == PAGE and fault == "page2-500" else page
    return found


def count(read: Read, url: str) -> list[Served]:
    """Read every entry, page by page, until one is empty."""
    base = url.removesuffix(PATH)
    found: list[Served] = []
    while True:
        root = ElementTree.fromstring(read(base + _path(len(found))))
        page = [_served(each) for each in root.iter(f"{ATOM}entry")]
        if not page:
            return found
        found += page


def _path(start: int) -> str:
    number = f"&start={start + 1}" if start else ""
    return f"/opensearch/search?n=50{number}"


def _page(entries: list[str], start: int, total: int) -> Response:
    return document(catalogue.feed(entries, start, total), "application/atom+xml")


def _served(entry: ElementTree.Element) -> Served:
    title = entry.findtext(f"{ATOM}title") or ""
    links = entry.findall(f"{ATOM}link")
    return Served(
        guid=entry.findtext(f"{ATOM}id") or "",
        title=title,
        urls=frozenset(each.get("href") or "" for each in links),
        raw=ElementTree.tostring(entry, encoding="unicode"),
        licence="uk-ogl",
        extras={"identifier": entry.findtext(f"{{{catalogue.DC}}}identifier") or ""},
        box=catalogue.BOX,
        is_readable=bool(title),
    )
