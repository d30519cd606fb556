"""A dataset's fields under the names, and with the values, that ckanext-dcat's profiles read."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from ckanext.dcat.profiles.base import CleanedURIRef, URIRefOrLiteral
from rdflib import BNode, Graph, Literal, URIRef

from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values import eu_authorities, multivalue, theme_names
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.languages import language_code, parse_language
from ckanext.ukharvest.core.values.periods import EXTENTS
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.export.dataset import Dataset, Resource, parse_or_empty
from ckanext.ukharvest.export.rdf import encode_iri
from ckanext.ukharvest.parsers.dcat import distribution
from ckanext.ukharvest.parsers.dcat.node import NAMESPACES
from ckanext.ukharvest.rendering.values import parse_translations

MEDIA_TYPES = "https://www.iana.org/assignments/media-types/"
_LANGUAGES = "http://id.loc.gov/vocabulary/iso639-1/"

# The profiles expect lists of objects under these names, and fail with anything else.
_OBJECTS = (
    *("contact", "publisher", "creator", "temporal_coverage", "spatial_coverage"),
    *("qualified_relation", "provenance_activity", "qualified_attribution", "series_navigation"),
)
# Written by our profile, or from other fields.
_OWN = (
    *("extras", "uri", "id", "guid", "identifier", "resources", "maintainer", "maintainer_email"),
    *("author", "author_email", "author_name", "license_id", "license_url", "license_title"),
    *("spatial", "spatial_uri", "spatial_text", "in_series"),
    *("title_translated", "notes_translated", "tags_translated"),
    *("metadata_created", "metadata_modified"),
)
_OWN_OF_RESOURCES = (
    *("url", "access_url", "download_url", "license", "spatial", "spatial_uri", "spatial-text"),
    *("name_translated", "description_translated", "created", "metadata_modified"),
    "access_services",
)
# Lists that harvests store as JSON, and some source types as texts with commas.
_LISTS = (
    *("documentation", "related_resource", "has_version", "is_version_of", "source", "sample"),
    *("is_referenced_by", "hvd_category", "alternate_identifier"),
)
# People of a file's service.
PEOPLE = ("contact", "publisher", "creator")
# Facts of a publisher that profiles write at its node, beside the name.
_OF_PUBLISHERS = ("publisher_email", "publisher_type", "publisher_url", "publisher_identifier")
# Without any of these, contact_uri is not that of the contact that is named instead.
_OWN_CONTACT = ("contact-name", "contact-email", "contact_name", "contact_email")


def rename(dataset: Dataset, portal_language: str) -> dict[str, Any]:
    """Return a dataset's fields, without extras, as ckanext-dcat's profiles read them.

    Resources are those with a valid URL.

    Args:
        portal_language: code of the language of texts whose own is not known.
    """
    own = dataset.extras
    # The language of CKAN's own title and notes: that of the data, else the portal's, unless a
    # translation has it; "" if it is not known.
    keys = ("title_translated", "notes_translated")
    others = {code for key in keys for code in parse_translations(own.get(key))}
    codes = (*map(language_code, dataset.languages), portal_language)
    main = next((code for code in codes if code and code not in others), "")
    fields = {
        key: value
        for key, value in own.items()
        if key not in _OWN and (key not in _OBJECTS or is_list_of_objects(value))
    }
    fields |= {key: list(dataset.texts(key)) for key in _LISTS if key in own}
    resources = {resource["id"]: resource for resource in own.get("resources") or ()}
    standards = (*dataset.texts("conforms_to"), *multivalue.texts(dataset.uk.get("schema")))
    laws = (*dataset.texts("applicable_legislation"), *multivalue.texts(dataset.uk.get("mandate")))
    fields |= {
        "title": dataset.title,
        "notes": dataset.description,
        "url": dataset.page,
        "tags": [{"name": keyword} for keyword in dataset.keywords],
        "issued": dataset.issued,
        "modified": dataset.modified,
        "frequency": frequency(dataset),
        "language": [language(tag) for tag in dataset.languages],
        "theme": theme_uris(dataset),
        "conforms_to": _once(standards),
        "applicable_legislation": _once(laws),
        "in_series": [name for name in dataset.texts("in_series") if not is_web_url(name)],
        # Several periods are written one by one.
        "temporal_start": "" if periods(own) else dataset.start,
        "temporal_end": "" if periods(own) else dataset.end,
        "provenance": own.get("provenance") or own.get("lineage") or "",
        "contact_name": dataset.contact.name,
        "contact_email": dataset.contact.email,
        "publisher_name": dataset.publisher.name,
        "publisher_email": dataset.publisher.email,
        "publisher_uri": publisher_uri(dataset),
        "creator_name": own.get("creator_name") or own.get("author") or "",
        "creator_email": own.get("creator_email") or own.get("author_email") or "",
        **_translated(dataset, main),
        "resources": [_resource(file, resources[file.id], main) for file in dataset.resources],
    }
    if not any(own.get(key) for key in _OWN_CONTACT):
        fields.pop("contact_uri", None)
    return _without_empty(fields)


def _without_empty(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value not in ("", None, [], {})}


def publisher_uri(dataset: Dataset) -> str:
    """Return the URI of the publisher's node, "" for a node of the dataset's own.

    The organisation's is that of many datasets: facts of one of them would be read of all.
    """
    own = dataset.extras
    if own.get("publisher_uri"):
        return clean_text(own["publisher_uri"])
    has_facts = dataset.publisher.email or any(own.get(key) for key in _OF_PUBLISHERS)
    return "" if has_facts and not own.get("dcat_publisher_uri") else dataset.publisher.url


def periods(own: Mapping[str, Any]) -> list[Period]:
    """Return the periods of a dataset or file that has several, else []."""
    several = objects_of(own.get(EXTENTS))
    ends = ((clean_text(facts.get(end)) for end in ("from", "to")) for facts in several)
    return [Period(*pair) for pair in ends] if len(several) > 1 else []


def is_list_of_objects(value: Any) -> bool:
    """Tell whether a field has what ckanext-dcat's own schemas store: a list of objects."""
    is_list = isinstance(value, list) and bool(value)
    return is_list and all(isinstance(item, Mapping) for item in value)


