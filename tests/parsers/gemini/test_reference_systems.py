"""Spatial reference systems of GEMINI records."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.parsers.gemini.part import anchor, codes, parsed, system, text

URI = "http://www.opengis.net/def/crs/EPSG/0/27700"
NAME = "OSGB36 / British National Grid"


def _space(words: str) -> str:
    return f"<gmd:codeSpace>{text(words)}</gmd:codeSpace>"


AUTHORITY = (
    "<gmd:authority><gmd:CI_Citation><gmd:title>"
    + text("European Petroleum Survey Group")
    + "</gmd:title></gmd:CI_Citation></gmd:authority>"
)


@pytest.mark.parametrize(
    ("references", "code", "listed"),
    [
        (system(text(URI)), URI, {"code": URI, "epsg": "EPSG:27700", "name": NAME}),
        (
            system(anchor("British National Grid", URI), kind="MD_Identifier"),
            "British National Grid",
            {"code": "British National Grid", "href": URI, "epsg": "EPSG:27700", "name": NAME},
        ),
        (system(anchor("", URI)), URI, {"code": URI, "epsg": "EPSG:27700", "name": NAME}),
        (
            system(text("27700"), _space("urn:ogc:def:crs:EPSG")),
            "27700",
            {
                "code": "27700",
                "codeSpace": "urn:ogc:def:crs:EPSG",
                "epsg": "EPSG:27700",
                "name": NAME,
            },
        ),
        (
            system(text("27700"), AUTHORITY),
            "27700",
            {
                "code": "27700",
                "codeSpace": "European Petroleum Survey Group",
                "epsg": "EPSG:27700",
                "name": NAME,
            },
        ),
    ],
)
def test_one_system(references: str, code: str, listed: dict[str, Any]) -> None:
    record = parsed(references=references)
    assert record.extras["spatial-reference-system"] == code
    assert json.loads(record.extras["spatial-reference-systems"]) == [listed]
    assert not record.problems


def test_several_systems_each_once() -> None:
    references = system(text(URI)) + system(text("EPSG:5701")) + system(text(URI))
    record = parsed(references=references)
    assert record.extras["spatial-reference-system"] == URI
    listed = json.loads(record.extras["spatial-reference-systems"])
    assert [each["code"] for each in listed] == [URI, "EPSG:5701"]


@pytest.mark.parametrize(
    "references",
    ["", "<gmd:referenceSystemInfo/>", system(""), system("", _space("EPSG"))],
)
def test_none_is_no_problem(references: str) -> None:
    record = parsed(references=references)
    assert "spatial-reference-system" not in record.extras
    assert "spatial-reference-systems" not in record.extras
    assert not record.problems


def test_an_unknown_system_is_kept_and_reported() -> None:
    record = parsed(references=system(text("Mars 2000")))
    assert record.extras["spatial-reference-system"] == "Mars 2000"
    [problem] = record.problems
    assert problem.code == "unknown-reference-system"
    assert "'Mars 2000' is not a reference system we know" in problem.message
    unknown = system(text("http://www.opengis.net/def/crs/EPSG/0/99999"))
    assert codes(parsed(references=unknown)) == ["unknown-reference-system"]


def test_a_register_of_postcodes_is_known_by_its_address() -> None:
    record = parsed(references=system(anchor("Postcodes", "https://example.org/id/postcodes")))
    assert record.extras["spatial-reference-system"] == "Postcodes"
    assert not record.problems


def test_no_number_of_systems_takes_long() -> None:
    record = parsed(references="".join(system(text(f"Mars {n}")) for n in range(2000)))
    assert len(record.problems) == 51
    assert "more than 50 reference systems" in record.problems[-1].message
