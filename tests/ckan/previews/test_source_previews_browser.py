"""The test of a source's form, and of a saved source, in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ckan import model

from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from tests.ckan.browser import NARROW, Visitor
from tests.ckan.previews.previewing import PATH, work
from tests.publisher import Publisher

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
