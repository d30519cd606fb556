"""A national park's folder of records, as Apache lists it; its services are in a sub-folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree

from tests.publisher import Route

from demo.publishers import Read, Served, document, failure, gemini

from .page import Entry, page

TITLE = "Carrow Valley National Park Authority (GEMINI folder)"
ORGANISATION = "Carrow Valley National Park Authority"
PATH = "/waf/"
CONFIG: Mapping[str, Any] = {"depth": 1}
# Page 2 is all after the first third of the files: it is rewritten, and the server breaks down.
FAULTS = ("page2-500", "two-gone", "bad-record")
SERVICES = "services/"

# Away from each other.
BAD = 11
GONE = (5, 23)


def routes(base: str, fault: str) -> dict[str, Route]:
    """Return the folder's pages and files."""
    found = gemini.records()
    if fault == "bad-record":
        found[BAD] = found[BAD].untitled()
    if fault == "two-gone":
        found = [each for index, each in enumerate(found) if index not in GONE]
    services = gemini.services(base)
    served: dict[str, Route] = {f"{path}?*": each.respond for path, each in services.items()}
    folders: dict[str, list[Entry]] = {"": [Entry(SERVICES, "2026-06-02"), Entry("readme.txt")]}
    for index, record in enumerate(sorted(found, key=lambda each: each.name)):
        folder = SERVICES if record.is_service else ""
        text = gemini.document_with_services(record, base)
        is_down = fault == "page2-500" and index >= len(found) // 3
        file = failure() if is_down else document(text, "application/xml")
        served[f"{PATH}{folder}{record.name}.xml"] = file
        # Needed for a new read: a file with an unchanged date is not read again.
        date = "2026-06-20" if is_down else record.date
        entry = Entry(f"{record.name}.xml", date, len(text.encode()))
        folders.setdefault(folder, []).append(entry)
    served[f"{PATH}readme.txt"] = document("These records are for harvesters.\n", "text/plain")
    for folder, entries in folders.items():
        served[PATH + folder] = document(page(PATH + folder, entries), "text/html;charset=UTF-8")
    return served


def count(read: Read, url: str) -> list[Served]:
    """Return all records that the pages link."""
    pages = [url, urljoin(url, SERVICES)]
    files = [
        urljoin(place, name)
        for place in pages
        for name in re.findall(r'href="([^"/?]+\.xml)"', read(place).decode())
    ]
    return [gemini.served(ElementTree.fromstring(read(each))) for each in files]
