"""Features of a GeoJSON answer (RFC 7946; OGC 17-047r1, and the older form of resto)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ckanext.ukharvest.core.mapping_table import Field, FieldValues, read_apart
from ckanext.ukharvest.core.records import Agent
from ckanext.ukharvest.core.values import licences, parties, places
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.frequencies import read_frequency
from ckanext.ukharvest.core.values.language_maps import choose_language
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.periods import is_span, join_periods
from ckanext.ukharvest.core.values.record_licence import read_licence
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import (
    is_web_url,
    parse_email,
    parse_url,
    read_phone,
)
from ckanext.ukharvest.parsers import package_dict as package
from ckanext.ukharvest.parsers import unread_fields
from ckanext.ukharvest.parsers.data_json import shared_fields
from ckanext.ukharvest.parsers.json_fields import Fields, value_text
from ckanext.ukharvest.parsers.opensearch import links

_NOTES = ("abstract", "description", "summary")


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature: its own members, and its properties."""

    own: Fields
    node: Fields


def title(feature: Feature) -> str:
    """Return a feature's title, "" if it has none."""
    return plain_line(feature.node.text("title"))


def _notes(feature: Feature) -> FieldValues:
    texts = (value_text(feature.node.data.get(name)) for name in _NOTES)
    return {"notes": plain_text(next(filter(None, texts), ""))}


def _tags(feature: Feature) -> FieldValues:
    node = feature.node
    items = [each for name in ("keywords", "categories") for each in _items(node, name)]
    tags, problems = clean_tags(filter(None, map(_word, items)), "keywords")
    node.add(problems)
    terms = (clean_text(each.get("term")) for each in items if isinstance(each, Mapping))
    words = [_word(each) for each in items]
    themes = (term for term in terms if is_web_url(term) and term not in words)
    return {"tags": tags, "themes": tuple(dict.fromkeys(themes))}


def _word(value: Any) -> str:
    value = choose_language(value)
    if not isinstance(value, Mapping):
        return clean_text(value)
    texts = (clean_text(value.get(name)) for name in ("label", "name", "term"))
    return next(filter(None, texts), "")


def _items(fields: Fields, name: str) -> list[Any]:
    value = choose_language(fields.data.get(name))
    return value if isinstance(value, list) else [] if value is None else [value]


def _people(feature: Feature) -> FieldValues:
    node = feature.node
    bodies = [
        replace(parties.parse_agent(text), role=role)
        for name, role in (("publisher", parties.PUBLISHER), ("creator", parties.AUTHOR))
        for each in _items(node, name)
        if (text := value_text(each))
    ]
    authors, contacts = (list(_agents(node, key)) for key in ("authors", "contactPoint"))
    others = (
        *bodies[1:],
        *parties.with_role(authors[1:], parties.AUTHOR),
        *parties.with_role(contacts[1:], parties.CONTACT),
    )
    return {
        "publisher": replace(bodies[0], role="") if bodies else None,
        "author": next(iter(authors), None),
        "contact": next(iter(contacts), None),
        "extras": {
            "contact-phone": read_phone(
                next(filter(None, _members(node, "contactPoint", "phone")), "")
            ),
            "contributor": ", ".join(filter(None, _members(node, "contributors", "name"))),
            **parties.other_parties(others),
        },
    }


def _members(node: Fields, key: str, name: str) -> Iterator[str]:
    """Yield a member of each object in a list."""
    for each in _items(node, key):
        yield value_text(each.get(name)) if isinstance(each, Mapping) else ""


def _agents(node: Fields, key: str) -> Iterator[Agent]:
    for each in node.objects(key):
        if not isinstance(each, Fields):
            yield parties.parse_agent(each)
            continue
        name = plain_line(value_text(each.data.get("name")))
        email = each.read("email", parse_email, "bad-email")
        url = each.read("uri", parse_url, "bad-url")
        if name or email:
            yield Agent(name, email, url)


def _dates(feature: Feature) -> FieldValues:
    node = feature.node
    day = value_text(node.data.get("date"))
    day = "" if is_span(day) else node.parse_value("date", day, parse_date, "bad-date")
    return {
        "issued": node.date("published") or day,
        "modified": node.date("modified"),
        "metadata_modified": node.date("updated"),
        "extras": {"created": node.date("created")},
    }


def _temporal(feature: Feature) -> FieldValues:
    node = feature.node
    periods = join_periods([])
    if is_span(value_text(node.data.get("date"))):
        periods = node.periods("date")
    if not periods.whole:
        periods = join_periods((periods, node.ends("startDate", "completionDate")))
    return {"temporal": periods.whole, "extras": periods.extras}


