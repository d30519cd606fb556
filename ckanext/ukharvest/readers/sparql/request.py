"""Queries to a SPARQL endpoint: count, list and describe datasets.

SPARQL 1.1 Query Language (www.w3.org/TR/sparql11-query/) and Protocol (…/sparql11-protocol/).
Named graphs are given with FROM, not with the protocol's default-graph-uri: both mean the same
(protocol, section 2.1.4), and a server that does not know FROM refuses the query, where some
servers ignore a parameter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.http.urls import with_query, without_parameters
from ckanext.ukharvest.core.rdf import DATASET_TYPES, DCAT
from ckanext.ukharvest.readers.rdf.graph import LISTS, NOT_FOLLOWED
from ckanext.ukharvest.readers.sparql import own_query

VARIABLE = own_query.VARIABLE
COUNT = "number_of_datasets"

# Parameters that requests set themselves; others in a source's URL belong to the server.
_OURS = re.compile(r"query|(?:default|named)-graph-uri|format|output|results", re.IGNORECASE)
# What can stand in <…>: an absolute IRI without the characters that section 19.8 excludes.
is_iri = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+").fullmatch

_DEPTH = 3  # links from a dataset to the farthest node that describes it
_BORDERS = (*DATASET_TYPES, DCAT + "Catalog", DCAT + "CatalogRecord")
_PREFIXES = {
    "dcat": DCAT,
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}


def check_graphs(graphs: Iterable[str]) -> str:
    """Return what is wrong with names of graphs, as the end of a sentence; "" if nothing is."""
    wrong = next((each for each in graphs if not is_iri(each)), None)
    return "" if wrong is None else f"'{wrong}' is not the URI of a graph"


def endpoint(url: str) -> str:
    """Return the URL for requests, without the query of a pasted request."""
    return without_parameters(url, _OURS)


def record_url(base: str, dataset: str) -> str:
    """Return the URL of a dataset's description, which people can open as well."""
    return with_query(base, {"query": f"DESCRIBE <{dataset}>"})


@dataclass(frozen=True, slots=True)
class Selection:
    """The datasets that a source's options select.

    Attributes:
        graphs: URIs of named graphs; none takes the endpoint's default graph.
        prologue, select: the source's own query; "" takes everything of a type of dataset.
    """

    graphs: tuple[str, ...] = ()
    prologue: str = ""
    select: str = ""

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Selection:
        """Make the selection from a source's options."""
        own = own_query.split(options["query"]) if options.get("query") else ("", "")
        return cls(tuple(options.get("graphs", ())), *own)

    def count(self) -> str:
        """Return the query for the number of datasets."""
        return (
            f"{self.prologue}SELECT (COUNT(DISTINCT ?{VARIABLE}) AS ?{COUNT})"
            f"{self._from()} WHERE {{ {self._pattern()} }}"
        )

    def page(self, size: int, *, offset: int = 0, after: str = "") -> str:
        """Return the query for a page of datasets in the order of their URIs.

        Args:
            size: number of datasets.
            offset: number of datasets before the page.
            after: only datasets with a URI behind this one.
        """
        behind = f' FILTER(STR(?{VARIABLE}) > "{_escaped(after)}")' if after else ""
        return (
            f"{self.prologue}SELECT DISTINCT ?{VARIABLE}{self._from()}"
            f" WHERE {{ {self._pattern()}{behind} }}"
            f" ORDER BY ?{VARIABLE} LIMIT {size} OFFSET {offset}"
        )

    def descriptions(self, datasets: Sequence[str]) -> str:
        """Return the query for the triples of datasets and of the nodes they own.

        Borders are those of a document of DCAT (``readers.rdf.graph``), some links deep. The inner
        DISTINCT makes rows and triples the same number: where a server ends a result after so many
        rows, that number shows.
        """
        values = " ".join(f"<{each}>" for each in datasets)
        parts = " UNION ".join(f"{{ {_reached(values, depth)} }}" for depth in range(_DEPTH + 1))
        return (
            f"{_prefixes()}CONSTRUCT {{ ?s ?p ?o }}{self._from()}"
            f" WHERE {{ {{ SELECT DISTINCT ?s ?p ?o WHERE {{ {parts} }} }} }}"
        )

    def _from(self) -> str:
        return "".join(f" FROM <{each}>" for each in self.graphs)

    def _pattern(self) -> str:
        if self.select:
            return f"{{ {self.select}\n}}"
        types = " ".join(f"<{each}>" for each in DATASET_TYPES)
        service = f"?{VARIABLE} a <{DCAT}DataService> ."
        is_part = (
            f"?{VARIABLE} <{DCAT}servesDataset> ?served",
            f"?file <{DCAT}accessService> ?{VARIABLE}",
        )
        alone = " ".join(f"FILTER NOT EXISTS {{ {pattern} }}" for pattern in is_part)
        return (
            f"{{ VALUES ?type {{ {types} }} ?{VARIABLE} a ?type . }} UNION {{ {service} {alone} }}"
        )


def _prefixes() -> str:
    return "".join(f"PREFIX {name}: <{uri}>\n" for name, uri in _PREFIXES.items())


def _reached(values: str, depth: int) -> str:
    """Return a pattern for the triples of all nodes so many links away from the datasets."""
    nodes = [f"?n{number}" for number in range(depth)] + ["?s"]
    steps = [f"VALUES {nodes[0]} {{ {values} }}"]
    for number, (node, following) in enumerate(zip(nodes, nodes[1:], strict=False)):
        link, kind = f"?l{number}", f"?k{number}"
        steps.append(
            f"{node} {link} {following} . FILTER({link} NOT IN ({_LEFT_ALONE}))"
            f" FILTER NOT EXISTS {{ {following} a {kind} . FILTER({kind} IN ({_OTHERS})) }}"
        )
    steps.append("?s ?p ?o .")
    if depth:  # a publisher's list of all that it has published, and the like
        steps.append(f"FILTER(?p NOT IN ({_NOT_READ}))")
    return " ".join(steps)


def _short(uri: str) -> str:
    for name, space in _PREFIXES.items():
        if uri.startswith(space):
            return f"{name}:{uri.removeprefix(space)}"
    return f"<{uri}>"


def _escaped(text: str) -> str:
    for sign, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(sign, escape)
    return text


def _terms(nodes: Iterable[str]) -> str:
    return ", ".join(_short(each[1:-1]) for each in sorted(nodes))


_LEFT_ALONE = _terms(NOT_FOLLOWED | LISTS)
_NOT_READ = _terms(LISTS)
_OTHERS = ", ".join(map(_short, _BORDERS))
