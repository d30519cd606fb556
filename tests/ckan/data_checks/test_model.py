"""Checks of data in figures, and the schemas that they follow."""

from __future__ import annotations

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.data_checks import jobs as data_check_jobs
from tests.ckan.data_checks.checked_data import (
    SCHEMA,
    make,
    page_of,
    show,
)
from tests.ckan.harvesting import act
from tests.ckan.links.place import work
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_the_dashboard_counts_files(data: Publisher, app: CKANTestApp) -> None:
    make(data)
    work()
    assert data_check_jobs.load_figures() == {"invalid": 1, "waiting": 0}
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    body = app.get("/ckan-admin/ukharvest/diagnostics", headers=headers).body
    assert "Data and their schemas" in body
    assert "With errors: 1" in body


def test_a_listed_schema_has_its_title_and_number_of_fields(
    data: Publisher, app: CKANTestApp
) -> None:
    url = "http://schemas.opendata.esd.org.uk/spend/spend.json?v=0.41"
    own = {"url": data.url("/parks.csv"), "schema_url": url}
    (resource,) = factories.Dataset(resources=[own])["resources"]
    assert show(resource)["schema_fields"] == 22
    text = " ".join(page_of(app, resource).text_content().split())
    assert "Schema: Expenditure exceeding £500" in text


def test_facet_of_schemas_shows_their_titles(data: Publisher) -> None:
    data.serve("/schema.json", {**SCHEMA, "title": "Parks and woods"})
    make(data)
    make(data, schema="/unread/other.json")
    work()
    field = "vocab_ukharvest_schema"
    facet = act("package_search", **{"facet.field": [field]})["search_facets"][field]
    shown = {item["name"]: item["display_name"] for item in facet["items"]}
    assert shown[data.url("/schema.json")] == "Parks and woods"
    assert shown[data.url("/unread/other.json")] == "unread/other.json (127.0.0.1)"
