"""A water board's SPARQL endpoint, which is read in pages of 40 datasets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from tests.publisher import Request, Response, Route

from demo.publishers import FAULTS as ALL_FAULTS
from demo.publishers import Read, Served, failure

from . import catalogue

TITLE = "Ousebeck Water Board (SPARQL)"
ORGANISATION = "Ousebeck Water Board"
PATH = "/sparql"
CONFIG: Mapping[str, Any] = {"batch_size": 40, "page_size": 40}
FAULTS = tuple(ALL_FAULTS)

# Away from each other and from the pages' ends.
BAD = 31
GONE = (12, 57)
# By its number, or behind the last dataset of the first.
_SECOND_PAGE = re.compile(r"OFFSET 40|STR\(\?dataset\) >")


def routes(base: str, fault: str) -> dict[str, Route]:  # noqa: ARG001 - its texts have no address
    """Return the endpoint, which answers queries by GET and POST."""
    # Only the servers have its library, and not the process that counts.
    from tests.publishing.sparql import Endpoint

    entries = catalogue.entries()
    if fault == "bad-record":
        entries[BAD] = {**entries[BAD], "title": ""}
    if fault == "two-gone":
        entries = [each for index, each in enumerate(entries) if index not in GONE]
    endpoint = Endpoint(catalogue.turtle(entries))

    def broken(query: str, _request: Request) -> Response | None:
        is_late = fault == "page2-500" and _SECOND_PAGE.search(query)
        return failure() if is_late else None

    endpoint.before = broken
    return {f"{PATH}?*": endpoint}


# A row for each file of a dataset.
_EVERYTHING = (
    "SELECT ?dataset ?title ?file ?text ?modified WHERE {"
    " ?dataset a <http://www.w3.org/ns/dcat#Dataset>; <http://purl.org/dc/terms/description> ?text;"
    " <http://purl.org/dc/terms/modified> ?modified;"
    " <http://www.w3.org/ns/dcat#distribution>/<http://www.w3.org/ns/dcat#downloadURL> ?file ."
    " OPTIONAL { ?dataset <http://purl.org/dc/terms/title> ?title } }"
)


def count(read: Read, url: str) -> list[Served]:
    """Read all datasets, in pages of rows."""
    found: dict[str, list[dict[str, str]]] = {}
    start, size = 0, 40
    while True:
        query = f"{_EVERYTHING} ORDER BY ?dataset ?file LIMIT {size} OFFSET {start}"
        rows = json.loads(read(f"{url}?{urlencode({'query': query})}"))["results"]["bindings"]
        for row in rows:
            values = {name: cell["value"] for name, cell in row.items()}
            found.setdefault(values["dataset"], []).append(values)
        if len(rows) < size:
            return [_served(guid, found[guid]) for guid in sorted(found)]
        start += size


def _served(guid: str, lines: list[dict[str, str]]) -> Served:
    title = lines[0].get("title", "")
    return Served(
        guid=guid,
        title=title,
        urls=frozenset(each["file"] for each in lines),
        raw=json.dumps(sorted(lines, key=lambda each: each["file"]), sort_keys=True),
        licence="uk-ogl",
        extras={"uri": guid},
        box=catalogue.BOX,
        is_readable=bool(title),
    )
