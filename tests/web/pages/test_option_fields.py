"""Each option's field in the source form: what it shows is what the form sends."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import pytest
from lxml import html
from werkzeug.datastructures import MultiDict

import ckanext.ukharvest
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.options import Option, validate
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import SourceType
from ckanext.ukharvest.sources.form_values import COMMON, build_fields, parse_form, shown_options

TEMPLATES = Path(ckanext.ukharvest.__file__).parent / "templates"
ENVIRONMENT = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True)
ENVIRONMENT.globals["_"] = str
PAGE = ENVIRONMENT.from_string(
    "{% import 'ukharvest/source_form/macros.html' as fields %}"
    "<form>{% for field in shown %}{{ fields.option(field) }}{% endfor %}</form>"
)
FILTER = (
    '<ogc:Filter xmlns:ogc="http://www.opengis.net/ogc">\n  <ogc:PropertyIsNull>'
    "<ogc:PropertyName>dc:title</ogc:PropertyName></ogc:PropertyIsNull>\n</ogc:Filter>"
)
# For each option the valid ones of these are tried.
TEXTS = ('<b> & "Roads"', "cy", "2026-05-01", "-6.4,49.9,1.8,55.8", "apiso:Modified", FILTER)
TEXTS += ("SELECT ?dataset WHERE {\n  ?dataset a <https://a.example/Sét>\n}",)
LISTS = (["a, b", "c; d </textarea>"], ["theme:Water & air", "keyword:x y"], ["a=b c"], ["cy"])
LISTS += (["https://a.example/graph"], ["eo:platform=Sentinel-2"])
MOST_SHOWN, MOST_OF_A_TYPE = 41, 14
TABLE = {
    "theme": "theme-primary",
    "internal": None,
    "freq": {"to": "update_frequency", "values": {"yearly": "annual"}, "default": "never"},
}


def values(option: Option) -> Iterator[Any]:
    """Yield valid values of an option: each choice, or some of its kind."""
    tried: dict[str, Any] = {
        "boolean": (True, False),
        "integer": range(option.minimum, option.minimum + 5),
        "text": option.choices or TEXTS,
        "list": [[choice] for choice in option.choices] or LISTS,
        "table": (TABLE,),
    }
    for value in tried[option.kind]:
        try:
            validate({option.name: value}, (option,))
        except ConfigError:
            continue
        yield value
    if option.kind == "list" and option.choices:
        yield list(option.choices)[:3]


def send(kind: SourceType, options: dict[str, Any], *, is_new: bool) -> dict[str, Any]:
    """Return the options that the form sends if it shows these and nobody changes it."""
    shown = build_fields(shown_options(kind, sysadmin=True), MultiDict(), options, {}, str)
    (form,) = html.fromstring(f"<div>{PAGE.render(shown=shown)}</div>").forms
    sent = MultiDict(form.form_values())
    sent.setlist("options_of", [kind.name, COMMON])
    sent["source_type"] = kind.name
    before = "" if is_new else json.dumps({"unknown_to_forms": 1, **options})
    found = parse_form(sent, config=before, sysadmin=True)
    if is_new:
        assert found.errors == {}
        return dict(json.loads(found.config or "{}"))
    assert found.config == before
    return options


def without_defaults(kind: SourceType, options: dict[str, Any]) -> dict[str, Any]:
    defaults = {option.name: option.default for option in declared(kind)}
    return {name: value for name, value in options.items() if value != defaults[name]}


def declared(kind: SourceType) -> list[Option]:
    return [each.option for each in shown_options(kind, sysadmin=True)]


@pytest.mark.parametrize("kind", TYPES.ours.values(), ids=lambda kind: kind.name)
def test_form_sends_each_value_that_it_shows(kind: SourceType) -> None:
    for option in declared(kind):
        tried = list(values(option))
        assert tried, option.name
        for value in tried:
            options = {option.name: value}
            assert send(kind, options, is_new=True) == without_defaults(kind, options)
            assert send(kind, options, is_new=False) == options


@pytest.mark.parametrize("kind", TYPES.ours.values(), ids=lambda kind: kind.name)
def test_form_sends_all_options_that_it_shows(kind: SourceType) -> None:
    rng = random.Random(kind.name)
    for _ in range(10):
        options = {each.name: rng.choice(list(values(each))) for each in declared(kind)}
        for option in declared(kind):
            if option.name in options:
                options = {k: v for k, v in options.items() if k not in option.excludes}
        assert send(kind, options, is_new=True) == without_defaults(kind, options)
        assert send(kind, options, is_new=False) == options


def test_pages_show_few_options_and_those_with_an_effect() -> None:
    ours = TYPES.ours.values()
    shown = {name.option.name for kind in ours for name in shown_options(kind, sysadmin=True)}
    assert len(shown) <= MOST_SHOWN
    for kind in ours:
        own = [field for field in shown_options(kind, sysadmin=True) if field.part != COMMON]
        assert len(own) <= MOST_OF_A_TYPE, kind.name
        assert not {*kind.ignored} & {option.name for option in kind.options}
        # Other names of a choice are accepted and not offered.
        assert all(len(field.option.labels) > 1 for field in own if field.option.choices)


def test_ignored_options_of_earlier_harvesters_are_accepted() -> None:
    stored = {"read_only": True, "api_version": "any", "user": ["x"], "clean_tags": None}
    kind = TYPES.ours["ckan"]
    assert validate(stored, kind.all_options) == validate({}, kind.all_options)


def test_stored_schema_of_iso_is_shown_with_what_replaces_it() -> None:
    kind = TYPES.ours["gemini-waf"]
    shown = [each for each in shown_options(kind, sysadmin=True) if "profiles" in each.name]
    for stored, label in (("iso19139eden", "a schema, which is no longer checked"), ("", "")):
        options = {"validation_profiles": [stored] if stored else []}
        [field] = build_fields(shown, MultiDict(), options, {}, str)
        choices = dict(field.choices)
        assert list(choices) == ["gemini2-3", "gemini2-1", "table-a1", *filter(None, [stored])]
        assert label in choices.get(stored, "")
