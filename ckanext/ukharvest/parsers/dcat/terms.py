"""The terms of a record's graph under short names, however a source writes its namespaces.

A record is canonical N-Triples (``core.rdf``). It is not read with an RDF library, which would
rewrite literals (dates, decimals) and log each one that does not fit its datatype.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ckanext.ukharvest.core import rdf
from ckanext.ukharvest.core.errors import ParseError

Kind = Literal["uri", "blank", "literal"]

# Short name → namespaces: the right one, then earlier or mistaken ones still in use.
# "http" or "https", and "#" after a slash, make no difference.
NAMESPACES = {
    "dcat": (
        "http://www.w3.org/ns/dcat#",
        "http://vocab.deri.ie/dcat#",
        "http://www.w3.org/ns/dcat/",
    ),
    "dct": ("http://purl.org/dc/terms/", "http://purl.org/dct/"),
    "dc": ("http://purl.org/dc/elements/1.1/",),
    "dctype": ("http://purl.org/dc/dcmitype/",),
    "foaf": ("http://xmlns.com/foaf/0.1/", "http://xmlns.com/foaf/spec/"),
    "vcard": (
        "http://www.w3.org/2006/vcard/ns#",
        "http://www.w3.org/2006/vcard/",
        "http://www.w3.org/2001/vcard-rdf/3.0#",
    ),
    "adms": ("http://www.w3.org/ns/adms#", "http://purl.org/adms/", "http://www.w3.org/ns/adms/"),
    "schema": ("http://schema.org/",),
    "rdf": ("http://www.w3.org/1999/02/22-rdf-syntax-ns#",),
    "rdfs": ("http://www.w3.org/2000/01/rdf-schema#",),
    "skos": ("http://www.w3.org/2004/02/skos/core#",),
    "owl": ("http://www.w3.org/2002/07/owl#",),
    "dcatap": ("http://data.europa.eu/r5r/",),
    "geodcat": ("http://data.europa.eu/930/",),
    "dqv": ("http://www.w3.org/ns/dqv#",),
    "time": ("http://www.w3.org/2006/time#",),
    "scv": ("http://purl.org/NET/scovo#",),
    "locn": ("http://www.w3.org/ns/locn#",),
    "gsp": ("http://www.opengis.net/ont/geosparql#",),
    "geo": ("http://www.w3.org/2003/01/geo/wgs84_pos#",),
    "spdx": ("http://spdx.org/rdf/terms#",),
    "prov": ("http://www.w3.org/ns/prov#",),
    "org": ("http://www.w3.org/ns/org#", "http://www.w3c.org/ns/org#"),
    "void": ("http://rdfs.org/ns/void#",),
    "pmd": ("http://publishmydata.com/def/dataset#",),
    "folder": ("http://publishmydata.com/def/ontology/folder/",),
    "geography": ("http://opendatacommunities.org/def/ontology/geography/",),
    "cc": ("http://creativecommons.org/ns#",),
    "odrl": ("http://www.w3.org/ns/odrl/2/",),
    "pav": ("http://purl.org/pav/",),
    "wdrs": ("http://www.w3.org/2007/05/powder-s#",),
    "cnt": ("http://www.w3.org/2011/content#",),
    "dpv": ("https://w3id.org/dpv#",),
    "health": ("http://healthdataportal.eu/ns/health#",),
    "dcatus": (
        "http://data.resources.gov/ontology/dcat-us#",
        "http://resources.data.gov/ontology/dcat-us#",
    ),
    "odrs": ("http://schema.theodi.org/odrs#",),
    "sdmx": ("http://purl.org/linked-data/sdmx/2009/attribute#",),
}


@dataclass(frozen=True, slots=True)
class Term:
    """One end of a triple: a URI, a blank node's label, or a literal's text."""

    kind: Kind
    value: str
    language: str = ""


Properties = dict[str, list[Term]]  # short name of the predicate → objects
Graph = dict[Term, Properties]


def read_graph(content: str) -> Graph:
    """Return the triples of canonical N-Triples by subject, in the order of the text.

    Raises:
        ParseError: a line is not a triple.
    """
    graph: Graph = {}
    lines = content.rstrip("\n").split("\n") if content else []
    for number, line in enumerate(lines, start=1):
        parts = line.removesuffix(" .").split(" ", 2)
        if len(parts) < 3 or not rdf.is_node(parts[0]) or not rdf.iri(parts[1]):
            message = f"line {number} of the record is no triple in N-Triples"
            raise ParseError(message, code="not-ntriples")
        subject, predicate, found = parts
        properties = graph.setdefault(_term(subject), {})
        properties.setdefault(short(rdf.iri(predicate)), []).append(_term(found))
    return graph


def _term(text: str) -> Term:
    if text.startswith("_:"):
        return Term("blank", text)
    if address := rdf.iri(text):
        return Term("uri", address)
    return Term("literal", rdf.value(text), rdf.language(text).lower())


@lru_cache(maxsize=4096)
def short(uri: str) -> str:
    """Return ``dct:title`` for a predicate or class, the URI itself if its namespace is unknown."""
    bare = uri.replace("https://", "http://", 1)
    for start, prefix in _PREFIXES:
        if bare.startswith(start) and (name := bare[len(start) :].lstrip("#")):
            return f"{prefix}:{name}"
    return uri


def _prefixes() -> Iterator[tuple[str, str]]:
    for prefix, starts in NAMESPACES.items():
        for start in starts:
            yield start.replace("https://", "http://", 1), prefix


# The longest first: one namespace may begin with another.
_PREFIXES = sorted(_prefixes(), key=lambda each: -len(each[0]))
