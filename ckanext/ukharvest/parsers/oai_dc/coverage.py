"""Places and times of a record: dc:coverage holds either, as text or as DCMI Box and Period."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from ckanext.ukharvest.core.mapping_table import FieldValues
from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values import geometries
from ckanext.ukharvest.core.values.dates import parse_period
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.oai_dc.entry import Entry

_PART = re.compile(r"\s*([A-Za-z]+)\s*=\s*([^;]*)")
_LIMITS = ("westlimit", "southlimit", "eastlimit", "northlimit")
_YEAR = re.compile(r"\d{4}\b")


def read(entry: Entry) -> FieldValues:
    """Return the extent, the names of places and the time span."""
    node = entry.node
    found: dict[str, list[str]] = {"place": [], "time": list(node.texts("temporal"))}
    boxes = list(_boxes(entry))
    for text in (*node.texts("coverage"), *node.texts("spatial")):
        parts = {name.lower(): value for name, value in _PART.findall(text)}
        if all(name in parts for name in _LIMITS):
            boxes.append((text, tuple(parts[name] for name in _LIMITS)))
            found["place"] += [parts["name"].strip()] if parts.get("name") else []
        elif "start" in parts or "end" in parts or _YEAR.match(text):
            found["time"].append(text)
        else:
            found["place"].append(plain_line(text))
    return {
        "spatial": _extent(entry, boxes),
        "spatial_text": "; ".join(dict.fromkeys(filter(None, found["place"]))),
        "temporal": _period(entry, found["time"]),
    }


def _boxes(entry: Entry) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the boxes of OGC 06-121, section 10.2, as west, south, east, north."""
    for element in entry.root.iterchildren("{*}BoundingBox", "{*}WGS84BoundingBox"):
        lower = clean_text(element.findtext("{*}LowerCorner")).split()
        upper = clean_text(element.findtext("{*}UpperCorner")).split()
        if len(lower) != 2 or len(upper) != 2:
            continue
        if _is_latitude_first(element):
            lower, upper = lower[::-1], upper[::-1]
        yield " ".join((*lower, *upper)), (*lower, *upper)


def _is_latitude_first(element: etree._Element) -> bool:
    # The axes of EPSG:4326, when it is named as a URN.
    crs = clean_text(element.get("crs")).lower()
    return xml.local_name(element) == "BoundingBox" and "4326" in crs and "urn" in crs


def _extent(entry: Entry, boxes: list[tuple[str, tuple[str, ...]]]) -> object:
    for text, limits in boxes:
        try:
            return geometries.bbox_polygon(*map(float, limits))
        except ValueError as exc:
            entry.node.report("bad-spatial", "coverage", f"'{text[:60]}': {exc}")
    return None


def _period(entry: Entry, texts: list[str]) -> Period | None:
    for text in texts:
        parts = {name.lower(): value.strip() for name, value in _PART.findall(text)}
        if "start" in parts or "end" in parts:
            text = f"{parts.get('start', '')}/{parts.get('end', '')}"
        try:
            return parse_period(text)
        except ValueError as exc:
            entry.node.report("bad-date", "coverage", str(exc))
    return None
