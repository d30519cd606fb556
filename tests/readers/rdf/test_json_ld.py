"""Large JSON-LD documents are divided; their triples stay the same."""

from __future__ import annotations

import io
import json
from typing import Any

import pyoxigraph as ox
import pytest

from ckanext.ukharvest.readers.rdf import json_ld

TERMS = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "title": "dct:title",
    "dataset": {"@id": "dcat:dataset", "@container": "@set"},
    "distribution": "dcat:distribution",
}
ALIASES = {**TERMS, "id": "@id", "type": "@type", "nodes": "@graph"}
REMOTE = "https://terms.example/context"
CATALOGUE = "https://council.example/catalogue"


def datasets(count: int = 3, **more: Any) -> list[dict[str, Any]]:
    def one(number: int) -> dict[str, Any]:
        files = [{"title": f'File {n} "a" \\'} for n in range(2)]
        text = f'[{{ Dataset {number}, "quoted": \\ }}'
        return {"@id": f"https://council.example/{number}", "title": text, "distribution": files}

    return [{**one(number), **more} for number in range(count)]


DIVIDED = {
    "graph": {"@context": TERMS, "@graph": datasets()},
    "compact-iri": {"@context": TERMS, "@id": CATALOGUE, "dcat:dataset": datasets()},
    "set": {"@context": TERMS, "@id": CATALOGUE, "title": "All", "dataset": datasets()},
    "without-an-identifier": {"@context": TERMS, "title": "All", "dataset": datasets()},
    "context-last": {"dataset": datasets(), "@id": CATALOGUE, "@context": TERMS},
    "identifier-last": {"@context": TERMS, "dataset": datasets(), "@id": CATALOGUE, "title": "All"},
    "two-arrays": {
        "@context": TERMS,
        "dataset": datasets(),
        "@type": ["dcat:Catalog", "dcat:Resource"],
        "title": "Between",
        "dct:hasPart": datasets(4, title="Part"),
    },
    "aliases": {
        "@context": [ALIASES],
        "id": CATALOGUE,
        "type": "dcat:Catalog",
        "dataset": datasets(),
    },
    "graph-by-another-name": {"@context": ALIASES, "nodes": datasets()},
    "named-graph": {"@context": TERMS, "@id": CATALOGUE, "@graph": datasets()},
    "remote-context": {"@context": REMOTE, "@id": CATALOGUE, "dataset": datasets()},
    "several-contexts": {"@context": [REMOTE, {"x": "http://x.example/"}], "x:d": datasets()},
    "context-of-a-type": {
        "@context": {**TERMS, "dcat:Catalog": {"@context": {"name": "dct:title"}}},
        "@type": "dcat:Catalog",
        "name": "All",
        "dataset": datasets(),
    },
    "catalogue-in-a-graph": {
        "@context": TERMS,
        "@graph": [
            {"@id": CATALOGUE, "@type": "dcat:Catalog", "dataset": datasets(), "title": "All"},
            {"@type": "dcat:Catalog", "dataset": datasets(2), "title": "No identifier"},
            {"@context": {"t": "dct:title"}, "t": "Own context", "dataset": datasets(2)},
        ],
    },
    "array": [
        {"@context": TERMS, "@id": CATALOGUE, "dataset": datasets()},
        {"@context": TERMS, "title": "Second", "dct:hasPart": datasets()},
    ],
}
WHOLE = {
    "no-array": {"@context": TERMS, "title": "All"},
    "list": {
        "@context": {**TERMS, "dataset": {"@id": "dcat:dataset", "@container": "@list"}},
        "dataset": datasets(),
    },
    "list-object": {"@context": TERMS, "dcat:dataset": {"@list": datasets()}},
    "set-object": {"@context": TERMS, "dcat:dataset": {"@set": datasets()}},
    "reverse": {"@context": TERMS, "@id": CATALOGUE, "@reverse": {"dct:isPartOf": datasets()}},
    "nested": {"@context": {**TERMS, "more": "@nest"}, "more": {"dataset": datasets()}},
    "json": {
        "@context": {**TERMS, "dataset": {"@id": "dcat:dataset", "@type": "@json"}},
        "dataset": datasets(),
    },
    "index": {
        "@context": {**TERMS, "dataset": {"@id": "dcat:dataset", "@container": "@index"}},
        "dataset": {"a": datasets()},
    },
    "list-of-a-type": {
        "@context": {
            **TERMS,
            "dcat:Catalog": {
                "@context": {"dataset": {"@id": "dcat:dataset", "@container": "@list"}}
            },
        },
        "@type": "dcat:Catalog",
        "dataset": datasets(),
    },
    "contexts": {"@context": [TERMS, {"x": "http://x.example/"}, {"y": "http://y.example/"}]},
}


