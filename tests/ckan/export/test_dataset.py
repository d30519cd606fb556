"""Each format of the export: its fields, replacements for missing ones, and odd values."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ckanext.ukharvest.export import data_json
from ckanext.ukharvest.export.dataset import Agent, Catalogue, read
from tests.ckan.export.full_datasets import (
    BARE,
    FULL,
    PORTAL,
    graph_of,
    name,
    one,
    valid_entry,
)

ASKED = replace(PORTAL, contact=Agent("The portal", "data@portal.example"))


NAMED = [{"key": "contact-name", "value": "Ranger"}]
OWNED = {**BARE, "organization": {"id": "c0", "name": "council", "title": "The Council"}}
OF_COUNCIL = replace(ASKED, contact_of=lambda _id: Agent("Data team", "data@council.example"))


@pytest.mark.parametrize(
    ("package", "catalogue", "expected"),
    [
        (BARE, PORTAL, Agent()),
        (BARE, ASKED, Agent("The portal", "data@portal.example")),
        (OWNED, OF_COUNCIL, Agent("Data team", "data@council.example")),
        ({**OWNED, "extras": NAMED}, OF_COUNCIL, Agent("Ranger", "data@council.example")),
        ({**BARE, "extras": NAMED}, PORTAL, Agent("Ranger")),
        (FULL, OF_COUNCIL, Agent("Ranger", "ranger@council.example")),
        (
            {**BARE, "extras": NAMED, "author": "Clerk", "author_email": "clerk@council.example"},
            ASKED,
            Agent("Clerk", "clerk@council.example"),
        ),
    ],
)
def test_contact_is_the_datasets_or_organisations_or_portals(
    package: dict[str, Any], catalogue: Catalogue, expected: Agent
) -> None:
    assert read(package, catalogue).contact == expected
    graph, uri = graph_of(package, catalogue)
    found = graph.value(uri, name("dcat:contactPoint"))
    assert (found is not None) == (expected != Agent())
    entry = valid_entry(data_json.entry(read(package, catalogue)))
    contact = entry.get("contactPoint", {})
    assert contact.get("fn", "") == expected.name
    assert ("hasEmail" in contact) == bool(expected.email)


OGL = "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/"


@pytest.mark.parametrize(
    ("key", "own", "expected"),
    [
        ("uk-ogl", f"{OGL}2/", f"{OGL}2/"),
        ("cc-by", f"{OGL}2/", "https://by"),
        ("uk-ogl", "", "https://by"),
    ],
)
def test_the_licence_has_the_version_that_the_record_had(key: str, own: str, expected: str) -> None:
    """package_show writes the URL that CKAN's register has for the id beside the record's own."""
    extras = [{"key": "license_url", "value": own}] if own else []
    package = {**BARE, "license_id": key, "license_url": "https://by", "extras": extras}
    assert read(package, PORTAL).licence == expected


ODD = [
    {"title": 'Quotes " and \\ and \n lines', "notes": "@prefix x: <y> .\n<a> <b> <c> ."},
    {"title": "\x00\x07\ud800 controls\ufffe", "notes": "\u2028\U0001f6b2"},
    {"url": "javascript:alert(1)", "extras": [{"key": "license_url", "value": "see website"}]},
    {"url": "https://x.example/{id}|^`", "extras": [{"key": "spatial", "value": "{broken"}]},
    {"extras": [{"key": "spatial", "value": '{"type":"Point","coordinates":[1000,0]}'}]},
    {"extras": [{"key": "language", "value": "klingon"}, {"key": "data_modified", "value": "?"}]},
    {"extras": [{"key": "dcat_subject", "value": '["https://x y", {"a": 1}, [2], null]'}]},
    {"extras": [{"key": "dcat_publisher_uri", "value": "https://[broken"}]},
    {"access_level": "Non-Public", "extras": [{"key": "rights", "value": "x" * 999}]},
    {"organization": {"id": "c0", "name": "council", "title": ""}, "theme": ["a", "b"]},
    {"resources": [{"id": "r", "url": "https://x.example/a\tb", "size": "12 kB"}]},
    {"resources": [{"id": "r", "url": "https://x.example/ü", "mimetype": "CSV", "size": 1.5}]},
    {"resources": [{"id": "r", "url": None, "name": None}]},
    {"maintainer_email": "no address", "author_email": "a@b.example", "author": "<b>Bold</b>"},
]


@pytest.mark.parametrize("fields", ODD, ids=range(len(ODD)))
def test_odd_values(fields: dict[str, Any]) -> None:
    package = {**BARE, **fields}
    entry = valid_entry(data_json.entry(read(package, PORTAL)))
    json.loads(data_json.begin(PORTAL) + data_json.render(read(package, PORTAL)) + "]}")
    graph, uri = graph_of(package)
    assert one(graph, uri, "dct:title") == entry["title"]
