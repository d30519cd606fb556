"""A node of a record's graph: reads any form of a value and reports problems.

A record is canonical N-Triples (``core.rdf``). It is not read with an RDF library, which would
rewrite literals (dates, decimals) and log each one that does not fit its datatype. Its terms have
short names, however a source writes its namespaces.

RDF has no order, so lists are sorted: by language, then by text, with numbers compared as numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Literal

from ckanext.ukharvest.core import rdf
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values import places
from ckanext.ukharvest.core.values.periods import Periods
from ckanext.ukharvest.core.values.places import Place, Places, read_places
from ckanext.ukharvest.core.values.text import Repaired, clean_text, shorten
from ckanext.ukharvest.core.values.web_addresses import parse_url
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.reporting import BaseNode
from ckanext.ukharvest.parsers.table import Row

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
    "cr": ("http://mlcommons.org/croissant/",),
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
            message = Message(
                "line {number} of the record is not a triple in N-Triples", number=number
            )
            raise ParseError(message, code="not-ntriples")
        subject, predicate, value = parts
        properties = graph.setdefault(_term(subject), {})
        properties.setdefault(short(rdf.iri(predicate)), []).append(_term(value))
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


# The longest first: one namespace may begin with another.
_PREFIXES = sorted(
    (
        (start.replace("https://", "http://", 1), prefix)
        for prefix, starts in NAMESPACES.items()
        for start in starts
    ),
    key=lambda pair: -len(pair[0]),
)


# Predicates of a node's name, the most specific first.
LABELS = (
    *("rdfs:label", "skos:prefLabel", "dct:title", "foaf:name", "schema:name", "vcard:fn"),
    *("dc:title", "skos:altLabel", "dct:description", "rdf:value", "vcard:hasValue"),
    *("rdfs:comment", "skos:notation", "odrs:attributionText", "spdx:licenseText"),
    "dct:identifier",
)
REGISTER = "://reference.data.gov.uk/"  # its URIs of dates and time spans contain them
_MOMENTS = (
    *("time:inXSDDateTimeStamp", "time:inXSDDateTime", "time:inXSDDate", "time:inXSDgYearMonth"),
    *("time:inXSDgYear", "time:inDateTime", "rdf:value", "rdfs:label"),
)
# Predicates of a place's shape, the most exact first; a point says least.
_SHAPES = (
    *("locn:geometry", "gsp:asGeoJSON", "gsp:asWKT", "geo:asWKT", "gsp:asGML", "gsp:hasGeometry"),
    *("schema:polygon", "dcat:bbox", "schema:box", "schema:line", "schema:circle"),
    *("schema:geo", "geo:geometry"),
    *("dcat:centroid", "gsp:hasCentroid"),
)
# Shapes of schema.org's GeoShape → their kind.
_LATITUDE_FIRST = {f"schema:{kind}": kind for kind in ("polygon", "box", "line", "circle")}
_PLACE_NAMES = (
    *("skos:prefLabel", "rdfs:label", "locn:geographicName", "dct:title", "schema:name"),
    *("foaf:name", "vcard:locality", "locn:adminUnitL2", "locn:adminUnitL1", "rdf:value"),
)
_STARTS = ("dcat:startDate", "schema:startDate", "time:hasBeginning", "scv:min", "dct:start")
_ENDS = ("dcat:endDate", "schema:endDate", "time:hasEnd", "scv:max", "dct:end")
# Predicates of nested nodes: a place has a geometry, which has its text.
_MAX_LEVEL = 4
_HOST = re.compile(r"www\.[\w-]+\.[\w.-]+(?:/|$)")
_ADDRESSES = ("schema:url", "foaf:homepage", "foaf:page", "rdf:value", "vcard:hasValue")


@dataclass(slots=True)
class Scope:
    """Settings and problems shared by all nodes of one record.

    Attributes:
        language: preferred where a text is given in several.
        max_resources: maximum number of distributions to read.
        problems: in the order of reading.
        base: URL of the document, for texts that are URLs without a host.
        labels: of the nodes that were asked for theirs.
    """

    graph: Graph
    language: str = "en"
    max_resources: int = 1000
    problems: list[Problem] = field(default_factory=list)
    base: str = ""
    labels: dict[Term, str] = field(default_factory=dict)


class Node(BaseNode):
    """One node and the triples that start there; a literal is a node without triples.

    Args:
        where: prefix of field names in messages, such as "distribution 'Roads', ".
    """

    def __init__(self, scope: Scope, term: Term, where: str = "") -> None:
        super().__init__(scope.problems, base=scope.base)
        self._scope = scope
        self.term = term
        self._where = where
        self._properties = {} if term.kind == "literal" else scope.graph.get(term, {})

    @property
    def uri(self) -> str:
        """Its URI, "" for blank nodes, including genid URIs."""
        value = self.term.value
        return value if self.term.kind == "uri" and "/.well-known/genid/" not in value else ""

    def renamed(self, where: str) -> Node:
        """Return the same node with another ``where``."""
        return Node(self._scope, self.term, where)

    @property
    def max_resources(self) -> int:
        """Maximum number of distributions to read."""
        return self._scope.max_resources

    def types(self) -> set[str]:
        """Return the short names of its classes' local parts, such as "Dataset"."""
        return {re.split(r"[#/:]", term.value)[-1] for term in self._terms("rdf:type")}

    def report(self, code: str, name: str, words: str, text: str = "") -> None:
        """Add a problem with a predicate, as ``BaseNode.report``."""
        self._scope.problems.append(
            Problem(
                code,
                name,
                Message("{where}{name}: {words}", where=self._where, name=name, words=words),
                None,
                clean_text(text),
            )
        )

    def problems(self) -> tuple[Problem, ...]:
        """All problems of the record, each once."""
        return tuple(dict.fromkeys(self._scope.problems))

    def is_settled(self, name: str) -> bool:
        """Tell whether a predicate of this node has a problem; its files have their own."""
        own = f"{self._where}{name}:"
        return any(problem.message.startswith(own) for problem in self._problems[self._first :])

    def predicates(self) -> list[str]:
        """Return the short names of the predicates of its triples, sorted."""
        return sorted(self._properties)

    def has(self, *names: str) -> bool:
        """Tell whether one of the predicates is present."""
        return any(self._properties.get(name) for name in names)

    def _terms(self, *names: str) -> list[Term]:
        """Return the objects of the predicates without repeats, those of the first name first."""
        terms: dict[Term, None] = {}
        for name in names:
            for term in sorted(self._properties.get(name, ()), key=self._order):
                terms.update(dict.fromkeys(self._members(term)))
        return list(terms)

    def _members(self, term: Term) -> Iterator[Term]:
        """Yield the members of an rdf:List in their order; of another term itself."""
        graph = self._scope.graph
        if term.value != rdf.RDF + "nil" and "rdf:first" not in graph.get(term, {}):
            yield term
            return
        seen: set[Term] = set()
        while term not in seen and term in graph:
            seen.add(term)
            yield from graph[term].get("rdf:first", ())
            term = next(iter(graph[term].get("rdf:rest", ())), term)

    def _order(self, term: Term) -> tuple[int, str, list[tuple[int, str]], str]:
        wanted, own = self._scope.language, term.language
        is_kin = own.startswith(wanted + "-") or wanted.startswith(own + "-")
        rank = 0 if own == wanted else 2 if not own else 1 if is_kin else 3
        return rank, own, natural(term.value), term.kind

    def nodes(self, *names: str) -> list[Node]:
        """Return the predicates' objects as nodes, each once, those of the first name first."""
        return [Node(self._scope, term, self._where) for term in self._terms(*names)]

    def subjects(self, name: str) -> list[Node]:
        """Return the nodes that have a predicate with this node, in the order of their URIs."""
        graph = self._scope.graph
        terms = (
            term for term, properties in graph.items() if self.term in properties.get(name, ())
        )
        return [Node(self._scope, term) for term in sorted(terms, key=self._order)]

    def best(self, *names: str) -> list[str]:
        """Return the literals of the first predicate that has any, in the best language."""
        for name in names:
            terms = [t for t in self._terms(name) if t.kind == "literal" and clean_text(t.value)]
            if terms:
                language = terms[0].language
                return [clean_text(t.value) for t in terms if t.language == language]
        return []

    def literals(self, *names: str) -> list[tuple[str, str]]:
        """Return language tag and text of the predicates' literals, the best language first."""
        terms = (term for term in self._terms(*names) if term.kind == "literal")
        return [(term.language, text) for term in terms if (text := clean_text(term.value))]

    def texts(self, *names: str) -> list[str]:
        """Return the texts of the first predicate that has any, in the best language; else labels.

        A node's label stands for it.
        """
        return self.best(*names) or list(filter(None, (n.label() for n in self.nodes(*names))))

    def label(self) -> str:
        """Return the node's label; "" for a URI without any description."""
        if self.term.kind == "literal":
            return clean_text(self.term.value)
        labels = self._scope.labels
        if self.term not in labels:
            labels[self.term] = next(filter(None, map(self.best, LABELS)), [""])[0]
        return labels[self.term]

    def value(self) -> str:
        """Return the URI or the text; of a blank node its label."""
        return self.uri or self.label()

    def values(self, *names: str) -> list[str]:
        """Return the URIs and texts of the predicates, in every language."""
        return list(dict.fromkeys(filter(None, (node.value() for node in self.nodes(*names)))))

    def date_text(self) -> str:
        """Return a date: a literal, a URI of reference.data.gov.uk, or what hangs below it."""
        if self.term.kind == "literal" or REGISTER in self.uri:
            return self.term.value.strip()
        return self.text(*_MOMENTS)

    def date_texts(self, name: str) -> list[str]:
        """Return the ``date_text`` of each of a predicate's objects."""
        return [node.date_text() for node in self.nodes(name)]

    def dates(self, *names: str) -> list[str]:
        """Return the dates of the first predicate that has any, the earliest first."""
        return sorted(super().dates(*names))

    def address(self) -> str:
        """Return what the node points to: its URI or text, for a blank node the page it names."""
        if self.term.kind != "blank":
            folder = self._base.rpartition("/")[0] + "/"
            for start in ("file:///", folder):
                if self.uri.startswith(start) and _HOST.match(bare := self.uri[len(start) :]):
                    return bare  # "www.example.gov.uk", taken for a path
            return self.uri or clean_text(self.term.value)
        pages = (part.address() for part in self.nodes(*_ADDRESSES) if part.term.kind != "blank")
        return next(filter(None, pages), "") or self.label()

    def periods(self, *names: str) -> Periods:
        """Return the time span that contains all time spans given."""
        spans = [span for part in self.nodes(*names) if (span := _period(part))]
        return self.read_periods(spans, names[0])

    def places(self, *names: str) -> Places:
        """Return the places that the predicates' objects are."""
        seen: set[Term] = set()
        items = (_place(part, seen) for part in self.nodes(*names))
        return read_places(items, self.reporter(names[0]))

    def size_text(self, name: str) -> str:
        """Return the text of a file's size, or of the first node of one."""
        texts = (part.text("dcat:bytes", "rdf:value") or part.label() for part in self.nodes(name))
        return next(filter(None, texts), "")

    def checksums(self, *names: str) -> Iterator[tuple[str, str]]:
        """Yield value and algorithm of nodes of SPDX, and of schema.org's texts."""
        for name in names:
            for part in self.nodes(name):
                usual = name.partition("schema:")[2]  # schema:sha256
                algorithm = next(iter(part.values("spdx:algorithm")), usual)
                yield part.text("spdx:checksumValue") or part.label(), algorithm

    def addresses(self, name: str) -> Iterator[str]:
        """Yield what the predicate's objects point to; report one that points nowhere."""
        for node in self.nodes(name):
            if not (address := node.address()):
                self.report("bad-url", name, Message("a node without a web address; expected one"))
            yield address

    def page(self, *names: str) -> str:
        """Return the first URL among the objects of the predicates, completed if need be."""
        pages = (node.own_page(name) for name in names for node in self.nodes(name))
        return next(filter(None, pages), "")

    def own_page(self, name: str) -> str:
        """Return the URL that the node points to, completed if need be; "" for no URL.

        Args:
            name: the predicate of which the node is an object.
        """
        try:
            return parse_url(self.address(), self._base)
        except Repaired as exc:
            self.report(exc.code, name, str(exc), self.address())
            return str(exc.repaired)
        except ValueError:
            return ""