def inline(text: str) -> str:
    return text.replace(json.dumps(REMOTE), json.dumps(TERMS))


def triples(data: bytes) -> set[str]:
    """Return the triples of all graphs, with the same labels for the same blank nodes."""
    quads = ox.parse(io.BytesIO(data), format=ox.RdfFormat.JSON_LD)
    found = ox.Dataset(ox.Quad(each.subject, each.predicate, each.object) for each in quads)
    found.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return {str(each) for each in found}


def divided(document: Any, *, part: int = 1, **layout: Any) -> tuple[bytes, bytes | None]:
    """Return a document with its contexts, and the same in parts."""
    text = json.dumps(document, **layout)
    file = json_ld.divide(io.BytesIO(text.encode()), inline, part=part)
    return inline(text).encode(), file and file.read()


@pytest.mark.parametrize("layout", [{}, {"indent": 2}], ids=["compact", "lines"])
@pytest.mark.parametrize("name", DIVIDED)
def test_the_triples_stay_the_same(name: str, layout: dict[str, Any]) -> None:
    whole, parts = divided(DIVIDED[name], **layout)
    assert parts
    assert triples(parts) == triples(whole)
    assert len(json.loads(parts)) > len(DIVIDED[name] if name == "array" else [1])
    for size in (100, 300, 1000):
        parts = divided(DIVIDED[name], part=size, **layout)[1] or whole
        assert triples(parts) == triples(whole)


@pytest.mark.parametrize("name", WHOLE)
def test_json_ld_with_lists_or_graphs_is_not_divided(name: str) -> None:
    assert divided(WHOLE[name])[1] is None


def test_lines_keep_their_numbers() -> None:
    text = json.dumps(DIVIDED["set"], indent=1)
    file = json_ld.divide(io.BytesIO(text.encode()), str, part=1)
    assert file
    assert file.read().count(b"\n") == text.count("\n")


@pytest.mark.parametrize("end", [-1, -3, -40, -200])
def test_a_document_that_breaks_off_is_still_wrong(end: int) -> None:
    text = json.dumps(DIVIDED["graph"])[:end].encode()
    file = json_ld.divide(io.BytesIO(text), str, part=1)
    assert file
    with pytest.raises(SyntaxError):
        list(ox.parse(file, format=ox.RdfFormat.JSON_LD))


@pytest.mark.parametrize(
    "text", [b"", b"{]", b"[}", b'{"a": [{}, {}', b'{"\\u0040id": 1, "a": [{}, {}]}']
)
def test_other_json_is_left_to_the_rdf_parser(text: bytes) -> None:
    file = json_ld.divide(io.BytesIO(text), str, part=1)
    assert file is None or text.count(b"{") == 3


def test_large_values_need_no_more_than_linear_time() -> None:
    document = {"@context": TERMS, "title": "x" * 3_000_000, "dataset": datasets(2000)}
    whole, parts = divided(document, part=10_000)
    assert parts
    assert len(parts) < 1.5 * len(whole) + 400 * 3_000
    many = {"@context": TERMS, "dct:subject": ["a"] * 6_000_000, "dataset": datasets(2)}
    assert divided(many)[1] is None
