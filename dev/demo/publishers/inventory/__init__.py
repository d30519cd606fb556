"""A council's inventory, in one document, as the DataShare software serves it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.publisher import Response

from demo.publishers import Read, Served, document

from . import inventory
from .counting import served

TITLE = "Wexmoor District Council (Inventory XML)"
ORGANISATION = "Wexmoor District Council"
PATH = "/api/esdInventory"
CONFIG: Mapping[str, Any] = {}
FAULTS = ("two-gone", "bad-record")  # there is one page

# Away from each other.
BAD = 9
GONE = (3, 20)


def routes(base: str, fault: str) -> dict[str, Response]:
    """Return the document."""
    found = inventory.datasets()
    if fault == "bad-record":
        found[BAD].title = ""
    if fault == "two-gone":
        found = [each for index, each in enumerate(found) if index not in GONE]
    return {PATH: document(inventory.document(found), "text/xml; charset=utf-8")}


def count(read: Read, url: str) -> list[Served]:
    """Return all datasets of the document."""
    return served(read(url))