def _spatial(feature: Feature) -> FieldValues:
    unread: list[str] = []
    for fields, name in ((feature.own, "geometry"), (feature.own, "bbox"), (feature.node, "bbox")):
        if not (value := fields.data.get(name)):
            continue
        try:
            return {"spatial": places.from_json(value)}
        except ValueError as exc:
            fields.report("bad-spatial", name, str(exc))
            unread.append(json.dumps(value))
    return {"extras": places.Places(unread="; ".join(unread)).extras}


def _terms(feature: Feature) -> FieldValues:
    node = feature.node
    licence_texts = [
        value_text(each) for name in ("license", "licence") for each in _items(node, name)
    ]
    licence_texts += [each.url for each in _given(feature) if each.rel == "license"]
    rights = plain_text(value_text(node.data.get("rights")))
    texts = (*licence_texts, rights)
    licence = read_licence(map(licences.find, texts), node.reporter("rights"))
    return {"licence": licence, "rights": rights}


def _language(feature: Feature) -> FieldValues:
    texts = feature.node.texts("lang", strict=False)
    return {"language": read_languages(texts, feature.node.reporter("lang"))}


def _links(feature: Feature) -> FieldValues:
    return links.read(_given(feature), feature.node.reporter("links"))


def _given(feature: Feature) -> Iterator[links.Link]:
    for fields in (feature.node, feature.own):
        for each in fields.objects("links"):
            if not isinstance(each, Fields):
                continue
            if url := each.link("href"):
                rel = value_text(each.data.get("rel")).lower()
                names = ("type", "title", "length", "lang")
                texts = (value_text(each.data.get(name)) for name in names)
                yield links.Link(rel, url, *texts)
    yield from _download(feature.node)
    yield from _others(feature.node)


def _download(node: Fields) -> Iterator[links.Link]:
    """Yield the file of resto's form: properties.services.download."""
    services = node.data.get("services")
    given = services.get("download") if isinstance(services, Mapping) else None
    if not isinstance(given, Mapping):
        return
    fields = Fields(given, [], "services.download.")
    if url := fields.link("url"):
        kind, size, checksum = (
            value_text(given.get(name)) for name in ("mimeType", "size", "checksum")
        )
        yield links.Link("download", url, kind, length=size, checksum=checksum)


def _others(node: Fields) -> Iterator[links.Link]:
    """Yield pictures and services that properties of their own name."""
    for key in ("quicklook", "thumbnail"):
        if url := node.url(key):
            yield links.Link("preview", url)
    services = node.data.get("services")
    browse = services.get("browse") if isinstance(services, Mapping) else None
    layer = browse.get("layer") if isinstance(browse, Mapping) else None
    if isinstance(layer, Mapping) and (url := Fields(layer, [], "").url("url")):
        yield links.Link("search", url, title=value_text(layer.get("type")))
    for offering in node.objects("offerings"):  # of OWS Context (OGC 14-055r2)
        for each in offering.objects("operations") if isinstance(offering, Fields) else ():
            is_first = isinstance(each, Fields) and each.data.get("code") == "GetCapabilities"
            if is_first and isinstance(each, Fields) and (url := each.url("href")):
                yield links.Link("search", url, title="Service")


# Where the values of EOP metadata are: OGC 17-003r2; the older form has them side by side.
_EXTRAS = {
    "platform": ("platform", "platformShortName"),
    "platform_serial_identifier": ("platform", "platformSerialIdentifier"),
    "orbit_type": ("platform", "orbitType"),
    "instrument": ("instrument", "instrumentShortName"),
    "sensor_type": ("instrument", "sensorType"),
    "instrument_description": ("instrument", "description"),
    "orbit_number": ("acquisitionParameters", "orbitNumber"),
    "orbit_direction": ("acquisitionParameters", "orbitDirection"),
    "acquisition_type": ("acquisitionParameters", "acquisitionType"),
}
_OLDER = {"platform": "platform", "instrument": "instrument", "orbit_number": "orbitNumber"}
_PRODUCT = {
    "product_type": "productType",
    "processing_level": "processingLevel",
    "processor_name": "processorName",
    "processing_date": "processingDate",
    "cloud_cover": "cloudCover",
    "status_detail": "statusDetail",
    "parent_identifier": "parentIdentifier",
}
# Properties that are texts → extras.
_TEXTS = {
    "identifier": "identifier",
    "subtitle": "alternative",
    "status": "status",
    "accessRights": "access_rights",
    "bibliographicCitation": "bibliographic_citation",
    "provenance": "provenance",
    "purpose": "purpose",
    "versionNotes": "version_notes",
    "isPartOf": "is_part_of",
    "resolution": "resolution",
    "doi": "doi",
    "collection": "collection",
    "sensorMode": "operational_mode",
}


