"""Places, heights and times of a GEMINI record's data: elements 7, 15, 16 and 44.

All ``extent`` elements are read, whichever of them holds a part. GML 3.2 (ISO 19136), 14.2.2: a
position in time may be indeterminate (now, unknown, before, after).
"""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values.geometries import (
    MAX_BYTES,
    Box,
    Geometry,
    bbox_polygon,
    bounds,
    hull,
    merge_geometries,
    overlap,
)
from ckanext.ukharvest.core.values.multivalue import as_text
from ckanext.ukharvest.core.values.periods import EXTENTS, LASTING, Periods, in_time, join_periods
from ckanext.ukharvest.core.values.places import combine_places
from ckanext.ukharvest.parsers.gemini import places
from ckanext.ukharvest.parsers.gemini.document import Entry, IsoNode, row, without_blanks
from ckanext.ukharvest.parsers.gemini.places import references
from ckanext.ukharvest.parsers.table import Field, FieldValues, Row

# GEMINI's extents, and ISO's for a time at a place.
_AREAS = ("extent/*/geographicElement/*", "extent/*/temporalElement/*/spatialExtent/*")
# A thousand parts have more bytes than the search index accepts, whichever are left out.
_MOST_PAIRS = 1_000_000
_ENDS = ("gml:beginPosition", "gml:endPosition")


def _areas(entry: Entry, name: str) -> Iterator[IsoNode]:
    """Yield the parts of one class, without those with extentTypeCode false (ISO 19115, 6.6.1)."""
    for node in entry.identification.find_all(*_AREAS):
        if node.name == name and node.yes_no("extentTypeCode") is not False:
            yield node


def _place(entry: Entry) -> FieldValues:
    named_systems = references(entry)
    read = (
        places.read_box(node, named_systems) for node in _areas(entry, "EX_GeographicBoundingBox")
    )
    box_readings = [reading for reading in read if reading]
    boxes = list(dict.fromkeys(reading.box for reading in box_readings))
    near = hull(boxes) if boxes else None
    shapes = (
        places.read_outline(n, near, named_systems) for n in _areas(entry, "EX_BoundingPolygon")
    )
    outlines = [outline for outline in shapes if outline]
    geometry, is_whole = _geometry(entry, boxes, [outline.geometry for outline in outlines])
    originals = [outline.original for outline in outlines if outline.original] if is_whole else []
    around = near or (bounds(geometry) if geometry else None)
    original = "\n".join(originals)
    return {
        "spatial": geometry,
        "extras": {
            **_corners(around),
            "bbox-original": "; ".join(
                reading.original for reading in box_readings if reading.original
            ),
            "spatial-original": original if len(original.encode()) < MAX_BYTES else "",
        },
    }


def _geometry(
    entry: Entry, boxes: list[Box], outlines: list[Geometry]
) -> tuple[Geometry | None, bool]:
    """Return the geometry, and whether it contains the outlines.

    An outline is more exact than the box around it and replaces it; other boxes are kept.
    """
    parts = [*outlines, *(bbox_polygon(*box) for box in _alone(boxes, outlines))]
    field = places.OUTLINE_FIELD if outlines else places.BOX_FIELD
    geometry = combine_places(parts, entry.identification.reporter(field), boxes)
    return geometry, bool(parts) and geometry == merge_geometries(parts)


def _alone(boxes: list[Box], outlines: list[Geometry]) -> list[Box]:
    """Return the boxes that contain no outline; all boxes if they are too many for any index."""
    around = [bounds(area) for area in outlines]
    if len(boxes) * len(around) > _MOST_PAIRS:
        return boxes
    return [box for box in boxes if not any(overlap(box, area) for area in around)]


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
        code
        for node in _areas(entry, "EX_GeographicDescription")
        for code in node.texts_at("geographicIdentifier/*/code")
    ]
    descriptions = entry.identification.texts("extent/*/description")
    return {
        "spatial_text": "; ".join(dict.fromkeys(descriptions)),
        "extras": {
            "spatial-coverage": "; ".join(dict.fromkeys(code.text or code.href for code in codes)),
            "spatial_uri": ", ".join(dict.fromkeys(code.href for code in codes if code.href)),
        },
    }


def _heights(node: IsoNode, paths: tuple[str, ...]) -> str:
    """Return ``0 to 1139 (MSL height, urn:ogc:def:crs:EPSG::5714)`` for each vertical extent."""
    heights = dict.fromkeys(map(_height, node.find_all(*paths)))
    return "; ".join(filter(None, heights))


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
        or next((crs.href for crs in node.find_all("verticalCRS")), ""),
    )
    words = ", ".join(dict.fromkeys(filter(None, system)))
    span = " to ".join(text or "?" for text in texts)
    return f"{span} ({words})" if words else span


def _temporal(entry: Entry) -> FieldValues:
    """Return the time span around all times, open where one is; each time in an extra."""
    nodes = entry.identification.find_all("extent/*/temporalElement/*/extent/*")
    read = list(map(_time, nodes))
    periods = join_periods(periods for periods, _ in read)
    times = list({str(facts): facts for _, facts in read if facts.keys() & {"from", "to"}}.values())
    says_more = len(times) > 1 or any(facts.keys() - {"from", "to"} for facts in times)
    several = as_text(sorted(times, key=in_time)) if says_more else ""
    return {
        "temporal": periods.whole if periods.whole != Period() else None,
        "extras": periods.extras | {EXTENTS: several},
    }


def _time(node: IsoNode) -> tuple[Periods, dict[str, str]]:
    """Return one TimePeriod or TimeInstant as period and as facts for the extra.

    One from an editor's template may be empty.
    """
    (begin, early), (end, late) = (
        _position(node, "timePosition", f"{name}Position", f"{name}/*/timePosition")
        for name in ("begin", "end")
    )
    names = ["gml:timePosition"] * 2 if node.name == "TimeInstant" else _ENDS
    periods = node.read_periods([(begin, end)], "gml:TimePeriod", *names)
    dates = periods.whole or Period()
    # Outside a position that is only a bound the period is open.
    period = Period("" if early == "before" else dates.start, "" if late == "after" else dates.end)
    facts = {
        "from": dates.start,
        "from-position": early,
        "to": dates.end,
        "to-position": late,
        "description": node.text("description"),
    }
    parts = (period,) if dates != Period() else ()
    return periods._replace(parts=parts), without_blanks(facts)


def _position(node: IsoNode, *paths: str) -> tuple[str, str]:
    """Return the text of a position in time, and its indeterminatePosition."""
    for position in node.find_all(*paths):
        vague, written = position.attribute("indeterminatePosition"), position.own_text()
        text = written.text or written.href
        # Some editors write the position's word in place of the date.
        if text.lower() in LASTING - {""}:
            return "", "unknown" if text.lower() == "unknown" else "now"
        if text or vague:
            return text, vague
    return "", ""


MAPPING: tuple[Field | Row, ...] = (
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
    row("gmd:EX_VerticalExtent", "extra vertical-extent", _heights, "extent/*/verticalElement/*"),
    Field(("gmd:temporalElement",), "temporal; extra temporal-extents", _temporal),
)
