"""Extent of a GEMINI record's data: boxes, outlines, names, heights.

Elements 15 (places), 16 (vertical extent) and 44 (bounding box); all ``extent`` elements are read,
whichever of them holds a part.
"""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.geometries import (
    MAX_BYTES,
    Box,
    Geometry,
    bbox_polygon,
    bounds,
    hull,
    merge_geometries,
    overlap,
    too_large,
)
from ckanext.ukharvest.core.values.multivalue import is_no
from ckanext.ukharvest.parsers.gemini import bounding_box, polygon
from ckanext.ukharvest.parsers.gemini.entry import Entry
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.reference_systems import references

# GEMINI's extents, and ISO's for a time at a place.
_AREAS = ("extent/*/geographicElement/*", "extent/*/temporalElement/*/spatialExtent/*")
_HEIGHTS = "extent/*/verticalElement/*"
# A thousand parts have more bytes than the search index accepts, whichever are left out.
_MOST_PAIRS = 1_000_000


def _areas(entry: Entry, name: str) -> Iterator[IsoNode]:
    """Yield the parts of one class, without those with extentTypeCode false (ISO 19115, 6.6.1)."""
    for node in entry.identification.find_all(*_AREAS):
        if node.name == name and not is_no(node.text("extentTypeCode")):
            yield node


def _place(entry: Entry) -> FieldValues:
    named_systems = references(entry)
    read = (
        bounding_box.read(node, named_systems) for node in _areas(entry, "EX_GeographicBoundingBox")
    )
    found = [each for each in read if each]
    boxes = list(dict.fromkeys(each.box for each in found))
    near = hull(boxes) if boxes else None
    shapes = (polygon.read(n, near, named_systems) for n in _areas(entry, "EX_BoundingPolygon"))
    outlines = [each for each in shapes if each]
    geometry, is_whole = _geometry(entry, boxes, [each.geometry for each in outlines])
    originals = [each.original for each in outlines if each.original] if is_whole else []
    around = near or (bounds(geometry) if geometry else None)
    kept = "\n".join(originals)
    return {
        "spatial": geometry,
        "extras": {
            **_corners(around),
            "bbox-original": "; ".join(each.original for each in found if each.original),
            "spatial-original": kept if len(kept.encode()) < MAX_BYTES else "",
        },
    }


def _geometry(
    entry: Entry, boxes: list[Box], outlines: list[Geometry]
) -> tuple[Geometry | None, bool]:
    """Return the geometry, and whether it contains the outlines.

    An outline is more exact than the box around it and replaces it; other boxes are kept. What is
    too large for the search index becomes the boxes or, if those are too many, the box around them:
    an outline cannot be simplified without a geometry library.
    """
    parts = [*outlines, *(bbox_polygon(*box) for box in _alone(boxes, outlines))]
    if not parts:
        return None, False
    geometry = merge_geometries(parts)
    size = too_large(geometry)
    if not size:
        return geometry, True
    words = f"the geometry has {size:,} bytes, and its box is used instead"
    expected = f"expected less than {MAX_BYTES:,}"
    field = polygon.FIELD if outlines else bounding_box.FIELD
    entry.identification.report("large-spatial", field, f"{words}; {expected}")
    boxes = boxes or [bounds(each) for each in outlines]
    plain = merge_geometries([bbox_polygon(*box) for box in boxes])
    return (bbox_polygon(*hull(boxes)) if too_large(plain) else plain), False


def _alone(boxes: list[Box], outlines: list[Geometry]) -> list[Box]:
    """Return the boxes that contain no outline; all boxes if they are too many for any index."""
    around = [bounds(each) for each in outlines]
    if len(boxes) * len(around) > _MOST_PAIRS:
        return boxes
    return [box for box in boxes if not any(overlap(box, each) for each in around)]


def _corners(box: Box | None) -> dict[str, str]:
    if box is None:
        return {}
    names = ("bbox-west-long", "bbox-south-lat", "bbox-east-long", "bbox-north-lat")
    return {
        name: repr(float(number)).removesuffix(".0")
        for name, number in zip(names, box, strict=True)
    }


def _names(entry: Entry) -> FieldValues:
    codes = [
        said
        for node in _areas(entry, "EX_GeographicDescription")
        for said in node.texts_at("geographicIdentifier/*/code")
    ]
    descriptions = entry.identification.texts("extent/*/description")
    return {
        "spatial_text": "; ".join(dict.fromkeys(descriptions)),
        "extras": {
            "spatial-coverage": "; ".join(dict.fromkeys(each.text or each.href for each in codes)),
            "spatial_uri": ", ".join(dict.fromkeys(each.href for each in codes if each.href)),
        },
    }


def _heights(entry: Entry) -> FieldValues:
    """Return ``0 to 1139 (MSL height, urn:ogc:def:crs:EPSG::5714)`` for each vertical extent."""
    found = dict.fromkeys(_height(node) for node in entry.identification.find_all(_HEIGHTS))
    return {"extras": {"vertical-extent": "; ".join(filter(None, found))}}


def _height(node: IsoNode) -> str:
    texts = (node.text("minimumValue"), node.text("maximumValue"))
    if not any(texts):
        return ""
    system = (
        node.text("verticalCRS/*/name", "verticalCRS/*/srsName"),
        node.text(
            "verticalCRS/*/identifier",
            "verticalCRS/*/srsID/*/name",
            "verticalCRSId/*/referenceSystemIdentifier/*/code",
        )
        or next((each.href for each in node.find_all("verticalCRS")), ""),
    )
    words = ", ".join(dict.fromkeys(filter(None, system)))
    span = " to ".join(text or "?" for text in texts)
    return f"{span} ({words})" if words else span


MAPPING: tuple[Field[Entry], ...] = (
    Field(
        ("gmd:EX_GeographicBoundingBox", "gmd:EX_BoundingPolygon"),
        "spatial; extras bbox-west-long, bbox-east-long, bbox-south-lat, bbox-north-lat,"
        " bbox-original, spatial-original",
        _place,
    ),
    Field(
        ("gmd:EX_GeographicDescription", "gmd:EX_Extent/gmd:description"),
        "spatial_text; extras spatial-coverage, spatial_uri",
        _names,
    ),
    Field(("gmd:EX_VerticalExtent",), "extra vertical-extent", _heights),
)
