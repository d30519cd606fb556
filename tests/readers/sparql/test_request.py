"""A source's own SPARQL query: refused with its fault when it is saved, or taken as it is."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.readers.sparql.request import check_query, split_query

OPEN = "SELECT ?dataset { ?dataset a ?type "
NESTED = "{" * 50 + "?dataset a ?type" + "}" * 50


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?dataset WHERE { ?dataset a ?type }",
        "select distinct * { ?type a ?dataset }",
        "SELECT (?record AS ?dataset) { ?record a ?type }",
        "# ours\nPREFIX limit: <http://l.example/#>\nBASE <http://y.example/> # and\n"
        "SELECT ?dataset { ?dataset limit:service ?limit }",
        OPEN + "FILTER(?type != 'LIMIT 3 }' && ?type > \"SERVICE\") } # OFFSET }",
        OPEN + "; <http://a.example/#FROM> ?limit }",
        OPEN + '; ?p """}\n"""} ORDER BY ?dataset',
    ],
)
def test_a_query_for_datasets_is_accepted(query: str) -> None:
    assert check_query(query) == ""
    assert "".join(split_query(query)) == query


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "is not a query"),
        ("ASK {}", "is a query of the form ASK"),
        ("INSERT DATA {}", "is not a query"),
        ("SELECT ?type { ?dataset a ?type }", "does not select the variable ?dataset"),
        ("SELECT (MAX(?dataset) AS ?last) { ?dataset a ?type }", "does not select"),
        ("SELECT * { ?set a ?type }", "does not select"),
        (OPEN + "} LIMIT 3", "has a LIMIT"),
        (OPEN + "} offset 3", "has an OFFSET"),
        (OPEN + "{ SELECT ?type { ?type a ?b } LIMIT 4 } }", "has a LIMIT"),
        ("SELECT ?dataset FROM <http://a.example/> { ?dataset a ?b }", "names its graphs"),
        (OPEN + "SERVICE <http://169.254.169.254/> { ?a ?b ?c } }", "names a SERVICE"),
        (OPEN + "service/**/<http://a.example/> {} }", "names a SERVICE"),
        (OPEN + "} } ; DROP ALL ; INSERT { ?a ?b ?c } WHERE { { ?a ?b ?c", "closes a bracket"),
        (OPEN, "leaves a bracket open"),
        (OPEN + "# }", "leaves a bracket open"),
        (f"SELECT ?dataset {{ {NESTED} }}", "more than 40 brackets"),
        (OPEN + ".\n. }", "is not valid SPARQL 1.1 in line"),
        (OPEN + "'unclosed }", "SPARQL"),
        ("SELECT ?dataset " + " " * 10_000, "characters; expected at most 10,000"),
    ],
)
def test_a_query_for_anything_else_is_refused(query: str, words: str) -> None:
    assert words in check_query(query)
