"""Rendered extras: labels, no JSON, no script or link from untrusted text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.rendering import values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("weekly", "weekly"),
        ("Fish & chips", "Fish &amp; chips"),
        ("True", "yes"),
        ("[]", ""),
        ("{}", ""),
        ('[null, ""]', ""),
        ("[Draft]", "[Draft]"),
        ('["society"]', "society"),
        ('["a", "b"]', '<ul class="list-unstyled mb-0"><li>a</li><li>b</li></ul>'),
        ("5", "5"),
        (
            "https://data.example/a?b=1&c=2",
            '<a href="https://data.example/a?b=1&amp;c=2" title="https://data.example/a?b=1&amp;c=2"'
            ' rel="nofollow noopener">https://data.example/a?b=1&amp;c=2</a>',
        ),
    ],
)
def test_texts_and_lists_are_rendered(text: str, expected: str) -> None:
    assert values.render_extra(text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"type": "creation", "value": "1918"}, "creation: 1918"),
        ({"value": "1918", "type": "creation"}, "creation: 1918"),
        ({"name": "ASCII"}, "ASCII"),
        ({"name": "GML", "version": "3.2"}, "GML (version: 3.2)"),
        (
            {"name": "Agency", "email": "a@agency.example", "roles": "owner"},
            "Agency (email: a@agency.example, roles: owner)",
        ),
        (
            {"title": "Rivers", "href": "https://data.example/1", "uuid": ""},
            '<a href="https://data.example/1" title="https://data.example/1"'
            ' rel="nofollow noopener">Rivers</a>',
        ),
        (
            {"title": "", "href": "https://data.example/1", "uuid": ""},
            '<a href="https://data.example/1" title="https://data.example/1"'
            ' rel="nofollow noopener">https://data.example/1</a>',
        ),
        ({"title": "", "href": "no address", "uuid": "u1"}, "href: no address, uuid: u1"),
        (
            {"vocabulary": "GEMET", "date": "2008", "keywords": [{"text": "Rivers"}, "Lakes"]},
            "GEMET: Rivers, Lakes",
        ),
        ({"keywords": [{"text": "Rivers"}]}, "Rivers"),
        (
            {"title": "Profile", "date_type": "publication", "pass": True},
            "Profile (date type: publication, pass: yes)",
        ),
        ({"from": "1950-07-31", "to-position": "now"}, "1950-07-31 – now"),
        ({"to": "2015", "description": "publication"}, "… – 2015 (publication)"),
    ],
)
def test_objects_are_rendered(value: dict[str, Any], expected: str) -> None:
    assert values.render_extra(json.dumps(value)) == expected


def test_half_a_character_is_replaced() -> None:
    assert str(values.render_extra('["\\ud800x"]')).encode() == b"?x"


def test_a_long_list_is_cut() -> None:
    shown = values.render_extra(json.dumps([f"word {number}" for number in range(1200)]))
    assert shown.count("<li>") == values.MOST + 1
    assert "… +1,100" in shown


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[" * 50 + "]" * 50, '{"a":' * 60 + "1" + "}" * 60]
)
def test_deep_values_are_shown_as_text(text: str) -> None:
    assert "<ul" not in values.render_extra(text)
