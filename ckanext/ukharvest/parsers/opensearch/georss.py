"""Places of an entry: GeoRSS Simple, and GML in georss:where or within EOP metadata (OGC 17-002r1).

Coordinates are latitude first, as in the standard, unless a geometry's system says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from ckanext.ukharvest.core.mapping_table import FieldValues
from ckanext.ukharvest.core.values.geometries import Geometry, merge_geometries
from ckanext.ukharvest.core.values.gml import read_gml
from ckanext.ukharvest.core.values.places import Places, parse_latitude_first
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.parsers.xml_fields import Entry

# Where an outline is, from the exact one to the rough one.
_PLACES = ("where", "polygon", "line", "point", "box", "circle")
_WITHIN_EOP = "{*}EarthObservation//{*}featureOfInterest"


def read(entry: Entry) -> FieldValues:
    """Return the extent: of the first kind of place that the entry has."""
    places = [(name, list(entry.root.iterchildren(f"{{*}}{name}"))) for name in _PLACES]
    places.append(("where", list(entry.root.iterfind(f".//{_WITHIN_EOP}"))))
    unread: list[str] = []
    for name, elements in places:
        if shape := _shape(entry, name, elements, unread):
            return {"spatial": shape}
    return {"extras": Places(unread="; ".join(unread)).extras}


def _shape(
    entry: Entry, name: str, elements: list[etree._Element], unread: list[str]
) -> Geometry | None:
    try:
        shapes = [shape for each in elements for shape in _shapes(name, each)]
    except ValueError as exc:
        entry.node.report("bad-spatial", f"georss:{name}", str(exc))
        unread += [clean_text(str(each.xpath("string()"))) for each in elements]
        return None
    return merge_geometries(shapes) if shapes else None


def _shapes(name: str, element: etree._Element) -> Iterator[Geometry]:
    if name == "where":
        if geometry := read_gml(element, latitude_first=True):
            yield geometry
    elif text := clean_text(element.text):
        yield parse_latitude_first(name, text)
