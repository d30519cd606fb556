"""What harvests of DCAT 3 store as JSON, written to a graph of ckanext-dcat.

Services of files, checksums, and the nodes of ``parsers.dcat.extras``. The names of fields are the
parser's own, in both directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.dcat.profiles.base import CleanedURIRef, URIRefOrLiteral
from rdflib import BNode, Graph, Literal, URIRef

from ckanext.ukharvest.core.values import multivalue
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.operations.export.dcat_fields import objects_of
from ckanext.ukharvest.operations.export.rdf import encode_iri
from ckanext.ukharvest.parsers.dcat import distribution
from ckanext.ukharvest.parsers.dcat.node import NAMESPACES

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
