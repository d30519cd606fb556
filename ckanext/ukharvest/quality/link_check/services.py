"""Services from their own descriptions: capabilities documents and exception reports.

Read with a few paths from the tree of core/xml. OWSLib reads no more than that from correct
documents, and nothing from many incorrect ones (figures: docs/decisions/0013-links.md).
WMS: OGC 06-042, 01-068r3. WFS: 09-025r2, 04-094, 02-058. WMTS: 07-057r7. WCS: 09-110r4, 07-067r5,
03-065r6. CSW: 07-006r1, 12-176r7. Common parts: 06-121r9.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from lxml import etree

from ckanext.ukharvest.core.link_states import Layer
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml.parser import local_name

MOST_LAYERS = 500
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_LONGEST = 300  # characters of a title that are kept; a longer name is no name

# Requested versions of each service, the most common first; a service that knows none of them
# answers in its own.
VERSIONS = {
    "WMS": ("1.3.0", "1.1.1"),
    "WFS": ("2.0.0", "1.1.0"),
    "WMTS": ("1.0.0",),
    "WCS": ("2.0.1", "1.1.1", "1.0.0"),
    "CSW": ("2.0.2", "3.0.0"),
    "WPS": ("1.0.0", "2.0.0"),
    "SOS": ("2.0.0", "1.0.0"),
}


class Service(NamedTuple):
    """A service's description of itself; ``address`` is its main request's URL, "" if not given."""

    label: str
    version: str = ""
    title: str = ""
    layers: tuple[Layer, ...] = ()
    address: str = ""


class _Document(NamedTuple):
    """A kind of capabilities document: its root, the path of its layers, and the main request."""

    label: str
    root: str
    namespace: str  # a part of it
    layers: str
    name: str
    operation: str


_COVERAGE = "GetCoverage"
_DOCUMENTS = (
    _Document("WMS", "WMS_Capabilities", "", ".//{*}Layer", "{*}Name", "GetMap"),
    _Document("WMS", "WMT_MS_Capabilities", "", ".//{*}Layer", "{*}Name", "GetMap"),
    _Document("WFS", "WFS_Capabilities", "", ".//{*}FeatureType", "{*}Name", "GetFeature"),
    _Document("WMTS", "Capabilities", "/wmts", ".//{*}Layer", "{*}Identifier", "GetTile"),
    _Document("WCS", "WCS_Capabilities", "", ".//{*}CoverageOfferingBrief", "{*}name", _COVERAGE),
    _Document("WCS", "Capabilities", "/wcs/1", ".//{*}CoverageSummary", "{*}Identifier", _COVERAGE),
    _Document("WCS", "Capabilities", "/wcs/2", ".//{*}CoverageSummary", "{*}CoverageId", _COVERAGE),
    _Document("CSW", "Capabilities", "/csw", "", "", "GetRecords"),
    _Document("WPS", "WPS_Capabilities", "", "", "", "Execute"),
    _Document("WPS", "Capabilities", "/wps", ".//{*}Process", "{*}Identifier", "Execute"),
    _Document("SOS", "Capabilities", "/sos", "", "", "GetObservation"),
)


def read(root: etree._Element) -> Service | None:
    """Return the service in a capabilities document, None if it is another document."""
    if local_name(root) == "feed":
        return _feed(root)
    document = _document(root)
    if document is None:
        return None
    return Service(
        document.label,
        shorten(clean_text(root.get("version")), 20),
        _title(root),
        _first(_layers(root, document)),
        next(_addresses(root, document.operation), ""),
    )


def exception_text(root: etree._Element) -> str | None:
    """Return the text of an exception report, on one line; None if it is another document."""
    if local_name(root) not in ("ServiceExceptionReport", "ExceptionReport", "ServiceException"):
        return None
    words = filter(None, map(clean_text, _texts(root)))
    faults = root.iter("{*}Exception", "{*}ServiceException")
    codes = (each.get("exceptionCode") or each.get("code") for each in faults)
    said = [*islice(words, 20), *islice(filter(None, codes), 3)]
    return shorten(clean_text(" ".join(said)), 200)


def _texts(root: etree._Element) -> Iterator[str]:
    """Yield the text of each element without child elements.

    Not itertext, whose time grows with the square of the comments in a text.
    """
    for element in root.iter("*"):
        if next(element.iterchildren("*"), None) is None:
            yield str(element.xpath("string()"))


def suspects(root: etree._Element | None) -> list[str]:
    """Return the services that may be at a URL, the likeliest first.

    Args:
        root: of the exception report that the URL gave, None if it gave none.
    """
    text = (exception_text(root) or "").upper() if root is not None else ""
    labels = ["WMS", "WFS", "WCS", "WMTS"]
    if root is not None and local_name(root) == "ExceptionReport":
        labels = ["WFS", "WMS", "WCS", "CSW"]  # OWS Common's, which no WMS follows
    return sorted(labels, key=lambda name: name not in text)


def _document(root: etree._Element) -> _Document | None:
    name = local_name(root)
    namespace = str(root.tag).rpartition("}")[0].lower()
    for document in _DOCUMENTS:
        if name == document.root and document.namespace in namespace:
            return document
    return None


def _title(root: etree._Element) -> str:
    for path in ("{*}ServiceIdentification/{*}Title", "{*}Service/{*}Title", "{*}Service/{*}label"):
        if title := _text(root, path):
            return title
    return ""


def _layers(root: etree._Element, document: _Document) -> Iterator[Layer]:
    """Yield layers; a WMS's layers without a name are headings of those below them."""
    for element in root.iterfind(document.layers) if document.layers else ():
        name = clean_text(element.findtext(document.name))
        if name and len(name) <= _LONGEST:
            yield Layer(name, _text(element, "{*}Title") or _text(element, "{*}label"))


def _first(layers: Iterator[Layer]) -> tuple[Layer, ...]:
    return tuple(islice(layers, MOST_LAYERS))


def _addresses(root: etree._Element, operation: str) -> Iterator[str]:
    """Yield the URLs of a GET request, in each spelling that capabilities have."""
    for element in root.iter(f"{{*}}{operation}", "{*}Operation"):
        if local_name(element) == "Operation" and element.get("name") != operation:
            continue
        for get in element.iter("{*}Get"):
            for each in get.iter(etree.Element):
                if found := each.get(_XLINK_HREF) or each.get("onlineResource"):
                    yield found


def _feed(root: etree._Element) -> Service:
    """Return an Atom feed (RFC 4287); in INSPIRE's download services its entries are datasets."""
    entries = root.iterfind("{*}entry")
    layers = (Layer(_text(each, "{*}id"), _text(each, "{*}title")) for each in entries)
    title = _text(root, "{*}title")
    return Service("Atom Feed", "", title, _first(each for each in layers if each.name))


def _text(element: etree._Element, path: str) -> str:
    found = element.find(path)
    if found is None:
        return ""
    return shorten(clean_text(str(found.xpath("string()"))), _LONGEST)
