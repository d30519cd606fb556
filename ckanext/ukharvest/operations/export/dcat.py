"""DCAT-AP 3 in Turtle and N-Triples, https://semiceu.github.io/DCAT-AP/releases/3.0.0/.

Not made by ckanext-dcat, whose serialiser reads other names of fields than those of harvested
datasets, and takes some milliseconds a dataset (docs/decisions/0030-export.md). Every node has a
URI below its dataset's: documents without blank nodes can be written dataset by dataset, and are
equal for equal datasets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

import pyoxigraph as ox

from ckanext.ukharvest.operations.export.dataset import Agent, Catalogue, Dataset, Resource

PREFIXES = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "gsp": "http://www.opengis.net/ont/geosparql#",
    "locn": "http://www.w3.org/ns/locn#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_EU = "http://publications.europa.eu/resource/authority"
# Of the EU's table, which DCAT-AP asks for; others are left out.
_FREQUENCIES = {
    "R/PT1S": "UPDATE_CONT",
    "R/PT1H": "HOURLY",
    "R/P1D": "DAILY",
    "R/P1W": "WEEKLY",
    "R/P2W": "BIWEEKLY",
    "R/P1M": "MONTHLY",
    "R/P2M": "BIMONTHLY",
    "R/P3M": "QUARTERLY",
    "R/P6M": "ANNUAL_2",
    "R/P1Y": "ANNUAL",
    "R/P2Y": "BIENNIAL",
    "irregular": "IRREG",
    "never": "NEVER",
}
_LANGUAGES = "http://id.loc.gov/vocabulary/iso639-1/"
_MEDIA_TYPES = "https://www.iana.org/assignments/media-types/"
_DATES = {4: "gYear", 7: "gYearMonth", 10: "date"}  # by length of the text
_NEVER = re.compile(r"[\x00-\x20<>\"{}|^`\\]")

Term = ox.NamedNode | ox.Literal


def begin_turtle(catalogue: Catalogue) -> str:
    """Return the prefixes, in an order that is always the same, and the catalogue."""
    prefixes = (f"@prefix {name}: <{uri}> .\n" for name, uri in PREFIXES.items())
    return "".join(prefixes) + _turtle(_catalogue(catalogue))


def turtle(dataset: Dataset, catalogue: Catalogue) -> str:
    """Return a dataset without the prefixes, which stand once at the beginning."""
    return _turtle(_dataset(dataset, catalogue))


def begin_n_triples(catalogue: Catalogue) -> str:
    """Return the catalogue."""
    return _n_triples(_catalogue(catalogue))


def n_triples(dataset: Dataset, catalogue: Catalogue) -> str:
    """Return a dataset, a triple a line."""
    return _n_triples(_dataset(dataset, catalogue))


def _turtle(triples: Iterable[ox.Triple]) -> str:
    text = ox.serialize(triples, format=ox.RdfFormat.TURTLE, prefixes=PREFIXES)
    assert text is not None  # without a file to write to
    return text.decode("utf-8").split("\n", len(PREFIXES))[-1]


def _n_triples(triples: Iterable[ox.Triple]) -> str:
    text = ox.serialize(triples, format=ox.RdfFormat.N_TRIPLES)
    assert text is not None
    return text.decode("utf-8")


def _name(short: str) -> ox.NamedNode:
    """Return the node of a short name: "dct:title"."""
    prefix, _colon, local = short.partition(":")
    return ox.NamedNode(PREFIXES[prefix] + local)


def _facts(uri: str, facts: Iterable[tuple[str, Term | None]]) -> Iterator[ox.Triple]:
    subject = ox.NamedNode(uri)
    for predicate, value in facts:
        if value is not None:
            yield ox.Triple(subject, _name(predicate), value)


def _iri(text: str) -> ox.NamedNode | None:
    """Return a URL as a node; None if there is none or no RDF can hold it."""
    encoded = _NEVER.sub(lambda sign: f"%{ord(sign[0]):02X}", text)
    try:
        return ox.NamedNode(encoded) if encoded else None
    except ValueError:
        return None


def _literal(text: str, kind: str = "") -> ox.Literal | None:
    if not text:
        return None
    return ox.Literal(text, datatype=_name(kind)) if kind else ox.Literal(text)


def _date(text: str) -> ox.Literal | None:
    """Return an ISO 8601 date as precise as it is; XML Schema's times have seconds."""
    kind = _DATES.get(len(text), "dateTime")
    if kind == "dateTime":
        text = re.sub(r"T(\d\d:\d\d)(?=Z|[+-]|\Z)", r"T\1:00", text)
    return _literal(text, f"xsd:{kind}")


