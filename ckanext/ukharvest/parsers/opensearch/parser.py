"""Results of an OpenSearch service: entries of Atom, or features of GeoJSON.

A service has its results in one or both of them; the record itself decides how it is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import partial
from typing import Any

from ckanext.ukharvest.core.fingerprint import is_xml
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Agent, DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.values import parties, places
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.languages import choose_language
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.periods import is_span, join_periods
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.values.web_addresses import (
    is_web_url,
    parse_url,
    read_phone,
)
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import package_dict as package
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.json_fields import Fields, as_object, load_object, value_text
from ckanext.ukharvest.parsers.opensearch import atom
from ckanext.ukharvest.parsers.reporting import read_tags
from ckanext.ukharvest.parsers.table import Field, FieldValues
from ckanext.ukharvest.parsers.xml_fields import Entry, Node, wrong_root


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature: its own members, and its properties."""

    own: Fields
    node: Fields

    def part(self, prefix: str) -> Fields:
        """Return the properties, for the prefix of their names."""
        return self.node


def _paragraph(node: Fields, names: table.Names) -> str:
    texts = (table.paragraphs(node, (name,)) for name in names)
    return next(filter(None, texts), "")


def _tags(feature: Feature) -> FieldValues:
    node = feature.node
    items = [*node.items("keywords", strict=False), *node.items("categories", strict=False)]
    words = [_word(item) or item for item in items]
    tags = read_tags(node, words, "keywords")
    terms = (clean_text(item.get("term")) for item in items if isinstance(item, Mapping))
    themes = (term for term in terms if is_web_url(term) and term not in words)
    return {"tags": tags, "themes": tuple(dict.fromkeys(themes))}


def _word(value: Any) -> str:
    value = choose_language(value)
    if not isinstance(value, Mapping):
        return clean_text(value)
    texts = (clean_text(value.get(name)) for name in ("label", "name", "term"))
    return next(filter(None, texts), "") or value_text(value)


def _people(feature: Feature) -> FieldValues:
    node = feature.node
    authors, contacts = (list(_agents(node, key)) for key in ("authors", "contactPoint"))
    values = atom.read_people(node.texts, authors, contacts)
    phone = read_phone(table.first_text(node, ("contactPoint.phone",)))
    return {**values, "extras": {"contact-phone": phone, **values["extras"]}}


def _agents(node: Fields, key: str) -> Iterator[Agent]:
    for person in node.objects(key):
        if not isinstance(person, Fields):
            yield parties.parse_agent(person)
            continue
        name, email = (value_text(person.data.get(key)) for key in ("name", "email"))
        url = person.read("uri", parse_url, "bad-url")
        if name or email:
            yield parties.read_agent(name, email, url, person.reporter("email", email))


def _issued(node: Fields, _names: table.Names) -> str:
    """Return the day of publication; the property date may be a span, of what the data is about."""
    day = value_text(node.data.get("date"))
    day = "" if is_span(day) else node.parse_value("date", day, parse_date, "bad-date")
    return node.date("published") or day


def _temporal(feature: Feature) -> FieldValues:
    node = feature.node
    periods = join_periods([])
    if is_span(value_text(node.data.get("date"))):
        periods = node.periods("date")
    if not periods.whole:
        periods = join_periods((periods, node.ends("startDate", "completionDate")))
    return {"temporal": periods.whole, "extras": periods.extras}


def _spatial(feature: Feature) -> FieldValues:
    members = ((feature.own, "geometry"), (feature.own, "bbox"), (feature.node, "bbox"))
    values = [value for fields, name in members if (value := fields.data.get(name))]
    outline = places.Place([(json.dumps(value), places.parse_spatial) for value in values])
    named = feature.node.place_items("spatial")
    return places.read_places((outline, *named), feature.own.reporter("geometry")).values


def _terms(feature: Feature) -> FieldValues:
    node = feature.node
    texts = [*node.texts("license", "licence")]
    texts += [link.url for link in _all_links(feature) if link.rel == "license"]
    rights = table.plain_lines(node, ("rights",))
    access = list(node.values("accessRights"))
    licence = read_licence((*texts, rights), node.reporter("rights"), access)
    return {"licence": licence, "rights": rights}


def _links(feature: Feature) -> FieldValues:
    return atom.read_links(_all_links(feature), feature.node.reporter("links"))


def _all_links(feature: Feature) -> Iterator[atom.Link]:
    yield from _own_links(feature.node)
    yield from _own_links(feature.own)
    yield from _download(feature.node)
    yield from _others(feature.node)


