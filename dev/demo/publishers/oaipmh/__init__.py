"""A college's research archive with OAI-PMH 2.0, 40 records a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from tests.publisher import Response, Route

from demo.publishers import FAULTS as ALL_FAULTS
from demo.publishers import Read, Served, document, failure

from . import catalogue

TITLE = "Wexmoor College (OAI-PMH)"
ORGANISATION = "Wexmoor College"
PATH = "/oai/request"
CONFIG: Mapping[str, Any] = {}
FAULTS = tuple(ALL_FAULTS)

OAI = "http://www.openarchives.org/OAI/2.0/"
DC = catalogue.NAMESPACES["dc"]
PAGE = 40
# Away from each other and from the pages' ends.
BAD = 31
GONE = (12, 57)


def routes(base: str, fault: str) -> dict[str, Route]:
    """Return the routes: Identify, ListMetadataFormats, each page of ListRecords, each record."""
    entries = catalogue.entries()
    if fault == "bad-record":
        entries[BAD].title = ""
    if fault == "two-gone":
        entries = [each for index, each in enumerate(entries) if index not in GONE]
    records = {each.guid: catalogue.record(each) for each in entries}
    found: dict[str, Route] = {
        f"{PATH}?verb=Identify": _answer(_identify(base)),
        f"{PATH}?verb=ListMetadataFormats": _answer(_formats()),
    }
    for start in range(0, len(records), PAGE):
        page = _answer(_page(list(records.values()), start))
        found[_path(start)] = failure() if start and fault == "page2-500" else page
    for guid, record in records.items():
        path = f"{PATH}?verb=GetRecord&identifier={quote(guid, safe='')}&metadataPrefix=oai_dc"
        found[path] = _answer(f"<GetRecord>{record}</GetRecord>")
    return found


def count(read: Read, url: str) -> list[Served]:
    """Read every record, following each page's resumptionToken."""
    base = url.removesuffix(PATH)
    found: list[Served] = []
    start: str | None = "0"
    while start:
        root = ElementTree.fromstring(read(base + _path(int(start))))
        found += map(_served, root.iter(f"{{{OAI}}}record"))
        start = root.findtext(f".//{{{OAI}}}resumptionToken")
    return found


def _served(record: ElementTree.Element) -> Served:
    texts = [each.text or "" for each in record.iter(f"{{{DC}}}identifier")]
    title = record.findtext(f".//{{{DC}}}title") or ""
    return Served(
        guid=record.findtext(f".//{{{OAI}}}identifier") or "",
        title=title,
        urls=frozenset(texts),
        raw=ElementTree.tostring(record, encoding="unicode"),
        licence="cc-by",
        extras={"dcat_type": "Dataset", "identifier": texts[0]},
        box=catalogue.BOX,
        is_readable=bool(title),
    )


def _path(start: int) -> str:
    if not start:
        return f"{PATH}?verb=ListRecords&metadataPrefix=oai_dc"
    return f"{PATH}?verb=ListRecords&resumptionToken={start}"


def _page(records: list[str], start: int) -> str:
    behind = start + PAGE
    token = str(behind) if behind < len(records) else ""
    found = "".join(records[start:behind])
    return (
        f'<ListRecords>{found}<resumptionToken completeListSize="{len(records)}"'
        f' cursor="{start}">{token}</resumptionToken></ListRecords>'
    )


def _identify(base: str) -> str:
    return (
        f"<Identify><repositoryName>{TITLE}</repositoryName><baseURL>{base}{PATH}</baseURL>"
        "<protocolVersion>2.0</protocolVersion><adminEmail>archive@wexmoor-college.example"
        "</adminEmail><earliestDatestamp>2011-02-01T09:00:00Z</earliestDatestamp>"
        "<deletedRecord>no</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>"
        "</Identify>"
    )


def _formats() -> str:
    return (
        "<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix>"
        "<schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>"
        f"{catalogue.NAMESPACES['oai_dc']}</metadataNamespace></metadataFormat>"
        "</ListMetadataFormats>"
    )


def _answer(inside: str) -> Response:
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="{OAI}">{inside}</OAI-PMH>\n'
    return document(text, "text/xml; charset=utf-8")
