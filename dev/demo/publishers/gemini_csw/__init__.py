"""A partnership's CSW 2.0.2 catalogue, by POST and by GET, 50 records a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

from tests.publisher import Request, Response, Route

from demo.publishers import FAULTS as ALL_FAULTS
from demo.publishers import Read, Served, document, failure, gemini

from . import catalogue

TITLE = "Saltings Coast Partnership (CSW)"
ORGANISATION = "Saltings Coast Partnership"
PATH = "/csw"
CONFIG: Mapping[str, Any] = {}
FAULTS = tuple(ALL_FAULTS)

CSW = "http://www.opengis.net/cat/csw/2.0.2"
GMD = "http://www.isotc211.org/2005/gmd"
PAGE = 50
# Away from each other and from the pages' ends.
BAD = 31
GONE = (12, 77)


def routes(base: str, fault: str) -> dict[str, Route]:
    """Return the routes: GetRecords by POST and by GET, GetRecordById by both."""
    entries = catalogue.entries()
    if fault == "bad-record":
        entries[BAD].title = ""
    if fault == "two-gone":
        entries = [each for index, each in enumerate(entries) if index not in GONE]
    records = {each.guid: catalogue.record(each, base) for each in entries}
    site = _Site(records, breaks_at=PAGE + 1 if fault == "page2-500" else 0)
    found: dict[str, Route] = {f"POST {PATH}": site.posted}
    found |= {_page(start): site.page(start, PAGE) for start in range(1, len(entries) + 1, PAGE)}
    found |= {_one(guid): site.record(guid) for guid in records}
    return found


def count(read: Read, url: str) -> list[Served]:
    """Read every record, following each page's link to the next."""
    base = url.removesuffix(PATH)
    found: list[Served] = []
    following = 1
    while following:
        root = ElementTree.fromstring(read(base + _page(following)))
        (results,) = root.iter(f"{{{CSW}}}SearchResults")
        found += map(_served, results)
        following = int(results.get("nextRecord", "0"))
    return found


def _served(record: ElementTree.Element) -> Served:
    found = gemini.served(record)
    return replace(found, extras={**found.extras, "harvest_source_reference": found.guid})


class _Site:
    """Answers with the records, in the order of their identifiers."""

    def __init__(self, records: Mapping[str, str], breaks_at: int) -> None:
        self._records = records
        self._breaks_at = breaks_at

    def posted(self, request: Request) -> Response:
        root = ElementTree.fromstring(request.body)
        if root.tag == f"{{{CSW}}}GetRecordById":
            return self.record(root.findtext(f"{{{CSW}}}Id", ""))
        return self.page(int(root.get("startPosition", "1")), int(root.get("maxRecords", "10")))

    def page(self, start: int, size: int) -> Response:
        behind = start + min(size, PAGE)
        if self._breaks_at and behind > self._breaks_at:
            return failure()
        total = len(self._records)
        found = list(self._records.values())[start - 1 : behind - 1]
        head = (
            f'<csw:SearchResults numberOfRecordsMatched="{total}"'
            f' numberOfRecordsReturned="{len(found)}" nextRecord="{behind * (behind <= total)}"'
            f' recordSchema="{GMD}" elementSet="full">'
        )
        return _answer("GetRecordsResponse", f"{head}{''.join(found)}</csw:SearchResults>")

    def record(self, guid: str) -> Response:
        return _answer("GetRecordByIdResponse", self._records.get(guid, ""))


def _answer(name: str, inside: str) -> Response:
    text = f'<csw:{name} xmlns:csw="{CSW}" version="2.0.2">{inside}</csw:{name}>'
    return document(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n', "application/xml")


def _page(start: int) -> str:
    return _query(
        request="GetRecords",
        resultType="results",
        outputSchema=GMD,
        typeNames="gmd:MD_Metadata",
        elementSetName="full",
        startPosition=start,
        maxRecords=PAGE,
        sortBy="apiso:Identifier:A",
    )


def _one(guid: str) -> str:
    return _query(request="GetRecordById", elementSetName="full", outputSchema=GMD, id=guid)


def _query(**asked: str | int) -> str:
    return f"{PATH}?{urlencode({'service': 'CSW', 'version': '2.0.2', **asked})}"
