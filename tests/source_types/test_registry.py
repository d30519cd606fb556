"""Source types of other distributions: used, or left out in words."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.datastructures import MultiDict

from ckanext.ukharvest import source_types
from ckanext.ukharvest.check_command import command
from ckanext.ukharvest.core.errors import ParseError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import RawRecord, Source
from ckanext.ukharvest.reading import type_detection
from ckanext.ukharvest.source_types import TYPES, in_form_order
from ckanext.ukharvest.sources.form_values import COMMON, build_fields, shown_options
from tests.source_types.distributions import install

Install = Callable[..., None]


@pytest.fixture
def others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install distributions for one test."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    TYPES.reload()
    yield lambda distribution, **more: install(tmp_path, distribution, **more)
    TYPES.reload()
    for name in set(sys.modules) - before:
        if not name.startswith("ckanext"):
            del sys.modules[name]


def the_one_left_out() -> tuple[str, str]:
    (found,) = source_types.left_out()
    return found.message, found.what_to_do


def test_a_type_of_another_distribution_is_one_of_the_types(others: Install) -> None:
    others("other-fords", more="'aliases': ('ford_list',)")
    assert source_types.left_out() == ()
    assert [*TYPES] == [*TYPES.ours, "fords"]
    kind = source_types.find("ford_list")
    assert kind is not None
    assert kind is TYPES["fords"] is source_types.registered("fords")
    assert kind.plugin == "ukharvest_fords"
    assert source_types.names_of("fords") == ("fords", "ford_list")


def test_its_sources_can_be_checked(
    others: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others("other-fords")
    file = tmp_path / "fords.json"
    file.write_text(json.dumps({"fords": [{"identifier": "1", "title": "Mill Ford"}]}))
    assert command.main(["check", "fords", str(file)]) == 0
    assert "Mill Ford" in capsys.readouterr().out
    assert command.main(["types"]) == 0
    assert "fords: Fords" in capsys.readouterr().out


TEXTS = """
    "group": "files",
    "url_hint": "The URL of the list.",
    "url_example": "https://fords.example/list.json",
    "docs_url": "https://fords.example/page",
    "options": (
        Option("paging", "text", "a", "Which.", choices=("a", "b"), label="Way of reading"),
    ),
"""


def test_its_texts_are_its_own(others: Install) -> None:
    others("other-fords", more=TEXTS)
    fords = in_form_order()[-1]
    assert (fords.group, fords.title, fords.line) == ("files", "Fords", "Fords of a list.")
    assert (fords.url_hint, fords.docs_url) == (
        "The URL of the list.",
        "https://fords.example/page",
    )
    shown = [each for each in shown_options(fords, sysadmin=False) if each.part != COMMON]
    rules, field = build_fields(shown, MultiDict(), {}, {}, str)
    assert rules.option.widget == "rules"
    # Not those of our option of this name.
    assert (field.label, field.help) == ("Way of reading", "Which.")
    assert list(field.choices) == [("a", "a"), ("b", "b")]


def test_it_is_recognised_after_ours(others: Install) -> None:
    more = "'recognise': lambda head: b'ford' in head, 'usual_urls': ('/fords.json?all=1',)"
    others("other-fords", more=more)
    assert type_detection.source_type(b'{"fords": []}') == "fords"
    assert type_detection.source_type(b'{"dataset": [], "fords": []}') == "data_json"
    answers = {"https://x.example/fords.json?all=1": b'{"fords": []}'}
    found = type_detection.better_address(
        "fords", "https://x.example/", lambda url: answers.get(url, b"")
    )
    assert found == "https://x.example/fords.json?all=1"


def test_failing_recogniser_is_skipped(others: Install, caplog: pytest.LogCaptureFixture) -> None:
    others("other-fords", more="'recognise': boom")
    assert type_detection.source_type(b'{"fords": []}') == ""
    assert "fords failed to look at a response" in caplog.text


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "import": ({"code": "import no_such_library"}, "ModuleNotFoundError: No module named"),
    "syntax": ({"code": "KIND = ("}, "SyntaxError"),
    "exit": ({"code": "raise SystemExit(3)"}, "SystemExit: 3"),
    "no-object": ({"value": "other_fords:NOTHING"}, "AttributeError"),
    "unknown-argument": ({"more": "'colour': 'red'"}, "TypeError"),
    "uses-registry": (
        {"code": "from ckanext.ukharvest.source_types import TYPES\nlen(TYPES)"},
        "while it is imported",
    ),
    "not-a-type": ({"code": "KIND = 5"}, "is a int; expected a SourceType"),
    "older": ({"more": "'interface': 99"}, "made for version 99 of the interface"),
    "no-version": ({"more": "'interface': 0"}, "made for no version that it states"),
    "our-name": ({"name": "ckan"}, "'ckan' is a source type of ckanext-ukharvest itself"),
    "our-alias": ({"more": "'aliases': ('waf',)"}, "'waf' is a source type of ckanext-ukharvest"),
    "entry": ({"entry": "bridges"}, "its name is 'fords'; expected that of its entry point"),
    "name": ({"name": "Ford List", "entry": "fords"}, "its name is 'Ford List'"),
    "title": ({"more": "'title': ''"}, "title or description is empty"),
    "group": ({"more": "'group': 'water'"}, "expected one of portals, location"),
    "reader": ({"more": "'reader': 1"}, "no methods records and fetch"),
    "parser": ({"more": "'parser': 1"}, "no function parse"),
    "option": ({"more": "'options': (1,)"}, "one of its options is a int"),
    "common-option": (
        {"more": "'options': (Option('credential', 'text', '', 'Mine.', label='Mine'),)"},
        "'credential' is there twice, or is one that all types have",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_one_is_left_out_in_words(
    others: Install, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    more, expected = FAULTS[fault]
    others("other-fords", **more)
    with caplog.at_level(logging.ERROR):
        message, what_to_do = the_one_left_out()
    assert expected in message
    assert "other-fords 1.0" in message
    assert "uninstall" in what_to_do
    assert f"{message} {what_to_do}" in caplog.text
    assert [*TYPES] == [*TYPES.ours]


def test_of_two_with_one_name_neither_is_used(others: Install) -> None:
    others("other-fords")
    others("second-fords")
    others("bridges", name="bridges")
    first, second = source_types.left_out()
    assert "'fords' is also a source type of second-fords 1.0" in first.message
    assert "'fords' is also a source type of other-fords 1.0" in second.message
    assert [*TYPES] == [*TYPES.ours, "bridges"]


def test_sources_of_one_left_out_fail_with_the_reason(others: Install, http: HttpClient) -> None:
    others("other-fords", code="import no_such_library")
    kind = source_types.registered("fords")
    assert kind.name == "fords"
    with pytest.raises(SourceError, match="No module named 'no_such_library'.*uninstall"):
        next(kind.reader.records(Source("https://x.example", {}, http)))
    with pytest.raises(SourceError):
        kind.reader.fetch(Source("https://x.example", {}, http), RawRecord("a"))
    with pytest.raises(ParseError):
        kind.parser.parse(RawRecord("a", "{}"), {})


def test_one_that_is_gone_says_so(others: Install, http: HttpClient) -> None:
    kind = source_types.registered("fords")
    with pytest.raises(SourceError, match="No installed distribution declares"):
        next(kind.reader.records(Source("https://x.example", {}, http)))