def _place(part: Node, seen: set[Term]) -> Place | str:
    if part.term.kind == "literal":
        return part.label()
    return Place(_shapes(part, seen), part.text(*_PLACE_NAMES), part.uri)


def _shapes(part: Node, seen: set[Term], level: int = 0) -> Iterator[tuple[str, places.Parse]]:
    """Yield texts that might be geometries, and how to read them, from a node and those below.

    Args:
        seen: the nodes read before, of this place or another one: nodes may name each other.
    """
    if part.term.kind == "literal":
        yield part.label(), places.parse_spatial
        return
    seen.add(part.term)
    for name in _SHAPES if level < _MAX_LEVEL else ():
        # GeoJSON before WKT, whose axis order depends on the writer.
        for shape in sorted(part.nodes(name), key=lambda each: "{" not in each.term.value[:1]):
            if name in _LATITUDE_FIRST:
                yield shape.label(), partial(places.parse_latitude_first, _LATITUDE_FIRST[name])
            elif shape.term not in seen:
                yield from _shapes(shape, seen, level + 1)
    if (latitude := part.text("geo:lat", "schema:latitude")) and (
        longitude := part.text("geo:long", "schema:longitude")
    ):
        point = (latitude, longitude)
        yield ", ".join(point), lambda _text: places.parse_point(*point)


def _period(part: Node) -> str | tuple[str, str]:
    """Return one time span as a text, or as its two ends; "" if it says nothing."""
    # OWL-Time nests a date below an instant.
    start, end = (
        next(filter(None, (moment.date_text() for moment in part.nodes(*names))), "")
        for names in (_STARTS, _ENDS)
    )
    if start or end:
        return start, end
    return part.uri if REGISTER in part.uri else part.label() or part.uri


# Readers of rows, and their table (``parsers.table``): a row's names are predicates.


def row(predicates: table.Names, target: str, reader: Callable[[Node, table.Names], Any]) -> Row:
    """Return a row of a table."""
    return table.named_row(predicates, target, reader, predicates)


def page(node: Node, names: table.Names) -> str:
    """Return the first full URL."""
    return node.page(*names)


def natural(text: str) -> list[tuple[int, str]]:
    """Return a sort key that compares numbers in texts by value: "…/9" before "…/10"."""
    parts = re.split(r"(\d{1,18})", text, flags=re.ASCII)
    return [(int(part), "") if index % 2 else (0, part) for index, part in enumerate(parts)]


def quoted(text: str, length: int = 60) -> str:
    """Return a text in quotation marks for a message."""
    return f"'{shorten(text, length)}'"
