"""Queries to a SPARQL endpoint: count, list and describe datasets.

SPARQL 1.1 Query Language (www.w3.org/TR/sparql11-query/) and Protocol (…/sparql11-protocol/).
Named graphs are given with FROM, not with the protocol's default-graph-uri: both mean the same
(protocol, section 2.1.4), and a server that does not know FROM refuses the query, where some
servers ignore a parameter.

A source's own SELECT query is checked when it is saved. It becomes a subquery (query language,
section 12), which has no prologue, no dataset clause and, here, no LIMIT: a query that counts, and
one that lists, are made around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyoxigraph as ox

from ckanext.ukharvest.core.http.urls import with_query, without_parameters
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.rdf import DATASET_TYPES, DCAT
from ckanext.ukharvest.readers.rdf.graph import LISTS, NOT_FOLLOWED

VARIABLE = "dataset"

_MOST_SIGNS = 10_000
_MOST_LEVELS = 40  # of brackets; the parser calls itself for each

# What can contain anything (section 19.8): strings, IRIs and comments.
_QUOTED = re.compile(
    r"'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|'(?:\\.|[^'\\\r\n])*'|\"(?:\\.|[^\"\\\r\n])*\""
    r"|<[^<>\"{}|^`\\\x00-\x20]*>|#[^\r\n]*",
    re.DOTALL,
)
_BLANK = r"(?:\s|#[^\r\n]*(?:[\r\n]|\Z))*"
_PROLOGUE = re.compile(
    rf"{_BLANK}(?:(?:BASE|PREFIX{_BLANK}[\w.-]*:){_BLANK}<[^<>]*>{_BLANK})*", re.IGNORECASE
)
# Keyword → why it has no place here.
_REFUSED = {
    "SERVICE": Message("names a SERVICE; expected a query of this endpoint alone"),
    "FROM": Message("names its graphs with FROM; expected them in the option graphs"),
    "LIMIT": Message("has a LIMIT; expected none, since all datasets have to be listed"),
    "OFFSET": Message("has an OFFSET; expected none, since all datasets have to be listed"),
}
_KEYWORD = re.compile(rf"(?<![\w?$:@%\\.-])(?:{'|'.join(_REFUSED)})(?![\w:-])", re.IGNORECASE)
_FORMS = ("SELECT", "CONSTRUCT", "DESCRIBE", "ASK")


def split_query(query: str) -> tuple[str, str]:
    """Return a query's prologue (BASE and PREFIX) and the rest."""
    prologue = _PROLOGUE.match(query)
    end = prologue.end() if prologue else 0
    return query[:end], query[end:]


def check_query(query: str) -> str:
    """Return what is wrong with a query, as the end of a sentence; "" if it can be used."""
    if len(query) > _MOST_SIGNS:
        return Message(
            "has {count:,} characters; expected at most {most_signs:,}",
            count=len(query),
            most_signs=_MOST_SIGNS,
        )
    prologue, select = split_query(query)
    bare = _QUOTED.sub(" ", select)
    form = re.match(r"\w*", bare)
    name = form[0].upper() if form else ""
    if name != "SELECT":
        what = (
            Message("is a query of the form {name}", name=name)
            if name in _FORMS
            else Message("is not a query")
        )
        return Message(
            "{what}; expected SELECT with the variable ?{variable}", what=what, variable=VARIABLE
        )
    if keyword := _KEYWORD.search(bare):
        return _REFUSED[keyword[0].upper()]
    group = f"{{ {select}\n}}"
    return (
        _check_brackets(bare)
        or _syntax_error(prologue, group)
        or (
            # A variable of the query cannot be set again behind it (section 10.1).
            ""
            if _syntax_error(prologue, f"{group} BIND(1 AS ?{VARIABLE})")
            else Message("does not select the variable ?{variable}", variable=VARIABLE)
        )
    )


def _check_brackets(bare: str) -> str:
    """Refuse what would end the group that the query is put into, and what nests too deeply."""
    level = 0
    for bracket in re.findall(r"[][(){}]", bare):
        level += 1 if bracket in "[({" else -1
        if level < 0:
            return Message("closes a bracket that is not open")
        if level > _MOST_LEVELS:
            return Message(
                "has more than {most_levels} brackets inside each other", most_levels=_MOST_LEVELS
            )
    return Message("leaves a bracket open") if level else ""


def _syntax_error(prologue: str, pattern: str) -> str:
    """Parse a pattern with the query as the subquery that it becomes, without evaluating it."""
    # pyoxigraph has no function that only parses. It parses an update as a whole before it begins,
    # and this first step, the removal of a graph that is not there, fails: nothing is evaluated.
    update = f"DROP GRAPH <urn:x-ukharvest:none> ; INSERT {{ ?s ?p ?o }} WHERE {{ {pattern} }}"
    try:
        ox.Store().update(prologue + update)
    except SyntaxError as exc:
        place = re.match(r"error at (\d+):", exc.msg or "")
        line = Message(" in line {place}", place=place[1]) if place else ""
        return Message(
            "is not valid SPARQL 1.1{line}; expected SELECT ?{variable} WHERE {{ … }}",
            line=line,
            variable=VARIABLE,
        )
    except RuntimeError:
        pass  # the graph is not there: all was parsed
    return ""


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
_PREFIX_LINES = "".join(f"PREFIX {name}: <{uri}>\n" for name, uri in _PREFIXES.items())


def check_graphs(graphs: Iterable[str]) -> str:
    """Return what is wrong with names of graphs, as the end of a sentence; "" if nothing is."""
    return next(
        (
            Message("'{graph}' is not the URI of a graph", graph=graph)
            for graph in graphs
            if not is_iri(graph)
        ),
        "",
    )


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
        own = split_query(options["query"]) if options.get("query") else ("", "")
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
        text = after.translate(_ESCAPES)
        behind = f' FILTER(STR(?{VARIABLE}) > "{text}")' if after else ""
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
        values = " ".join(f"<{uri}>" for uri in datasets)
        parts = " UNION ".join(f"{{ {_reached(values, depth)} }}" for depth in range(_DEPTH + 1))
        return (
            f"{_PREFIX_LINES}CONSTRUCT {{ ?s ?p ?o }}{self._from()}"
            f" WHERE {{ {{ SELECT DISTINCT ?s ?p ?o WHERE {{ {parts} }} }} }}"
        )

    def _from(self) -> str:
        return "".join(f" FROM <{graph}>" for graph in self.graphs)

    def _pattern(self) -> str:
        if self.select:
            return f"{{ {self.select}\n}}"
        types = " ".join(f"<{name}>" for name in DATASET_TYPES)
        service = f"?{VARIABLE} a <{DCAT}DataService> ."
        is_part = (
            f"?{VARIABLE} <{DCAT}servesDataset> ?served",
            f"?file <{DCAT}accessService> ?{VARIABLE}",
        )
        alone = " ".join(f"FILTER NOT EXISTS {{ {pattern} }}" for pattern in is_part)
        return (
            f"{{ VALUES ?type {{ {types} }} ?{VARIABLE} a ?type . }} UNION {{ {service} {alone} }}"
        )


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


_ESCAPES = {ord("\\"): "\\\\", ord('"'): '\\"', ord("\n"): "\\n", ord("\r"): "\\r"}


def _terms(nodes: Iterable[str]) -> str:
    return ", ".join(_short(node[1:-1]) for node in sorted(nodes))


_LEFT_ALONE = _terms(NOT_FOLLOWED | LISTS)
_NOT_READ = _terms(LISTS)
_OTHERS = ", ".join(map(_short, _BORDERS))
