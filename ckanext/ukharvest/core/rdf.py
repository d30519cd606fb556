"""RDF graphs as text: the canonical content of a DCAT record, equal for equal graphs.

The content of a record (``RawRecord.content``, FORM "rdf") is:

- N-Triples (https://www.w3.org/TR/n-triples/), one triple a line, each line ending in " .\\n",
  sorted by code point, no comments, no line twice;
- the triples of one dataset and of the nodes it owns: blank nodes, and URI nodes that the document
  describes (publisher, contact, distributions, licence, place, period, checksum …), at any depth.
  Nodes that several datasets share are in the content of each;
- never the triples of another dataset, series, catalogue or catalogue record: a link to one is
  kept (``<dataset> dcterms:isPartOf <other>``), the triples there are not;
- so that exactly one node has an ``rdf:type`` of ``DATASET_TYPES`` or ``OTHER_DATASET_TYPES``: the
  record's dataset. It is a blank node where the source gave it no URI. Without one the record is a
  service of the type ``SERVICE_TYPE``;
- a service that serves the dataset, ``<service> dcat:servesDataset <dataset>``, with what it owns,
  unless a distribution names it; the members of a series, ``<member> dcat:inSeries <series>``;
- literals as in the source (lexical form, language tag in lower case, datatype; xsd:string is not
  written). IRIs with characters that no IRI may have (blanks, braces …) have them percent-encoded;
- blank nodes are labelled by a hash of what hangs below them: equal siblings are one node.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

Triple = tuple[str, str, str]  # subject, predicate, object, each as N-Triples writes it

DCAT = "http://www.w3.org/ns/dcat#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

# Types that make a node a record. The third is OpenDataCommunities' own.
DATASET_TYPES = (
    DCAT + "Dataset",
    DCAT + "DatasetSeries",
    "http://publishmydata.com/def/dataset#Dataset",
)
# Types that make a node a record if the document has none of the above.
OTHER_DATASET_TYPES = (
    "http://rdfs.org/ns/void#Dataset",
    "http://schema.org/Dataset",
    "https://schema.org/Dataset",
)

# Type of a service, which is a record if it serves no dataset and only catalogues name it.
SERVICE_TYPE = DCAT + "DataService"

_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_SIGNS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}

# Blank nodes in cycles that differ only so many steps away count as one. Nothing that describes a
# dataset has cycles of that length, and each step costs time.
_ROUNDS = 100


def iri(node: str) -> str:
    """Return the IRI in ``<…>``, "" for a blank node or a literal."""
    return node[1:-1] if node.startswith("<") else ""


def is_node(term: str) -> bool:
    """Tell whether a term can be a subject: an IRI or a blank node, no literal."""
    return term.startswith(("<", "_:"))


def value(term: str) -> str:
    """Return the text of a literal, or an IRI's URL; "" for a blank node."""
    if not term.startswith('"'):
        return iri(term)
    text = term[1 : term.rindex('"')]
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def language(term: str) -> str:
    """Return a literal's language tag, "" if it has none."""
    tail = term[term.rindex('"') + 1 :] if term.startswith('"') else ""
    return tail[1:] if tail.startswith("@") else ""


def canonical(triples: Iterable[Triple]) -> str:
    """Return the content of a record: sorted N-Triples, blank nodes renamed by their content.

    Two blank nodes with equal content at all depths (bisimilar nodes) become one: repeating the
    same statements about "something" adds nothing. The result does not depend on the order or
    labels of the input.
    """
    unique = set(triples)
    labels = label_blank_nodes(unique)
    lines = {f"{labels.get(s, s)} {p} {labels.get(o, o)} .\n" for s, p, o in unique}
    return "".join(sorted(lines))


def label_blank_nodes(triples: Iterable[Triple]) -> dict[str, str]:
    """Return blank node → label, which depends on its content alone.

    Trees are labelled from their leaves, cycles in rounds.
    """
    below: dict[str, list[tuple[str, str]]] = {}
    for subject, predicate, obj in triples:
        if obj.startswith("_:"):
            below.setdefault(obj, [])
        if subject.startswith("_:"):
            below.setdefault(subject, []).append((predicate, obj))
    labels = _label_trees(below)
    circles = {node: "_:" for node in below if node not in labels}
    kinds = 1
    for _ in range(_ROUNDS if circles else 0):
        known = {**labels, **circles}
        circles = {node: _label(below[node], known) for node in circles}
        if len(set(circles.values())) == kinds:
            break
        kinds = len(set(circles.values()))
    return {**labels, **circles}


def _label_trees(below: dict[str, list[tuple[str, str]]]) -> dict[str, str]:
    """Label the nodes from which no cycle can be reached; a loop, since lists are deep."""
    above: dict[str, list[str]] = {}
    waits: dict[str, int] = {}
    for node, facts in below.items():
        inner = {obj for _, obj in facts if obj.startswith("_:")}
        waits[node] = len(inner)
        for obj in inner:
            above.setdefault(obj, []).append(node)
    ready = [node for node, count in waits.items() if not count]
    labels: dict[str, str] = {}
    while ready:
        node = ready.pop()
        labels[node] = _label(below[node], labels)
        for parent in above.get(node, ()):
            waits[parent] -= 1
            if not waits[parent]:
                ready.append(parent)
    return labels


def _label(facts: Iterable[tuple[str, str]], labels: Mapping[str, str]) -> str:
    lines = sorted({f"{predicate} {labels.get(obj, obj)}" for predicate, obj in facts})
    return "_:b" + hashlib.sha256("\n".join(lines).encode()).hexdigest()[:24]


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _SIGNS.get(code, code)
