"""Resources of a dataset: its distributions, its services (dcat:DataService), pages about it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Agent, ResourceRecord
from ckanext.ukharvest.core.values import formats, licences
from ckanext.ukharvest.core.values.identifiers import is_dataset_of_ckan
from ckanext.ukharvest.core.values.link_protocols import SERVICE_FORMATS
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import table, uk_fields
from ckanext.ukharvest.parsers.dcat import coverage, croissant, extras, people
from ckanext.ukharvest.parsers.dcat.node import Node, natural, quoted, row
from ckanext.ukharvest.parsers.table import Field, FieldValues, Row, collect

# Other links to the data, of VoID and OpenDataCommunities: predicate → name, format, kind.
WAYS = {
    "void:dataDump": ("Data dump", "RDF", "data"),
    "pmd:downloadURL": ("", "", "data"),
    "geography:zippedShapefile": ("Data as shapefile (zipped)", "SHP", "data"),
    "void:sparqlEndpoint": ("SPARQL endpoint", "SPARQL", "service"),
    "dcat:endpointURL": ("Service", "API", "service"),
    "dcat:downloadURL": ("", "", "data"),
    "dcat:accessURL": ("", "", "data"),
}
# Pages about the data.
PAGES = {
    "dcat:dataDictionary": "Data dictionary",
    "wdrs:describedby": "Data dictionary",
    "dct:references": "Reference",
    "foaf:page": "Documentation",
    "dcat:endpointDescription": "Service description",
    "dcat:landingPage": "Landing page",
}


def other_resources(node: Node) -> Iterator[ResourceRecord]:
    """Yield other links to the data, and pages about it, the most important first.

    What CKAN exports has its page as a landing page, also where that is no file of it.
    """
    for predicate, (name, label, kind) in WAYS.items():
        for url in node.links(predicate):
            # A dump may be in another form of RDF, or a table.
            mimetype = node.text("pmd:mediaType") if predicate == "pmd:downloadURL" else ""
            own_label = formats.of_url(url) or formats.label(mimetype)
            own_label = label if own_label in ("", "ZIP", "GZ") else own_label
            yield ResourceRecord(url, name=name, format=own_label, mimetype=mimetype, kind=kind)
    for predicate, name in PAGES.items():
        if predicate == "dcat:landingPage" and is_dataset_of_ckan(node.uri):
            continue
        for part in node.nodes(predicate):
            url = part.own_page(predicate) or part.page("dcat:accessURL")
            if not url:
                node.report(
                    "bad-url",
                    predicate,
                    Message("{part} is not a web address; expected one", part=quoted(part.label())),
                    part.label(),
                )
            if url:
                title = plain_line(part.text("dct:title", "schema:name", "rdfs:label"))
                label = formats.of_url(url) or "HTML"
                yield ResourceRecord(url, name=title or name, format=label, kind="documentation")


# Members of a service in the extra access_services, named as in ckanext-dcat's.
SERVICE_FIELDS = {
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
_SERVICE_LISTS = (
    *("endpoint_url", "conforms_to", "format", "language", "rights", "landing_page", "keyword"),
    *("theme", "applicable_legislation", "hvd_category", "documentation"),
)

SERVES = "dcat:servesDataset"
_SERVICE_READ = extras.NOT_READ | frozenset(
    (*SERVICE_FIELDS, *people.CONTACT, *people.PUBLISHER, SERVES)
)


def service_url(service: Node) -> str:
    """Return a service's URL: its endpoint, else a page about it, else its URI; "" without any."""
    for name in ("dcat:endpointURL", "dcat:landingPage", "dcat:endpointDescription"):
        if url := service.page(name):
            return url
    return service.uri if is_web_url(service.uri) else ""


def service_facts(service: Node) -> dict[str, Any]:
    """Return a service as ckanext-dcat stores it in a file's extra access_services."""
    facts: dict[str, Any] = {"uri": service.uri}
    for predicate, key in SERVICE_FIELDS.items():
        if values := service.values(predicate):
            facts[key] = values if key in _SERVICE_LISTS else values[0]
    if label := service.label():
        facts.setdefault("title", label)
    for key, agent in {
        "contact": people.contact(service).get("contact"),
        "publisher": people.publisher(service).get("publisher"),
        "creator": people.author(service).get("author"),
    }.items():
        if agent is not None:
            facts[key] = [{"name": agent.name, "email": agent.email, "url": agent.url}]
    return facts


