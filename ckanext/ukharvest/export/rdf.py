"""DCAT-AP 3 in Turtle and N-Triples, https://semiceu.github.io/DCAT-AP/releases/3.0.0/.

The graph of a dataset is made by ckanext-dcat's serialiser with our profile (``profile``), one
dataset at a time. Its text is made here: rdflib repeats the prefixes for each dataset, and gives
blank nodes labels at random. Ours are URIs by their content (RDF 1.1, section 3.5), so that a file
can be written dataset by dataset, and equal datasets give equal files.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import pyoxigraph as ox

from ckanext.ukharvest.core import rdf
from ckanext.ukharvest.export.dataset import Catalogue, Dataset
from ckanext.ukharvest.parsers.dcat.node import NAMESPACES

# The entry point of our profile, see setup.cfg.
PROFILE = "ukharvest"
PREFIXES = {
    **{
        name: NAMESPACES[name][0]
        for name in ("adms", "dcat", "dcatap", "dct", "foaf", "gsp", "locn", "rdf", "rdfs", "skos")
    },
    "vcard": NAMESPACES["vcard"][0],
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
SERVICE = "dcat:DataService"  # the class of a service that is a dataset of CKAN
_NEVER = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_SKOLEM = "/.well-known/genid/"


def is_available() -> bool:
    """Tell whether ckanext-dcat is installed, which makes the graphs."""
    try:
        return find_spec("ckanext.dcat.processors") is not None
    except ImportError:
        return False


def triples(dataset: Dataset, package: Mapping[str, Any], catalogue: Catalogue) -> str:
    """Return a dataset as N-Triples, sorted, without blank nodes.

    Args:
        package: what ``dataset`` was read from.
    """
    from rdflib import Graph

    from ckanext.ukharvest.export.profile import CATALOGUE

    serializer = _serializer()
    # The graphs share their prefixes: each costs time.
    serializer.g = Graph(namespace_manager=_prefixes(), bind_namespaces="none")
    # Its own URI may be another dataset's too: two organisations can harvest the same record.
    extras = [extra for extra in package.get("extras") or () if extra["key"] != "uri"]
    named = {**package, "extras": extras, "uri": dataset.uri, CATALOGUE: catalogue}
    node = _iri(str(serializer.graph_from_dataset(named)))
    facts = set(_texts(serializer.g))
    is_service = (str(node), str(_name("rdf:type")), str(_name(SERVICE))) in facts
    link = _name("dcat:service" if is_service else "dcat:dataset")
    facts.add((f"<{catalogue.url}/>", str(link), str(node)))
    labels = rdf.label_blank_nodes(facts)
    place = catalogue.url + _SKOLEM + dataset.uri.rpartition("/")[2]
    names = {old: f"<{place}-{new.removeprefix('_:')}>" for old, new in labels.items()}
    lines = {f"{names.get(s, s)} {p} {names.get(o, o)} .\n" for s, p, o in facts}
    return "".join(sorted(lines))


@functools.cache
def _serializer() -> Any:
    """Return ckanext-dcat's serialiser; it looks for its profiles once."""
    from ckanext.dcat.processors import RDFSerializer

    return RDFSerializer(profiles=[PROFILE])


@functools.cache
def _prefixes() -> Any:
    from rdflib import Graph
    from rdflib.namespace import NamespaceManager

    return NamespaceManager(Graph(bind_namespaces="none"), bind_namespaces="none")


def _texts(graph: Any) -> Iterator[rdf.Triple]:
    """Yield the triples as N-Triples writes them; those that no RDF can hold are left out."""
    from rdflib import BNode, URIRef

    def text_of(part: Any) -> str:
        if isinstance(part, URIRef):
            return _uri(part)
        return f"_:{part}" if isinstance(part, BNode) else str(_literal(part))

    for subject, predicate, value in graph:
        try:
            yield text_of(subject), text_of(predicate), text_of(value)
        except ValueError:
            continue


@functools.lru_cache(maxsize=512)
def _uri(text: str) -> str:
    """Return a URI as N-Triples writes it: the same few are most of a graph."""
    return str(_iri(_whole(text)))


def _literal(part: Any) -> ox.Literal:
    text = _whole(str(part))
    if part.language:
        return ox.Literal(text, language=part.language)
    datatype = ox.NamedNode(str(part.datatype)) if part.datatype else None
    return ox.Literal(text, datatype=datatype)


def _whole(text: str) -> str:
    """Replace halves of characters, which no encoding has."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def encode_iri(text: str) -> str:
    """Percent-encode the characters that no IRI may have; nothing else changes."""
    return _NEVER.sub(lambda sign: f"%{ord(sign[0]):02X}", text)


def _iri(text: str) -> ox.NamedNode:
    """Return a URL as a node.

    Raises:
        ValueError: it is no IRI.
    """
    return ox.NamedNode(encode_iri(text))


def begin_turtle(catalogue: Catalogue) -> str:
    """Return the prefixes, in an order that is always the same, and the catalogue."""
    prefixes = (f"@prefix {name}: <{uri}> .\n" for name, uri in PREFIXES.items())
    return "".join(prefixes) + turtle(begin_n_triples(catalogue))


def turtle(n_triples: str) -> str:
    """Return triples in Turtle without the prefixes, which stand once at the beginning."""
    quads = ox.parse(n_triples, format=ox.RdfFormat.N_TRIPLES)
    text = ox.serialize(
        (quad.triple for quad in quads), format=ox.RdfFormat.TURTLE, prefixes=PREFIXES
    )
    assert text is not None  # without a file to write to
    return text.decode("utf-8").split("\n", len(PREFIXES))[-1]


def begin_n_triples(catalogue: Catalogue) -> str:
    """Return the catalogue."""
    page, publisher = _iri(f"{catalogue.url}/"), _iri(f"{catalogue.url}/#publisher")
    facts = (
        (page, "rdf:type", _name("dcat:Catalog")),
        (page, "dct:title", ox.Literal(catalogue.title)),
        (page, "dct:description", ox.Literal(catalogue.description)),
        (page, "foaf:homepage", page),
        (page, "dct:publisher", publisher),
        (publisher, "rdf:type", _name("foaf:Agent")),
        (publisher, "foaf:name", ox.Literal(catalogue.title)),
    )
    return "".join(
        f"{ox.Triple(subject, _name(predicate), value)} .\n" for subject, predicate, value in facts
    )


def _name(short: str) -> ox.NamedNode:
    """Return the node of a short name: "dct:title"."""
    prefix, _colon, local = short.partition(":")
    return ox.NamedNode(PREFIXES[prefix] + local)
