"""A GEMINI record as a document, alone or in a catalogue's response: its identity and date.

ISO 19139 (gmd), ISO 19115-2 (gmi) and ISO 19115-3 (mdb) share their root's name, except gmi.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

from lxml import etree

from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode

KIND = "a GEMINI record"
ROOT = "gmd:MD_Metadata of the namespace http://www.isotc211.org/2005/gmd"
RECORDS = ("MD_Metadata", "MI_Metadata", "CHE_MD_Metadata")
_ENVELOPES: tuple[tuple[str, ...], ...] = (
    (),
    ("GetRecordByIdResponse",),
    ("GetRecordsResponse", "SearchResults"),
)
PATHS = tuple((*envelope, name) for envelope in _ENVELOPES for name in RECORDS)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A date as written in a record, and its element."""

    field: str
    text: str
    node: IsoNode


def identifier(record: etree._Element) -> str:
    """Return fileIdentifier (GEMINI 45), or ISO 19115-3's metadataIdentifier; "" if missing."""
    return IsoNode(record, []).text("fileIdentifier", "metadataIdentifier/*/code")


def modified(_root: etree._Element, record: etree._Element) -> str:
    """Return the metadata date (GEMINI 30) as written."""
    return stamp(IsoNode(record, [])).text


def stamp(record: IsoNode) -> Stamp:
    """Return the metadata date; of several (ISO 19115-3) the last revision, else the creation."""
    if (node := record.first("dateStamp")) is not None:
        return Stamp("gmd:dateStamp", record.text("dateStamp"), node)
    dates = [
        (each.code("dateType"), each.text("date"), each)
        for each in record.find_all("dateInfo/*")
        if each.text("date")
    ]
    for wanted in ("revision", "creation", ""):
        found = [(text, each) for kind, text, each in dates if wanted in ("", kind)]
        if found:
            text, each = max(found, key=lambda pair: pair[0])
            return Stamp("mdb:dateInfo", text, each)
    return Stamp("gmd:dateStamp", "", record)


def describe_other_root(root: etree._Element) -> str:
    """Return the name of a document often mistaken for a GEMINI record; "" for any other."""
    names = {xml.local_name(child) for child in root.iterchildren("*")}
    if xml.local_name(root) == "metadata" and names & {"idinfo", "metainfo", "Esri"}:
        return "FGDC record, not ISO/GEMINI"
    return ""


def rest(root: etree._Element, count: int) -> int:
    """Return how many more records a catalogue's response reports than it holds (paging)."""
    results = next(root.iterchildren("{*}SearchResults"), None)
    text = "" if results is None else clean_text(results.get("numberOfRecordsMatched"))
    return max(int(text) - count, 0) if text.isdecimal() and len(text) < 12 else 0


def content(_root: etree._Element, record: etree._Element) -> etree._Element:
    """Return the record alone."""
    alone = deepcopy(record)
    alone.tail = None
    return alone
