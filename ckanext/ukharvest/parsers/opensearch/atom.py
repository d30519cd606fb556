"""Entries of an Atom feed (RFC 4287) with Dublin Core, GeoRSS and EOP metadata (OGC 13-026r9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from lxml import etree

from ckanext.ukharvest.core.mapping_table import Field, FieldValues, read_apart
from ckanext.ukharvest.core.records import Agent
from ckanext.ukharvest.core.values import licences, parties
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.periods import is_span, join_periods, read_periods
from ckanext.ukharvest.core.values.places import read_places
from ckanext.ukharvest.core.values.record_licence import read_licence
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_email, parse_url
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import uk_fields
from ckanext.ukharvest.parsers.dcat.node import as_list
from ckanext.ukharvest.parsers.opensearch import georss, links
from ckanext.ukharvest.parsers.opensearch.entry import Entry

# Types of content that are texts for people; others are files, or metadata of another format.
_MEDIA = "{http://search.yahoo.com/mrss/}content"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_TEXTS = ("text", "html", "xhtml", "text/html", "text/plain")
_EOP = "{*}EarthObservation//{*}"
# Path within EOP metadata (OGC 10-157r4) → extra.
_EXTRAS = tuple(
    (f".//{_EOP}{path}", name)
    for path, name in (
        ("Platform/{*}shortName", "platform"),
        ("Platform/{*}serialIdentifier", "platform_serial_identifier"),
        ("Platform/{*}orbitType", "orbit_type"),
        ("Instrument/{*}shortName", "instrument"),
        ("Sensor/{*}sensorType", "sensor_type"),
        ("Sensor/{*}operationalMode", "operational_mode"),
        ("Sensor/{*}resolution", "resolution"),
        ("Acquisition/{*}orbitNumber", "orbit_number"),
        ("Acquisition/{*}orbitDirection", "orbit_direction"),
        ("EarthObservationResult/{*}cloudCoverPercentage", "cloud_cover"),
        ("EarthObservationMetaData/{*}productType", "product_type"),
        ("EarthObservationMetaData//{*}processingLevel", "processing_level"),
        ("EarthObservationMetaData//{*}processorName", "processor_name"),
        ("EarthObservationMetaData/{*}parentIdentifier", "parent_identifier"),
        ("EarthObservationMetaData/{*}acquisitionType", "acquisition_type"),
        ("EarthObservationMetaData/{*}status", "status"),
        ("resultTime//{*}timePosition", "result_time"),
    )
)
# Files that EOP metadata name → relation of a link.
_IDENTIFIER = f".//{_EOP}EarthObservationMetaData/{{*}}identifier"
_EOP_FILES = {
    f".//{_EOP}BrowseInformation/{{*}}fileName/{{*}}ServiceReference": "preview",
    f".//{_EOP}ProductInformation/{{*}}fileName/{{*}}ServiceReference": "enclosure",
}


def title(entry: Entry) -> str:
    """Return an entry's title, "" if it has none."""
    return plain_line(entry.node.text("title"))


def _notes(entry: Entry) -> FieldValues:
    node = entry.node
    content = [
        _string(each)
        for each in entry.root.iterchildren("{*}content")
        if (each.get("type") or "text") in _TEXTS
    ]
    texts = (*node.texts("summary"), *content, *node.texts("description"), *node.texts("abstract"))
    return {"notes": next(filter(None, (plain_text(text) for text in texts)), "")}


def _string(element: etree._Element) -> str:
    return clean_text(str(element.xpath("string()")))


def _tags(entry: Entry) -> FieldValues:
    categories = list(entry.root.iterchildren("{*}category"))
    words = [clean_text(each.get("label") or each.get("term")) for each in categories]
    terms = (clean_text(each.get("term")) for each in categories if each.get("label"))
    words += entry.node.texts("subject")
    tags, problems = clean_tags(filter(None, words), "atom:category")
    entry.node.add(problems)
    return {"tags": tags, "themes": tuple(dict.fromkeys(filter(is_web_url, terms)))}


def _people(entry: Entry) -> FieldValues:
    node = entry.node
    bodies = [
        replace(parties.parse_agent(text), role=role)
        for name, role in (("publisher", parties.PUBLISHER), ("creator", parties.AUTHOR))
        for text in node.texts(name)
    ]
    authors = list(_authors(entry))
    others = (*bodies[1:], *parties.with_role(authors[1:], parties.AUTHOR))
    return {
        "publisher": replace(bodies[0], role="") if bodies else None,
        "author": next(iter(authors), None),
        "extras": {
            "contributor": ", ".join(_names(entry, "contributor")),
            **parties.other_parties(others),
        },
    }


