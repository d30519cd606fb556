"""The form and the results of /harvest/check, in a browser."""

from __future__ import annotations

import json

import pytest

from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.previews.checked_files import INVENTORY, TABLE, TABLE_SCHEMA
from tests.ckan.previews.previewing import work
from tests.reading.full_datasets import FULL, datasets

pytestmark = pytest.mark.in_process

FORM = "/harvest/check"
REGION = "#ukharvest-preview"


def test_a_visitor_checks_and_sends_the_link(visitor: Visitor, visitors: None) -> None:
    page = visitor.page
    looks.check(visitor, "check-form", FORM)
    page.goto(FORM)
    page.click("#start-check")
    page.wait_for_selector("text=There is a problem")
    looks.check_here(visitor, "check-form-error")
    page.fill("#field-text", INVENTORY.decode())
    page.click("#start-check")
    page.wait_for_selector(f"{REGION} >> text=No background worker answers")
    visitor.picture("check-waiting-1280")
    work()
    page.wait_for_selector(f"{REGION} >> text=This works")
    looks.check(visitor, "check-inventory", page.url)
    assert page.input_value("#check-address") == page.url
    page.click("text=Test again")
    assert page.input_value("#field-source_type") == "inventory"
    page.fill("#field-text", "{}")
    page.click("#start-check")
    page.click("#stop-test")
    page.wait_for_selector(f"{REGION} >> text=Stopped")
    assert visitor.errors == []


def test_results_keep_to_what_every_page_has_to(visitor: Visitor, visitors: None) -> None:
    page = visitor.page
    hostile = " ".join(looks.HOSTILE)
    catalogue = datasets(7, **FULL)
    catalogue["dataset"][0] |= {"title": hostile, "description": hostile}
    del catalogue["dataset"][3]["title"]
    table = TABLE.replace("£2", hostile.replace(",", " ").replace("\n", " "))
    files = {"name": f"{hostile[:80]}.csv", "mimeType": "text/csv"}
    schema = {"name": "s.json", "mimeType": "text/csv", "buffer": TABLE_SCHEMA.encode()}
    for name, text in (("data-json", json.dumps(catalogue)), ("table", ""), ("unknown", "?")):
        page.goto(FORM)
        if text:
            page.fill("#field-text", text)
        else:
            page.set_input_files("#field-upload", {**files, "buffer": table.encode()})
            page.set_input_files("#field-schema_upload", schema)
        page.click("#start-check")
        page.wait_for_selector("text=Test in progress")
        work()
        page.wait_for_selector("text=Test again")
        looks.check(visitor, f"check-{name}", page.url)
        assert not page.evaluate("window.hurt")
