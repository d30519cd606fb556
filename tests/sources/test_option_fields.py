"""Each option's field in the source form: what it shows is what the form sends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from werkzeug.datastructures import MultiDict

import ckanext.ukharvest
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.options import Option, validate
from ckanext.ukharvest.core.record_filter import FILTER_FIELDS
from ckanext.ukharvest.source_types import COMMON_OPTIONS, TYPES
from ckanext.ukharvest.source_types.source_type import SourceType
from ckanext.ukharvest.sources import filter_rules
from ckanext.ukharvest.sources.form_values import (
    COMMON,
    build_fields,
    parse_form,
    shown_options,
    without_field,
)

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
MOST_SHOWN, MOST_OF_A_TYPE = 26, 8
# The last is the portal's: it is in no box, and stays.
REFUSED = ("api_key", "override_extras", "own_type")
# Texts as people write them; of each option the valid ones are sent.
TEXTS = ('<b> & "Roads"', "cy", "2026-05-01", "-6.4,49.9,1.8,55.8", "apiso:Modified", FILTER)
TEXTS += ("SELECT ?dataset WHERE {\n  ?dataset a <https://a.example/Sét>\n}",)
ITEMS = ("a, b", "c; d </textarea>", "a=b c", "cy", "https://a.example/graph", "x:y=Sentinel-2")
LINE = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=20)
LINE = LINE.filter(lambda line: line == line.strip())
RULE = {"to": "update_frequency", "values": {"yearly": "annual"}, "default": "never"}
MAPPED = st.sampled_from(("theme-primary", None, RULE))


def is_valid(option: Option, value: Any) -> bool:
    try:
        return bool(validate({option.name: value}, (option,)))
    except ConfigError:
        return False


def values(option: Option, kind: SourceType) -> st.SearchStrategy[Any]:
    """Return valid values of an option."""
    if option.kind == "boolean":
        return st.booleans()
    if option.kind == "integer":
        return st.integers(option.minimum, option.minimum + 4)
    if option.kind == "table":
        of_sample = (([], st.lists(LINE, max_size=2)), (None, MAPPED), ("a", LINE))
        values = next(found for value, found in of_sample if is_valid(option, {"theme": value}))
        return st.dictionaries(st.sampled_from(("theme", "internal", "freq")), values, min_size=1)
    if option.kind == "text":
        texts = st.sampled_from([*option.choices] or [t for t in TEXTS if is_valid(option, t)])
        return texts if option.choices or option.check else texts | LINE
    facets = [
        field.prefix
        for field in (*kind.filters, *FILTER_FIELDS.values())
        if option.name in (field.include, field.exclude) and field.prefix
    ]
    fitting = [*option.choices] or [text for text in ITEMS if is_valid(option, [text])]
    items = st.sampled_from(fitting or [""])
    if facets:
        items = st.tuples(st.sampled_from(facets), LINE).map("".join)
    elif not option.choices and not option.check:
        items |= LINE
    return st.lists(items.filter(bool), unique=True, min_size=1, max_size=4)


@st.composite
def all_options(draw: st.DrawFn, kind: SourceType) -> dict[str, Any]:
    """Return a configuration with some of a type's options."""
    declared = (*kind.options, *COMMON_OPTIONS)
    chosen = draw(st.lists(st.sampled_from(declared), unique_by=lambda option: option.name))
    excluded = {name for option in chosen for name in option.excludes}
    usable = [one for one in chosen if one.name not in excluded and one.name not in REFUSED]
    return {option.name: draw(values(option, kind)) for option in usable}


def send(kind: SourceType, options: dict[str, Any], stored: str) -> str:
    """Return the configuration that a form sends if it shows these options unchanged."""
    shown = build_fields(shown_options(kind, sysadmin=True), MultiDict(), options, {}, str)
    (form,) = html.fromstring(f"<div>{PAGE.render(shown=shown)}</div>").forms
    sent = MultiDict(form.form_values())
    sent.setlist("options_of", [kind.name, COMMON])
    sent["source_type"] = kind.name
    sent["config"] = without_field(json.dumps(options), kind, sysadmin=True)
    found = parse_form(sent, config=stored, sysadmin=True)
    assert found.errors == {}
    return found.config


def as_filtered(kind: SourceType, options: dict[str, Any]) -> dict[str, Any]:
    """Return options as the source type gets them: filters and boxes have no order."""
    valid = validate(options, kind.all_options)
    boxes = {option.name for option in kind.options if option.widget == "boxes"}
    unordered = boxes | filter_rules.option_names(kind)
    return {name: sorted(valid[name]) if name in unordered else valid[name] for name in valid}


@pytest.mark.parametrize("kind", TYPES.ours.values(), ids=lambda kind: kind.name)
@given(data=st.data())
@settings(max_examples=15, deadline=None, derandomize=True)
def test_form_sends_all_options_that_it_shows(kind: SourceType, data: st.DataObject) -> None:
    options = data.draw(all_options(kind))
    text = json.dumps(options, indent=1)
    assert send(kind, options, text) == text  # as a person wrote it
    new = json.loads(send(kind, options, "") or "{}")
    assert as_filtered(kind, new) == as_filtered(kind, options)


def test_pages_show_few_options_and_those_with_an_effect() -> None:
    ours = TYPES.ours.values()
    fields = {kind.name: shown_options(kind, sysadmin=True) for kind in ours}
    usual = [field for own in fields.values() for field in own if not field.option.is_rare]
    assert len({field.option.name for field in usual}) <= MOST_SHOWN
    for kind in ours:
        own = [field for field in fields[kind.name] if field.part != COMMON]
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
    for stored, label in (("iso19139eden", "a schema that is no longer checked"), ("", "")):
        options = {"validation_profiles": [stored] if stored else []}
        [field] = build_fields(shown, MultiDict(), options, {}, str)
        choices = dict(field.choices)
        assert list(choices) == ["gemini2-3", "gemini2-1", "table-a1", *filter(None, [stored])]
        assert label in choices.get(stored, "")
