"""Features of a GeoJSON answer (RFC 7946; OGC 17-047r1, and the older form of resto)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.mapping_table import Field, FieldValues, read_apart
from ckanext.ukharvest.core.records import Agent
from ckanext.ukharvest.core.values import licences, places
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.periods import is_span, join_periods
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import parse_email, parse_url
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
    words = [_word(each) for name in ("keywords", "categories") for each in _items(node, name)]
    tags, problems = clean_tags(filter(None, words), "keywords")
    node.add(problems)
    return {"tags": tags}


def _word(value: Any) -> str:
    if not isinstance(value, Mapping):
        return clean_text(value)
    texts = (clean_text(value.get(name)) for name in ("label", "name", "term"))
    return next(filter(None, texts), "")


def _items(fields: Fields, name: str) -> list[Any]:
    value = fields.data.get(name)
    return value if isinstance(value, list) else [] if value is None else [value]


def _people(feature: Feature) -> FieldValues:
    node = feature.node
    names = [value_text(each) for each in _items(node, "publisher")]
    names += [value_text(each) for each in _items(node, "creator")]
    publisher = plain_line(next(filter(None, names), ""))
    return {
        "publisher": Agent(name=publisher) if publisher else None,
        "author": _agent(node, "authors"),
        "contact": _agent(node, "contactPoint"),
    }


def _agent(node: Fields, key: str) -> Agent | None:
    for each in node.objects(key):
        if not isinstance(each, Fields):
            return Agent(name=plain_line(each))
        name = plain_line(value_text(each.data.get("name")))
        email = each.read("email", parse_email, "bad-email")
        url = each.read("uri", parse_url, "bad-url")
        if name or email:
            return Agent(name, email, url)
    return None


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
    return {"extras": {places.ORIGINAL: "; ".join(unread)}}


def _terms(feature: Feature) -> FieldValues:
    node = feature.node
    licence_texts = [value_text(node.data.get(name)) for name in ("license", "licence")]
    licence_texts += [each.url for each in _given(feature) if each.rel == "license"]
    rights = plain_text(value_text(node.data.get("rights")))
    texts = filter(None, (*licence_texts, rights))
    found = [each for each in map(licences.find, texts) if each is not None]
    licence = next((each for each in found if each.id), found[0] if found else None)
    if licence and not licence.id:
        node.report("unknown-licence", "rights", "no known licence; expected its URL or name")
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
            if url := each.url("href"):
                rel = value_text(each.data.get("rel")).lower()
                texts = (value_text(each.data.get(name)) for name in ("type", "title", "length"))
                yield links.Link(rel, url, *texts)
    yield from _download(feature.node)


def _download(node: Fields) -> Iterator[links.Link]:
    """Yield the file of resto's form: properties.services.download."""
    services = node.data.get("services")
    given = services.get("download") if isinstance(services, Mapping) else None
    if not isinstance(given, Mapping):
        return
    fields = Fields(given, [], "services.download.")
    if url := fields.url("url"):
        kind, size = value_text(given.get("mimeType")), value_text(given.get("size"))
        yield links.Link("download", url, kind, length=size)


# Where the values of EOP metadata are: OGC 17-003r2; the older form has them side by side.
_EXTRAS = {
    "platform": ("platform", "platformShortName"),
    "instrument": ("instrument", "instrumentShortName"),
}
_PRODUCT = {
    "product_type": "productType",
    "processing_level": "processingLevel",
    "parent_identifier": "parentIdentifier",
}


def _more(feature: Feature) -> FieldValues:
    data = feature.node.data
    found = {"identifier": value_text(data.get("identifier"))}
    acquisitions = _items(feature.node, "acquisitionInformation")
    for extra, (part, name) in _EXTRAS.items():
        parts = [each.get(part) for each in acquisitions if isinstance(each, Mapping)]
        texts = [value_text(each.get(name)) for each in parts if isinstance(each, Mapping)]
        found[extra] = next(filter(None, (*texts, value_text(data.get(part)))), "")
    product = data.get("productInformation")
    product = product if isinstance(product, Mapping) else {}
    for extra, name in _PRODUCT.items():
        found[extra] = value_text(product.get(name)) or value_text(data.get(name))
    return {"extras": found}


MAPPING: tuple[Field[Feature], ...] = (
    Field(("id", "properties.identifier"), "guid", read_apart),
    Field(("properties.title",), "title", read_apart),
    Field(tuple(f"properties.{name}" for name in _NOTES), "notes", _notes),
    Field(("properties.keywords", "properties.categories"), "tags", _tags),
    Field(
        ("properties.publisher", "properties.creator", "properties.authors")
        + ("properties.contactPoint",),
        "publisher, author, contact",
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
    Field(("properties.links", "links", "properties.services"), "resources, url", _links),
    Field(
        ("properties.identifier", "properties.acquisitionInformation")
        + ("properties.productInformation", "properties.parentIdentifier"),
        "extras identifier, platform, instrument, product_type, processing_level, "
        "parent_identifier",
        _more,
    ),
)
