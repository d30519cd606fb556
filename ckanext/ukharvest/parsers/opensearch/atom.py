"""Entries of an Atom feed (RFC 4287) with Dublin Core, GeoRSS and EOP metadata (OGC 13-026r9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest

from lxml import etree

from ckanext.ukharvest.core.records import Agent, ResourceRecord
from ckanext.ukharvest.core.values import formats, parties
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.file_facts import read_checksums, read_size
from ckanext.ukharvest.core.values.geometries import Geometry, merge_geometries
from ckanext.ukharvest.core.values.gml import read_gml
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.link_protocols import SERVICE_FORMATS
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.multivalue import as_list
from ckanext.ukharvest.core.values.periods import is_span, join_periods
from ckanext.ukharvest.core.values.places import Place, parse_latitude_first, read_places
from ckanext.ukharvest.core.values.text import Repaired, clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_url
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.reporting import Report, read_tags
from ckanext.ukharvest.parsers.table import Field, FieldValues, row
from ckanext.ukharvest.parsers.xml_fields import Entry, Node

DATA, DOCUMENTATION, SERVICE = "data", "documentation", "service"
# Relation → kind of resource, and its name where the link has no title.
_RELATIONS = {
    "enclosure": (DATA, "Data"),
    "data": (DATA, "Data"),
    "download": (DATA, "Data"),
    "metadata": (DOCUMENTATION, "Metadata"),
    "documentation": (DOCUMENTATION, "Documentation"),
    "browse": (DOCUMENTATION, "Preview"),
    "service": (SERVICE, "Service"),
    "alternate": (DOCUMENTATION, "Metadata"),
    "alternates": (DOCUMENTATION, "Metadata"),
    "via": (DOCUMENTATION, "Original metadata"),
    "describedby": (DOCUMENTATION, "Documentation"),
    "related": (DOCUMENTATION, "Related"),
    "qualities": (DOCUMENTATION, "Quality"),
    "icon": (DOCUMENTATION, "Preview"),
    "preview": (DOCUMENTATION, "Preview"),
    "previews": (DOCUMENTATION, "Preview"),
    "quicklook": (DOCUMENTATION, "Preview"),
    "thumbnail": (DOCUMENTATION, "Preview"),
    "search": (SERVICE, "Search"),
}


@dataclass(frozen=True, slots=True)
class Link:
    """A link as given; ``url`` is checked.

    Attributes:
        rel: its relation, in lower case.
        length: its size in bytes, as written.
        language: of what it leads to, as written.
        checksum: as written.
    """

    rel: str
    url: str
    type: str = ""
    title: str = ""
    length: str = ""
    language: str = ""
    checksum: str = ""


def read_links(links: Iterable[Link], report: Report) -> FieldValues:
    """Return the resources, and the page about the dataset.

    Args:
        report: called with code and text of a problem of a link.
    """
    resources: dict[str, ResourceRecord] = {}
    pages: list[str] = []
    for link in links:
        if link.rel in ("alternate", "alternates") and _is_page(link):
            pages.append(link.url)
        if link.rel in _RELATIONS:
            resources.setdefault(link.url, _resource(link, report))
    return {"resources": tuple(resources.values()), "url": next(iter(pages), "")}


def _is_page(link: Link) -> bool:
    return "html" in link.type.lower()


def _resource(link: Link, report: Report) -> ResourceRecord:
    kind, name = _RELATIONS[link.rel]
    label = _format(link)
    if label in SERVICE_FORMATS:
        kind = SERVICE
    if _is_page(link) and kind == DOCUMENTATION:
        name = "Web page"
    size, unread = read_size(link.length, report)
    return ResourceRecord(
        link.url,
        name=plain_line(link.title) or name,
        format=label,
        mimetype=link.type,
        kind=kind,
        size=size,
        extras=unread
        | ({"language": link.language} if link.language else {})
        | read_checksums([(link.checksum, "")]),
    )


def _format(link: Link) -> str:
    if "opensearchdescription" in link.type:
        return "OpenSearch"
    of_url = formats.of_url(link.url)
    if of_url in SERVICE_FORMATS:
        return of_url
    return formats.label(link.type) or of_url


# Where an outline is, from the exact one to the rough one.
_PLACES = ("where", "polygon", "line", "point", "box", "circle")
_WITHIN_EOP = "{*}EarthObservation//{*}featureOfInterest"


def _place(entry: Entry) -> FieldValues:
    """Return the extent, of the first kind of place that the entry has, and names of places."""
    kinds = [(name, list(entry.root.iterchildren(f"{{*}}{name}"))) for name in _PLACES]
    kinds.append(("where", list(entry.root.iterfind(f".//{_WITHIN_EOP}"))))
    outlines = [
        (_words(elements), partial(_merged, name, elements)) for name, elements in kinds if elements
    ]
    names = ("spatial", "coverage", "featurename", "featureName")
    texts = [plain_line(text) for name in names for text in entry.node.texts(name)]
    return read_places((Place(outlines), *texts), entry.node.reporter("dct:spatial")).values


def _words(elements: Iterable[etree._Element]) -> str:
    return "; ".join(clean_text(str(element.xpath("string()"))) for element in elements)


def _merged(name: str, elements: Iterable[etree._Element], _text: str) -> Geometry | None:
    shapes: list[Geometry] = []
    repair: Repaired | None = None
    for element in elements:
        try:
            shapes += _shapes(name, element)
        except Repaired as exc:
            shapes.append(exc.repaired)
            repair = exc
    geometry = merge_geometries(shapes) if shapes else None
    if repair:
        raise Repaired(str(repair), geometry, repair.code)
    return geometry


def _shapes(name: str, element: etree._Element) -> Iterator[Geometry]:
    if name == "where":
        if geometry := read_gml(element, latitude_first=True):
            yield geometry
    elif text := clean_text(element.text):
        yield parse_latitude_first(name, text)


# Types of content that are texts for people; others are files, or metadata of another format.
_MEDIA = "{http://search.yahoo.com/mrss/}content"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_TEXTS = ("text", "html", "xhtml", "text/html", "text/plain")
_EOP = "{*}EarthObservation//{*}"
# Files that EOP metadata name → relation of a link.
_IDENTIFIER = f".//{_EOP}EarthObservationMetaData/{{*}}identifier"
_EOP_FILES = {
    f".//{_EOP}BrowseInformation/{{*}}fileName/{{*}}ServiceReference": "preview",
    f".//{_EOP}ProductInformation/{{*}}fileName/{{*}}ServiceReference": "enclosure",
}


def _notes(entry: Entry) -> FieldValues:
    node = entry.node
    content = [
        clean_text(str(element.xpath("string()")))
        for element in entry.root.iterchildren("{*}content")
        if (element.get("type") or "text") in _TEXTS
    ]
    # One tells what the others do.
    kinds = (node.texts("summary"), content, node.texts("description"), node.texts("abstract"))
    notes = ("\n\n".join(dict.fromkeys(map(plain_text, texts))) for texts in kinds)
    return {"notes": next(filter(None, notes), "")}


def _tags(entry: Entry) -> FieldValues:
    categories = list(entry.root.iterchildren("{*}category"))
    words = [clean_text(element.get("label") or element.get("term")) for element in categories]
    labelled = (element for element in categories if element.get("label"))
    terms = (clean_text(element.get("term")) for element in labelled)
    words += entry.node.texts("subject")
    tags = read_tags(entry.node, filter(None, words), "atom:category")
    return {"tags": tags, "themes": tuple(dict.fromkeys(filter(is_web_url, terms)))}


def _people(entry: Entry) -> FieldValues:
    return read_people(entry.node.texts, list(_authors(entry)))


def read_people(
    texts: Callable[[str], Iterable[str]], authors: Sequence[Agent], contacts: Sequence[Agent] = ()
) -> FieldValues:
    """Return publisher, author and contact, and the extra for all others.

    Args:
        texts: returns the texts of Dublin Core's publisher and creator.
    """
    bodies = [
        replace(parties.parse_agent(text), role=role)
        for name, role in (("publisher", parties.PUBLISHER), ("creator", parties.AUTHOR))
        for text in texts(name)
    ]
    others = (
        *bodies[1:],
        *parties.with_role(authors[1:], parties.AUTHOR),
        *parties.with_role(contacts[1:], parties.CONTACT),
    )
    return {
        "publisher": replace(bodies[0], role="") if bodies else None,
        "author": next(iter(authors), None),
        "contact": next(iter(contacts), None),
        "extras": parties.other_parties(others),
    }


def _authors(entry: Entry) -> Iterator[Agent]:
    for person in entry.node.find_all("author"):
        name, email = person.text("name") or person.own_text(), person.text("email")
        url = person.parse_value("uri", person.text("uri"), parse_url, "bad-url")
        if name or email:
            yield parties.read_agent(name, email, url, person.reporter("email", email))


def _person_names(node: Node, names: table.Names) -> str:
    people = (person for name in names for person in node.find_all(name))
    texts = (plain_line(person.text("name") or person.own_text()) for person in people)
    return ", ".join(filter(None, texts))


def _issued(node: Node, _names: table.Names) -> str:
    """Return the day of publication: dc:date is what the data is about, where it is a span."""
    days = (text for text in node.texts("date") if not is_span(text))
    return table.date(node, ("published", "issued")) or node.parse_value(
        "date", next(days, ""), parse_date, "bad-date"
    )


def _temporal(entry: Entry) -> FieldValues:
    """Return the time that the data is about, from the first extension that has it."""
    periods = join_periods([])
    for field, spans in _spans(entry):
        part = entry.node.read_periods(spans, field)
        periods = join_periods((periods, part))
        if part.whole:
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
    yield "time:start", list(zip_longest(node.texts("start"), node.texts("end"), fillvalue=""))


def _terms(entry: Entry) -> FieldValues:
    node = entry.node
    links_ = entry.root.iterchildren("{*}link")
    urls = [_href(element) for element in links_ if _rel(element) == "license"]
    texts = tuple(dict.fromkeys((*urls, *table.texts(node, ("license", "rights")))))
    licence = read_licence(texts, node.reporter("rights"), node.texts("accessRights"))
    rights = "\n\n".join(plain_text(text) for text in texts if text not in urls)
    return {"licence": licence, "rights": rights}


def _languages(node: Node, names: table.Names) -> table.Names:
    return read_languages(table.texts(node, names), node.reporter("dc:language"))


def _links(entry: Entry) -> FieldValues:
    return read_links(_all_links(entry), entry.node.reporter("link"))


def _all_links(entry: Entry) -> Iterator[Link]:
    for element in entry.root.iterchildren("{*}link"):
        if url := entry.node.read_link("link", _href(element), element.base or ""):
            names = ("type", "title", "length", "hreflang")
            texts = (clean_text(element.get(name)) for name in names)
            yield Link(_rel(element), url, *texts)
    yield from _files(entry)
    operations = entry.root.iterfind("{*}offering/{*}operation")
    for element in operations:  # of OWS Context (OGC 12-084r2)
        if clean_text(element.get("code")) == "GetCapabilities":
            url = entry.node.read_link("owc:operation", _href(element), element.base or "")
            yield from [Link("search", url, title="Service")] if url else []


def _files(entry: Entry) -> Iterator[Link]:
    """Yield files that other elements than links name: Media RSS, OWS Context, EOP metadata."""
    files = [("preview", element, element.get("url")) for element in entry.root.iter(_MEDIA)]
    contents = entry.root.iterfind("{*}offering/{*}content")
    files += [("enclosure", element, element.get("href")) for element in contents]
    files += [
        (rel, element, element.get(_XLINK) or element.get("href"))
        for path, rel in _EOP_FILES.items()
        for element in entry.root.iterfind(path)
    ]
    for rel, element, text in files:
        name = xml.local_name(element)
        if url := entry.node.parse_value(name, clean_text(text), parse_url, "bad-url"):
            yield Link(rel, url, clean_text(element.get("type")))


def _rel(element: etree._Element) -> str:
    # Relations of other bodies are URIs, those of ESIP with a "#" at the end.
    return clean_text(element.get("rel") or "alternate").lower().rstrip("#/").rpartition("/")[2]


def _href(element: etree._Element) -> str:
    return clean_text(element.get("href"))


def _sources(node: Node, names: table.Names) -> str:
    elements = [element for name in names for element in node.find_all(name)]
    texts = (*(element.text("id") for element in elements), *map(Node.own_text, elements))
    return as_list(list(filter(None, texts)))


def _eop(path: str, target: str) -> table.Row:
    """Return a row of a text within EOP metadata (OGC 10-157r4), with its unit."""
    return table.named_row((path,), target, table.first_text, (_eop_path(path),))


def _eop_path(path: str) -> str:
    steps = (f"{{*}}{name.rpartition(':')[2]}" if name else "" for name in path.split("/"))
    return f".//{{*}}EarthObservation//{'/'.join(steps)}"


def _identity(entry: Entry) -> FieldValues:
    identifier, whole = entry.node.text("identifier"), ", ".join(entry.node.texts("isPartOf"))
    parent = entry.node.text(_eop_path("EarthObservationMetaData/parentIdentifier")) or whole
    others = [clean_text(element.text) for element in entry.root.iterfind(_IDENTIFIER)]
    others += entry.node.texts("identifier")[1:]
    return {
        "extras": {
            "parent_identifier": parent,
            "is_part_of": whole if whole != parent else "",
            "identifier": identifier,
            "alternate_identifier": as_list(
                [text for text in others if text not in (entry.raw.guid, identifier)]
            ),
        }
    }


_METADATA = "eop:EarthObservationMetaData"

MAPPING: tuple[Field | table.Row, ...] = (
    Field(("atom:id", "dc:identifier"), "guid"),
    Field(("atom:title",), "title"),
    Field(("atom:summary", "atom:content", "dc:description", "dct:abstract"), "notes", _notes),
    Field(("atom:category", "dc:subject"), "tags, themes", _tags),
    Field(
        ("dc:publisher", "dc:creator", "atom:author"),
        "publisher, author; extra responsible-organisation",
        _people,
    ),
    row("atom:contributor", "extra contributor", _person_names),
    row("atom:published dct:issued dc:date", "issued", _issued),
    row("dct:modified", "modified", table.date),
    row("atom:updated", "metadata_modified", table.date),
    row("dct:created", "extra created", table.date),
    Field(
        ("dc:date", "dct:temporal", "eop:phenomenonTime", "time:start", "time:end"),
        "temporal",
        _temporal,
    ),
    Field(("atom:rights", "dc:rights", "link rel=license"), "licence, rights", _terms),
    row("dc:language", "language", _languages),
    Field(
        ("georss:where", "georss:polygon", "georss:line", "georss:point", "georss:box")
        + ("georss:circle",)
        + ("eop:featureOfInterest", "dct:spatial", "dc:coverage", "georss:featurename"),
        "spatial, spatial_text",
        _place,
    ),
    Field(
        ("atom:link", "owc:offering", "media:content", "eop:BrowseInformation")
        + ("eop:ProductInformation",),
        "resources, url",
        _links,
    ),
    row("atom:source dc:source", "extra source", _sources),
    row("dct:accrualPeriodicity", "frequency", table.frequency),
    row("dc:relation", "extra related_resource", table.json_list),
    row("dct:conformsTo", "schema_urls", table.schemas),
    row("dct:conformsTo", "extra conforms_to", table.json_list),
    row("dc:format", "extra format", table.words),
    _eop("eop:Platform/eop:shortName", "extra platform"),
    _eop("eop:Platform/eop:serialIdentifier", "extra platform_serial_identifier"),
    _eop("eop:Platform/eop:orbitType", "extra orbit_type"),
    _eop("eop:Instrument/eop:shortName", "extra instrument"),
    _eop("eop:Sensor/eop:sensorType", "extra sensor_type"),
    _eop("eop:Sensor/eop:operationalMode", "extra operational_mode"),
    _eop("eop:Sensor/eop:resolution", "extra resolution"),
    _eop("eop:Acquisition/eop:orbitNumber", "extra orbit_number"),
    _eop("eop:Acquisition/eop:orbitDirection", "extra orbit_direction"),
    _eop("eop:EarthObservationResult/eop:cloudCoverPercentage", "extra cloud_cover"),
    _eop(f"{_METADATA}/eop:productType", "extra product_type"),
    _eop(f"{_METADATA}//eop:processingLevel", "extra processing_level"),
    _eop(f"{_METADATA}//eop:processorName", "extra processor_name"),
    _eop(f"{_METADATA}/eop:acquisitionType", "extra acquisition_type"),
    _eop(f"{_METADATA}/eop:status", "extra status"),
    _eop("om:resultTime//gml:timePosition", "extra result_time"),
    Field(
        (f"{_METADATA}/eop:parentIdentifier", f"{_METADATA}/eop:identifier", "dct:isPartOf")
        + ("dc:identifier",),
        "extras parent_identifier, is_part_of, identifier, alternate_identifier (list)",
        _identity,
    ),
    row("dc:type", "extra dcat_type", table.words),
    Field(("every other element",), "extras"),
)

# Local names of the children of an entry that are read; of media:group its media:content.
READ = frozenset(
    name.rpartition(":")[2] for row in MAPPING for name in row.source if "/" not in name
) | {"link", "group", "EarthObservation", "featureName"}
