"""Identifiers as publishers write them."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.values.identifiers import parse_identifier


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a-1", "a-1"),
        (17, "17"),
        (True, ""),
        (None, ""),
        (["a-1", "b"], "a-1"),
        ([{"@id": "https://a.example/1"}], "https://a.example/1"),
        ({"notation": "17", "schemaAgency": "ONS"}, "ONS:17"),
        ({"@type": "PropertyValue", "propertyID": "ONS", "value": "17"}, "ONS:17"),
        ({"@type": "PropertyValue", "value": "17"}, "17"),
        (
            {"@type": "PropertyValue", "propertyID": "DOI", "value": "10.1234/x"},
            "https://doi.org/10.1234/x",
        ),
        (
            {
                "propertyID": "https://registry.identifiers.org/registry/doi",
                "value": "doi:10.1234/x",
            },
            "https://doi.org/10.1234/x",
        ),
        ({"propertyID": "DOI", "value": "https://doi.org/10.1234/x"}, "https://doi.org/10.1234/x"),
    ],
)
def test_an_identifier_is_a_text(value: object, expected: str) -> None:
    assert parse_identifier(value) == expected
    assert parse_identifier(json.loads(json.dumps(value))) == expected
