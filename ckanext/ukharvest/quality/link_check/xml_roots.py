"""XML formats by the root of a document, which may be truncated."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml.parser import local_name

# A tag, a declaration or a comment; N-Triples have URLs in angle brackets.
_BEGINNING = re.compile(r"\s*<(?!\w+://)[^\W\d]|\s*<[?!]")

# Root → CKAN's label; these names are distinctive without their namespaces.
_ROOTS = {
    "RDF": "RDF",
    "feed": "Atom Feed",
    "rss": "RSS",
    "kml": "KML",
    "gpx": "GPX",
    "svg": "SVG",
    "html": "HTML",
    "iati-activities": "IATI",
    "iati-organisations": "IATI",
    "OAI-PMH": "OAI-PMH",
    "PublicationDelivery": "NeTEx",
    "qgis": "QGIS",
    "schema": "XSD",
    "Siri": "SIRI",
    "sparql": "SPARQL",
    "stylesheet": "XSLT",
    "TransXChange": "TransXChange",
    "ViewContext": "WMC",
    "OWSContext": "WMC",
    "Workbook": "XLS",  # "XML Spreadsheet 2003"
    "xbrl": "XBRL",
    "Edmx": "OData",
}
# Part of a root's namespace → label.
_NAMESPACES = (("/sdmx", "SDMX"), ("opengis.net/gml", "GML"))
# GML's application schemas: the root is the publisher's own, its content is not.
_MEMBERS = frozenset(("featureMember", "featureMembers", "member", "boundedBy"))

# Not XLS: these files are usually not XML.
LABELS = frozenset(_ROOTS.values()) - {"XLS"} | {"GML", "SDMX"}


def label_of(head: bytes, text: str) -> str:
    """Return the format of an XML document, "XML" for an unknown one, "" if it is not XML.

    Args:
        head: its first bytes, which declare their encoding.
        text: the same decoded.
    """
    root = xml.parse_beginning(head) if _BEGINNING.match(text) else None
    if root is None:
        return ""
    if label := _ROOTS.get(local_name(root)):
        return label
    namespace = str(root.tag).rpartition("}")[0].lower()
    for part, label in _NAMESPACES:
        if part in namespace:
            return label
    children = islice(root.iterchildren(etree.Element), 5)
    uses_gml = any("opengis.net/gml" in uri for uri in root.nsmap.values())
    if uses_gml and any(local_name(child) in _MEMBERS for child in children):
        return "GML"
    return "XML"