def _own_links(fields: Fields) -> Iterator[atom.Link]:
    """Yield the links of a list; a text is reported, and read if it is a URL."""
    for link in fields.objects("links"):
        if isinstance(link, str):
            fields.report(
                "wrong-type",
                "links",
                Message("expected an object, but found a text ({part})", part=shorten(link, 60)),
            )
            if is_web_url(link):
                yield atom.Link("related", link)
        elif url := link.link("href"):
            names = ("rel", "type", "title", "length", "lang")
            rel, *texts = (value_text(link.data.get(name)) for name in names)
            yield atom.Link(rel.lower() or "related", url, *texts)
        elif not link.is_settled("href"):
            link.report("missing-url", "href", Message("missing; expected the file's web address"))


def _download(node: Fields) -> Iterator[atom.Link]:
    """Yield the file of resto's form: properties.services.download."""
    download = as_object(as_object(node.data.get("services")).get("download"))
    if url := Fields(download, []).link("url"):
        kind, size, checksum = (
            value_text(download.get(name)) for name in ("mimeType", "size", "checksum")
        )
        yield atom.Link("download", url, kind, length=size, checksum=checksum)


def _others(node: Fields) -> Iterator[atom.Link]:
    """Yield pictures and services that properties of their own name."""
    for key in ("quicklook", "thumbnail"):
        for url in node.links(key):
            yield atom.Link("preview", url)
    browse = as_object(as_object(node.data.get("services")).get("browse"))
    layer = as_object(browse.get("layer"))
    if url := Fields(layer, []).url("url"):
        yield atom.Link("search", url, title=value_text(layer.get("type")))
    for offering in node.objects("offerings"):  # of OWS Context (OGC 14-055r2)
        for operation in offering.objects("operations") if isinstance(offering, Fields) else ():
            if not isinstance(operation, Fields):
                continue
            is_first = operation.data.get("code") == "GetCapabilities"
            if is_first and (url := operation.url("href")):
                yield atom.Link("search", url, title="Service")


def _others_of_publisher(node: Fields, names: table.Names) -> table.Several:
    pairs = as_object(node.data.get(names[0])).items()
    texts = {clean_text(f"additional_{name}"): package.text_of(value) for name, value in pairs}
    return table.Several(extras=texts)


_row = partial(table.row, prefix="properties.")
_ACQUISITION = "acquisitionInformation"

_GEOJSON_MAPPING: tuple[Field | table.Row, ...] = (
    Field(("id", "properties.identifier"), "guid"),
    Field(("properties.title",), "title"),
    _row("abstract description summary", "notes", _paragraph),
    Field(("properties.keywords", "properties.categories"), "tags, themes", _tags),
    Field(
        ("properties.publisher", "properties.creator", "properties.authors")
        + ("properties.contactPoint",),
        "publisher, author, contact; extras contact-phone, responsible-organisation",
        _people,
    ),
    _row("contributors.name", "extra contributor", table.words),
    _row("published date", "issued", _issued),
    _row("modified", "modified", table.date),
    _row("updated", "metadata_modified", table.date),
    _row("created", "extra created", table.date),
    Field(
        ("properties.date", "properties.startDate", "properties.completionDate"),
        "temporal",
        _temporal,
    ),
    Field(("properties.license", "properties.rights"), "licence, rights", _terms),
    _row("lang", "language", table.languages),
    Field(("geometry", "bbox", "properties.spatial"), "spatial, spatial_text", _spatial),
    Field(
        ("properties.links", "links", "properties.services", "properties.quicklook")
        + ("properties.thumbnail", "properties.offerings"),
        "resources, url",
        _links,
    ),
    _row("accrualPeriodicity", "frequency", table.frequency),
    _row("versionInfo", "version", table.first_words),
    _row("additionalAttributes", "extras additional_…, the publisher's own", _others_of_publisher),
    _row("identifier", "extra identifier", table.first_words),
    _row("subtitle", "extra alternative", table.first_words),
    _row("status", "extra status", table.first_words),
    _row("accessRights", "extra access_rights", table.first_words),
    _row("bibliographicCitation", "extra bibliographic_citation", table.first_words),
    _row("provenance", "extra provenance", table.first_words),
    _row("purpose", "extra purpose", table.first_words),
    _row("versionNotes", "extra version_notes", table.first_words),
    _row("isPartOf", "extra is_part_of", table.first_words),
    _row("resolution", "extra resolution", table.first_words),
    _row("doi", "extra doi", table.first_words),
    _row("collection", "extra collection", table.first_words),
    _row("sensorMode", "extra operational_mode", table.first_words),
    # EOP metadata: OGC 17-003r2, and the older form, which has them side by side.
    _row(
        f"{_ACQUISITION}.platform.platformShortName platform", "extra platform", table.first_words
    ),
    _row(
        f"{_ACQUISITION}.platform.platformSerialIdentifier",
        "extra platform_serial_identifier",
        table.first_words,
    ),
    _row(f"{_ACQUISITION}.platform.orbitType", "extra orbit_type", table.first_words),
    _row(
        f"{_ACQUISITION}.instrument.instrumentShortName instrument",
        "extra instrument",
        table.first_words,
    ),
    _row(f"{_ACQUISITION}.instrument.sensorType", "extra sensor_type", table.first_words),
    _row(
        f"{_ACQUISITION}.instrument.description", "extra instrument_description", table.first_words
    ),
    _row(
        f"{_ACQUISITION}.acquisitionParameters.orbitNumber orbitNumber",
        "extra orbit_number",
        table.first_words,
    ),
    _row(
        f"{_ACQUISITION}.acquisitionParameters.orbitDirection",
        "extra orbit_direction",
        table.first_words,
    ),
    _row(
        f"{_ACQUISITION}.acquisitionParameters.acquisitionType",
        "extra acquisition_type",
        table.first_words,
    ),
    _row("productInformation.productType productType", "extra product_type", table.first_words),
    _row(
        "productInformation.processingLevel processingLevel",
        "extra processing_level",
        table.first_words,
    ),
    _row(
        "productInformation.processorName processorName", "extra processor_name", table.first_words
    ),
    _row(
        "productInformation.processingDate processingDate",
        "extra processing_date",
        table.first_words,
    ),
    _row("productInformation.cloudCover cloudCover", "extra cloud_cover", table.first_words),
    _row("productInformation.statusDetail statusDetail", "extra status_detail", table.first_words),
    _row(
        "productInformation.parentIdentifier parentIdentifier",
        "extra parent_identifier",
        table.first_words,
    ),
    Field(("every other property",), "extras"),
)

