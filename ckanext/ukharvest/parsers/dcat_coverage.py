"""What a dataset covers: place, time, languages; and how often it is renewed."""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Iterator

from ckanext.ukharvest.core import spatial
from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values import (
    is_web_url,
    parse_date,
    parse_frequency,
    parse_language,
    parse_period,
)
from ckanext.ukharvest.parsers.dcat_node import Node, quoted

SPATIAL = ("dct:spatial", "dct:coverage", "schema:spatialCoverage", "dct:spacial")
LANGUAGE = ("dct:language", "dc:language", "schema:inLanguage")
FREQUENCY = ("dct:accrualPeriodicity", "dct:frequency")
TEMPORAL = ("dct:temporal", "schema:temporalCoverage", "schema:temporal")

# Where a place's shape stands, the most exact first; a point says least.
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
# Nodes within nodes: a place has a geometry that has its text.
_MAX_LEVEL = 4

# reference.data.gov.uk names spans of time by URIs that say what they are.
_SPAN = re.compile(r"https?://reference\.data\.gov\.uk/id/(?:gregorian-|government-)?([a-z]+)/(.+)")

Place = tuple[spatial.Geometry | None, str, dict[str, str]]


def place(node: Node) -> Place:
    """A geometry, the words for the place, and ckanext-dcat's extras.

    Of several geometries it is the box around all; one too large for the search index becomes
    the box around it, and is reported.
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
    """One place; a shape written in several ways is wrong only if none of them can be read."""
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
    """Texts that might be geometries, from the node itself and from what hangs below it."""
    if part.term.kind == "literal":
        yield part.label()
        return
    for name in _SHAPES if level < _MAX_LEVEL else ():
        # GeoJSON before WKT, whose axis order depends on who wrote it.
        for shape in sorted(part.nodes(name), key=lambda each: "{" not in each.term.value[:1]):
            yield from _shapes(shape, level + 1)
    if (latitude := part.text("geo:lat", "schema:latitude")) and (
        longitude := part.text("geo:long", "schema:longitude")
    ):
        yield f"{latitude}, {longitude}"


def geometry_text(geometry: spatial.Geometry | None) -> str:
    """A geometry as JSON text, for an extra."""
    return json.dumps(geometry, separators=(",", ":")) if geometry else ""


def period(node: Node) -> Period | None:
    """The span of time, the hull of several."""
    found = [each for part in node.nodes(*TEMPORAL) if (each := _period(node, part))]
    if not found:
        return None
    starts, ends = [each.start for each in found], [each.end for each in found]
    return Period(min(starts), max(ends) if all(ends) else "")


def _period(owner: Node, part: Node) -> Period | None:
    start, end = (
        owner.parsed("dct:temporal", _moment(part, names), parse_date, "bad-date")
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
    """The text of a date, which OWL-Time hangs below an instant."""
    for each in part.nodes(*names):
        found = each.term.value if each.term.kind == "literal" else ""
        found = found or _of_uri(each.uri) or each.text(*_MOMENTS)
        if found:
            return found
    return ""


def date(node: Node, *names: str, latest: bool = False) -> str:
    """A date under one of the names; of several the earliest or the latest."""
    for name in names:
        texts = [
            each.term.value
            if each.term.kind == "literal"
            else _of_uri(each.uri) or each.text(*_MOMENTS)
            for each in node.nodes(name)
        ]
        found = [node.parsed(name, text.strip(), parse_date, "bad-date") for text in texts]
        if dates := sorted(filter(None, found)):
            return dates[-1 if latest else 0]
        if any(not text.strip() for text in texts):
            node.report("empty-field", name, "empty; leave the field out or give a date")
    return ""


def _of_uri(uri: str) -> str:
    """The span that a URI of reference.data.gov.uk means: a date, or start and length."""
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
    """How often the data is renewed: a code, words, or a duration of OWL-Time."""
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
    """``P1Y`` for a time:DurationDescription, which may hang below rdf:value."""
    for unit in ("years", "months", "weeks", "days"):
        if number := part.text(f"time:{unit}"):
            return f"P{number.removesuffix('.0')}{unit[0].upper()}"
    below = part.nodes("rdf:value") if level < _MAX_LEVEL else ()
    return next(filter(None, (_duration(each, level + 1) for each in below)), "")


def languages(node: Node) -> tuple[str, ...]:
    """Languages as RFC 5646 tags."""
    found = []
    for name in LANGUAGE:
        for each in node.nodes(name):
            text = each.uri or each.label()
            found += [
                node.parsed(name, part, parse_language, "bad-language")
                for part in re.split(r"[\s,;]+", text)
                if part
            ]
    return tuple(dict.fromkeys(filter(None, found)))
