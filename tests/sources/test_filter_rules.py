"""Rules about which records are imported: what the form shows is what the source type gets."""

from __future__ import annotations

import json
from typing import Any

import pytest
from werkzeug.datastructures import MultiDict

from ckanext.ukharvest import source_types, stock_options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.reading.records import Check
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.sources.filter_rules import (
    PARTS,
    Rule,
    field_choices,
    option_names,
    read_rules,
)
from ckanext.ukharvest.sources.form_values import build_fields, parse_form, shown_options
from tests.publisher import SOURCES, recorded

CASES = {
    folder.parent.name: json.loads(folder.read_text(encoding="utf-8"))
    for folder in sorted(SOURCES.glob("*/source.json"))
}
# From the documentation of other harvesters, with values that the recorded publishers have.
STOCK: dict[str, list[dict[str, Any]]] = {
    "ckan": [
        {
            "api_version": 1,
            "default_tags": [{"name": "geo"}],
            "default_extras": {"encoding": "utf8"},
            "organizations_filter_include": [],
            "organizations_filter_exclude": ["remote-organization", "example-council"],
            "user": "harvester-user",
            "read_only": True,
        },
        {"organizations_filter_include": ["example-council", 'a "b"']},
        {"groups_filter_include": ["transport"], "groups_filter_exclude": ["test", "x: y"]},
        {"groups_filter_exclude": ["transport"], "tags_filter_include": ["roads"]},
    ],
    "gemini-waf": [
        {"skip-responsible-party": "Borchester City Council; Felpersham Maps"},
        {"validator_profiles": ["gemini2-3"], "default_extras": {"a": "b"}},
    ],
    "gemini-single": [{"skip-responsible-party": ["Borchester City Council"]}],
    "gemini-csw": [{"cql": "a = 1", "skip-responsible-party": '["A", "B"]'}],
    "oaipmh": [{"set": "data", "metadata_prefix": "any"}],
    "data_json": [{"filters": {"bureauCode": ["015:11"]}}],
    "dcat_rdf": [{"rdf_format": "text/turtle"}],
}
ADOPTED = [
    (case, number)
    for case, source in CASES.items()
    for number in range(len(STOCK.get(source["type"], ())))
]


def form_of(kind: source_types.SourceType, rows: list[tuple[str, str, str]]) -> MultiDict[str, str]:
    form = MultiDict([("source_type", kind.name), ("options_of", kind.name)])
    for part, cells in zip(PARTS, zip(*rows, strict=True), strict=True):
        form.setlist(f"option_{kind.name}_rules_{part}", list(cells))
    return form


def sent(
    kind: str, *rows: tuple[str, str, str], config: str = ""
) -> tuple[dict[str, Any], list[str]]:
    """Return the options that a form with these rows sends, and the errors of the rules."""
    found = parse_form(form_of(TYPES[kind], list(rows)), config=config)
    return json.loads(found.config or "{}"), found.errors.get(f"option_{kind}_rules", [])


