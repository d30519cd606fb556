"""Extras as people read them: labels, no JSON, nothing of a stranger's that acts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest import fields, fields_shown

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    'https://host.example/"onmouseover="alert(1)',
    "https://host.example/<script>",
    "{0.__class__}",
    "%(x)s",
)


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
            '<a href="https://data.example/a?b=1&amp;c=2" rel="nofollow noopener">'
            "https://data.example/a?b=1&amp;c=2</a>",
        ),
    ],
)
def test_texts_and_lists(text: str, expected: str) -> None:
    assert fields_shown.shown(text) == expected


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
            '<a href="https://data.example/1" rel="nofollow noopener">Rivers</a>',
        ),
        (
            {"title": "", "href": "https://data.example/1", "uuid": ""},
            '<a href="https://data.example/1" rel="nofollow noopener">https://data.example/1</a>',
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
def test_objects(value: dict[str, Any], expected: str) -> None:
    assert fields_shown.shown(json.dumps(value)) == expected


def test_half_a_character_does_no_harm() -> None:
    assert str(fields_shown.shown('["\\ud800x"]')).encode() == b"?x"


def test_a_long_list_is_cut() -> None:
    shown = fields_shown.shown(json.dumps([f"word {number}" for number in range(1200)]))
    assert shown.count("<li>") == fields_shown.MOST + 1
    assert "… 1,100 more" in shown


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[" * 50 + "]" * 50, '{"a":' * 60 + "1" + "}" * 60]
)
def test_depth_ends_nothing(text: str) -> None:
    assert "<ul" not in fields_shown.shown(text)


def _everywhere(text: str) -> list[Any]:
    """Values with a text in every place that they have."""
    keys = ("title", "name", "text", "code", "href", "url", "uuid", "from", "to", "description")
    return [
        text,
        [text, text],
        {text: text},
        {"type": text, "value": text},
        {"vocabulary": text, "keywords": [{"text": text, "href": text}, text]},
        {"from": text, "to": text, "description": text},
        *({"title": "T", key: text} for key in keys),
        {"title": text, "href": "https://data.example/"},
        [[{text: [text]}]],
    ]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("key", ["lineage", "spatial-resolution", "anything else"])
def test_nothing_of_a_strangers_acts(key: str, text: str) -> None:
    for value in _everywhere(text):
        raw = value if isinstance(value, str) else json.dumps(value)
        for _label, shown in fields_shown.rows({key: raw}):
            plain = shown.lower()
            for tag in ('<ul class="list-unstyled mb-0">', "</ul>", "<li>", "</li>", "</a>"):
                plain = plain.replace(tag, "")
            for link in plain.split("<a ")[1:]:
                assert link.startswith('href="https://')
            plain = plain.replace("<a ", "").replace('rel="nofollow noopener">', "")
            assert "<" not in plain
            assert 'href="javascript' not in plain
            assert 'href="data' not in plain
            assert '"onmouseover' not in plain


def test_rows_have_labels_and_an_order() -> None:
    facts = {
        "zebra-crossings": "7",
        "guid": "g1",
        "metadata-date": "2026-05-01",
        "UKLP": "True",
        "import_source": "harvest",
        "harvest_object_id": "x",
        "lineage": "Surveyed.",
        "coupled-resource": "[]",
        "spatial-resolution": "10",
        "spatial-resolution-units": "urn:ogc:def:uom:EPSG::9001",
    }
    assert fields_shown.rows(facts) == [
        ("UK Location Programme", "yes"),
        ("Spatial resolution", "10 m"),
        ("Lineage", "Surveyed."),
        ("Identifier of the record", "g1"),
        ("Date of the record", "2026-05-01"),
        ("Zebra crossings", "7"),
    ]


def test_what_another_extra_says_better_is_left_out() -> None:
    box = {"bbox-west-long": "-2", "bbox-east-long": "-1"}
    assert [label for label, _ in fields_shown.rows({**box, "spatial": "A box"})] == ["Extent"]
    assert len(fields_shown.rows(box)) == 2


def test_every_field_of_a_dataset_has_its_label_and_its_place() -> None:
    own = {field.key: field.label for field in fields.FIELDS if field.of == fields.DATASET}
    assert own.items() <= fields_shown.LABELS.items()
