"""Formats in a file's name."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values.formats import of_title


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("Rivers (CSV)", "CSV", id="brackets"),
        pytest.param("Rivers (csv)", "CSV", id="lower-case"),
        pytest.param("Rivers [CSV]", "CSV", id="square-brackets"),
        pytest.param("Rivers (CSV).", "CSV", id="full-stop"),
        pytest.param("  Rivers\n (CSV) ", "CSV", id="blanks"),
        pytest.param("Rivers ( CSV )", "CSV", id="blanks-in-brackets"),
        pytest.param("Rivers (north) (CSV)", "CSV", id="last-brackets"),
        pytest.param("Rivers (.csv)", "CSV", id="extension"),
        pytest.param("Rivers (text/csv)", "CSV", id="media-type"),
        pytest.param("Rivers (zipped shapefile)", "SHP", id="long-name"),
        pytest.param("Rivers (CSV, JSON)", "CSV", id="several"),
        pytest.param("Rivers - WFS", "WFS", id="dash"),
        pytest.param("Rivers -WFS", "WFS", id="blank-before"),
        pytest.param("Rivers- WFS", "WFS", id="blank-behind"),
        pytest.param("Rivers – WFS", "WFS", id="en-dash"),
        pytest.param("Rivers — WFS", "WFS", id="em-dash"),
        pytest.param("Rivers—WFS", "WFS", id="em-dash-alone"),
        pytest.param("Rivers -- WFS", "WFS", id="two-hyphens"),
        pytest.param("Rivers - north - WFS", "WFS", id="last-dash"),
        pytest.param("Rivers - Shapefile (zip)", "SHP", id="dash-and-brackets"),
        pytest.param("Rivers - north (CSV)", "CSV", id="brackets-behind-a-dash"),
        pytest.param("Rivers - WMS 1.3.0", "WMS", id="version"),
        pytest.param("Rivers - OGC API - Features", "OGC API Features", id="name-with-a-dash"),
        pytest.param("Rivers - JSON-LD", "JSON-LD", id="name-with-a-hyphen"),
        pytest.param("WMS: rivers", "WMS", id="colon"),
        pytest.param("wms: rivers: north", "WMS", id="two-colons"),
        pytest.param("OGC WMS: rivers", "WMS", id="words-before-a-colon"),
        pytest.param("CSV", "CSV", id="only-a-format"),
        pytest.param("Web Map Service (WMS)", "WMS", id="only-formats"),
        pytest.param("WFS service", "WFS", id="only-a-format-and-noise"),
        pytest.param("Shapefile zip file", "SHP", id="in-an-archive"),
        pytest.param("a" * 10_000 + " (CSV)", "CSV", id="long"),
    ],
)
def test_a_name_that_states_its_format(name: str, expected: str) -> None:
    assert of_title(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("", id="empty"),
        pytest.param("Rivers", id="word"),
        pytest.param("Rivers - north (2019)", id="year"),
        pytest.param("Note: rivers", id="word-before-a-colon"),
        pytest.param("Rivers: CSV", id="format-behind-a-colon"),
        pytest.param("CSV of rivers", id="in-the-middle"),
        pytest.param("(CSV) Rivers", id="brackets-at-the-start"),
        pytest.param("CSV - rivers", id="before-a-dash"),
        pytest.param("Rivers (CSV) 2019", id="words-behind"),
        pytest.param("Rivers-CSV", id="hyphen"),
        pytest.param("Rivers (CSV from 2019)", id="words-in-brackets"),
        pytest.param("Rivers CSV)", id="half-a-bracket"),
        pytest.param("gml:Rivers", id="layer"),
        pytest.param("https://example.org/rivers.csv", id="address"),
        pytest.param("rivers.csv", id="file"),
        pytest.param("Rights of way - Access", id="word-that-is-a-format"),
        pytest.param("Access: see the website", id="word-before-colon-that-is-a-format"),
        pytest.param("Rivers (NC)", id="place-that-is-an-extension"),
        pytest.param("Owl: sightings", id="animal"),
        pytest.param("()", id="empty-brackets"),
        pytest.param(" - ", id="only-a-dash"),
        pytest.param(":", id="only-a-colon"),
    ],
)
def test_a_name_that_states_none(name: str) -> None:
    assert of_title(name) == ""


@pytest.mark.parametrize("unit", ["- ", "-", "(", ")", "a - ", "note: ", "– "])
def test_long_names_take_no_time(unit: str) -> None:
    assert of_title(unit * 100_000 + "x)") == ""
