"""A new user's way to a source from an address alone, in a browser."""

from __future__ import annotations

import pytest
from ckan import model
from ckan.tests import factories
from ckanext.harvest.model import HarvestSource

from tests.ckan.browser import NARROW, Visitor
from tests.ckan.catalogues import catalogue
from tests.ckan.previews.previewing import work
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


# Which type an address has is found without a browser (tests/reading/test_address_lookup.py).
def test_three_clicks_add_a_source(manager: Visitor, publisher: Publisher) -> None:
    factories.Organization(name="one-council", title="One Council", image_url="")
    publisher.serve("/data.json", catalogue(3))
    page = manager.page
    page.goto("/harvest/add")
    page.get_by_label("URL", exact=True).fill(publisher.url("/data.json"))
    page.get_by_role("button", name="Test", exact=True).click()
    page.wait_for_selector("text=Test in progress")
    work()
    page.get_by_role("button", name="Continue").click()
    page.go_back()
    page.set_viewport_size(NARROW)
    assert manager.beyond_the_window("#ukharvest-preview") == []
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Save only").click()
    page.wait_for_selector("text=Saved.")
    assert manager.errors == []
    assert model.Session.query(HarvestSource.type).all() == [("data_json",)]
