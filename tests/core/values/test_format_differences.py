"""Formats of metadata that contradict what is at the link."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values.formats import differ


@pytest.mark.parametrize(
    ("declared", "found", "expected"),
    [
        ("CSV", "XLSX", True),
        ("text/csv", "PDF", True),
        ("WMS", "WFS", True),
        ("CSV", "CSV", False),
        (" csv ", "CSV", False),
        ("", "CSV", False),
        ("CSV", "", False),
        ("CSV", "ZIP", False),
        ("ZIP", "SHP", False),
        ("XML", "GML", False),
        ("CSV", "TXT", False),
        ("ArcGIS Map Service", "Esri REST", False),
        ("something of ours", "CSV", False),
    ],
)
def test_different_formats_are_distinguished(declared: str, found: str, expected: bool) -> None:
    assert differ(declared, found) is expected