def saved_again(kind: source_types.SourceType, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that somebody stores who opens the rules and writes them anew."""
    [field] = build_fields(shown_options(kind, sysadmin=False)[:1], MultiDict(), options, {}, str)
    rows = [tuple(row[part] for part in PARTS) for row in field.rows]
    found = parse_form(form_of(kind, rows))
    assert not found.errors
    stored = json.loads(found.config or "{}")
    return {name: stored[name] for name in option_names(kind) & stored.keys()}


def read(case: str, options: dict[str, Any], http: HttpClient) -> tuple[list[str], Any]:
    """Return the requests for a recorded publisher, and what was read."""
    source = CASES[case]
    # Options that are no filters stay, since answers were recorded for them.
    with recorded(case) as publisher:
        chosen = {**source["options"], **options}
        check = Check(TYPES[source["type"]], publisher.url(source["path"]), chosen, http=http)
        text = publisher.neutral(json.dumps(check.as_dict(list(check)), ensure_ascii=False))
        return sorted(publisher.paths), json.loads(text)


@pytest.mark.parametrize(("case", "number"), ADOPTED)
def test_adopted_source_keeps_its_filter(case: str, number: int, http: HttpClient) -> None:
    kind = TYPES[CASES[case]["type"]]
    stored = STOCK[kind.name][number]
    names = option_names(kind) | {"skip-responsible-party", "set"}
    before = {name: value for name, value in stored.items() if name in names}
    facts = stock_options.Facts("id", "https://feed.example/", "Roads")
    adopted, _changes = stock_options.translate(kind, json.dumps(stored), facts, bool)
    after = saved_again(kind, adopted)
    assert before.keys() <= names
    assert bool(after) == any(before.values())
    assert read(case, after, http) == read(case, before, http)


@pytest.mark.parametrize(("case", "number"), [("ckan-2.0", 3), ("gemini-2.3", 0)])
def test_stock_filter_leaves_out_recorded_records(case: str, number: int, http: HttpClient) -> None:
    filtered = read(case, STOCK[CASES[case]["type"]][number], http)[1]
    assert filtered["records"] != read(case, {}, http)[1]["records"]


def test_lists_of_options_are_shown_as_rules() -> None:
    options = {
        "tags_filter_include": ("roads", "open data"),
        "tags_filter_exclude": ("test",),
        "include_values": ("theme:Water", "organisation: A: B", "theme:Air"),
        "exclude_values": ("year:2019",),
    }
    kind = TYPES["ckan"]
    rules = read_rules(kind, options)
    assert rules == [
        Rule("keep", "tags_filter_include", ("roads", "open data")),
        Rule("leave_out", "tags_filter_include", ("test",)),
        Rule("keep", "include_values:theme", ("Water", "Air")),
        Rule("keep", "include_values:organisation", ("A: B",)),
        Rule("leave_out", "include_values:year", ("2019",)),
    ]
    # The server's own field stands for one that is compared after reading, unless that is used.
    assert "include_values:organisation" not in field_choices(kind, ())
    shown = field_choices(kind, [rule.field for rule in rules])
    assert shown["include_values:organisation"] == (
        "{field} (checked after reading)",
        "organisation",
    )


def test_rules_are_stored_only_when_somebody_changes_them() -> None:
    config = '{"include_values": "theme:Water;  theme: Air", "rows": 5}'
    same = ("keep", "include_values:theme", "Water\r\n Air ")
    empty = ("keep", "", "")
    found = parse_form(form_of(TYPES["ckan"], [same, empty]), config=config)
    assert (found.config, found.errors) == (config, {})
    options, errors = sent("ckan", same, ("leave_out", "tags_filter_include", "x"), config=config)
    assert errors == []
    assert options == {
        "rows": 5,
        "include_values": ["theme:Water", "theme:Air"],
        "tags_filter_exclude": ["x"],
    }
    assert sent("ckan", empty, config=config) == ({"rows": 5}, [])


def test_facet_that_is_not_listed_stays() -> None:
    options = {"refine": ["language:fr", "theme:A: b", "theme:C"], "exclude": ["features:geo"]}
    assert saved_again(TYPES["ods"], options) == options


@pytest.mark.parametrize(
    ("kind", "rows", "message"),
    [
        ("ckan", [("keep", "", "roads")], "choose a field for these values"),
        ("ckan", [("keep", "rows", "5")], "choose a field for these values"),
        ("ckan", [("drop", "tags_filter_include", "a")], "choose whether these values are kept"),
        ("ckan", [("keep", "include_values:colour", "red")], "not a filter; expected field:value"),
        ("ckan", [("keep", "tags_filter_include", "a")] * 2, "write all values to keep in one row"),
        ("ods", [("keep", "refine:theme", "a\nb")], "a record needs all of these"),
        ("gemini-csw", [("leave_out", "types", "series")], "can only be used with 'Keep only'"),
        ("gemini-waf", [("keep", "skip_responsible_party", "A")], "used with 'Leave out'"),
    ],
)
def test_wrong_rule_is_reported_at_the_rules(
    kind: str, rows: list[tuple[str, str, str]], message: str
) -> None:
    _options, [error] = sent(kind, *rows)
    assert message in error


def test_rule_that_cannot_be_read_is_reported_and_kept() -> None:
    config = '{"include_values": ["colour:red"], "tags_filter_include": 5}'
    found = parse_form(
        form_of(TYPES["ckan"], [("keep", "include_values:colour", "red")]), config=config
    )
    assert found.config == config
    assert list(found.errors) == ["option_ckan_rules"]
