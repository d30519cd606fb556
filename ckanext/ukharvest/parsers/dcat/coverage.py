"""Coverage of a dataset (place, time, languages, update frequency), and its texts by language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from ckanext.ukharvest.core.records import (
    Pairs,
    ResourceTranslation,
    Translation,
    collect_translations,
)
from ckanext.ukharvest.core.values import places
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.languages import language_code, read_languages
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.dcat.node import Node
from ckanext.ukharvest.parsers.table import FieldValues

SPATIAL = ("dct:spatial", "dct:coverage", "schema:spatialCoverage", "dct:spacial")
LANGUAGE = ("dct:language", "dc:language", "schema:inLanguage")
FREQUENCY = ("dct:accrualPeriodicity", "dct:frequency")
TEMPORAL = ("dct:temporal", "schema:temporalCoverage", "schema:temporal")

# Predicates of a place's shape, the most exact first; a point says least.
_SHAPES = (
    *("locn:geometry", "gsp:asGeoJSON", "gsp:asWKT", "geo:asWKT", "gsp:asGML", "gsp:hasGeometry"),
    *("schema:polygon", "dcat:bbox", "schema:box", "schema:line", "schema:circle"),
    *("schema:geo", "geo:geometry"),
    *("dcat:centroid", "gsp:hasCentroid"),
)
# Shapes of schema.org's GeoShape → their kind.
_LATITUDE_FIRST = {f"schema:{kind}": kind for kind in ("polygon", "box", "line", "circle")}
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

_REGISTER = "://reference.data.gov.uk/"  # its URIs of dates and time spans contain them


def place(node: Node) -> places.Places:
    """Return the places."""
    return places.read_places(map(_place, node.nodes(*SPATIAL)), node.reporter("dct:spatial"))


def _place(part: Node) -> places.Place | str:
    if part.term.kind == "literal":
        return part.label()
    return places.Place(_shapes(part), part.text(*_PLACE_NAMES), part.uri)


def _shapes(part: Node, level: int = 0) -> Iterator[tuple[str, places.Parse]]:
    """Yield texts that might be geometries, and how to read them, from a node and those below."""
    if part.term.kind == "literal":
        yield part.label(), places.parse_spatial
        return
    for name in _SHAPES if level < _MAX_LEVEL else ():
        # GeoJSON before WKT, whose axis order depends on the writer.
        for shape in sorted(part.nodes(name), key=lambda each: "{" not in each.term.value[:1]):
            if name in _LATITUDE_FIRST:
                yield shape.label(), partial(places.parse_latitude_first, _LATITUDE_FIRST[name])
            else:
                yield from _shapes(shape, level + 1)
    if (latitude := part.text("geo:lat", "schema:latitude")) and (
        longitude := part.text("geo:long", "schema:longitude")
    ):
        yield f"{latitude}, {longitude}", places.parse_spatial


def last_date(node: Node, names: table.Names) -> str:
    """Return the latest date under the first of the names that has any."""
    return date(node, names, latest=True)


def temporal(node: Node) -> FieldValues:
    """Return the time span that contains all time spans given."""
    spans = [span for part in node.nodes(*TEMPORAL) if (span := _period(part))]
    periods = node.read_periods(spans, "dct:temporal")
    return {"temporal": periods.whole, "extras": periods.extras}


def _period(part: Node) -> str | tuple[str, str]:
    """Return one time span as a text, or as its two ends; "" if it says nothing."""
    start, end = (_moment(part, names) for names in (_STARTS, _ENDS))
    if start or end:
        return start, end
    return part.uri if _REGISTER in part.uri else part.label() or part.uri


def _moment(part: Node, names: tuple[str, ...]) -> str:
    """Return a date's text, which OWL-Time nests below an instant."""
    for moment in part.nodes(*names):
        if text := _date_text(moment):
            return text
    return ""


