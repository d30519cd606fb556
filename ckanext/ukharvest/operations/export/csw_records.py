"""Records of the CSW endpoint: ISO 19139 as harvested, or Dublin Core of a dataset."""

from __future__ import annotations

import re

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.values import geometries
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.operations.export.dataset import Dataset
from ckanext.ukharvest.parsers.gemini import document
from ckanext.ukharvest.parsers.gemini.document import IsoNode

GMD = "http://www.isotc211.org/2005/gmd"
CSW = "http://www.opengis.net/cat/csw/2.0.2"
DC = "http://purl.org/dc/elements/1.1/"
DCT = "http://purl.org/dc/terms/"
OWS = "http://www.opengis.net/ows"
_NAMES = {"csw": CSW, "dc": DC, "dct": DCT, "ows": OWS}
# Characters that XML 1.0 has not, beyond those that clean_text removes.
NO_XML = re.compile(r"[\ufffe\uffff]")
_CRS = "urn:x-ogc:def:crs:EPSG:6.11:4326"


Row = dict[str, str]  # a record as pycsw's table has it: column → value


def iso(content: str) -> Row | None:
    """Return an ISO 19139 record with an identifier, None for any other text."""
    if "MD_Metadata" not in content[:4096]:
        return None
    try:
        root = xml.parse(content)
    except ParseError:
        return None
    identifier = document.identifier(root) if root.tag == f"{{{GMD}}}MD_Metadata" else ""
    if not identifier:
        return None
    kind = IsoNode(root, []).code("hierarchyLevel")
    return _record(root, identifier, "gmd:MD_Metadata", GMD) | ({"type": kind} if kind else {})


def dublin_core(dataset: Dataset) -> Row:
    """Return a csw:Record of a dataset."""
    root = etree.Element(f"{{{CSW}}}Record", nsmap=_NAMES)

    def add(namespace: str, name: str, text: str, **attributes: str) -> None:
        if text:
            etree.SubElement(root, f"{{{namespace}}}{name}", attributes).text = NO_XML.sub("", text)

    add(DC, "identifier", dataset.uri)
    add(DC, "title", dataset.title)
    add(DC, "type", "dataset")
    for keyword in dataset.keywords:
        add(DC, "subject", keyword)
    for form in dict.fromkeys(resource.format for resource in dataset.resources):
        add(DC, "format", form)
    add(DCT, "modified", dataset.modified or dataset.stored)
    add(DCT, "abstract", dataset.description)
    add(DC, "publisher", dataset.publisher.name)
    for language in dataset.languages:
        add(DC, "language", language)
    add(DC, "rights", dataset.licence)
    for resource in dataset.resources:
        add(DCT, "references", resource.url, scheme="WWW:LINK")
    if dataset.geometry is not None:
        west, south, east, north = geometries.bounds(dataset.geometry)
        box = etree.SubElement(root, f"{{{OWS}}}BoundingBox", crs=_CRS)
        # The reference system has the latitude first.
        etree.SubElement(box, f"{{{OWS}}}LowerCorner").text = f"{south} {west}"
        etree.SubElement(box, f"{{{OWS}}}UpperCorner").text = f"{north} {east}"
    return _record(root, dataset.uri, "csw:Record", CSW)


def _record(root: etree._Element, identifier: str, typename: str, schema: str) -> Row:
    # Only elements: comments and processing instructions are no text of the record.
    texts = (text for element in root.iter(etree.Element) for text in (element.text, element.tail))
    return {
        "identifier": identifier,
        "typename": typename,
        "schema": schema,
        "xml": etree.tostring(root, encoding="unicode"),
        "anytext": " ".join(" ".join(filter(None, texts)).split()),
    }
