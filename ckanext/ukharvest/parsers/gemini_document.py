"""A GEMINI record as a document, alone or in a catalogue's answer: which it is, and its stamp.

ISO 19139 (gmd), ISO 19115-2 (gmi) and ISO 19115-3 (mdb) have the same root name but for gmi's.
"""

from __future__ import annotations

from copy import deepcopy

from lxml import etree

from ckanext.ukharvest.parsers.iso_node import IsoNode

KIND = "a GEMINI record"
ROOT = "gmd:MD_Metadata of the namespace http://www.isotc211.org/2005/gmd"
RECORDS = ("MD_Metadata", "MI_Metadata", "CHE_MD_Metadata")
_ENVELOPES: tuple[tuple[str, ...], ...] = (
    (),
    ("GetRecordByIdResponse",),
    ("GetRecordsResponse", "SearchResults"),
)
PATHS = tuple((*envelope, name) for envelope in _ENVELOPES for name in RECORDS)


def identifier(record: etree._Element) -> str:
    """The fileIdentifier (GEMINI 45), or ISO 19115-3's metadataIdentifier; "" if it has none."""
    node = IsoNode(record, [])
    return node.text("fileIdentifier") or node.text("metadataIdentifier/*/code")


def modified(_root: etree._Element, record: etree._Element) -> str:
    """The metadata date (GEMINI 30) as it stands there."""
    return IsoNode(record, []).text("dateStamp")


def content(_root: etree._Element, record: etree._Element) -> etree._Element:
    """Return the record alone."""
    alone = deepcopy(record)
    alone.tail = None
    return alone
