"""JSON-LD contexts that would occupy or end the parser are refused; those of real catalogues are
not."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.readers.rdf import context_limits
from tests.readers.rdf.rdf_site import Site

# Seconds: what is refused here would take minutes or hours, or end the process.
pytestmark = pytest.mark.timeout(60)
DCAT = {"dcat": "http://www.w3.org/ns/dcat#", "title": "http://purl.org/dc/terms/title"}
DATASET = {"@id": "http://a.example/1", "@type": "dcat:Dataset", "title": "x"}


def terms(number: int) -> dict[str, Any]:
    return {f"a{n}": f"http://a.example/terms/{n}" for n in range(number)}


def scoped(number: int) -> dict[str, Any]:
    return {name: {"@id": iri, "@context": {"b": iri}} for name, iri in terms(number).items()}


LARGE = {"s": {"@id": "http://a.example/s", "@context": terms(5000)}}
REFUSED: dict[str, Any] = {
    "1.3 MB with 20,000 scoped terms": {"@context": [scoped(20_000)], **DATASET},
    "4,000 scoped terms": {"@context": scoped(4_000), **DATASET},
    "5 MB": {"@context": {"x": "http://a.example/" + "x" * 5_000_000}, **DATASET},
    "a context for each node": {
        "@context": terms(20_000),
        "@graph": [{"@context": {}, "@id": f"http://a.example/{n}"} for n in range(20_000)],
    },
    "a scoped context for each node": {
        "@context": {**terms(20_000), "s": {"@id": "http://a.example/s", "@context": {}}},
        "@graph": [{"@id": f"http://a.example/{n}", "s": {"b": 1}} for n in range(20_000)],
    },
    "a type with a context for each node": {
        "@graph": [{"@type": "s", "a1": n} for n in range(20_000)],
        "@context": LARGE,
    },
    "a scoped context for each value": {"@context": LARGE, "s": [1] * 20_000, **DATASET},
    "a chain of terms": {"@context": {f"a{n}": f"a{n + 1}:x" for n in range(8_000)}, **DATASET},
    "a chain of types": {
        "@context": {
            f"a{n}": {"@id": f"http://a.example/{n}", "@type": f"a{n + 1}"} for n in range(8_000)
        },
        **DATASET,
    },
    "a circle of terms": {
        "@context": {f"a{n}": f"a{(n + 1) % 8_000}:x" for n in range(8_000)},
        **DATASET,
    },
}
READ: dict[str, Any] = {
    "3,000 terms, as schema.org's": {"@context": {**terms(3_000), **DCAT}, **DATASET},
    "40 scoped terms, as DCAT-US 3.0's": {
        "@context": {**DCAT, **scoped(40), "s": {"@context": terms(60), "@id": "dcat:s"}},
        "@graph": [
            {**DATASET, "@id": f"http://a.example/{n}", "s": {"a1": "x" * 200}} for n in range(300)
        ],
    },
    "a context for each dataset": [
        {"@context": {**DCAT, "x": "dcat:x"}, **DATASET, "@id": f"http://a.example/{n}"}
        for n in range(2_000)
    ],
    "terms written with terms": {
        "@context": {**DCAT, "name": "title", "label": {"@id": "name", "@type": "dcat:x"}},
        "@id": "http://a.example/1",
        "@type": "dcat:Dataset",
        "label": "x",
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_context_that_would_take_hours_is_refused(site: Site, name: str) -> None:
    refused = site.refusal(json.dumps(REFUSED[name]), "application/ld+json")
    assert refused.code == "too-long"
    assert "JSON-LD context" in refused.message
    assert "; expected " in refused.message


@pytest.mark.parametrize("name", REFUSED)
def test_context_with_escaped_letters_is_refused_too(name: str) -> None:
    text = json.dumps(REFUSED[name]).replace("@c", r"\u0040\u0063").replace('"s"', r'"\u0073"')
    assert "JSON-LD context" in context_limits.find_fault(io.BytesIO(text.encode()))


@pytest.mark.parametrize("name", READ)
def test_contexts_of_real_catalogues_are_read(site: Site, name: str) -> None:
    body = READ[name]
    site.serve("/d", json.dumps(body), "application/ld+json")
    records, ending = site.read()
    assert len(records) == len(body if isinstance(body, list) else body.get("@graph", "1"))
    assert ending.complete


def test_context_is_found_wherever_pieces_end(monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps({"a": "b", "@context": scoped(50)}, indent=40).encode()
    monkeypatch.setattr(context_limits, "_MAX_COPIED", -context_limits._COPIED_PER_BYTE * len(body))
    for size in (50, 1007, 1 << 20):
        monkeypatch.setattr(context_limits, "_PIECE", size)
        assert "50 of which" in context_limits.find_fault(io.BytesIO(body))


def test_broken_context_is_left_to_the_parser(site: Site) -> None:
    for end in ('{"dcat": "x",}}', '{"dcat": ', "[[[", '"x'):
        body = f'{{"title": "x", "@context": {end}'
        assert site.refusal(body, "application/ld+json").code in ("rdf-syntax", "context")


@pytest.mark.parametrize(
    ("bodies", "words"),
    [
        # 10^12 contexts, if all were included.
        ([["BASE/1"] * 1000, ["BASE/2"] * 1000, ["BASE/3"] * 1000, [terms(10)]], "is longer than"),
        (
            [{n: {"@id": f"dcat:{n}", "@context": "BASE/1"} for n in terms(99)}, terms(400)],
            "is longer than",
        ),
        ([{"x": "x" * 1_100_000}], "is not a context"),
    ],
    ids=["lists", "scoped", "long"],
)
def test_contexts_that_name_contexts_stay_short(site: Site, bodies: Any, words: str) -> None:
    for level, context in enumerate(bodies):
        site.serve(f"/{level}", json.dumps({"@context": context}))
    document = json.dumps({"@context": "BASE/0", **DATASET})
    site.serve("/d", document, "application/ld+json")
    with pytest.raises(ProtocolError, match=words):
        site.read()


def test_context_named_a_million_times_is_refused(site: Site) -> None:
    site.serve("/0", json.dumps({"@context": terms(20_000)}))
    document = '[{"@context": "BASE/0"}' + ',{"@context": "BASE/0"}' * 100_000 + "]"
    site.serve("/d", document, "application/ld+json")
    with pytest.raises(ProtocolError, match="again and again is longer than 100,000,000 bytes"):
        site.read()
