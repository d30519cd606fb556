"""Records built from the parsers' own field tables: hypothesis strategies for each form."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from functools import cache
from random import Random
from typing import Any

from hypothesis import strategies as st
from lxml import etree

from ckanext.ukharvest.parsers.table import Field, Row
from tests.fuzz import seeds
from tests.fuzz.mutations import TEXTS, VALUES, mutate

SEED = st.integers(0, 2**63)


def contents(parser_name: str, form: str) -> st.SearchStrategy[bytes]:
    """Return a strategy of records' contents: built from nothing, and real ones, changed."""
    real = tuple(text.encode("utf-8", "surrogatepass") for text in seeds.contents(parser_name))
    built = {
        "json": (_json,),
        "json_or_rdf": (_json,),
        "xml": (_xml,),
        "rdf": (_rdf,),
        "xml_or_json": (_xml, _json),
        "xml_or_rdf": (_xml,),
    }[form]
    return st.one_of(*(make(parser_name) for make in built), _changed(real))


def documents(type_name: str, with_text: bytes = b"") -> st.SearchStrategy[bytes]:
    """Return a strategy of documents: real ones of a type, changed.

    Args:
        with_text: only those that contain it.
    """
    return _changed(tuple(each for each in seeds.documents(type_name) if with_text in each))


def _changed(real: tuple[bytes, ...]) -> st.SearchStrategy[bytes]:
    return st.builds(
        lambda document, seed: mutate(document, real, Random(seed)), st.sampled_from(real), SEED
    )


@cache
def names(parser_name: str) -> tuple[str, ...]:
    """Return the names in the field tables of a parser's folder."""
    folder = parser_name.rpartition(".")[0]
    package = importlib.import_module(folder)
    modules = [f"{folder}.{each.name}" for each in pkgutil.iter_modules(package.__path__)]
    tables = (table for name in modules for table in vars(importlib.import_module(name)).values())
    fields = (each for table in tables if isinstance(table, tuple) for each in table)
    found = {name for each in fields if isinstance(each, (Field, Row)) for name in each.source}
    return tuple(sorted(found))


_TEXT = st.one_of(st.sampled_from(TEXTS), st.text(max_size=40))
_SCALAR = st.one_of(
    st.sampled_from(VALUES), st.text(max_size=40), st.integers(), st.floats(), st.booleans()
)


def _keys_of(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_keys_of, value.values())) if value else set()
    return set().union(*map(_keys_of, value)) if isinstance(value, list) else set()


def _json(parser_name: str) -> st.SearchStrategy[bytes]:
    real = [json.loads(text) for text in seeds.documents_of_json(parser_name)]
    keys = sorted(set(names(parser_name)).union(*map(_keys_of, real)))
    key = st.sampled_from(keys)
    value = st.recursive(
        _SCALAR,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(key, inner, max_size=5),
        max_leaves=15,
    )
    identity = st.fixed_dictionaries({"id": _TEXT, "identifier": _TEXT, "title": _TEXT})
    return st.builds(
        lambda some, own: json.dumps({**own, **some}).encode(),
        st.dictionaries(key, value, max_size=12),
        st.just({"id": "a", "identifier": "a", "title": "A title"}) | identity,
    )


def _xml(parser_name: str) -> st.SearchStrategy[bytes]:
    """Graft trees of a format's elements into real records."""
    real = seeds.documents_of_xml(parser_name)
    roots = [etree.fromstring(text.encode()) for text in real]
    tags = sorted({each.tag for root in roots for each in root.iter() if isinstance(each.tag, str)})
    space = tags[0].partition("}")[0] + "}"
    local = {word for name in names(parser_name) for word in re.findall(r"\b[A-Za-z_]+\b", name)}
    attributes = sorted({name for root in roots for each in root.iter() for name in each.attrib})
    tag = st.sampled_from([*tags, *(space + each for each in sorted(local))])
    given = st.dictionaries(st.sampled_from([*attributes, "Active", "Type"]), _TEXT, max_size=2)
    tree = st.recursive(
        st.tuples(tag, given, _TEXT, st.just(())),
        lambda inner: st.tuples(tag, given, _TEXT, st.lists(inner, max_size=4)),
        max_leaves=15,
    )
    return st.builds(_grafted, st.sampled_from(real), SEED, st.lists(tree, min_size=1, max_size=4))


def _grafted(text: str, seed: int, trees: list[Any]) -> bytes:
    root, random = etree.fromstring(text.encode()), Random(seed)
    for tree in trees:
        places = [each for each in root.iter() if isinstance(each.tag, str)]
        place = random.choice(places)
        parent = place.getparent()
        if parent is not None and random.random() < 0.5:
            parent.replace(place, _element(tree))
        else:
            place.append(_element(tree))
    return etree.tostring(root)


def _printable(text: str) -> str:
    return "".join(sign for sign in text if sign.isprintable() or sign in "\t\n")


def _element(tree: Any) -> etree._Element:
    tag, attributes, text, children = tree
    element = etree.Element(tag, {name: _printable(value) for name, value in attributes.items()})
    element.text = _printable(text)
    element.extend([_element(child) for child in children])
    return element


TRIPLE = re.compile(r"(\S+) (\S+) (.+) \.")


def _rdf(parser_name: str) -> st.SearchStrategy[bytes]:
    """Make graphs of the predicates, types and values of real ones, and of odd values."""
    found = [
        TRIPLE.match(line) for text in seeds.contents(parser_name) for line in text.split("\n")
    ]
    triples = [match.groups() for match in found if match]
    node = st.sampled_from(["<https://a.example/d>", "<https://a.example/e>", "_:a", "_:b", "_:c"])
    predicate = st.sampled_from(sorted({each[1] for each in triples}))
    literal = st.builds(
        lambda text, kind: json.dumps(_printable(text)) + kind,
        _TEXT,
        st.sampled_from(["", "@en", "@cy-GB", *sorted(_types_of(triples))]),
    )
    value = st.one_of(node, literal, st.sampled_from(sorted({each[2] for each in triples})))
    return st.builds(
        lambda lines: "".join(f"{' '.join(each)} .\n" for each in (*DATASET, *lines)).encode(),
        st.lists(st.tuples(node, predicate, value), max_size=30),
    )


DATASET = (
    (
        "<https://a.example/d>",
        "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>",
        "<http://www.w3.org/ns/dcat#Dataset>",
    ),
    ("<https://a.example/d>", "<http://purl.org/dc/terms/title>", '"A title"'),
)


def _types_of(triples: list[Any]) -> set[str]:
    kinds = (re.search(r"\^\^<[^>]+>$", each[2]) for each in triples)
    return {match[0] for match in kinds if match}