def _words(feature: Feature) -> FieldValues:
    node, key = feature.node, "accrualPeriodicity"
    place = shared_fields.place(node)
    frequency, unread = read_frequency(value_text(node.get(key)), node.reporter(key))
    return {
        "version": value_text(node.data.get("versionInfo")),
        "spatial": place.geometry,
        "spatial_text": place.names,
        "frequency": frequency,
        "extras": unread | place.extras,
    }


def _more(feature: Feature) -> FieldValues:
    data = feature.node.data
    others = data.get("additionalAttributes")
    found = {
        clean_text(f"additional_{name}"): package.text_of(value)
        for name, value in (others.items() if isinstance(others, Mapping) else ())
    }
    found |= {name: value_text(data.get(key)) for key, name in _TEXTS.items()}
    acquisitions = _items(feature.node, "acquisitionInformation")
    for extra, (part, name) in _EXTRAS.items():
        parts = [each.get(part) for each in acquisitions if isinstance(each, Mapping)]
        texts = [value_text(each.get(name)) for each in parts if isinstance(each, Mapping)]
        older = value_text(data.get(_OLDER.get(extra, "")))
        found[extra] = next(filter(None, (*texts, older)), "")
    product = data.get("productInformation")
    product = product if isinstance(product, Mapping) else {}
    for extra, name in _PRODUCT.items():
        found[extra] = value_text(product.get(name)) or value_text(data.get(name))
    return {"extras": found}


MAPPING: tuple[Field[Feature], ...] = (
    Field(("id", "properties.identifier"), "guid", read_apart),
    Field(("properties.title",), "title", read_apart),
    Field(tuple(f"properties.{name}" for name in _NOTES), "notes", _notes),
    Field(("properties.keywords", "properties.categories"), "tags, themes", _tags),
    Field(
        ("properties.publisher", "properties.creator", "properties.authors")
        + ("properties.contactPoint", "properties.contributors"),
        "publisher, author, contact; extras contact-phone, contributor, responsible-organisation",
        _people,
    ),
    Field(
        ("properties.published", "properties.date", "properties.modified", "properties.updated")
        + ("properties.created",),
        "issued, modified, metadata_modified; extra created",
        _dates,
    ),
    Field(
        ("properties.date", "properties.startDate", "properties.completionDate"),
        "temporal",
        _temporal,
    ),
    Field(("properties.license", "properties.rights"), "licence, rights", _terms),
    Field(("properties.lang",), "language", _language),
    Field(("geometry", "bbox"), "spatial", _spatial),
    Field(
        ("properties.links", "links", "properties.services", "properties.quicklook")
        + ("properties.thumbnail", "properties.offerings"),
        "resources, url",
        _links,
    ),
    Field(
        ("properties.versionInfo", "properties.spatial", "properties.accrualPeriodicity"),
        "version, spatial, spatial_text, frequency",
        _words,
    ),
    Field(
        tuple(f"properties.{name}" for name in _TEXTS)
        + ("properties.acquisitionInformation", "properties.productInformation")
        + ("properties.parentIdentifier", "properties.additionalAttributes"),
        f"extras {', '.join((*_TEXTS.values(), *_EXTRAS, *_PRODUCT))}, and the publisher's own",
        _more,
    ),
    Field(("every other property",), "extras", read_apart),
)

# Said by other properties: see the list "Not read".
_SAID_ELSEWHERE = frozenset(
    ("type", "licence", "qualifiedAttribution", "wasUsedBy", "bbox")
    + (*_OLDER.values(), *_PRODUCT.values())
)
_READ = unread_fields.names_of(MAPPING, "properties.") | _SAID_ELSEWHERE
_OWN = unread_fields.names_of(MAPPING) | {"type", "properties"}


def unread(feature: Feature) -> Iterator[tuple[str, str]]:
    """Yield the properties, and the feature's own members, that no row of the mapping reads."""
    yield from package.unread_members(feature.node.data, _READ)
    yield from package.unread_members(feature.own.data, _OWN)
