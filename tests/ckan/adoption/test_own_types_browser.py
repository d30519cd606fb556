"""A type under the portal's own name is chosen in a browser, and has its own options."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ckan.browser import Visitor

pytestmark = pytest.mark.in_process


def test_form_shows_the_options_of_the_chosen_own_type(own: None, manager: Visitor) -> None:
    page = manager.page
    page.goto("/harvest/new")
    page.get_by_text("Other", exact=True).click()
    shown = page.locator("[data-options-of]:visible")
    for label, part, other in (
        ("Victoria’s catalogue", "own-datavic-json", "Parks that come first"),
        ("Parks (JSON)", "own-Parks-JSON-", "Owner of the data"),
    ):
        page.get_by_label(label, exact=True).check()
        names = {each.get_attribute("data-options-of") for each in shown.all()}
        assert names == {part}
        expect(page.get_by_label(other)).to_be_hidden()
    page.get_by_label("data.json", exact=True).check()
    assert "own-datavic-json" not in {each.get_attribute("data-options-of") for each in shown.all()}
    assert not manager.errors