def _authors(entry: Entry) -> Iterator[Agent]:
    for person in entry.node.find_all("author"):
        name = plain_line(person.text("name") or person.own_text())
        email = person.parse_value("email", person.text("email"), parse_email, "bad-email")
        url = person.parse_value("uri", person.text("uri"), parse_url, "bad-url")
        if name or email:
            yield Agent(name, email, url)


def _names(entry: Entry, element: str) -> Iterator[str]:
    for person in entry.node.find_all(element):
        if name := plain_line(person.text("name") or person.own_text()):
            yield name


def _dates(entry: Entry) -> FieldValues:
    """Return the dates: dc:date is the time that the data is about, where it is a span."""
    node = entry.node
    dates = node.texts("date")
    days = [text for text in dates if not is_span(text)]
    return {
        "issued": _date(entry, "published") or _date(entry, "issued") or _first(entry, days),
        "modified": _date(entry, "modified"),
        "metadata_modified": _date(entry, "updated"),
        "extras": {"created": _date(entry, "created")},
    }


def _date(entry: Entry, name: str) -> str:
    return entry.node.parse_value(name, entry.node.text(name), parse_date, "bad-date")


def _first(entry: Entry, texts: list[str]) -> str:
    return entry.node.parse_value("date", texts[0] if texts else "", parse_date, "bad-date")


def _temporal(entry: Entry) -> FieldValues:
    """Return the time that the data is about, from the first extension that has it."""
    periods = join_periods([])
    for field, given in _spans(entry):
        found = read_periods(given, _reporter(entry, field))
        periods = join_periods((periods, found))
        if found.whole:
            break
    return {"temporal": periods.whole, "extras": periods.extras}


def _spans(entry: Entry) -> Iterator[tuple[str, list[str | tuple[str, str]]]]:
    """Yield field and values of Dublin Core, EOP metadata, and OpenSearch's extension for time."""
    node = entry.node
    yield "dc:date", [*filter(is_span, node.texts("date")), *node.texts("temporal")]
    time = entry.root.find(f".//{_EOP}phenomenonTime")
    if time is not None:
        start, end = (time.findtext(f".//{{*}}{name}Position") or "" for name in ("begin", "end"))
        yield "eop:phenomenonTime", [(clean_text(start), clean_text(end))]
    yield "time:start", [(node.text("start"), node.text("end"))]


def _reporter(entry: Entry, field: str) -> Callable[[str, str, str], None]:
    return lambda code, words, _end: entry.node.report(code, field, words)


def _terms(entry: Entry) -> FieldValues:
    node = entry.node
    named = [_href(each) for each in entry.root.iterchildren("{*}link") if _rel(each) == "license"]
    texts = tuple(dict.fromkeys((*named, *node.texts("license"), *node.texts("rights"))))
    licence = read_licence(map(licences.find, texts), node.reporter("rights"))
    rights = "\n\n".join(plain_text(text) for text in texts if text not in named)
    return {"licence": licence, "rights": rights}


def _language(entry: Entry) -> FieldValues:
    node = entry.node
    return {"language": read_languages(node.texts("language"), node.reporter("dc:language"))}


def _links(entry: Entry) -> FieldValues:
    return links.read(_given(entry), lambda code, words: entry.node.report(code, "link", words))


def _given(entry: Entry) -> Iterator[links.Link]:
    for element in entry.root.iterchildren("{*}link"):
        if url := entry.node.link("link", _href(element), element.base or ""):
            names = ("type", "title", "length", "hreflang")
            texts = (clean_text(element.get(name)) for name in names)
            yield links.Link(_rel(element), url, *texts)
    yield from _files(entry)
    operations = entry.root.iterfind("{*}offering/{*}operation")
    for element in operations:  # of OWS Context (OGC 12-084r2)
        if clean_text(element.get("code")) == "GetCapabilities":
            url = entry.node.link("owc:operation", _href(element), element.base or "")
            yield from [links.Link("search", url, title="Service")] if url else []


def _files(entry: Entry) -> Iterator[links.Link]:
    """Yield files that other elements than links name: Media RSS, OWS Context, EOP metadata."""
    found = [("preview", each, each.get("url")) for each in entry.root.iter(_MEDIA)]
    contents = entry.root.iterfind("{*}offering/{*}content")
    found += [("enclosure", each, each.get("href")) for each in contents]
    for path, rel in _EOP_FILES.items():
        references = entry.root.iterfind(path)
        found += [(rel, each, each.get(_XLINK) or each.get("href")) for each in references]
    for rel, element, text in found:
        name = xml.local_name(element)
        if url := entry.node.parse_value(name, clean_text(text), parse_url, "bad-url"):
            yield links.Link(rel, url, clean_text(element.get("type")))


