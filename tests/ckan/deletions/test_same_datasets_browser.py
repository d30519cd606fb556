"""The identifiers of a source's datasets change, and an administrator decides in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.ckan.browser import Visitor
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, figures
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
QUESTION = "/harvest/parking/identifiers"


def decide(page: Page, choice: str) -> None:
    """Go from the source's page to the question, and answer it."""
    page.goto("/harvest/parking")
    expect(page.get_by_role("heading", name="Waiting for a decision: 4 datasets")).to_be_visible()
    page.get_by_role("link", name="Compare the datasets").click()
    page.get_by_label(choice).check()
    page.get_by_role("button", name="Continue").click()


def test_administrator_keeps_pages_and_ids(
    visitor: Visitor, portal: Portal, publisher: Publisher, organization: dict[str, str]
) -> None:
    publisher.serve(PATH, catalogue(4))
    source_id = portal.source(publisher.url(PATH), name="parking")
    portal.run(source_id)
    new = [dataset(n, identifier=f"urn:new-{n}", description="New words.") for n in range(4)]
    publisher.serve(PATH, catalogue(new))
    assert figures(portal.run(source_id)) == {}
    before = {each["id"]: each["name"] for each in portal.datasets()}

    page = visitor.page
    page.context.set_extra_http_headers(member(organization, "admin")["headers"])
    page.goto(QUESTION)
    row = page.get_by_role("row").filter(has_text="urn:new-3")
    expect(row.get_by_text("https://data.example/id/00003")).to_be_visible()
    decide(page, "Not yet")
    expect(page.get_by_text("Nothing changes.")).to_be_visible()
    decide(page, "These are the same datasets: keep pages and ids")
    expect(page.get_by_text("The next run updates the datasets")).to_be_visible()
    page.goto(QUESTION)
    expect(page.get_by_text("Nothing is waiting for a decision.")).to_be_visible()
    assert figures(portal.run(source_id)) == {"updated": 4}
    assert {each["id"]: each["name"] for each in portal.datasets()} == before
    page.goto(f"/dataset/{next(iter(before.values()))}")
    expect(page.get_by_text("New words.").first).to_be_visible()
    page.locator("a[href$='/harvest-changes']").click()
    expect(page.get_by_text("Description").first).to_be_visible()
