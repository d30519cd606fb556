"""Canonical N-Triples: the same for the same graph, whatever its order and labels."""

from __future__ import annotations

import random

import pytest

from ckanext.ukharvest.core.rdf import Triple, canonical, language, value

P, Q = "<http://p.example/>", "<http://q.example/>"
S = "<http://s.example/>"
GRAPHS: dict[str, list[Triple]] = {
    "tree": [(S, P, "_:a"), ("_:a", P, "_:b"), ("_:a", Q, '"1"'), ("_:b", P, '"2"')],
    "circle": [(S, P, "_:a"), ("_:a", P, "_:b"), ("_:b", P, "_:c"), ("_:c", P, "_:a")]
    + [("_:b", Q, '"here"')],
    "loop": [("_:a", P, "_:a"), (S, P, "_:a")],
    "above a circle": [(S, P, "_:a"), ("_:a", P, "_:b"), ("_:b", P, "_:c"), ("_:c", Q, "_:b")],
    "siblings": [(S, P, "_:a"), (S, P, "_:b"), ("_:a", P, '"x"'), ("_:b", P, '"x"')],
    "twin circles": [(S, P, "_:a"), ("_:a", P, "_:b"), ("_:b", P, "_:a"), (S, P, "_:c")]
    + [("_:c", P, "_:d"), ("_:d", P, "_:c")],
    "dangling": [(S, P, "_:a")],
}


def relabelled(triples: list[Triple], seed: int) -> list[Triple]:
    chance = random.Random(seed)
    names = sorted({term for triple in triples for term in triple if term.startswith("_:")})
    shuffled = chance.sample([f"_:n{n}" for n in range(len(names))], len(names))
    new = dict(zip(names, shuffled, strict=True))
    found = [(new.get(s, s), p, new.get(o, o)) for s, p, o in triples]
    return chance.sample(found, len(found))


@pytest.mark.parametrize("name", GRAPHS)
def test_order_and_labels_do_not_matter(name: str) -> None:
    texts = {canonical(relabelled(GRAPHS[name], seed)) for seed in range(30)}
    assert len(texts) == 1


def test_different_graphs_stay_different() -> None:
    # A loop and a circle of two are both "something that has itself below it".
    assert len({canonical(graph) for name, graph in GRAPHS.items() if name != "loop"}) == 6
    swapped = [(S, P, "_:a"), ("_:a", P, "_:b"), ("_:a", Q, '"2"'), ("_:b", P, '"1"')]
    assert canonical(swapped) != canonical(GRAPHS["tree"])


def test_equal_siblings_are_one_node() -> None:
    assert canonical(GRAPHS["siblings"]).count('"x"') == 1


def test_long_lists_and_long_circles_take_no_long_time() -> None:
    chain = [(f"_:{n}", P, f"_:{n + 1}") for n in range(5000)]
    assert canonical(chain).count("\n") == 5000
    assert canonical([*chain, ("_:5000", P, "_:0"), ("_:7", Q, '"x"')])


def test_terms_are_read() -> None:
    assert value('"a\\"b\\n\\u00e9\\\\"@en-gb') == 'a"b\né\\'
    assert language('"a@b"@en-gb') == "en-gb"
    assert language('"a@b"') == ""
    assert (value(S), value("_:a")) == ("http://s.example/", "")
