"""Services of a dataset (dcat:DataService): those of its files, and those that serve it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ckanext.ukharvest.core.mapping_table import Field, collect
from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.core.values import formats, licences
from ckanext.ukharvest.core.values.link_protocols import SERVICE_FORMATS
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import unread_fields
from ckanext.ukharvest.parsers.dcat import further, people
from ckanext.ukharvest.parsers.dcat.node import Node, quoted

Mapping = tuple[Field[Node], ...]

# Members of a service in the extra access_services, named as in ckanext-dcat's.
FIELDS = {
    "dct:title": "title",
    "dct:description": "description",
    "dct:identifier": "identifier",
    "dcat:endpointURL": "endpoint_url",
    "dcat:endpointDescription": "endpoint_description",
    "dct:conformsTo": "conforms_to",
    "dct:license": "license",
    "dct:accessRights": "access_rights",
    "dcatap:availability": "availability",
    "dct:modified": "modified",
    "dct:format": "format",
    "dct:language": "language",
    "dct:rights": "rights",
    "dcat:landingPage": "landing_page",
    "dcat:keyword": "keyword",
    "dcat:theme": "theme",
    "dcatap:applicableLegislation": "applicable_legislation",
    "dcatap:hvdCategory": "hvd_category",
    "foaf:page": "documentation",
}
_LISTS = (
    *("endpoint_url", "conforms_to", "format", "language", "rights", "landing_page", "keyword"),
    *("theme", "applicable_legislation", "hvd_category", "documentation"),
)

SERVES = "dcat:servesDataset"
_READ = further.NOT_READ | frozenset((*FIELDS, *people.CONTACT, *people.PUBLISHER, SERVES))


def url_of(service: Node) -> str:
    """Return a service's URL: its endpoint, else a page about it, else its URI; "" without any."""
    for name in ("dcat:endpointURL", "dcat:landingPage", "dcat:endpointDescription"):
        if url := service.page(name):
            return url
    return service.uri if is_web_url(service.uri) else ""


def facts(service: Node) -> dict[str, Any]:
    """Return a service as ckanext-dcat stores it in a file's extra access_services."""
    found: dict[str, Any] = {"uri": service.uri}
    for predicate, key in FIELDS.items():
        if values := service.values(predicate):
            found[key] = values if key in _LISTS else values[0]
    for key, (agent, _extras) in {
        "contact": people.contact(service),
        "publisher": people.publisher(service),
        "creator": people.author(service),
    }.items():
        if agent is not None:
            found[key] = [{"name": agent.name, "email": agent.email, "url": agent.url}]
    return found


def resources(
    node: Node, files: Iterable[ResourceRecord], parts: Iterable[Node], mapping: Mapping
) -> list[ResourceRecord]:
    """Return the services of a dataset that are no files of it yet, each URL once.

    Args:
        node: the dataset, or a service that is a record: its own endpoint is one, too.
        files: its files; a file without a URL has that of its service.
        parts: its distributions.
        mapping: the table of a distribution's fields: a service has the same names for them.
    """
    seen = {file.url for file in files}
    found = []
    named = (each for part in parts for each in part.nodes("dcat:accessService"))
    for service in (*node.subjects(SERVES), *named):
        url = url_of(service)
        if not url:
            service.report("missing-url", "dcat:endpointURL", "missing; expected a web address")
        if url and url not in seen:
            seen.add(url)
            found.append(_resource(service, url, mapping))
    return found


def _resource(service: Node, url: str, mapping: Mapping) -> ResourceRecord:
    part = service.renamed(f"service {quoted(service.text('dct:title') or url)}, ")
    fields, extras = collect(mapping, part)
    described = part.page("dcat:endpointDescription")
    labels = (fields["format"], formats.of_url(url), formats.of_url(described))
    agent, phone = people.contact(part)
    extras |= {
        "endpoint_description": described,
        "access_rights": ", ".join(part.values("dct:accessRights")),
        "rights": people.rights(part),
        "contact_name": agent.name if agent else "",
        "contact_email": agent.email if agent else "",
        "contact-phone": phone.get("contact-phone", ""),
    }
    terms = (*part.values("dct:license"), "")
    fields |= {
        "url": url,
        "kind": "service",
        "name": fields["name"] or "Service",
        "format": next((label for label in labels if label in SERVICE_FORMATS), "API"),
        "licence": licences.find(terms[0]),  # of no file: reported nowhere
    }
    identity = "" if service.uri == url else service.uri
    extras = {name: text for name, text in extras.items() if text}
    read = unread_fields.names_of(mapping) | _READ
    extras = unread_fields.added_to(extras, further.unread(part, read), of_file=True)
    return ResourceRecord(id=identity, extras=extras, **fields)
