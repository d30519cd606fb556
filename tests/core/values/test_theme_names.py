"""Themes are found by names, titles, slugs, codes and URIs."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values import theme_names
from ckanext.ukharvest.core.vocabularies import vocabulary

EU = "http://publications.europa.eu/resource/authority/data-theme/"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Transport", "Transport"),
        ("TRANSPORT", "Transport"),
        ("Crime & Justice", "Crime"),
        ("crime and justice", "Crime"),
        ("crime-and-justice", "Crime"),
        (" Business and Economy ", "Economy"),
        ("business_and_economy", "Economy"),
        ("Towns", "Towns"),
        ("Towns &amp; Cities", ""),
        ("government-spending", "Spending"),
        ("digital-services-performance", "Government"),
        (EU + "TRAN", "Transport"),
        (EU.replace("http:", "https:") + "tran/", "Transport"),
        ("JUST", "Crime"),
        ("Population and society", "Society"),
        (EU + "NONE", ""),
        ("Roads", ""),
        ("", ""),
        ("&", ""),
    ],
)
def test_themes_are_found_by_common_spellings(text: str, name: str) -> None:
    assert theme_names.find(text) == name


def test_each_theme_is_found_by_its_name_title_and_slug() -> None:
    rows = vocabulary.load("themes").rows
    assert len(rows) == 12
    for row in rows:
        for text in (row["name"], row["title"], row["slug"], row["title"].upper()):
            assert theme_names.find(text) == row["name"]
        assert theme_names.title(row["name"]) == row["title"]
    assert theme_names.names() == tuple(row["name"] for row in rows)


@pytest.mark.parametrize(
    "name", ["functions", "services", "eu_themes", "inspire_themes", "topic_categories"]
)
def test_the_themes_of_the_lists_are_themes(name: str) -> None:
    given = {row["theme"] for row in vocabulary.load(name).rows if row["theme"]}
    assert given
    assert [text for text in given if not theme_names.of_uk(text)] == []