def _once(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, values)))


def frequency(dataset: Dataset) -> str:
    """Return a URI: the source's own if it still means the same, else the EU's; else the text."""
    own = clean_text(dataset.extras.get("frequency"))
    if is_web_url(own) and parse_or_empty(parse_frequency, own) == dataset.frequency:
        return own
    return eu_authorities.frequency_uri(dataset.frequency) or dataset.frequency or own


def language(tag: str) -> str:
    """Return the URI of a language: of the EU's table, else of the Library of Congress's."""
    code = tag.partition("-")[0]
    return eu_authorities.language_uri(tag) or (_LANGUAGES + code if len(code) == 2 else tag)


def theme_uris(dataset: Dataset) -> list[str]:
    """Return the URIs of themes, functions and services, and the EU's themes for the others."""
    themes = dataset.themes
    labels = (label for label in themes if not is_web_url(label))
    eu = map(eu_authorities.theme_uri, _once(map(theme_names.of_uk, labels)))
    of_councils = " ".join(dataset.uk.get(key, "") for key in ("la_function", "la_service"))
    return _once((*filter(is_web_url, themes), *eu, *of_councils.split()))


def _translated(dataset: Dataset, main: str) -> dict[str, Any]:
    """Return title, notes and keywords in all languages, of datasets that have more than one."""
    translated: dict[str, Any] = {}
    texts = {
        "title_translated": dataset.title,
        "notes_translated": dataset.extras.get("notes") or "",
        "tags_translated": list(dataset.keywords),
    }
    for key, own in texts.items():
        values = parse_translations(dataset.extras.get(key))
        if not values:
            continue
        if isinstance(own, list):
            others = {tag for tags in values.values() for tag in tags}
            own = [tag for tag in own if tag not in others]
        is_there = own in values.values()
        translated[key] = values if is_there or not own else {main: own, **values}
    return translated


def _resource(resource: Resource, package: Mapping[str, Any], main: str) -> dict[str, Any]:
    fields = {
        key: value
        for key, value in package.items()
        if key not in _OWN_OF_RESOURCES and value is not None
    }
    standards = (resource.uk.get("schema_url", ""), *multivalue.texts(package.get("conforms_to")))
    languages = ",".join(multivalue.texts(package.get("language"))).split(",")
    tags = (parse_or_empty(parse_language, text.strip()) for text in languages)
    fields |= {
        "uri": resource.uri,
        "name": resource.title,
        "description": resource.description,
        "format": eu_authorities.file_type_uri(resource.format) or resource.format,
        "mimetype": MEDIA_TYPES + resource.mimetype if resource.mimetype else "",
        "size": resource.size,
        "issued": resource.issued,
        "modified": resource.modified,
        "conforms_to": _once(standards),
        "language": [language(tag) for tag in tags if tag],
    }
    fields |= {
        key: _once(multivalue.texts(package[key]))
        for key in ("documentation", "applicable_legislation")
        if package.get(key)
    }
    if services := objects_of(package.get("access_services")):
        # ckanext-dcat fails with lists of people, which it stores itself.
        plain = [{key: of[key] for key in of if key not in PEOPLE} for of in services]
        fields["access_services"] = json.dumps(plain)
    for key in ("name", "description"):
        if others := parse_translations(package.get(f"{key}_translated")):
            own = fields[key]
            is_there = own in others.values() or not own
            fields[f"{key}_translated"] = others if is_there else {main: own, **others}
    return _without_empty(fields)


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, or of one as JSON; [] for anything else."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


