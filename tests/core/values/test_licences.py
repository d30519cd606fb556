"""Licences by id, URL and title."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.records import Licence
from ckanext.ukharvest.core.values import licences

OGL = "www.nationalarchives.gov.uk/doc/open-government-licence"


@pytest.mark.parametrize(
    "given",
    [
        pytest.param("http://example.org/terms", id="url"),
        pytest.param("https://creativecommons.org/licenses/by-nd/4.0/", id="no-ckan-id"),
        pytest.param("https://creativecommons.org/", id="creative-commons-home"),
        pytest.param(
            "http://www.nationalarchives.gov.uk/doc/non-commercial-government-licence/", id="ncgl"
        ),
        pytest.param(
            "http://publications.europa.eu/resource/authority/licence/OGL_NC_2_0", id="eu-ncgl"
        ),
        pytest.param(
            "https://evil.example/nationalarchives.gov.uk/doc/open-government-licence", id="path"
        ),
    ],
)
def test_an_unknown_address_stays(given: str) -> None:
    assert licences.find(given) == Licence(url=given)


@pytest.mark.parametrize(
    "given",
    ["Terms of use apply", "Open Government Licence - Canada", "CC", "MIT", "by", "3.0", "Crown/OS"]
    + ["foo [bar]/x", "Licensed under CC-BY-4.0 and other terms"],
)
def test_an_unknown_text_stays(given: str) -> None:
    assert licences.find(f" {given}\n") == Licence(title=given)


@pytest.mark.parametrize(
    "given",
    ["", " ", "-", "n/a", "N/A", "none", "NULL", "No license provided", "License Not Specified"]
    + ["notspecified", "unknown", "[[REDACTED-EX B6]]", "[[redacted]]"],
)
def test_a_placeholder_is_no_licence(given: str) -> None:
    assert licences.find(given) is None
