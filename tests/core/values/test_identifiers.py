"""Identifiers as publishers write them."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.values.identifiers import is_dataset_of_ckan, parse_identifier


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


def test_a_uri_that_ckan_gives_to_a_dataset() -> None:
    uri = "https://data.example/dataset/0a1c7c1e-5a35-4d6b-9a39-5d0b0f4a3c52"
    assert is_dataset_of_ckan(uri)
    others = ("https://data.example/dataset/trees", f"{uri}/resource/1", uri.rpartition("/")[2], "")
    assert not any(map(is_dataset_of_ckan, others))
