"""The form of a harvest source in a browser, with scripts and without."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestSource
from playwright.sync_api import expect

from tests.ckan import looks
from tests.ckan.browser import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.in_process

URL = "https://maps.example.gov.uk/csw"


@pytest.fixture
def editor(manager: Visitor) -> Page:
    """A window of a user who may add sources."""
    return manager.page


def save(page: Page, words: str) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=words).click()


def stored(name: str) -> HarvestSource:
    model.Session.rollback()
    return HarvestSource.get(model.Package.get(name).id)


def saved_source() -> dict[str, str]:
    organisation = factories.Organization(name="maps-council", title="Maps Council", image_url="")
    source: dict[str, str] = call_action(
        "harvest_source_create",
        name="maps",
        title="Maps of the council",
        url="https://data.example.gov.uk",
        source_type="ckan",
        frequency="WEEKLY",
        owner_org=organisation["id"],
        config=json.dumps(
            {
                "tags_filter_include": ["open data"],
                "fields": {"theme": "theme-primary", "internal": None},
                "default_tags": ["maps"],
                "api_version": 3,
            }
        ),
    )
    return source


def test_wrong_url_can_be_corrected_and_saved(editor: Page, visitor: Visitor) -> None:
    factories.Organization(name="maps-council", title="Maps Council", image_url="")
    looks.know_stock(visitor)
    editor.goto("/harvest/new")
    expect(editor.locator("[data-options-of]:visible")).to_have_count(0)
    editor.get_by_label("GEMINI from a CSW server").check()
    assert editor.locator("#form-told").inner_text() == "Options for GEMINI from a CSW server"
    assert editor.evaluate("document.activeElement.value") == "gemini-csw"  # focus stays
    (options,) = editor.locator("[data-options-of]:visible").all()
    options.locator("summary").click()
    editor.get_by_label("Condition in CQL").last.fill("apiso:Subject = 'Hydrography'")
    editor.get_by_label("URL of the catalogue").fill("maps.example.gov.uk/csw")
    editor.locator("[name=frequency][value=ALWAYS]").check()
    expect(editor.get_by_label("Monday")).to_be_hidden()  # it needs neither days nor a time
    editor.get_by_label("Weekly", exact=True).check()
    editor.get_by_label("Monday").check()
    save(editor, "Save only")

    assert editor.title().startswith("Error: Add a harvest source")
    expect(editor.locator("#form-errors")).to_be_focused()
    summary = editor.locator("#form-errors")
    assert summary.get_by_role("link").all_inner_texts() == [
        "Start the URL with https:// or http://",
        "Enter a title",
    ]
    looks.check_here(visitor, "form-errors")
    summary.get_by_role("link").first.click()
    expect(editor.locator("#field-url")).to_be_focused()
    editor.keyboard.press("Control+a")
    editor.keyboard.type(URL)
    editor.get_by_label("Title").fill("Maps of the council")
    save(editor, "Save only")

    assert "/harvest/maps-of-the-council" in editor.url
    source = stored("maps-of-the-council")
    assert (source.url, source.frequency) == (URL, "WEEKLY")
    assert json.loads(source.config) == {"cql": "apiso:Subject = 'Hydrography'"}
    assert not visitor.errors


def test_all_of_it_works_without_scripts(plain: Page) -> None:
    saved_source()
    plain.goto("/harvest/new")
    assert plain.locator("[data-options-of]:visible").count() > 5
    plain.get_by_label("CKAN", exact=True).check()
    plain.get_by_label("URL of the catalogue").fill("https://data.example.gov.uk")
    plain.get_by_label("Title").fill("The same again")
    plain.locator("[data-options-of=ckan] summary").click()
    rule = plain.locator("[data-options-of=ckan] .ukharvest-row").first
    rule.get_by_label("Records").select_option("Leave out")
    rule.get_by_label("Field").select_option("Keyword")
    rule.get_by_label("Values").fill("test\nold maps")
    plain.get_by_label("Field there").first.fill("category")
    plain.get_by_label("Field here").first.fill("theme-primary")
    save(plain, "Save and start")
    assert "harvests this URL already" in plain.locator("#form-alike").inner_text()
    plain.get_by_label("Harvest this URL a second time").check()
    save(plain, "Save and start")
    assert "Run requested." in plain.locator(".flash-messages").inner_text()
    assert json.loads(stored("the-same-again").config) == {
        "tags_filter_exclude": ["test", "old maps"],
        "fields": {"category": "theme-primary"},
    }

    plain.goto("/harvest/edit/maps")
    plain.get_by_label("Title").fill("Maps and plans")
    save(plain, "Save")
    source = stored("maps")
    assert source.title == "Maps and plans"
    config = json.loads(source.config)
    assert config["fields"] == {"theme": "theme-primary", "internal": None}
    assert config["tags_filter_include"] == ["open data"]
