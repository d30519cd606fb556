"""Coverage of a dataset: place, time, languages, and update frequency."""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Iterator

from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values import geometries as spatial
from ckanext.ukharvest.core.values.dates import parse_date, parse_period
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.languages import parse_language
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers.dcat.node import Node, quoted

SPATIAL = ("dct:spatial", "dct:coverage", "schema:spatialCoverage", "dct:spacial")
LANGUAGE = ("dct:language", "dc:language", "schema:inLanguage")
FREQUENCY = ("dct:accrualPeriodicity", "dct:frequency")
TEMPORAL = ("dct:temporal", "schema:temporalCoverage", "schema:temporal")

# Predicates of a place's shape, the most exact first; a point says least.
_SHAPES = (
    *("locn:geometry", "gsp:asGeoJSON", "gsp:asWKT", "geo:asWKT", "gsp:hasGeometry"),
    *("dcat:bbox", "schema:box", "schema:geo", "geo:geometry"),
    *("dcat:centroid", "gsp:hasCentroid"),
)
_PLACE_NAMES = (
    *("skos:prefLabel", "rdfs:label", "locn:geographicName", "dct:title", "schema:name"),
    *("foaf:name", "vcard:locality", "locn:adminUnitL2", "locn:adminUnitL1", "rdf:value"),
)
_STARTS = ("dcat:startDate", "schema:startDate", "time:hasBeginning", "scv:min", "dct:start")
_ENDS = ("dcat:endDate", "schema:endDate", "time:hasEnd", "scv:max", "dct:end")
_MOMENTS = (
    *("time:inXSDDateTimeStamp", "time:inXSDDateTime", "time:inXSDDate", "time:inXSDgYearMonth"),
    *("time:inXSDgYear", "time:inDateTime", "rdf:value", "rdfs:label"),
)
# Predicates of nested nodes: a place has a geometry, which has its text.
_MAX_LEVEL = 4

# reference.data.gov.uk names time spans by URIs that contain their dates.
_SPAN = re.compile(r"https?://reference\.data\.gov\.uk/id/(?:gregorian-|government-)?([a-z]+)/(.+)")

Place = tuple[spatial.Geometry | None, str, dict[str, str]]


def place(node: Node) -> Place:
    """Return the place: a geometry, a text, and ckanext-dcat's extras.

    Several geometries become one box around all of them. A geometry too large for the search index
    is reported and becomes its bounding box.
    """
    geometries: list[spatial.Geometry] = []
    names: dict[str, None] = {}
    uris: dict[str, None] = {}
    for part in node.nodes(*SPATIAL):
        if part.uri:
            uris[part.uri] = None
        geometry, name = _place(node, part)
        geometries += [geometry] if geometry else []
        if name:
            names[name] = None
    geometry = geometries[0] if len(geometries) == 1 else _box_around(geometries)
    if geometry and (size := spatial.too_large(geometry)):
        node.report(
            "large-spatial",
            "dct:spatial",
            f"the geometry has {size:,} bytes, and its box is used instead;"
            f" expected less than {spatial.MAX_BYTES:,}",
        )
        geometry = _box_around([geometry])
    text = "; ".join(names)
    return geometry, text, {"spatial_uri": ", ".join(uris), "spatial_text": text}


def _box_around(geometries: list[spatial.Geometry]) -> spatial.Geometry | None:
    if not geometries:
        return None
    west, south, east, north = zip(*map(spatial.bounds, geometries), strict=True)
    return spatial.bbox_polygon(min(west), min(south), max(east), max(north))


def _place(owner: Node, part: Node) -> tuple[spatial.Geometry | None, str]:
    """Return one place; report its shape only if none of its spellings can be read."""
    name = part.text(*_PLACE_NAMES) if part.term.kind != "literal" else ""
    is_words = part.term.kind == "literal"
    refused = ""
    for text in _shapes(part):
        try:
            geometry = spatial.parse_spatial(text)
        except ValueError as exc:
            refused = refused or str(exc)
            continue
        if geometry:
            return geometry, name
        if is_words:
            return None, "" if is_web_url(text) else text
        refused = refused or f"{quoted(text, 40)} is no geometry; expected GeoJSON or WKT"
    if refused:
        owner.report("bad-spatial", "dct:spatial", refused)
    return None, name


