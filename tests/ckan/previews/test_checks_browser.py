"""The form and the results of /harvest/check, in a browser."""

from __future__ import annotations

import pytest

from tests.ckan.browser import Visitor
from tests.ckan.previews.checked_files import INVENTORY
from tests.ckan.previews.previewing import work

pytestmark = pytest.mark.in_process

FORM = "/harvest/check"
REGION = "#ukharvest-preview"


def test_a_visitor_checks_and_sends_the_link(visitor: Visitor, visitors: None) -> None:
    page = visitor.page
    page.goto(FORM)
    page.click("#start-check")
    page.wait_for_selector("text=There is a problem")
    page.fill("#field-text", INVENTORY.decode())
    page.click("#start-check")
    page.wait_for_selector(f"{REGION} >> text=No background worker answers")
    visitor.picture("check-waiting-1280")
    work()
    page.wait_for_selector(f"{REGION} >> text=This works")
    assert page.input_value("#check-address") == page.url
    page.click("text=Test again")
    assert page.input_value("#field-source_type") == "inventory"
    page.fill("#field-text", "{}")
    page.click("#start-check")
    page.click("#stop-test")
    page.wait_for_selector(f"{REGION} >> text=Stopped")
    assert visitor.errors == []
