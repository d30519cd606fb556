"""The language of a file's schema."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values import formats

LGA = "http://schemas.opendata.esd.org.uk/PublicToilets"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("csvlint", "csvlint"),
        ("CSV Lint", "csvlint"),
        ("XSD", "xsd"),
        ("XML Schema", "xsd"),
        ("Table Schema", "tableschema"),
        ("JSON table schema", "tableschema"),
        ("CSV on the Web", "csvw"),
        ("JSON Schema", "json-schema"),
        ("json_schema", "json-schema"),
        ("Relax NG", "Relax NG"),
        ("None", ""),
        ("", ""),
    ],
)
def test_kinds_have_one_name(text: str, kind: str) -> None:
    assert formats.schema_type_name(text) == kind


@pytest.mark.parametrize(
    ("url", "label", "kind"),
    [
        (LGA, "CSV", "csvlint"),
        (f"{LGA}/PublicToilets.json?v=0.41", "CSV", "csvlint"),
        (f"{LGA}/PublicToilets.xml", "XML", "xsd"),
        (LGA, "XLSX", ""),
        ("https://a.example/s.json", "CSV", "csvlint"),
        ("https://a.example/s.XSD", "", "xsd"),
        ("https://a.example/spend.csv-metadata.json", "CSV", "csvw"),
        ("https://a.example/about-our-data", "CSV", ""),
        ("https://notesd.org.uk/x", "CSV", ""),
        ("http://[", "CSV", ""),
        ("", "CSV", ""),
    ],
)
def test_an_address_often_shows_the_kind(url: str, label: str, kind: str) -> None:
    assert formats.guess_schema_type(url, label) == kind
