"""People decide in a browser which of two datasets stays, and take it back."""

from __future__ import annotations

import pytest
from ckan.tests import factories
from playwright.sync_api import expect

from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

TITLE = "Dataset 00001"
PAGE = "/harvest/duplicates"


def test_editor_chooses_which_dataset_stays_and_undoes_it(
    visitor: Visitor, portal: Portal, publisher: Publisher, organization: dict[str, str]
) -> None:
    files = [{"url": "https://data.example/files/1.csv", "name": "Table"}]
    hand = factories.Dataset(owner_org=organization["id"], title=TITLE, resources=files)
    publisher.serve("/data.json", catalogue([dataset(1), dataset(2)]))
    portal.run(portal.source(publisher.url("/data.json")))
    (harvested,) = [
        each for each in portal.datasets() if each["title"] == TITLE and each["id"] != hand["id"]
    ]
    page = visitor.page
    editor = member(organization, "editor")["headers"]
    page.context.set_extra_http_headers(editor)
    looks.check(visitor, "duplicates", PAGE)
    # The one made by hand is proposed; the editor takes the other one.
    options = page.get_by_role("radio", name="Keep")
    expect(page.locator(f"input[value='{hand['id']}']")).to_be_checked()
    page.locator(f"input[value='{harvested['id']}']").check()
    expect(options).to_have_count(2)
    page.get_by_role("button", name="They are the same").click()
    expect(page.get_by_role("heading", name="Joined datasets")).to_be_visible()
    looks.check_here(visitor, "duplicates-joined")
    # Editors see a deleted dataset; visitors are led on.
    page.context.set_extra_http_headers({})
    page.goto(f"/dataset/{hand['name']}")
    assert page.url.endswith(f"/dataset/{harvested['name']}")
    page.context.set_extra_http_headers(editor)
    page.goto(PAGE)
    page.get_by_role("button", name="Undo").click()
    # They are not asked about again.
    expect(page.get_by_text("No likely duplicates found.")).to_be_visible()
    page.context.set_extra_http_headers({})
    page.goto(f"/dataset/{hand['name']}")
    assert page.url.endswith(f"/dataset/{hand['name']}")
