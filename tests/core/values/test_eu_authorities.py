"""URIs of the EU's authority tables are read again as the values that they stand for."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values import eu_authorities, formats, theme_names
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.languages import parse_language


def test_each_frequency_is_read_again() -> None:
    for value in eu_authorities._FREQUENCIES:
        assert parse_frequency(eu_authorities.frequency_uri(value)) == value
    assert eu_authorities.frequency_uri("R/P7Y") == ""


def test_each_file_type_is_read_again() -> None:
    for label in eu_authorities._FILE_TYPES:
        uri = eu_authorities.file_type_uri(label)
        assert uri, label
        assert formats.label(uri) == label
    assert eu_authorities.file_type_uri("Esri REST") == ""


@pytest.mark.parametrize(
    ("tag", "code"), [("en", "ENG"), ("cy", "CYM"), ("de", "DEU"), ("en-GB", "ENG"), ("gd", "GLA")]
)
def test_language_is_read_again_without_its_region(tag: str, code: str) -> None:
    uri = eu_authorities.language_uri(tag)
    assert uri.endswith(f"/language/{code}")
    assert parse_language(uri) == tag.partition("-")[0]


def test_each_theme_of_the_eu_is_nearest_to_one_of_ours() -> None:
    found = {name: eu_authorities.theme_uri(name) for name in theme_names.names()}
    assert found["Environment"].endswith("/ENVI")
    assert found["Economy"].endswith("/ECON")
    assert found["Mapping"] == ""
    for name, uri in found.items():
        assert not uri or theme_names.of_eu(uri)[0] == name
