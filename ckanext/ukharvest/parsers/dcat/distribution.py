"""Distributions of a dataset: its files and services."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ckanext.ukharvest.core.mapping_table import Field, collect, read_apart
from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.core.values import formats, schema_types
from ckanext.ukharvest.core.values.file_facts import read_checksums, read_size
from ckanext.ukharvest.core.values.link_protocols import SERVICE_FORMATS
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.multivalue import as_list
from ckanext.ukharvest.core.values.places import geometry_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import uk_fields, unread_fields
from ckanext.ukharvest.parsers.dcat import (
    coverage,
    extras,
    further,
    people,
    services,
    translations,
)
from ckanext.ukharvest.parsers.dcat.node import Node, natural, quoted

# Mistakes that publishers make.
_MISNAMED = ("dcat:distributions", "dct:distributions", "dct:distribution")
DISTRIBUTION = ("dcat:distribution", "schema:distribution", *_MISNAMED)
_DOWNLOAD = ("dcat:downloadURL", "schema:contentUrl")
_ACCESS = ("dcat:accessURL", "schema:url", "dcat:accessUrl")
_TITLES = ("dct:title", "schema:name", "rdfs:label", "dc:title", "skos:prefLabel")
_TEXTS = ("dct:description", "schema:description", "dc:description", "rdfs:comment")
_FORMAT = ("dct:format", "dc:format", "schema:fileFormat")
_MEDIA = ("dcat:mediaType", "schema:encodingFormat", "dct:mediaType")
_SIZES_OF_DCAT = ("dcat:byteSize", "dcat:bytesSize", "dcat:bytes", "dcat:size")
_SIZE = (*_SIZES_OF_DCAT, "schema:contentSize", "dct:extent")

_ISSUED = ("dct:issued", "schema:datePublished", "dct:created")
_MODIFIED = ("dct:modified", "schema:dateModified")
_SCHEMA = ("dct:conformsTo", "wdrs:describedby")

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
_ACCESS_RIGHTS, _IDENTIFIER = "dct:accessRights", "dct:identifier"


Found = dict[str, Any]


def _parts(node: Node) -> list[Node]:
    """Return the distributions of a dataset as nodes, sorted by URI, else by title and URL."""
    parts = node.nodes(*DISTRIBUTION)
    parts += [part for part in node.nodes("dct:hasPart", "adms:sample") if _is_file(part)]
    return sorted({part.term: part for part in parts}.values(), key=_order)


def distributions(node: Node) -> list[ResourceRecord]:
    """Return the files and services of a dataset, sorted by URI, else by title and URL."""
    limit = node.max_resources
    parts = _parts(node)
    for name in filter(node.has, _MISNAMED):
        node.report("misnamed-field", name, "expected the name dcat:distribution")
    if len(parts) > limit:
        only = f"{len(parts):,} of them; the first {limit:,} were read"
        node.report("too-many-distributions", "dcat:distribution", only)
    found = [each for each in (_distribution(_named(part)) for part in parts[:limit]) if each]
    samples = {sample.uri for sample in node.nodes("adms:sample") if sample.uri}
    return [
        replace(each, name="Sample") if each.id in samples and not each.name else each
        for each in found
    ]


def services_of(node: Node, files: list[ResourceRecord]) -> list[ResourceRecord]:
    """Return the services of a dataset that are not among its files."""
    # A service has the fields of a file, but for its URL and its terms.
    apart = ("dcat:accessService", "dct:license")
    mapping = tuple(row for row in RESOURCE_MAPPING if not set(apart) & set(row.source))
    return services.resources(node, files, _parts(node)[: node.max_resources], mapping)


def _is_file(part: Node) -> bool:
    return part.has(*_DOWNLOAD, *_ACCESS) or "Distribution" in part.types()


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
    found, facts = collect(RESOURCE_MAPPING, part)
    if not found["url"]:
        return None
    if found["format"] in SERVICE_FORMATS and not part.has(*_DOWNLOAD):
        found["kind"] = "service"
    if kind := schema_types.guess(found["schema_url"], found["format"]):
        facts["schema_type"] = kind
    found["name"] = found["name"] or formats.name_of(found["url"], found["format"])
    identity = part.uri or next(iter(part.values("dct:identifier", "adms:identifier")), "")
    facts = unread_fields.added_to(facts, further.unread(part, _READ), of_file=True)
    return ResourceRecord(id="" if identity == found["url"] else identity, extras=facts, **found)


def _addresses(part: Node) -> Found:
    """Return the URL: the download's, the page's, the service's, else the distribution's URI.

    A web URI is used as a URL when there is no other.
    """
    downloads, accesses = list(part.links(*_DOWNLOAD)), list(part.links(*_ACCESS))
    endpoint = "" if downloads or accesses else _endpoint(part)
    urls = [*downloads, *accesses, endpoint]
    if not any(urls) and not part.has(*_DOWNLOAD, *_ACCESS):
        expected = "missing; expected dcat:accessURL or dcat:downloadURL"
        part.report("missing-url", "dcat:accessURL", expected)
    urls += [part.value()] if is_web_url(part.value()) else []
    return {
        "url": next(filter(None, urls), ""),
        "kind": "service" if endpoint else "data",
        "extras": {"download_url": ", ".join(downloads), "access_url": ", ".join(accesses)},
    }


def _endpoint(part: Node) -> str:
    found = (services.url_of(service) for service in part.nodes("dcat:accessService"))
    return next(filter(None, found), "")


def _format(part: Node) -> Found:
    """Return the media type as given, and CKAN's label."""
    named = [formats.without_registry(text) for text in _spellings(part, _FORMAT)]
    typed = [formats.without_registry(text) for text in _spellings(part, _MEDIA)]
    types = list(filter(None, map(formats.media_type, (*typed, *named))))
    if typed and not types and not any(map(formats.label, typed)):
        expected = f"{quoted(typed[0], 40)} is no type such as text/csv"
        part.report("bad-media-type", "dcat:mediaType", expected)
    urls = part.values(*_DOWNLOAD) or part.values(*_ACCESS) or [_endpoint(part)]
    labels = (*map(formats.label, (*named, *typed)), formats.of_url(urls[0]))
    label = next(filter(None, labels), "")
    if named and not label:
        shown = quoted(named[0], 40)
        part.report("unknown-format", "dct:format", f"{shown} is not a known format")
    return {"format": label, "mimetype": next(iter(types), "")}


