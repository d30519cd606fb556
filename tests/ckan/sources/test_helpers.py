"""The ways to a harvest source from CKAN's own pages."""

from __future__ import annotations

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from lxml import html

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal
from tests.ckan.people import member, person
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

BUTTON = 'class="btn btn-secondary" href="/harvest/add"'  # not the entry of the header's menu
WHOM_TO_ASK = "Ask an administrator of your organisation"


def test_editor_can_add_a_source_from_own_pages(
    app: CKANTestApp, organization: dict[str, str]
) -> None:
    editor = member(organization)["headers"]
    pages = ("/dashboard/datasets", "/dashboard/organizations", "/organization/somewhere-council")
    for page in pages:
        body = app.get(page, headers=editor).body
        assert BUTTON in body
        assert "Add a harvest source" in body
    other = factories.Organization()
    assert BUTTON not in app.get(f"/organization/{other['name']}", headers=editor).body


def test_nobody_else_is_offered_to_add_a_source(
    app: CKANTestApp, organization: dict[str, str]
) -> None:
    reader = member(organization, "member")["headers"]
    for headers in ({}, reader, person()["headers"]):
        body = app.get("/organization/somewhere-council", headers=headers).body
        assert BUTTON not in body
    assert WHOM_TO_ASK not in app.get("/dashboard/datasets", headers=reader).body
    answer = app.get("/harvest/add", headers=reader, status=403)
    assert WHOM_TO_ASK in answer.body


@pytest.mark.ckan_config("ckanext.ukharvest.nav", "everyone")
def test_dashboard_says_whom_to_ask_if_everyone_sees_harvesting(
    app: CKANTestApp, organization: dict[str, str]
) -> None:
    reader = member(organization, "member")["headers"]
    body = app.get("/dashboard/datasets", headers=reader).body
    assert WHOM_TO_ASK in body
    assert BUTTON not in body


@pytest.mark.ckan_config("ckanext.ukharvest.nav", "everyone")
def test_home_page_leads_to_sources_stars_and_checked_data(app: CKANTestApp) -> None:
    for page in ("/", "/harvest/"):
        body = app.get(page).body
        assert 'href="/harvest/stars"' in body
        assert 'href="/harvest/data-checks"' in body
    assert "<h2>Harvesting</h2>" in app.get("/").body


def test_home_page_of_visitors_says_nothing_of_harvesting(app: CKANTestApp) -> None:
    assert "<h2>Harvesting</h2>" not in app.get("/").body


def test_chart_of_runs_has_numbers_days_and_words(
    app: CKANTestApp, portal: Portal, publisher: Publisher, organization: dict[str, str]
) -> None:
    publisher.serve("/data.json", catalogue([dataset(0, title=""), dataset(1)]))
    source = portal.source(publisher.url("/data.json"), name="somewhere")
    for _ in range(4):
        portal.run(source)
    publisher.serve("/data.json", "", status=404)
    portal.run(source)
    page = html.fromstring(
        app.get("/harvest/somewhere", headers=member(organization)["headers"]).body
    )
    (chart,) = page.find_class("ukharvest-chart")
    words = [title.text.partition(": ")[2] for title in chart.iter("title")]
    assert words == ["Added: 1, Failed: 1", *["Unchanged: 1, Failed: 1"] * 3, "Failed"]
    top, day, _key = (line.text_content() for line in chart.iter("p"))
    assert top == "Records: 2"
    assert day.strip() in page.text_content()
    kinds = [[part.get("class") for part in bar.iter("rect")] for bar in chart.iter("a")]
    assert kinds[0] == ["is-changed", "is-lost"]
    assert kinds[4] == ["is-lost"]