def _rel(element: etree._Element) -> str:
    # Relations of other bodies are URIs, those of ESIP with a "#" at the end.
    return clean_text(element.get("rel") or "alternate").lower().rstrip("#/").rpartition("/")[2]


def _href(element: etree._Element) -> str:
    return clean_text(element.get("href"))


def _place(entry: Entry) -> FieldValues:
    names = ("spatial", "coverage", "featurename", "featureName")
    texts = [plain_line(text) for name in names for text in entry.node.texts(name)]
    found = read_places(texts, entry.node.reporter("dct:spatial"))
    return {"spatial": found.geometry, "spatial_text": found.names, "extras": found.extras}


def _related(entry: Entry) -> FieldValues:
    node = entry.node
    sources = [each.text("id") for each in node.find_all("source")]
    sources += [each.own_text() for each in node.find_all("source")]
    return {
        "schema_urls": uk_fields.schemas(node.texts("conformsTo")),
        "extras": {
            "source": as_list(list(filter(None, sources))),
            "related_resource": as_list(list(node.texts("relation"))),
            "conforms_to": as_list(list(node.texts("conformsTo"))),
            "format": ", ".join(node.texts("format")),
        },
    }


def _more(entry: Entry) -> FieldValues:
    found = {}
    for path, name in _EXTRAS:
        texts = (_with_unit(each) for each in entry.root.iterfind(path))
        found[name] = next(filter(None, texts), "")
    whole = entry.node.text("isPartOf")
    parent = found["parent_identifier"] or whole
    identifiers = [clean_text(each.text) for each in entry.root.iterfind(_IDENTIFIER)]
    own = (entry.raw.guid, entry.node.text("identifier"))
    return {
        "extras": {
            **found,
            "parent_identifier": parent,
            "is_part_of": whole if whole != parent else "",
            "identifier": entry.node.text("identifier"),
            "alternate_identifier": as_list([each for each in identifiers if each not in own]),
            "dcat_type": entry.node.text("type"),
        }
    }


def _with_unit(element: etree._Element) -> str:
    return f"{clean_text(element.text)} {clean_text(element.get('uom'))}".strip()


MAPPING: tuple[Field[Entry], ...] = (
    Field(("atom:id", "dc:identifier"), "guid", read_apart),
    Field(("atom:title",), "title", read_apart),
    Field(("atom:summary", "atom:content", "dc:description", "dct:abstract"), "notes", _notes),
    Field(("atom:category", "dc:subject"), "tags, themes", _tags),
    Field(
        ("dc:publisher", "dc:creator", "atom:author", "atom:contributor"),
        "publisher, author; extras contributor, responsible-organisation",
        _people,
    ),
    Field(
        ("atom:published", "dct:issued", "dc:date", "dct:modified", "atom:updated", "dct:created"),
        "issued, modified, metadata_modified; extra created",
        _dates,
    ),
    Field(
        ("dc:date", "dct:temporal", "eop:phenomenonTime", "time:start", "time:end"),
        "temporal",
        _temporal,
    ),
    Field(("atom:rights", "dc:rights", "link rel=license"), "licence, rights", _terms),
    Field(("dc:language",), "language", _language),
    Field(
        ("georss:where", "georss:polygon", "georss:line", "georss:point", "georss:box")
        + ("georss:circle",)
        + ("eop:featureOfInterest",),
        "spatial",
        georss.read,
    ),
    Field(("dct:spatial", "dc:coverage", "georss:featurename"), "spatial, spatial_text", _place),
    Field(
        ("atom:link", "owc:offering", "media:content", "eop:BrowseInformation")
        + ("eop:ProductInformation",),
        "resources, url",
        _links,
    ),
    Field(
        ("atom:source", "dc:source", "dc:relation", "dct:conformsTo", "dc:format"),
        "schema_urls; extras source (list), related_resource (list), conforms_to (list), format",
        _related,
    ),
    Field(
        ("eop:Platform", "eop:Instrument", "eop:Sensor", "eop:Acquisition")
        + ("eop:EarthObservationResult", "eop:EarthObservationMetaData", "om:resultTime")
        + ("dct:isPartOf", "dc:identifier", "dc:type"),
        f"extras {', '.join(name for _, name in _EXTRAS)}, is_part_of, identifier,"
        " alternate_identifier (list), dcat_type",
        _more,
    ),
    Field(("every other element",), "extras", read_apart),
)

# Local names of the children of an entry that are read; of media:group its media:content.
READ = frozenset(
    (*(name.rpartition(":")[2] for row in MAPPING for name in row.source), "link", "group")
    + ("EarthObservation", "featureName")
)
