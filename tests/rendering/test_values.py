"""Rendered fields: labels with links, no bare URLs, no script or link from untrusted text."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest
from lxml import html
from markupsafe import Markup

from ckanext.ukharvest.rendering.fields import find_field
from ckanext.ukharvest.rendering.values import Portal, listed_label
from tests.rendering.hostile_texts import HOSTILE

ESD = "http://id.esd.org.uk"
LAW = "http://www.legislation.gov.uk"
PORTAL = Portal(lambda words: words, lambda field, value: f"/dataset/?{field}={value}")


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("https://data.example/schemas/2024/parking.json", "2024/parking.json (data.example)"),
        ("https://data.example/", "https://data.example/"),
        ("parking", "parking"),
        ("javascript:alert(1)", "javascript:alert(1)"),
    ],
)
def test_schema_in_no_list_is_labelled_by_the_end_of_its_url(url: str, label: str) -> None:
    assert listed_label(url, "schemas") == label


OURS = (
    *("theme-primary", "theme-secondary", "la_function", "la_service", "schema", "schema_url"),
    *("codelist", "mandate", "update_frequency", "unpublished", "dcat_subject", "theme", "subject"),
    "inspire-themes",
)


def rendered(key: str, value: Any) -> Markup:
    render = find_field(key).render
    assert render
    return render(value, PORTAL)


def render(key: str, value: Any) -> html.HtmlElement:
    return html.fragment_fromstring(rendered(key, value), create_parent="div")


def words(key: str, value: Any) -> list[str]:
    """Return the text of each value."""
    page = render(key, value)
    return [" ".join(each.text_content().split()) for each in page.xpath(".//li") or [page]]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("theme-primary", "Crime", ["Crime & Justice"]),
        ("theme-primary", "crime-and-justice", ["Crime & Justice"]),
        ("theme-primary", "Gardening", ["Gardening (not in the list)"]),
        (
            "theme-primary",
            "http://a.example/themes/7",
            ["http://a.example/themes/7 (not in the list)"],
        ),
        (
            "theme-primary",
            "http://publications.europa.eu/resource/authority/data-theme/TRAN",
            ["Transport"],
        ),
        ("theme-secondary", '["Towns", "Health"]', ["Towns & Cities", "Health"]),
        ("theme-secondary", ["Towns", "Health"], ["Towns & Cities", "Health"]),
        ("theme-secondary", "Towns & Cities, Health", ["Towns & Cities", "Health"]),
        (
            "la_service",
            f"{ESD}/service/579",
            ["Public toilets Environmental protection › Street care and cleaning · id.esd.org.uk"],
        ),
        ("la_function", f"{ESD}/function/1", ["Advice and benefits id.esd.org.uk"]),
        (
            "la_function",
            f"{ESD}/service/99999 {ESD}/function/1",
            [
                "Advice and benefits id.esd.org.uk",
                "Service 99999 (not in the list) · id.esd.org.uk",
            ],
        ),
        ("la_service", "http://a.example/parks", ["http://a.example/parks (not in the list)"]),
        ("la_service", ["parks and so on"], ["parks and so on (not in the list)"]),
        (
            "schema",
            '["https://schemas.opendata.esd.org.uk/Spend/", "our own"]',
            ["Expenditure exceeding £500 schemas.opendata.esd.org.uk", "our own"],
        ),
        (
            "schema_url",
            "https://a.example/s/1.json?v=2",
            ["https://a.example/s/1.json?v=2 URL"],
        ),
        ("schema_url", "https://www.a.example", ["https://www.a.example URL"]),
        ("codelist", f"{ESD}/list/services/", ["Local government services"]),
        ("mandate", f"{LAW}/ukpga/2000/36/section/19", ["Act of Parliament 2000 chapter 36"]),
        ("mandate", f"{LAW}/id/uksi/2012/2479", ["Statutory Instrument 2012/2479"]),
        ("mandate", f"{LAW}/nisr/2004/3", ["legislation.gov.uk: nisr/2004/3"]),
        (
            "mandate",
            f"{LAW}/ukpga/Geo6/12-13-14/97",
            ["legislation.gov.uk: ukpga/Geo6/12-13-14/97"],
        ),
        ("mandate", f"{LAW}/", ["legislation.gov.uk"]),
        ("mandate", "Act of 1985, section 3", ["Act of 1985, section 3"]),
        (
            "mandate",
            f"{LAW}/nisr/2004/3, {LAW}/nisr/2004/4 and others",
            ["legislation.gov.uk: nisr/2004/3", "legislation.gov.uk: nisr/2004/4", "and others"],
        ),
        (
            "licence_url",
            "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
            ["UK Open Government Licence (OGL)"],
        ),
        ("update_frequency", "R/P1Y", ["Annually"]),
        ("update_frequency", "when it rains", ["when it rains"]),
        ("unpublished", "true", ["yes"]),
        ("unpublished", False, ["no"]),
        ("inspire-themes", '["Soil", "Land use"]', ["Soil", "Land use"]),
        (
            "dcat_subject",
            '["http://publications.europa.eu/resource/authority/data-theme/TRAN", '
            '"http://inspire.ec.europa.eu/theme/ps", "http://a.example/themes/7", "Tea, coffee"]',
            ["Transport", "Protected sites", "http://a.example/themes/7", "Tea, coffee"],
        ),
        # As ckanext-dcat has it, of a dataset whose only theme is a function of councils.
        ("theme", '["https://id.esd.org.uk/function/40"]', ["Street care and cleaning"]),
    ],
)
def test_values_are_shown_in_words(key: str, value: Any, expected: list[str]) -> None:
    assert words(key, value) == expected


@pytest.mark.parametrize(
    ("key", "value", "links"),
    [
        ("theme-primary", "crime & justice", ["/dataset/?vocab_ukharvest_theme=Crime"]),
        ("theme-primary", "Gardening", []),
        (
            "la_service",
            "https://id.esd.org.uk/service/579/",
            [f"/dataset/?vocab_ukharvest_service={ESD}/service/579", f"{ESD}/service/579"],
        ),
        (
            "la_service",
            f"{ESD}/function/2",
            [f"/dataset/?vocab_ukharvest_function={ESD}/function/2", f"{ESD}/function/2"],
        ),
        (
            "schema_url",
            "http://schemas.opendata.esd.org.uk/Spend/Spend.json?v=1",
            [
                "/dataset/?vocab_ukharvest_schema=http://schemas.opendata.esd.org.uk/Spend",
                "http://schemas.opendata.esd.org.uk/Spend/Spend.json?v=1",
            ],
        ),
        ("codelist", "http://a.example/list", ["http://a.example/list"]),
        ("inspire-themes", '["Soil"]', ["http://inspire.ec.europa.eu/theme/so"]),
        ("inspire-themes", '["Sun"]', []),
    ],
)
def test_values_have_links(key: str, value: str, links: list[str]) -> None:
    assert render(key, value).xpath(".//a/@href") == links


def test_a_link_to_another_site_names_what_it_is_about() -> None:
    [link] = render("la_service", f"{ESD}/service/579").xpath(".//a[@rel]")
    assert link.get("aria-label") == "Public toilets (id.esd.org.uk)"


def test_a_long_list_is_cut() -> None:
    many = " ".join(f"{ESD}/service/{number}" for number in range(100_000, 100_500))
    assert words("la_service", many)[-1] == "… +400"


@pytest.mark.parametrize("key", ["theme-secondary", "la_service", "schema", "dcat_subject"])
@pytest.mark.parametrize("text", [f"{ESD}/service/579 ", "a,", "x ", "[", "1;"])
def test_endless_values_take_no_time(key: str, text: str) -> None:
    # Long enough that quadratic work would exceed the test's bound.
    assert rendered(key, text * 300_000) is not None
    assert rendered(key, json.dumps([text] * 300_000)) is not None


@pytest.mark.parametrize("text", ["x", "http://a.example/", f"{ESD}/service/579 "])
def test_half_a_character_breaks_no_page(text: str) -> None:
    for key in OURS:
        assert str(rendered(key, f'["{text}\\ud800"]')).encode(), key


@pytest.mark.parametrize("text", [*HOSTILE, "[" * 5000, "http://[", "http://a.example:x/", "{}"])
def test_hostile_texts_are_escaped_in_every_value(text: str) -> None:
    inside = (text, [text], json.dumps([text, {text: text}]), f"{ESD}/service/579 {text}")
    for key, value in itertools.product(OURS, inside):
        page = render(key, value)
        assert {each.tag for each in page.iter()} <= {"div", "ul", "li", "span", "a"}, key
        for link in page.xpath(".//a"):
            assert re.match(r"https?://|/dataset/\?", link.get("href")), key
            assert set(link.keys()) <= {"href", "title", "rel", "class", "aria-label"}, key
