"""The ways to a harvest source from CKAN's own pages."""

from __future__ import annotations

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from tests.ckan.people import member, person

pytestmark = pytest.mark.in_process

BUTTON = 'href="/harvest/add"'
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