def _shapes(part: Node, level: int = 0) -> Iterator[str]:
    """Yield texts that might be geometries, from the node itself and its nested nodes."""
    if part.term.kind == "literal":
        yield part.label()
        return
    for name in _SHAPES if level < _MAX_LEVEL else ():
        # GeoJSON before WKT, whose axis order depends on the writer.
        for shape in sorted(part.nodes(name), key=lambda each: "{" not in each.term.value[:1]):
            yield from _shapes(shape, level + 1)
    if (latitude := part.text("geo:lat", "schema:latitude")) and (
        longitude := part.text("geo:long", "schema:longitude")
    ):
        yield f"{latitude}, {longitude}"


def geometry_text(geometry: spatial.Geometry | None) -> str:
    """Return a geometry as JSON text, for an extra."""
    return json.dumps(geometry, separators=(",", ":")) if geometry else ""


def period(node: Node) -> Period | None:
    """Return the time span that contains all time spans given."""
    found = [each for part in node.nodes(*TEMPORAL) if (each := _period(node, part))]
    if not found:
        return None
    starts, ends = [each.start for each in found], [each.end for each in found]
    return Period(min(starts), max(ends) if all(ends) else "")


def _period(owner: Node, part: Node) -> Period | None:
    start, end = (
        owner.parse_value("dct:temporal", _moment(part, names), parse_date, "bad-date")
        for names in (_STARTS, _ENDS)
    )
    if start or end:
        return Period(start, end)
    text = _of_uri(part.uri) or part.label()
    if not text:
        return None
    try:
        return parse_period(text)
    except ValueError as exc:
        if part.is_described or part.term.kind == "literal":
            owner.report("bad-period", "dct:temporal", str(exc))
        return None


def _moment(part: Node, names: tuple[str, ...]) -> str:
    """Return a date's text, which OWL-Time nests below an instant."""
    for each in part.nodes(*names):
        found = each.term.value if each.term.kind == "literal" else ""
        found = found or _of_uri(each.uri) or each.text(*_MOMENTS)
        if found:
            return found
    return ""


def date(node: Node, *names: str, latest: bool = False) -> str:
    """Return the earliest (or latest) date under one of the names."""
    for name in names:
        texts = [
            each.term.value
            if each.term.kind == "literal"
            else _of_uri(each.uri) or each.text(*_MOMENTS)
            for each in node.nodes(name)
        ]
        found = [node.parse_value(name, text.strip(), parse_date, "bad-date") for text in texts]
        if dates := sorted(filter(None, found)):
            return dates[-1 if latest else 0]
        if any(not text.strip() for text in texts):
            node.report("empty-field", name, "empty; leave the field out or give a date")
    return ""


def _of_uri(uri: str) -> str:
    """Return what a time span's URI at reference.data.gov.uk means: a date, or start and length."""
    match = _SPAN.fullmatch(uri)
    if match is None:
        return ""
    kind, rest = match.groups()
    if kind == "interval":
        return rest
    years = re.fullmatch(r"(\d{4})-(\d{4})", rest)
    if kind == "year" and years:
        # The government's year begins on 1 April.
        return f"{years[1]}-04-01/{years[2]}-03-31"
    quarter = re.fullmatch(r"(\d{4})-Q([1-4])", rest)
    if quarter:
        year, last = quarter[1], int(quarter[2]) * 3
        return f"{year}-{last - 2:02}-01/{year}-{last:02}-{monthrange(int(year), last)[1]}"
    return rest if kind in ("year", "month", "day", "instant") else ""


def frequency(node: Node) -> str:
    """Return the update frequency: a code, text, or a duration of OWL-Time."""
    refused = ""
    for part in node.nodes(*FREQUENCY):
        for text in filter(None, (part.uri, part.label(), _duration(part))):
            try:
                return parse_frequency(text)
            except ValueError as exc:
                refused = refused or str(exc)
    if refused:
        node.report("bad-frequency", FREQUENCY[0], refused)
    return ""


def _duration(part: Node, level: int = 0) -> str:
    """Return ``P1Y`` for a time:DurationDescription, which may be nested below rdf:value."""
    for unit in ("years", "months", "weeks", "days"):
        if number := part.text(f"time:{unit}"):
            return f"P{number.removesuffix('.0')}{unit[0].upper()}"
    below = part.nodes("rdf:value") if level < _MAX_LEVEL else ()
    return next(filter(None, (_duration(each, level + 1) for each in below)), "")


def languages(node: Node) -> tuple[str, ...]:
    """Return the languages as RFC 5646 tags."""
    found = []
    for name in LANGUAGE:
        for each in node.nodes(name):
            text = each.uri or each.label()
            found += [
                node.parse_value(name, part, parse_language, "bad-language")
                for part in re.split(r"[\s,;]+", text)
                if part
            ]
    return tuple(dict.fromkeys(filter(None, found)))
