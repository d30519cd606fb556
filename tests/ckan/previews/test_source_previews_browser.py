"""The test of a source's form, and of a saved source, in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ckan import model

from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from tests.ckan import looks
from tests.ckan.browser import NARROW, Visitor
from tests.ckan.harvesting import Portal
from tests.ckan.previews.previewing import PATH, work
from tests.publisher import Publisher
from tests.reading.full_datasets import FULL, datasets

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.in_process

REGION = "#ukharvest-preview"


@pytest.fixture
def editor(manager: Visitor) -> Page:
    """A window of a user who may add sources."""
    return manager.page


def begin(page: Page, url: str, type_: str = "data_json") -> None:
    page.check(f'input[name=source_type][value="{type_}"]')
    page.fill("#field-url", url)
    page.click("#field-test")


def check_page(visitor: Visitor, name: str) -> None:
    looks.check(visitor, name, "/harvest/rivers/check", region=".primary .ukharvest")


def test_a_source_is_tested_while_it_is_typed_in(
    editor: Page,
    visitor: Visitor,
    publisher: Publisher,
) -> None:
    publisher.serve("/inventory.xml", "<Inventory><Metadata/></Inventory>")
    editor.goto("/harvest/new")
    editor.fill("#field-title", "Borchester")
    begin(editor, publisher.url("/inventory.xml"))
    editor.wait_for_selector(f"{REGION} >> text=No background worker answers")
    visitor.picture("preview-waiting-1280")
    work()
    editor.wait_for_selector(f"{REGION} >> text=This does not work yet")
    editor.click("text=Use Inventory XML")
    assert editor.is_checked('input[value="inventory"]')
    assert editor.input_value("#field-title") == "Borchester"
    editor.click("text=Change something else")
    begin(editor, publisher.url(PATH))
    editor.wait_for_selector("#stop-test")
    work()
    editor.wait_for_selector(f"{REGION} >> text=This works")
    for details in editor.locator(f"{REGION} > details").all():
        details.locator("summary").first.click()
    visitor.picture("preview-works-1280")
    editor.set_viewport_size(NARROW)
    assert visitor.beyond_the_window(REGION) == []
    visitor.picture("preview-works-390")
    assert visitor.errors == []
    for preview in model.Session.query(SourcePreview).order_by(SourcePreview.created):
        looks.check(visitor, f"preview-{preview.source_type}", f"/harvest/test/{preview.id}")


def test_filters_are_chosen_from_what_a_source_holds(
    editor: Page,
    visitor: Visitor,
    publisher: Publisher,
) -> None:
    catalogue = datasets(60, **FULL)
    for number, each in enumerate(catalogue["dataset"]):
        each["keyword"] = [f"parish {number % 30}", ("roads", " ".join(looks.HOSTILE))[number % 2]]
        each["modified"] = f"202{number % 4}-05-01"
    publisher.serve(PATH, catalogue)
    looks.know_stock(visitor, looks.STOCK)
    editor.goto("/harvest/new")
    editor.fill("#field-title", "Borchester")
    begin(editor, publisher.url(PATH))
    editor.wait_for_selector("#stop-test")
    work()
    keywords = editor.locator(f"{REGION} details", has_text="Keyword (32)").first
    keywords.locator("summary").first.click()
    keywords.get_by_label("roads: Only these, 30 left").check()
    keywords.get_by_label("parish 1: Without these, 58 left").check()
    looks.check_here(visitor, "preview-holds")
    editor.get_by_role("button", name="Back to the form").click()
    editor.wait_for_selector("text=Change something else")
    assert editor.input_value("#field-title") == "Borchester"
    assert "keyword:roads" in editor.inner_text("#source-form")
    editor.click("text=Change something else")
    rules = editor.locator("[data-options-of=data_json] .ukharvest-row")
    for row, (action, value) in enumerate((("keep", "roads"), ("leave_out", "parish 1"))):
        assert rules.nth(row).get_by_label("Records").input_value() == action
        assert rules.nth(row).get_by_label("Field").input_value() == "include_values:keyword"
        assert rules.nth(row).get_by_label("Values").input_value() == value
    editor.click("#field-test")
    editor.wait_for_selector("#stop-test")
    work()
    ticked = editor.locator(f"{REGION} input[name=only]:checked")
    ticked.wait_for(state="attached")
    assert ticked.get_attribute("value") == "include_values\tkeyword:roads"
    assert visitor.errors == []


def test_a_test_is_stopped(editor: Page, publisher: Publisher) -> None:
    editor.goto("/harvest/new")
    begin(editor, publisher.url(PATH))
    editor.click("#stop-test")
    editor.wait_for_selector(f"{REGION} >> text=Stopped")
    work()
    assert publisher.paths == []


def test_enter_in_a_field_saves_and_does_not_test(
    editor: Page,
    publisher: Publisher,
) -> None:
    editor.goto("/harvest/new")
    editor.check('input[name=source_type][value="data_json"]')
    editor.fill("#field-url", publisher.url(PATH))
    editor.press("#field-title", "Enter")
    editor.wait_for_selector("#form-errors >> text=Enter a title")
    assert model.Session.query(SourcePreview).count() == 0


def test_results_keep_to_what_every_page_has_to(
    editor: Page,
    visitor: Visitor,
    publisher: Publisher,
    portal: Portal,
) -> None:
    catalogue = datasets(25, **FULL)
    for each in catalogue["dataset"][:7]:
        each["modified"] = "yesterday"
    catalogue["dataset"][0] |= dict.fromkeys(("title", "description"), " ".join(looks.HOSTILE))
    del catalogue["dataset"][3]["title"]
    publisher.serve(PATH, catalogue)
    portal.source(publisher.url(PATH), name="rivers")
    check_page(visitor, "check-none")
    editor.click("#check-source")
    check_page(visitor, "check-waiting")
    work()
    editor.wait_for_selector(f"{REGION} >> text=In a run: ")
    check_page(visitor, "check-problems")
    publisher.serve(PATH, "<!doctype html><title>Home</title>" + "<p>words " * 200)
    editor.click("#check-source")
    work()
    editor.wait_for_selector(f"{REGION} >> text=This does not work yet")
    check_page(visitor, "check-failed")
    assert not editor.evaluate("window.hurt")