# Said by other properties: see the list "Not read".
_SAID_ELSEWHERE = frozenset(("type", "licence", "qualifiedAttribution", "wasUsedBy", "bbox"))
_NAMES = table.names_read(_GEOJSON_MAPPING, "properties.")
_READ = frozenset(name.partition(".")[0] for name in _NAMES) | _SAID_ELSEWHERE
_OWN = table.names_read(_GEOJSON_MAPPING) | {"type", "properties"}


_TEXTS = ("publisher", "creator", "license", "rights", "startDate", "completionDate")
# A text there means nothing.
_OBJECTS = frozenset(("additionalAttributes", "services", "offerings", "contributors"))
_OBJECTS |= {_ACQUISITION, "productInformation"}


def unread(feature: Feature, barren: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield properties and members of the feature of which no row of the mapping made anything."""
    names = {name.removeprefix("properties.").partition(".")[0] for name in barren}
    names -= {
        name.partition(".")[0] for name in _NAMES - names if f"properties.{name}" not in barren
    }
    odd = feature.node.odd(names, _TEXTS) | (names & _OBJECTS)
    yield from package.unread_members(feature.node.data, _READ - odd)
    yield from package.unread_members(feature.own.data, _OWN - feature.own.odd(barren))


VERSION = 3
FORM = "xml_or_json"
OPTIONS = ()
MAPPING: tuple[Any, ...] = (*atom.MAPPING, *_GEOJSON_MAPPING)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one result.

    Raises:
        ParseError: neither an entry nor a feature, or without title or identity.
    """
    table.require(raw, raw.guid, "id", "missing-identifier")
    problems: list[Problem] = []
    if is_xml(raw.content or ""):
        return _atom(raw, problems)
    own = Fields(load_object(raw), problems, base=raw.url)
    node = Fields(as_object(own.data.get("properties")), problems, "properties.", raw.url)
    return table.read_record(
        raw,
        table.require(raw, plain_line(node.text("title")), "properties.title", "missing-title"),
        _GEOJSON_MAPPING,
        Feature(own, node),
        problems,
        needed={"notes": ("properties.abstract", "what the data is")},
        unread=lambda barren: unread(Feature(own, node), barren),
    )


def _atom(raw: RawRecord, problems: list[Problem]) -> DatasetRecord:
    root = xml.parse(raw.content or "", url=raw.url)
    if xml.local_name(root) != "entry":
        raise wrong_root(raw, root, "<entry> of Atom")
    node = Node(root, problems, base=raw.url)
    return table.read_record(
        raw,
        table.require(raw, plain_line(node.text("title")), "atom:title", "missing-title"),
        atom.MAPPING,
        Entry(root, node, raw),
        problems,
        needed={"notes": ("atom:summary", "what the data is")},
        unread=lambda barren: node.unread(atom.READ - barren),
    )
