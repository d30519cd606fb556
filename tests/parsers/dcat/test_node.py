"""N-Triples, and the spellings of namespaces in use."""

from __future__ import annotations

import re

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.dcat.node import Term, natural, read_graph, short
from tests.counting import assert_linear, count_calls
from tests.parsers.dcat.turtle import COMPLETE, ntriples


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("http://purl.org/dc/terms/title", "dct:title"),
        ("https://purl.org/dc/terms/title", "dct:title"),
        ("http://purl.org/dc/terms/#title", "dct:title"),
        ("http://vocab.deri.ie/dcat#keyword", "dcat:keyword"),
        ("http://www.w3.org/ns/dcat/keyword", "dcat:keyword"),
        ("https://schema.org/name", "schema:name"),
        ("http://www.w3.org/2001/vcard-rdf/3.0#FN", "vcard:FN"),
        ("http://a.uk/def#x", "http://a.uk/def#x"),
    ],
)
def test_short_names(uri: str, name: str) -> None:
    assert short(uri) == name


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("<http://a.uk/>", Term("uri", "http://a.uk/")),
        ("_:b0", Term("blank", "_:b0")),
        ('"x"', Term("literal", "x")),
        ('""', Term("literal", "")),
        (r'"a\"b\\n\n\u00e9\U0001F600"', Term("literal", 'a"b\\n\né😀')),
        ('"x"@en-GB', Term("literal", "x", "en-gb")),
        ('"007"^^<http://a.uk/t>', Term("literal", "007")),
        ('"a > b . _:c <d>"', Term("literal", "a > b . _:c <d>")),
    ],
)
def test_terms(text: str, term: Term) -> None:
    graph = read_graph(f"<http://a.uk/s> <http://purl.org/dc/terms/title> {text} .\n")
    assert graph == {Term("uri", "http://a.uk/s"): {"dct:title": [term]}}


@pytest.mark.parametrize("line", ["x", "<a> <b> .", '<a> "b" <c> .', '"a" <b> <c> .'])
def test_line_that_is_no_triple_is_refused(line: str) -> None:
    with pytest.raises(ParseError, match="line 2"):
        read_graph(f"<a> <b> <c> .\n{line}\n")


def test_numbers_sort_by_value() -> None:
    assert sorted(["r10", "r9", "r"], key=natural) == ["r", "r9", "r10"]


@pytest.mark.parametrize(
    ("predicate", "link"),
    [
        ("cr:recordSet", "cr:subField"),
        ("dct:spatial", "gsp:hasGeometry"),
        ("dct:accrualPeriodicity", "rdf:value"),
        ("<http://a.uk/def#unread>", "<http://a.uk/def#below>"),
    ],
)
@pytest.mark.parametrize("node", [r"_:n\1", r"<http://a.uk/\1>"])
def test_nodes_that_name_each_other_are_read_once(predicate: str, link: str, node: str) -> None:
    def cost(links: int) -> int:
        nodes = ", ".join(f"<http://a.uk/{number}>" for number in range(round(links**0.5)))
        own = "".join(f"{name} {text} ; " for name, text in COMPLETE)
        each = "".join(f"{name} {link} {nodes} .\n" for name in nodes.split(", "))
        content = ntriples(f"<http://a.uk/d> a dcat:Dataset ; {own} {predicate} {nodes} .\n{each}")
        content = re.sub(r"<http://a.uk/(\d+)>", node, content)
        return count_calls(dcat.parse, RawRecord("http://a.uk/d", content), {})

    assert_linear(cost, 144, 4)