def date(node: Node, names: table.Names, *, latest: bool = False) -> str:
    """Return the earliest (or latest) date under the first of the names that has any."""
    for name in names:
        texts = list(map(_date_text, node.nodes(name)))
        parsed = [node.parse_value(name, text.strip(), parse_date, "bad-date") for text in texts]
        if dates := sorted(filter(None, parsed)):
            return dates[-1 if latest else 0]
        if any(not text.strip() for text in texts):
            node.report("empty-field", name, "empty; leave the field out or give a date")
    return ""


def _date_text(part: Node) -> str:
    """Return the text of a date: a literal, a URI of reference.data.gov.uk, or a node of one."""
    if part.term.kind == "literal" or _REGISTER in part.uri:
        return part.term.value
    return part.text(*_MOMENTS)


def frequency(node: Node, names: table.Names) -> str:
    """Return the update frequency: a code, text, or a duration of OWL-Time."""
    refused = ""
    for part in node.nodes(*names):
        for text in filter(None, (part.uri, part.label(), _duration(part))):
            try:
                return parse_frequency(text)
            except ValueError as exc:
                refused = refused or str(exc)
    if refused:
        node.report("bad-frequency", names[0], refused)
    return ""


def _duration(part: Node, level: int = 0) -> str:
    """Return ``P1Y`` for a time:DurationDescription, which may be nested below rdf:value."""
    for unit in ("years", "months", "weeks", "days"):
        if number := part.text(f"time:{unit}"):
            return f"P{number.removesuffix('.0')}{unit[0].upper()}"
    below = part.nodes("rdf:value") if level < _MAX_LEVEL else ()
    return next(filter(None, (_duration(part_below, level + 1) for part_below in below)), "")


def languages(node: Node, names: table.Names) -> table.Names:
    """Return the languages as RFC 5646 tags."""
    tags = (
        read_languages([part.uri or part.label() for part in node.nodes(name)], node.reporter(name))
        for name in names
    )
    return tuple(dict.fromkeys(chain.from_iterable(tags)))


Names = tuple[str, ...]
Literals = list[tuple[str, str]]  # language tag and text


def text_language(node: Node, titles: Names) -> str:
    """Return the code of the language of the title that is used, "" if it has no tag."""
    literals = _first_literals(node, titles)
    return language_code(literals[0][0]) if literals else ""


def dataset_translations(
    titles: Names, notes: Names, abstracts: Names, keywords: Names, node: Node
) -> FieldValues:
    """Return a dataset's texts by language.

    Args:
        titles, abstracts: predicates; the first that has literals counts.
        notes: predicates; all of them count, before ``abstracts``.
        keywords: predicates.
    """
    texts = [pair for name in notes for pair in node.literals(name)]
    fields: dict[str, Pairs] = {
        "title": _joined(_first_literals(node, titles), _first_line),
        "notes": _joined(texts or _first_literals(node, abstracts), _paragraphs),
        "tags": [
            (tag, clean_tags(words, "")[0]) for tag, words in _grouped(node.literals(*keywords))
        ],
    }
    return {"translations": collect_translations(Translation, fields)}


def distribution_translations(titles: Names, texts: Names, node: Node) -> FieldValues:
    """Return a distribution's texts by language."""
    fields = {
        "name": _joined(_first_literals(node, titles), _first_line),
        "description": _joined(_first_literals(node, texts), _lines),
    }
    return {"translations": collect_translations(ResourceTranslation, fields)}


def _first_literals(node: Node, names: Names) -> Literals:
    return next(filter(None, (node.literals(name) for name in names)), [])


def _grouped(literals: Literals) -> Iterable[tuple[str, list[str]]]:
    texts: dict[str, list[str]] = {}
    for tag, text in literals:
        texts.setdefault(tag, []).append(text)
    return texts.items()


def _joined(literals: Literals, join: Callable[[list[str]], str]) -> Literals:
    return [(tag, join(texts)) for tag, texts in _grouped(literals)]


def _first_line(texts: list[str]) -> str:
    return plain_line(texts[0])


def _lines(texts: list[str]) -> str:
    return "\n".join(map(plain_text, texts))


def _paragraphs(texts: list[str]) -> str:
    return "\n\n".join(dict.fromkeys(map(plain_text, texts)))
