"""Places, heights and times of a GEMINI record's data: elements 7, 15, 16 and 44.

All ``extent`` elements are read, whichever of them holds a part. GML 3.2 (ISO 19136), 14.2.2: a
position in time may be indeterminate (now, unknown, before, after).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values.dates import LASTING, Periods, parse_date, span
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
from ckanext.ukharvest.core.values.multivalue import as_text, is_no
from ckanext.ukharvest.parsers.gemini import places
from ckanext.ukharvest.parsers.gemini.document import Entry, IsoNode, row, without_blanks
from ckanext.ukharvest.parsers.gemini.places import references
from ckanext.ukharvest.parsers.table import Field, FieldValues, Row

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

    An outline is more exact than the box around it and replaces it; other boxes are kept. What is
    too large for the search index becomes the boxes or, if those are too many, the box around them:
    an outline cannot be simplified without a geometry library.
    """
    parts = [*outlines, *(bbox_polygon(*box) for box in _alone(boxes, outlines))]
    if not parts:
        return None, False
    geometry = merge_geometries(parts)
    if not (size := too_large(geometry)):
        return geometry, True
    entry.identification.report(
        "large-spatial",
        places.OUTLINE_FIELD if outlines else places.BOX_FIELD,
        f"the geometry has {size:,} bytes, and its box is used instead; expected less than"
        f" {MAX_BYTES:,}",
    )
    boxes = boxes or [bounds(outline) for outline in outlines]
    plain = merge_geometries([bbox_polygon(*box) for box in boxes])
    return (bbox_polygon(*hull(boxes)) if too_large(plain) else plain), False


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


_TIMES = "extent/*/temporalElement/*/extent/*"
_BEGIN = ("beginPosition", "begin/*/timePosition")
_END = ("endPosition", "end/*/timePosition")


@dataclass(frozen=True, slots=True)
class _Moment:
    """A date, or an indeterminate position: now, unknown, before, after."""

    date: str = ""
    vague: str = ""
    unread: str = ""  # its text, if that is no date


@dataclass(frozen=True, slots=True)
class _Time:
    begin: _Moment
    end: _Moment
    about: str

    @property
    def period(self) -> Period:
        """The same without what only the extra tells."""
        start = "" if self.begin.vague == "before" else self.begin.date
        return Period(start, "" if self.end.vague == "after" else self.end.date)

    @property
    def unread(self) -> str:
        """The text of a time that could not be read whole, "" of others."""
        begin, end = (moment.date or moment.unread for moment in (self.begin, self.end))
        is_whole = not (self.begin.unread or self.end.unread)
        return "" if is_whole else begin if self.begin == self.end else f"{begin}/{end}"

    def facts(self) -> dict[str, str]:
        """Its facts, as stored in the extra."""
        return without_blanks(
            {
                "from": self.begin.date,
                "from-position": self.begin.vague,
                "to": self.end.date,
                "to-position": self.end.vague,
                "description": self.about,
            }
        )


def _temporal(entry: Entry) -> FieldValues:
    """Return the time span around all times, open where one is; each time in an extra."""
    spans = [_time(node) for node in entry.identification.find_all(_TIMES)]
    unread = Periods(None, "; ".join(dict.fromkeys(filter(None, (t.unread for t in spans)))))
    times = list(dict.fromkeys(time for time in spans if time.begin.date or time.end.date))
    if not times:
        return {"extras": unread.extras}
    whole = span(time.period for time in times)
    says_more = len(times) > 1 or bool(times[0].facts().keys() - {"from", "to"})
    return {
        "temporal": whole if whole != Period() else None,
        "extras": {
            **unread.extras,
            "temporal-extents": as_text(time.facts() for time in times) if says_more else "",
        },
    }


def _time(node: IsoNode) -> _Time:
    """Return one TimePeriod or TimeInstant; one from an editor's template may be empty."""
    about = node.text("description")
    if node.name == "TimeInstant":
        moment = _moment(node, "timePosition")
        return _Time(moment, moment, about)
    begin, end = _moment(node, *_BEGIN), _moment(node, *_END)
    shared = min(len(begin.date), len(end.date))
    if begin.date[:shared] > end.date[:shared]:
        words = f"begins {begin.date} and ends {end.date}, which is read the other way round"
        node.report("reversed-period", "gml:TimePeriod", words)
        begin, end = end, begin
    return _Time(begin, end, about)


def _moment(node: IsoNode, *paths: str) -> _Moment:
    unread = ""
    for position in node.find_all(*paths):
        vague = position.attribute("indeterminatePosition")
        text = position.own_text().text
        if vague.lower() == "now" and not text:
            return _Moment(vague="now")
        # Some editors write the position's word in place of the date.
        if text and text.lower() in LASTING:
            return _Moment(vague="unknown" if text.lower() == "unknown" else "now")
        date = position.parse_value(f"gml:{position.name}", text, parse_date, "bad-date")
        unread = unread or ("" if date else text)
        if date or vague:
            return _Moment(date, vague, "" if date else text)
    return _Moment(unread=unread)


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
    row("gmd:EX_VerticalExtent", "extra vertical-extent", _heights, _HEIGHTS),
    Field(("gmd:temporalElement",), "temporal; extra temporal-extents", _temporal),
)
