"""Where the data of a GEMINI record lies: boxes, outlines, names, heights.

Elements 15 (places), 16 (vertical extent) and 44 (bounding box); all ``extent`` elements count,
whichever one a publisher put a part into.
"""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.boxes import hull, overlap, together
from ckanext.ukharvest.core.mapping import Field, Found
from ckanext.ukharvest.core.spatial import (
    MAX_BYTES,
    Box,
    Geometry,
    bbox_polygon,
    bounds,
    too_large,
)
from ckanext.ukharvest.parsers import gemini_box, gemini_polygon
from ckanext.ukharvest.parsers.gemini_entry import Entry
from ckanext.ukharvest.parsers.gemini_reference import references
from ckanext.ukharvest.parsers.iso_node import IsoNode

# GEMINI's extents, and ISO's for a time at a place.
_AREAS = ("extent/*/geographicElement/*", "extent/*/temporalElement/*/spatialExtent/*")
_HEIGHTS = "extent/*/verticalElement/*"
# A thousand parts have more bytes than the search index takes, whichever of them are left out.
_MOST_PAIRS = 1_000_000


def _areas(entry: Entry, name: str) -> Iterator[IsoNode]:
    """The parts of one class; ISO 19115, 6.6.1: extentTypeCode false is where the data is not."""
    for node in entry.identification.each(*_AREAS):
        if node.name == name and node.text("extentTypeCode").lower() not in ("false", "0"):
            yield node


def _place(entry: Entry) -> Found:
    named = references(entry)
    read = (gemini_box.read(node, named) for node in _areas(entry, "EX_GeographicBoundingBox"))
    found = [each for each in read if each]
    boxes = list(dict.fromkeys(each.box for each in found))
    near = hull(boxes) if boxes else None
    shapes = (gemini_polygon.read(n, near, named) for n in _areas(entry, "EX_BoundingPolygon"))
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
    """The geometry, and whether the outlines are in it.

    An outline says more than the box around it and takes its place; boxes elsewhere stay. What
    the search index would refuse becomes the boxes or, if those are too many, the one around
    them: without a library for shapes an outline cannot be made simpler.
    """
    parts = [*outlines, *(bbox_polygon(*box) for box in _alone(boxes, outlines))]
    if not parts:
        return None, False
    geometry = together(parts)
    size = too_large(geometry)
    if not size:
        return geometry, True
    words = f"the geometry has {size:,} bytes, and its box is used instead"
    expected = f"expected less than {MAX_BYTES:,}"
    field = gemini_polygon.FIELD if outlines else gemini_box.FIELD
    entry.identification.report("large-spatial", field, f"{words}; {expected}")
    boxes = boxes or [bounds(each) for each in outlines]
    plain = together([bbox_polygon(*box) for box in boxes])
    return (bbox_polygon(*hull(boxes)) if too_large(plain) else plain), False


def _alone(boxes: list[Box], outlines: list[Geometry]) -> list[Box]:
    """The boxes in which no outline lies; all of them where they are too many for any index."""
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


def _names(entry: Entry) -> Found:
    codes = [
        said
        for node in _areas(entry, "EX_GeographicDescription")
        for said in node.said("geographicIdentifier/*/code")
    ]
    descriptions = entry.identification.texts("extent/*/description")
    return {
        "spatial_text": "; ".join(dict.fromkeys(descriptions)),
        "extras": {
            "spatial-coverage": "; ".join(dict.fromkeys(each.text or each.href for each in codes)),
            "spatial_uri": ", ".join(dict.fromkeys(each.href for each in codes if each.href)),
        },
    }


def _heights(entry: Entry) -> Found:
    """``0 to 1139 (MSL height, urn:ogc:def:crs:EPSG::5714)`` for each vertical extent."""
    found = dict.fromkeys(_height(node) for node in entry.identification.each(_HEIGHTS))
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
        or next((each.href for each in node.each("verticalCRS")), ""),
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
