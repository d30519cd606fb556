"""Places and times of a record: dc:coverage holds either, as text or as DCMI Box and Period."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from ckanext.ukharvest.core.mapping_table import FieldValues
from ckanext.ukharvest.core.values.geometries import Geometry, parse_number
from ckanext.ukharvest.core.values.gml import box_of_corners
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.periods import is_span, read_periods
from ckanext.ukharvest.core.values.places import Places, parse_box, read_places
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.xml_fields import Entry

_PART = re.compile(r"\s*([A-Za-z]+)\s*=\s*([^;]*)")
_LIMITS = ("westlimit", "southlimit", "eastlimit", "northlimit")
_YEAR = re.compile(r"\d{4}\b")


def read(entry: Entry) -> FieldValues:
    """Return the extent, the names of places and the time span."""
    node = entry.node
    dates = filter(is_span, node.texts("date"))
    times = [*node.texts("temporal"), *dates]
    boxes: list[tuple[str, list[str]]] = []
    places: list[str] = []
    for text in (*node.texts("coverage"), *node.texts("spatial")):
        parts = {name.lower(): value for name, value in _PART.findall(text)}
        if all(name in parts for name in _LIMITS):
            boxes.append((text, [parts[name] for name in _LIMITS]))
            places += [parts["name"].strip()] if parts.get("name") else []
        elif "start" in parts or "end" in parts or _YEAR.match(text) or is_span(text):
            times.append(text)
        else:
            places.append(plain_line(text))
    periods = read_periods(times, lambda code, words, _end: node.report(code, "coverage", words))
    described, place = read_places(places, node.reporter("coverage")), _extent(entry, boxes)
    return {
        "spatial": place.geometry or described.geometry,
        "spatial_text": described.names,
        "temporal": periods.whole,
        "extras": periods.extras | described.extras | place.extras,
    }


def _extent(entry: Entry, boxes: list[tuple[str, list[str]]]) -> Places:
    """Return the first place: a box of OGC 06-121, section 10.2, or a DCMI Box."""
    unread: list[str] = []
    for text, read in (*_ows_boxes(entry), *_dcmi_boxes(boxes)):
        try:
            return Places(read())
        except ValueError as exc:
            entry.node.report("bad-spatial", "coverage", f"'{text[:60]}': {exc}")
            unread.append(text)
    return Places(unread="; ".join(unread))


Read = Callable[[], Geometry]


def _dcmi_boxes(boxes: list[tuple[str, list[str]]]) -> Iterator[tuple[str, Read]]:
    return ((text, partial(parse_box, limits)) for text, limits in boxes)


def _ows_boxes(entry: Entry) -> Iterator[tuple[str, Read]]:
    for element in entry.root.iterchildren("{*}BoundingBox", "{*}WGS84BoundingBox"):
        lower = clean_text(element.findtext("{*}LowerCorner"))
        upper = clean_text(element.findtext("{*}UpperCorner"))
        is_named = xml.local_name(element) == "BoundingBox"
        crs = clean_text(element.get("crs")) if is_named else ""
        if len(lower.split()) == len(upper.split()) == 2:
            yield f"{lower} {upper}", partial(_ows_box, lower, upper, crs)


def _ows_box(lower: str, upper: str, crs: str) -> Geometry:
    (x1, y1), (x2, y2) = (map(parse_number, corner.split()) for corner in (lower, upper))
    return box_of_corners((x1, y1), (x2, y2), crs)