Members = Mapping[str, tuple[str, Mapping[str, str]]]  # as parsers.dcat.extras.OBJECTS


def name(short: str) -> URIRef:
    """Return the node of a short name: "dct:title"."""
    prefix, _colon, local = short.partition(":")
    return URIRef(NAMESPACES[prefix][0] + local)


_TYPE = name("rdf:type")
_PEOPLE = {
    "contact": ("dcat:contactPoint", "vcard:Kind"),
    "publisher": ("dct:publisher", "foaf:Agent"),
    "creator": ("dct:creator", "foaf:Agent"),
}
_AGENTS = {
    "vcard:Kind": {"vcard:fn": "name", "vcard:hasEmail": "email", "vcard:hasURL": "url"},
    "foaf:Agent": {"foaf:name": "name", "foaf:mbox": "email", "foaf:homepage": "url"},
}
# Facts that our parser keeps of a service that serves a dataset, as a file of it.
_OF_SERVICES = {"dcat:endpointDescription": "endpoint_description"}
_OF_CONTACTS = {
    "vcard:fn": "contact_name",
    "vcard:hasEmail": "contact_email",
    "vcard:hasTelephone": "contact-phone",
}


def add_objects(graph: Graph, node: Any, own: Mapping[str, Any], members: Members) -> None:
    """Add the nodes that are stored as a JSON list of objects, or as a text."""
    for predicate, (field, below) in members.items():
        if not own.get(field) or (node, name(predicate), None) in graph:
            continue
        parts = objects_of(own[field])
        if not parts:
            graph.add((node, name(predicate), URIRefOrLiteral(clean_text(own[field]))))
        for facts in parts:
            uri = clean_text(facts.get("uri"))
            part = URIRef(encode_iri(uri)) if is_web_url(uri) else BNode()
            graph.add((node, name(predicate), part))
            for short, key in below.items():
                for text in multivalue.texts(facts.get(key)):
                    graph.add((part, name(short), URIRefOrLiteral(text)))


def add_services(
    graph: Graph, node: Any, written: Mapping[str, Any], own: Mapping[str, Any], url: str
) -> None:
    """Add to the services of a file what ckanext-dcat does not write; a service is its own one.

    Args:
        node: the distribution.
        written: the resource as ckanext-dcat has written it: with its names for blank nodes.
        own: the resource in CKAN.
        url: its URL.
    """
    named_services = objects_of(written.get("access_services"))
    services_of_file = objects_of(own.get("access_services"))
    for named, service in zip(named_services, services_of_file, strict=True):
        uri = service.get("uri")
        part = CleanedURIRef(uri) if uri else BNode(named["access_service_ref"])
        for key, (short, kind) in _PEOPLE.items():
            for agent in objects_of(service.get(key)):
                _described(graph, part, short, kind, _facts(agent, _AGENTS[kind]))
        present = set(graph.predicates(part))
        for short, key in distribution.SERVICE_FIELDS.items():
            if name(short) not in present:
                for text in multivalue.texts(service.get(key)):
                    graph.add((part, name(short), URIRefOrLiteral(text)))
    if services_of_file or own.get("resource_type") != "service":
        return
    facts, contact = _facts(own, _OF_SERVICES), _facts(own, _OF_CONTACTS)
    if not any((*facts.values(), *contact.values())):
        return
    part = _described(graph, node, "dcat:accessService", "dcat:DataService", facts)
    graph.add((part, name("dcat:endpointURL"), URIRef(encode_iri(url))))
    graph.add((part, name("dct:title"), Literal(clean_text(own.get("name")))))
    if any(contact.values()):
        _described(graph, part, "dcat:contactPoint", "vcard:Kind", contact)


def add_checksums(graph: Graph, node: Any, own: Mapping[str, Any]) -> None:
    """Add the checksums of a file beside its first, which ckanext-dcat writes."""
    for text in multivalue.texts(own.get("checksums")):
        algorithm, _blank, value = text.rpartition(" ")
        if value != own.get("hash"):
            facts = {"spdx:algorithm": algorithm, "spdx:checksumValue": value}
            _described(graph, node, "spdx:checksum", "spdx:Checksum", facts)


def _described(
    graph: Graph, subject: Any, short: str, kind: str, facts: Mapping[str, str]
) -> BNode:
    """Add a node of a class with facts, those with a text, as an object; return it."""
    part = BNode()
    graph.add((subject, name(short), part))
    graph.add((part, _TYPE, name(kind)))
    for predicate, text in facts.items():
        if text:
            is_email = predicate in ("vcard:hasEmail", "foaf:mbox")
            value = URIRef(encode_iri(f"mailto:{text}")) if is_email else URIRefOrLiteral(text)
            graph.add((part, name(predicate), value))
    return part


def _facts(fields: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """Return predicate → text of the field that it is made of."""
    return {predicate: clean_text(fields.get(field)) for predicate, field in names.items()}