def _spellings(part: Node, names: tuple[str, ...]) -> Iterator[str]:
    """Yield everything that a format's node is called: text, label, value, URI."""
    for each in part.nodes(*names):
        labels = each.best("rdf:value"), each.best("rdfs:label"), [each.label(), each.uri]
        yield from dict.fromkeys(text for texts in labels for text in texts if text)


def _size(part: Node) -> Found:
    for name in _SIZE:
        for each in part.nodes(name):
            if text := each.text("dcat:bytes", "rdf:value") or each.label():
                return _bytes(part, name, text)
    return {}


def _bytes(part: Node, name: str, text: str) -> Found:
    size, unread = read_size(text, lambda code, words: part.report(code, name, words))
    return {"size": size, "extras": unread}


def _names(part: Node) -> Found:
    return {"name": plain_line(part.text(*_TITLES))}


def _descriptions(part: Node) -> Found:
    return {"description": "\n".join(map(plain_text, part.best(*_TEXTS)))}


def _translations(part: Node) -> Found:
    return {"translations": translations.of_distribution(part, _TITLES, _TEXTS)}


def _issued(part: Node) -> Found:
    return {"issued": coverage.date(part, *_ISSUED)}


def _modified(part: Node) -> Found:
    return {"modified": coverage.date(part, *_MODIFIED, latest=True)}


def _terms(part: Node) -> Found:
    return {"licence": people.licence(part), "extras": {"rights": people.rights(part)}}


def _schemas(part: Node) -> Found:
    return {"schema_url": next(iter(uk_fields.schemas(part.values(*_SCHEMA))), "")}


def _temporal(part: Node) -> Found:
    periods = coverage.periods(part)
    return {"temporal": periods.whole, "extras": periods.extras}


def _place(part: Node) -> Found:
    found, uris = coverage.place(part)
    facts = {"spatial-text": found.names, "spatial_uri": uris, **found.extras}
    return {"extras": {"spatial": geometry_text(found.geometry), **facts}}


def _checksum(part: Node) -> Found:
    pairs = [
        (
            checksum.text("spdx:checksumValue") or checksum.label(),
            next(iter(checksum.values("spdx:algorithm")), ""),
        )
        for checksum in part.nodes("spdx:checksum")
    ]
    pairs += [(text, "sha256") for text in part.values("schema:sha256")]
    return {"extras": read_checksums(pairs)}


def _others(part: Node) -> Found:
    found = {"uri": part.uri, "language": ", ".join(coverage.languages(part))}
    for predicate, key in SINGLE.items():
        found[key] = ", ".join(formats.without_registry(value) for value in part.values(predicate))
    for predicate, key in LISTS.items():
        found[key] = as_list(part.values(predicate))
    # A text is among the rights, an identifier without a URI is the identity.
    found["access_rights"] = ", ".join(each.uri for each in part.nodes(_ACCESS_RIGHTS) if each.uri)
    names = [text for text in part.values(_IDENTIFIER) if part.uri and text != part.uri]
    found["identifier"] = ", ".join(names) or found.get("identifier", "")
    return {"extras": found | extras.objects(part, OBJECTS)}


def _services(part: Node) -> Found:
    """Return services as ckanext-dcat stores them: a JSON list of objects."""
    found = [services.facts(service) for service in part.nodes("dcat:accessService")]
    return {"extras": {"access_services": json.dumps(found, ensure_ascii=False) if found else ""}}


# Readers of a distribution's fields → ResourceRecord.
RESOURCE_MAPPING: tuple[Field[Node], ...] = (
    Field((*_DOWNLOAD, *_ACCESS, "dcat:accessService"), "url", _addresses),
    Field(_TITLES, "name", _names),
    Field(_TEXTS, "description", _descriptions),
    Field((*_TITLES, *_TEXTS), "translations", _translations),
    Field((*_FORMAT, *_MEDIA), "format, mimetype", _format),
    Field(_SIZE, "size", _size),
    Field(_ISSUED, "issued", _issued),
    Field(_MODIFIED, "modified", _modified),
    Field(coverage.TEMPORAL, "temporal", _temporal),
    Field((*people.LICENCE, *people.RIGHTS), "licence, rights", _terms),
    Field(_SCHEMA, "schema_url; extra schema_type", _schemas),
    Field(coverage.SPATIAL, "spatial, spatial-text", _place),
    Field(("dcat:accessService",), "access_services", _services),
    Field(("spdx:checksum", "schema:sha256"), "hash, hash_algorithm, checksums", _checksum),
    Field(
        (*coverage.LANGUAGE, *SINGLE, *LISTS, *OBJECTS, _ACCESS_RIGHTS, _IDENTIFIER),
        "extras",
        _others,
    ),
    Field(("every other predicate",), "extras", read_apart),
)
_READ = unread_fields.names_of(RESOURCE_MAPPING) | further.NOT_READ | {"adms:identifier"}