def services_of(node: Node, files: Iterable[ResourceRecord]) -> list[ResourceRecord]:
    """Return the services of a dataset that are no files of it yet, each URL once.

    Args:
        node: the dataset, or a service that is a record: its own endpoint is one, too.
        files: its files; a file without a URL has that of its service.
    """
    seen = {file.url for file in files}
    resources = []
    parts = _parts(node)[: node.max_resources]
    named = (service for part in (node, *parts) for service in part.nodes("dcat:accessService"))
    for service in (*node.subjects(SERVES), *named):
        url = service_url(service)
        if not url:
            service.report(
                "missing-url", "dcat:endpointURL", Message("missing; expected a web address")
            )
        if url and url not in seen:
            seen.add(url)
            resources.append(_service(service, url))
    return resources


def _service(service: Node, url: str) -> ResourceRecord:
    part = service.renamed(f"service {quoted(service.text('dct:title') or url)}, ")
    fields, facts = collect(_SERVICE_MAPPING, part)
    described = part.page("dcat:endpointDescription")
    labels = (fields["format"], formats.of_url(url), formats.of_url(described))
    contact = people.contact(part)
    agent = contact.get("contact") or Agent()
    facts |= {
        "endpoint_description": described,
        "access_rights": ", ".join(part.values("dct:accessRights")),
        "rights": people.rights(part),
        "contact_name": agent.name,
        "contact_email": agent.email,
        "contact-phone": contact.get("extras", {}).get("contact-phone", ""),
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
    facts = {name: text for name, text in facts.items() if text}
    read = table.names_read(_SERVICE_MAPPING) | _SERVICE_READ
    facts = table.add_unread(facts, extras.unread_predicates(part, read), of_file=True)
    return ResourceRecord(id=identity, extras=facts, **fields)


# Mistakes that publishers make.
_MISNAMED = ("dcat:distributions", "dct:distributions", "dct:distribution")
DISTRIBUTION = ("dcat:distribution", "schema:distribution", *_MISNAMED)
_DOWNLOAD = ("dcat:downloadURL", "schema:contentUrl")
_ACCESS = ("dcat:accessURL", "schema:url", "dcat:accessUrl")
_TITLES = ("dct:title", "schema:name", "rdfs:label", "dc:title", "skos:prefLabel")
_TEXTS = ("dct:description", "schema:description", "dc:description", "rdfs:comment")
_FORMAT = ("dct:format", "dc:format", "schema:fileFormat")
_MEDIA = ("dcat:mediaType", "schema:encodingFormat", "dct:mediaType")
_SIZE = (
    *("dcat:byteSize", "dcat:bytesSize", "dcat:bytes", "dcat:size", "schema:contentSize"),
    "dct:extent",
)


# ckanext-dcat's extras for the other facts of a distribution.
SINGLE = {
    "adms:status": "status",
    "dcatap:availability": "availability",
    "dcat:compressFormat": "compress_format",
    "dcat:packageFormat": "package_format",
    "dcat:temporalResolution": "temporal_resolution",
    "dcat:spatialResolutionInMeters": "spatial_resolution_in_meters",
    "cnt:characterEncoding": "character_encoding",
    "dct:type": "distribution_type",
    "odrl:hasPolicy": "has_policy",
    "adms:representationTechnique": "representation_technique",
    "schema:identifier": "identifier",
    "schema:dateCreated": "date_created",
    "schema:uploadDate": "upload_date",
    "schema:measurementMethod": "measurement_method",
    "schema:measurementTechnique": "measurement_technique",
}
LISTS = {
    "foaf:page": "documentation",
    "dct:conformsTo": "conforms_to",
    "dcatap:applicableLegislation": "applicable_legislation",
    "dcatap:hvdCategory": "hvd_category",
    "geodcat:referenceSystem": "reference_system",
    "schema:image": "image",
}
OBJECTS = {**extras.RESTRICTIONS, **extras.QUALITY}


def _parts(node: Node) -> list[Node]:
    """Return the distributions of a dataset as nodes, sorted by URI, else by title and URL."""
    parts = [part for part in node.nodes(*DISTRIBUTION) if not croissant.is_archived(part)]
    parts += [
        part
        for part in node.nodes("dct:hasPart", "adms:sample")
        if (part.has(*_DOWNLOAD, *_ACCESS) or "Distribution" in part.types())
    ]
    return sorted({part.term: part for part in parts}.values(), key=_order)


def distributions(node: Node) -> list[ResourceRecord]:
    """Return the files and services of a dataset, sorted by URI, else by title and URL."""
    limit = node.max_resources
    parts = _parts(node)
    for name in filter(node.has, _MISNAMED):
        node.report("misnamed-field", name, Message("expected the name dcat:distribution"))
    if len(parts) > limit:
        words = Message(
            "{count:,} of them; the first {limit:,} were read", count=len(parts), limit=limit
        )
        node.report("too-many-distributions", "dcat:distribution", words)
    resources = [
        resource for resource in (_distribution(_named(part)) for part in parts[:limit]) if resource
    ]
    samples = {sample.uri for sample in node.nodes("adms:sample") if sample.uri}
    return [
        replace(resource, name="Sample")
        if resource.id in samples and not resource.name
        else resource
        for resource in resources
    ]


def _order(part: Node) -> tuple[bool, list[tuple[int, str]]]:
    # Blank nodes' labels are hashes: sorted by them, one changed word would reorder the resources.
    words = part.uri or " ".join((part.text(*_TITLES), *part.values(*_DOWNLOAD, *_ACCESS)))
    return not part.uri, natural(words)


def _named(part: Node) -> Node:
    """Return the same node with its name in its messages."""
    name = part.text(*_TITLES) or part.uri or next(iter(part.values(*_DOWNLOAD, *_ACCESS)), "")
    return part.renamed(f"distribution {quoted(name)}, " if name else "distribution, ")


def _distribution(part: Node) -> ResourceRecord | None:
    """Return one distribution; report one without any URL and return None."""
    barren: set[str] = set()
    fields, facts = collect(RESOURCE_MAPPING, part, barren)
    if not fields["url"]:
        return None
    if fields["format"] in SERVICE_FORMATS and not part.has(*_DOWNLOAD):
        fields["kind"] = "service"
    if kind := formats.guess_schema_type(fields["schema_url"], fields["format"]):
        facts["schema_type"] = kind
    fields["name"] = fields["name"] or formats.name_of(fields["url"], fields["format"])
    identity = _uri(part) or next(iter(part.values("dct:identifier", "adms:identifier")), "")
    barren -= {"dct:identifier"}  # the file's own URI once more
    read = _READ - {name for name in barren if not part.is_settled(name)}
    facts = table.add_unread(facts, extras.unread_predicates(part, read), of_file=True)
    return ResourceRecord(id="" if identity == fields["url"] else identity, extras=facts, **fields)


def _addresses(part: Node) -> FieldValues:
    """Return the URL: the download's, the page's, the service's, else the distribution's URI.

    A web URI is used as a URL when there is no other.
    """
    downloads, accesses = list(part.links(*_DOWNLOAD)), list(part.links(*_ACCESS))
    endpoint = "" if downloads or accesses else _endpoint(part)
    urls = [*downloads, *accesses, endpoint]
    if not any(urls) and not part.has(*_DOWNLOAD, *_ACCESS):
        part.report(
            "missing-url",
            "dcat:accessURL",
            Message("missing; expected dcat:accessURL or dcat:downloadURL"),
        )
    urls += [part.value()] if is_web_url(part.value()) else []
    return {
        "url": next(filter(None, urls), ""),
        "kind": "service" if endpoint else "data",
        "extras": {"download_url": ", ".join(downloads), "access_url": ", ".join(accesses)},
    }


def _endpoint(part: Node) -> str:
    urls = (service_url(service) for service in part.nodes("dcat:accessService"))
    return next(filter(None, urls), "")


def _format(part: Node) -> FieldValues:
    """Return the media type as given, and CKAN's label."""
    named = [formats.without_registry(text) for text in _spellings(part, _FORMAT)]
    typed = [formats.without_registry(text) for text in _spellings(part, _MEDIA)]
    for name in (name for name in (*_FORMAT, *_MEDIA) if part.has(name) and not part.values(name)):
        part.report(
            "unknown-format", name, Message("a node without a name; expected one such as text/csv")
        )
    types = list(filter(None, map(formats.media_type, (*typed, *named))))
    if typed and not types and not any(map(formats.label, typed)):
        words = Message("{typed} is not a media type such as text/csv", typed=quoted(typed[0], 40))
        part.report("bad-media-type", "dcat:mediaType", words)
    urls = part.values(*_DOWNLOAD) or part.values(*_ACCESS) or [_endpoint(part)]
    labels = (*map(formats.label, (*named, *typed)), formats.of_url(urls[0]))
    label = next(filter(None, labels), "")
    if named and not types and not any(map(formats.label, named)):
        part.report(
            "unknown-format",
            "dct:format",
            Message("{named} is not a known format", named=quoted(named[0], 40)),
        )
    others = (  # of several for a file the label is that of one
        node.value()
        for nodes in (part.nodes(*_FORMAT), part.nodes(*_MEDIA))
        for node in nodes
        if len(nodes) > 1
        and label not in map(formats.label, map(formats.without_registry, _names_of(node)))
    )
    extras = {"formats": ", ".join(filter(None, others))}
    return {"format": label, "mimetype": next(iter(types), ""), "extras": extras}


def _spellings(part: Node, names: tuple[str, ...]) -> Iterator[str]:
    for named_format in part.nodes(*names):
        yield from _names_of(named_format)


def _names_of(named_format: Node) -> dict[str, None]:
    """Return everything that a format's node is called: text, label, value, URI."""
    labels = (
        named_format.best("rdf:value"),
        named_format.best("rdfs:label"),
        [named_format.label(), named_format.uri],
    )
    return dict.fromkeys(text for texts in labels for text in texts if text)


def _uris(part: Node, names: table.Names) -> str:
    # A text is among the rights.
    return ", ".join(value.uri for value in part.nodes(*names) if value.uri)


def _identifiers(part: Node, names: table.Names) -> str:
    # An identifier without a URI is the identity.
    return ", ".join(text for text in part.values(*names) if part.uri and text != part.uri)


def _schema(part: Node, names: table.Names) -> str:
    return next(iter(uk_fields.schemas(part.values(*names))), "")


def _services(part: Node, names: table.Names) -> str:
    """Return services as ckanext-dcat stores them: a JSON list of objects."""
    services = list(map(service_facts, part.nodes(*names)))
    return json.dumps(services, ensure_ascii=False) if services else ""


def _objects(part: Node) -> FieldValues:
    return {"extras": {"uri": _uri(part), **extras.objects(part, OBJECTS)}}


def _uri(part: Node) -> str:
    """Return a URI, of a saved document as it is written: relative to the document."""
    return part.uri.removeprefix("file:///")


# Readers of a distribution's fields → ResourceRecord.
RESOURCE_MAPPING: tuple[Field | Row, ...] = (
    Field((*_DOWNLOAD, *_ACCESS, "dcat:accessService"), "url", _addresses),
    row(_TITLES, "name", table.line),
    row(_TEXTS, "description", table.plain_lines),
    Field(
        (*_TITLES, *_TEXTS),
        "translations",
        partial(coverage.distribution_translations, _TITLES, _TEXTS),
    ),
    Field((*_FORMAT, *_MEDIA), "format, mimetype; extra formats", _format),
    row(_SIZE, "size", table.size),
    row(("dct:issued", "schema:datePublished", "dct:created"), "issued", table.date),
    row(("dct:modified", "schema:dateModified"), "modified", table.last_date),
    row(coverage.TEMPORAL, "temporal", table.period),
    row((*people.LICENCE, *people.RIGHTS), "licence", people.licence),
    row(people.RIGHTS, "extra rights", people.rights),
    row(("dct:conformsTo", "wdrs:describedby"), "schema_url", _schema),
    row(coverage.SPATIAL, "spatial, spatial-text", table.place_of_file),
    row(("dcat:accessService",), "extra access_services", _services),
    row(("spdx:checksum", "schema:sha256"), "hash, hash_algorithm, checksums", table.checksums),
    row(coverage.LANGUAGE, "extra language", table.language_line),
    row(("dct:accessRights",), "extra access_rights", _uris),
    row(("dct:identifier",), "extra identifier", _identifiers),
    *(row((predicate,), f"extra {name}", table.types) for predicate, name in SINGLE.items()),
    *(
        row((predicate,), f"extra {name} (list)", table.json_list)
        for predicate, name in LISTS.items()
    ),
    Field(("the distribution's URI", *OBJECTS), "extras", _objects),
    Field(("every other predicate",), "extras"),
)
_READ = table.names_read(RESOURCE_MAPPING) | extras.NOT_READ | {"adms:identifier"}

# A service has the fields of a file, but for its URL and its terms.
_SERVICE_MAPPING = tuple(
    field
    for field in RESOURCE_MAPPING
    if not {"dcat:accessService", "dct:license", "dct:rights"}.intersection(field.source)
)
