"""Queries for harvest sources, as they are passed to the search."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.sources import model as source_model

ALSO = "+(*:* OR dataset_type:harvest)"
JSON = '("data_json" OR "datajson" OR "dcat_json")'
WAF = '("gemini-waf" OR "waf" OR "waf-collection")'


def applied(**params: Any) -> dict[str, Any]:
    source_model.search_sources(params)
    return params


@pytest.mark.parametrize(
    "query",
    ["type:harvest", '+type:"harvest"', "(roads) AND type:harvest", "type:( harvest )"],
)
def test_a_query_for_sources_is_not_kept_from_them(query: str) -> None:
    assert applied(q=query) == {"q": query, "fq": ALSO}
    assert applied(q=query, fq="+a:b") == {"q": query, "fq": f"+a:b {ALSO}"}
    assert applied(fq=query) == {"fq": f"{query} {ALSO}"}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"q": None, "fq": None},
        {"q": "harvest"},
        {"q": '"type:harvest"'},
        {"q": "source_type:datajson"},
        {"q": "subtype:harvest"},
        {"q": "type:harvester"},
        {"q": r"type\:harvest"},
        {"q": "dataset_type:harvest"},
        {"fq": "+dataset_type:dataset source_type:waf"},
    ],
)
def test_other_queries_stay_as_they_are(params: dict[str, Any]) -> None:
    assert applied(**params) == params


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("source_type:datajson", f"source_type:{JSON}"),
        ("source_type:data_json", f"source_type:{JSON}"),
        ('-source_type:"dcat_json"', f"-source_type:{JSON}"),
        ("source_type:gemini-waf", f"source_type:{WAF}"),
        ("source_type:(waf OR ckan OR datajson)", f"source_type:({WAF} OR ckan OR {JSON})"),
        ("source_type:(waf* datajson)", f"source_type:(waf* {JSON})"),
        # Without other names, unknown, cut off, a phrase, in another field.
        ("source_type:ckan", "source_type:ckan"),
        ("source_type:unknown", "source_type:unknown"),
        ("source_type:data*", "source_type:data*"),
        ("source_type:datajson~", "source_type:datajson~"),
        ("source_type:[a TO b]", "source_type:[a TO b]"),
        ('title:"source_type:datajson"', 'title:"source_type:datajson"'),
        (r'title:"\" source_type:datajson"', r'title:"\" source_type:datajson"'),
        (r"source_type\:datajson", r"source_type\:datajson"),
        ("resource_type:datajson", "resource_type:datajson"),
        ('source_type:"datajson) OR (*:*"', 'source_type:"datajson) OR (*:*"'),
        ('source_type:"datajson', 'source_type:"datajson'),
        ("source_type:(datajson", "source_type:(datajson"),
    ],
)
def test_a_type_is_found_by_each_name_and_nothing_else_changes(clause: str, expected: str) -> None:
    assert applied(q=f"type:harvest AND {clause}")["q"] == f"type:harvest AND {expected}"
    fq = "+dataset_type:harvest"
    assert applied(fq=f"{fq} {clause}")["fq"] == f"{fq} {expected}"
    assert applied(fq=fq, fq_list=[clause]) == {"fq": fq, "fq_list": [expected]}


def test_a_query_for_another_parser_stays_as_it_is() -> None:
    query = "{!term f=source_type}source_type:datajson"
    assert applied(q=query, fq="+dataset_type:harvest")["q"] == query


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", [" ", "(", "type:", '"\\'])
def test_long_query_of_a_visitor_takes_no_time(unit: str) -> None:
    # Work that grew with the square of the query would go on for minutes.
    query = "type:" + unit * 300_000 + "x"
    assert applied(q=query) == {"q": query}
