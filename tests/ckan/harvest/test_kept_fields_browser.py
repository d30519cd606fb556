"""An editor's own fields of a harvested dataset: filled in by form, kept by the next imports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.datasets.dataset_forms import SPEND, choose
from tests.ckan.forms import FORM, FUNCTION, SERVICE, portal_with
from tests.ckan.harvest.edited_datasets import NOTHING, Source
from tests.ckan.harvesting import Portal, extras
from tests.ckan.people import member
from tests.publisher import Publisher

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.in_process

PAGE = "/dataset/street-cleaning"
# What the publisher supplies at first, and later no longer.
FIRST = {
    **NOTHING,
    "title": "Street cleaning",
    "description": "By the publisher.",
    "accrualPeriodicity": "R/P1Y",
}
LATER = {**NOTHING, "title": "Cleaner streets"}


@pytest.fixture(autouse=True)
def form(clean: None) -> Iterator[None]:
    with portal_with(FORM):
        yield


@pytest.fixture
def source(form: None, portal: Portal, publisher: Publisher) -> Source:
    return Source(portal, publisher)


@pytest.fixture
def editor(source: Source, visitor: Visitor) -> Visitor:
    """A window of an editor of the source's organisation."""
    user = member({"id": source.portal.organization_id})
    visitor.page.context.set_extra_http_headers(user["headers"])
    return visitor


def supplied(page: Page) -> list[str]:
    """Return the labels of the fields that the form says to be from the source."""
    text = page.locator(".ukharvest-notice p", has_text="Fields from the source: ").inner_text()
    return text.removeprefix("Fields from the source: ").split(", ")


def save(page: Page, form_id: str) -> None:
    page.locator(f"#{form_id} button[name=save].btn-primary").click()
    page.wait_for_url(lambda url: "/edit" not in url)


# bin/test has both halves: test_kept_fields.py without a browser, and the form in one
# (tests/ckan/datasets/test_form_browser.py).
@pytest.mark.giant
def test_editors_fields_stay_when_the_record_changes(editor: Visitor, source: Source) -> None:
    page = editor.page
    first = source.harvest(**FIRST)
    edit, resource = f"/dataset/edit/{first['name']}", first["resources"][0]["id"]

    looks.check(editor, "form-of-harvested", edit, is_own=False)
    expect(page.locator(".ukharvest-notice")).to_contain_text("all other fields stay.")
    labels = supplied(page)
    assert {"Title", "Description", "Frequency of update"} < set(labels)
    assert not {"Local authority function", "Version"} & set(labels)
    choose(page, "la_function", "(40)")
    choose(page, "la_service", "Public toilets")
    page.fill("[name=version]", "2026")
    page.locator("[data-module=custom-fields] input[name$=__key]").first.fill("ward")
    page.locator("[data-module=custom-fields] input[name$=__value]").first.fill("North")
    save(page, "dataset-edit")

    page.goto(f"{PAGE}/resource/{resource}/edit")
    assert {"Name", "Format"} < set(supplied(page))
    editor.picture("form-of-harvested-resource")
    page.fill("[name=schema_url]", SPEND)
    save(page, "resource-edit")

    for force in (False, True):
        found = source.harvest(**LATER, force=force)
        assert (found["id"], found["title"]) == (first["id"], "Cleaner streets")
        assert (found["la_function"], found["la_service"]) == (FUNCTION, SERVICE)
        assert (found["version"], extras(found)["ward"]) == ("2026", "North")
        assert found["resources"][0]["id"] == resource
        assert found["resources"][0]["schema_url"] == SPEND
        # The publisher supplied these, and no longer does.
        assert (found["notes"], found.get("update_frequency", "")) == ("", "")

    looks.check(editor, "dataset-with-own-fields", PAGE, is_own=False)
    body = page.locator("main, [role=main]").first
    for text in ("Cleaner streets", "Public toilets", "North"):
        expect(body).to_contain_text(text)
    expect(body).not_to_contain_text("By the publisher.")
    page.goto(edit)
    editor.picture("form-of-harvested-later")
    labels = supplied(page)
    assert "Title" in labels
    assert not {"Description", "Frequency of update", "Version", "Ward"} & set(labels)
    # What is a person's can be taken away again.
    page.fill("[name=version]", "")
    page.locator("[data-module=custom-fields] input[name$=__value]").first.fill("South")
    save(page, "dataset-edit")
    found = source.harvest(**{**LATER, "modified": "2026-06-01"})
    assert (found["version"], extras(found)["ward"]) == ("", "South")
