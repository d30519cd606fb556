"""Expected fields of a page's datasets, read as plain XML without the extension's code."""

from __future__ import annotations

from xml.etree import ElementTree

from demo.publishers import Box, Served

from .catalogue import LICENCE, NAMESPACES

_RDF = f"{{{NAMESPACES['rdf']}}}"


def served(text: bytes) -> tuple[list[Served], str]:
    """Read a page's datasets, and the next page's URL ("" after the last)."""
    root = ElementTree.fromstring(text)
    found = [_dataset(each) for each in root.iterfind(".//dcat:Dataset", NAMESPACES)]
    return found, root.findtext(".//hydra:nextPage", "", NAMESPACES)


def _dataset(element: ElementTree.Element) -> Served:
    title = element.findtext("dct:title", "", NAMESPACES)
    files = element.iterfind(".//dcat:downloadURL", NAMESPACES)
    licence = element.find("dct:license", NAMESPACES)
    return Served(
        guid=element.attrib[f"{_RDF}about"],
        title=title,
        urls=frozenset(each.attrib[f"{_RDF}resource"] for each in files),
        raw=ElementTree.tostring(element, encoding="unicode"),
        licence="uk-ogl"
        if licence is not None and licence.attrib[f"{_RDF}resource"] == LICENCE
        else "",
        box=_box(element.findtext(".//locn:geometry", "", NAMESPACES)),
        is_readable=bool(title),
    )


def _box(text: str) -> Box:
    corners = [corner.split() for corner in text.removeprefix("POLYGON((").rstrip(")").split(",")]
    easts = [float(x) for x, _ in corners]
    norths = [float(y) for _, y in corners]
    return min(easts), min(norths), max(easts), max(norths)
