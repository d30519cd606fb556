"""Small datasets in Turtle for the tests of the DCAT parser."""

from __future__ import annotations

import re
from typing import Any

import rdflib

from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.dcat.node import NAMESPACES

PREFIXES = "".join(f"@prefix {name}: <{uris[0]}> .\n" for name, uris in NAMESPACES.items())
PREFIXES += "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
# A dataset without problems needs these.
COMPLETE = (
    ("dct:title", '"T"'),
    ("dct:description", '"D"'),
    ("dct:publisher", '[ foaf:name "P" ]'),
    ("dcat:contactPoint", '[ vcard:fn "C" ]'),
    ("dct:license", '"uk-ogl"'),
)


def ntriples(turtle: str) -> str:
    """Return the N-Triples of a text in Turtle, with the usual prefixes."""
    return rdflib.Graph().parse(data=PREFIXES + turtle, format="turtle").serialize(format="nt")


def parse(turtle: str, more: str = "", *, bare: bool = False, **options: Any) -> DatasetRecord:
    """Parse one dataset.

    Args:
        turtle: its predicates and objects.
        more: further complete triples.
        bare: add nothing of COMPLETE.
    """
    own = turtle
    while (outer := re.sub(r"\[[^\[\]]*\]", "", own)) != own:
        own = outer
    added = [] if bare else [f"{name} {value}" for name, value in COMPLETE if name not in own]
    body = " ; ".join(filter(None, ["a dcat:Dataset", turtle, *added]))
    content = ntriples(f"<http://a.uk/d> {body} .\n{more}")
    return dcat.parse(RawRecord("http://a.uk/d", content), options)


def codes(record: DatasetRecord) -> list[str]:
    """Return "code field" of each problem."""
    return [f"{problem.code} {problem.field}" for problem in record.problems]
