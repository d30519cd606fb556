"""Fields of a package, in each form that CKAN and its extensions write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.records import (
    RawRecord,
    RemoteGroup,
)
from ckanext.ukharvest.parsers.ckan import parser as ckan
from tests.parsers.ckan.packages import URL, A, B, codes, parsed


@pytest.mark.parametrize(
    "extras",
    [
        [{"key": "colour", "value": "green"}, {"key": "gone", "value": "x", "state": "deleted"}],
        {"colour": "green"},
        {"0": {"key": "colour", "value": "green"}},
        [{"key": "colour", "value": '"green"'}],
    ],
)
def test_extras_are_read_in_every_form(extras: Any) -> None:
    assert parsed(extras=extras).extras == {"colour": "green"}


def test_unknown_fields_and_extras_are_kept_as_text() -> None:
    record = parsed(
        depth=7,
        places=["a", "b"],
        one=["a"],
        nothing=None,
        empty=[],
        extras=[{"key": "more", "value": {"a": 1}}],
    )
    assert record.extras == {"depth": "7", "places": '["a","b"]', "one": "a", "more": '{"a":1}'}


@pytest.mark.parametrize("tags", [["waste", "bins"], [{"name": "waste"}, {"name": "bins"}]])
def test_tags_are_names_or_objects(tags: Any) -> None:
    assert parsed(tags=tags).tags == ("waste", "bins")


def test_the_licence_has_the_version_that_the_record_had() -> None:
    """CKAN writes its register's URL of the id beside the extra of a harvested dataset."""
    ogl = "http://www.nationalarchives.gov.uk/doc/open-government-licence"
    record = parsed(license_url=f"{ogl}/version/3/", extras={"license_url": f"{ogl}/version/2/"})
    assert record.licence is not None
    assert (record.licence.id, record.licence.url) == ("uk-ogl", f"{ogl}/version/2/")


def test_code_lists_and_mandates_are_lists_of_addresses() -> None:
    record = parsed(
        extras={"codelist": f"{B} {A}", "Mandate": "www.legislation.gov.uk/ukpga/1936/49"}
    )
    assert record.extras == {
        "codelist": f'["{B}", "{A}"]',
        "mandate": '["https://www.legislation.gov.uk/ukpga/1936/49"]',
    }
    assert record.problems == ()


def test_a_mandate_in_words_is_kept_and_reported() -> None:
    record = parsed(mandate="Public Health Act 1936")
    assert record.extras == {"original_mandate": '["Public Health Act 1936"]'}
    (problem,) = record.problems
    assert (problem.code, problem.field) == ("bad-url", "mandate")
    assert "https://www.legislation.gov.uk/" in problem.message


@pytest.mark.parametrize(
    ("value", "extras", "found"),
    [
        (True, {"unpublished": "true"}, []),
        ("Yes", {"unpublished": "true"}, []),
        ("False", {}, []),
        ("soon", {"original_unpublished": "soon"}, ["unexpected-value"]),
    ],
)
def test_whether_the_data_is_published(
    value: Any, extras: dict[str, str], found: list[str]
) -> None:
    record = parsed(unpublished=value)
    assert record.extras == extras
    assert codes(record) == found


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"organization": {"id": "o", "name": "a", "title": "A"}}, RemoteGroup("o", "a", "A")),
        ({"organization": None, "owner_org": "o"}, RemoteGroup("o")),
        ({"Organization": {"name": "a"}}, RemoteGroup(name="a")),
        ({"extras": [{"key": "organization", "value": "a"}]}, RemoteGroup(name="a")),
        ({}, None),
    ],
    ids=["object", "owner", "case", "extra", "none"],
)
def test_the_organisation_is_read_from_each_place(
    fields: dict[str, Any], found: RemoteGroup | None
) -> None:
    raw = RawRecord("id-1", json.dumps({"id": "id-1", "title": "Bins", **fields}), url=URL)
    assert ckan.parse(raw, {}).organisation == found