def _catalogue(catalogue: Catalogue) -> Iterator[ox.Triple]:
    uri = f"{catalogue.url}/"
    publisher = f"{catalogue.url}/#publisher"
    yield from _facts(
        uri,
        (
            ("rdf:type", _name("dcat:Catalog")),
            ("dct:title", _literal(catalogue.title)),
            ("dct:description", _literal(catalogue.description)),
            ("foaf:homepage", _iri(uri)),
            ("dct:publisher", _iri(publisher)),
        ),
    )
    yield from _agent(publisher, Agent(catalogue.title))


def _dataset(dataset: Dataset, catalogue: Catalogue) -> Iterator[ox.Triple]:
    uri = dataset.uri
    publisher = dataset.publisher.url or f"{uri}#publisher"
    frequency = _FREQUENCIES.get(dataset.frequency)
    yield from _facts(f"{catalogue.url}/", [("dcat:dataset", _iri(uri))])
    facts: list[tuple[str, Term | None]] = [
        ("rdf:type", _name("dcat:Dataset")),
        ("dct:title", _literal(dataset.title)),
        ("dct:description", _literal(dataset.description)),
        ("dct:identifier", _literal(dataset.guid)),
        ("dct:issued", _date(dataset.issued)),
        ("dct:modified", _date(dataset.modified)),
        ("dcat:landingPage", _iri(dataset.page)),
        ("dct:publisher", _iri(publisher)),
        ("dcat:contactPoint", _iri(f"{uri}#contact")),
        ("dct:accrualPeriodicity", _iri(f"{_EU}/frequency/{frequency}" if frequency else "")),
        # DCAT-AP has it with the files alone, but not every dataset has files.
        ("dct:license", _iri(dataset.licence)),
    ]
    facts += [("dcat:keyword", _literal(each)) for each in dataset.keywords]
    facts += [("dcat:theme", _iri(each)) for each in dataset.themes if "://" in each]
    codes = dict.fromkeys(each.partition("-")[0] for each in dataset.languages)
    facts += [("dct:language", _iri(_LANGUAGES + code)) for code in codes if len(code) == 2]
    facts += [("dcat:distribution", _iri(each.uri)) for each in dataset.resources]
    yield from _facts(uri, facts)
    yield from _coverage(dataset)
    yield from _agent(publisher, dataset.publisher)
    yield from _contact(f"{uri}#contact", dataset.contact)
    for resource in dataset.resources:
        yield from _distribution(resource, dataset)


def _coverage(dataset: Dataset) -> Iterator[ox.Triple]:
    period, place = f"{dataset.uri}#period", f"{dataset.uri}#place"
    if dataset.start or dataset.end:
        yield from _facts(dataset.uri, [("dct:temporal", _iri(period))])
        yield from _facts(
            period,
            (
                ("rdf:type", _name("dct:PeriodOfTime")),
                ("dcat:startDate", _date(dataset.start)),
                ("dcat:endDate", _date(dataset.end)),
            ),
        )
    if dataset.geometry or dataset.place:
        shape = json.dumps(dataset.geometry, separators=(",", ":")) if dataset.geometry else ""
        yield from _facts(dataset.uri, [("dct:spatial", _iri(place))])
        yield from _facts(
            place,
            (
                ("rdf:type", _name("dct:Location")),
                ("locn:geometry", _literal(shape, "gsp:geoJSONLiteral")),
                ("skos:prefLabel", _literal(dataset.place)),
            ),
        )


def _agent(uri: str, agent: Agent) -> Iterator[ox.Triple]:
    node = _iri(uri)
    if node is None:
        return
    facts = (
        ("rdf:type", _name("foaf:Agent")),
        ("foaf:name", _literal(agent.name)),
        ("foaf:mbox", _iri(f"mailto:{agent.email}" if agent.email else "")),
    )
    yield from _facts(node.value, facts)


def _contact(uri: str, agent: Agent) -> Iterator[ox.Triple]:
    yield from _facts(
        uri,
        (
            ("rdf:type", _name("vcard:Kind")),
            ("vcard:fn", _literal(agent.name)),
            ("vcard:hasEmail", _iri(f"mailto:{agent.email}" if agent.email else "")),
        ),
    )


def _distribution(resource: Resource, dataset: Dataset) -> Iterator[ox.Triple]:
    url = _iri(resource.url)
    is_file = bool(resource.mimetype)
    yield from _facts(
        resource.uri,
        (
            ("rdf:type", _name("dcat:Distribution")),
            ("dct:title", _literal(resource.title)),
            ("dct:description", _literal(resource.description)),
            ("dcat:accessURL", url),
            ("dcat:downloadURL", url if is_file else None),
            ("dcat:mediaType", _iri(_MEDIA_TYPES + resource.mimetype) if is_file else None),
            ("dct:format", _literal(resource.format)),
            ("dct:license", _iri(resource.licence or dataset.licence)),
            ("dcat:byteSize", _literal(resource.size, "xsd:nonNegativeInteger")),
            ("dct:issued", _date(resource.issued)),
            ("dct:modified", _date(resource.modified)),
        ),
    )
