"""Datasets that are here already, as an administrator of their organisation meets them.

Their identifiers change at the source, the portal itself is entered as a source, or two portals
hand them on.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from ckan.tests import factories
from playwright.sync_api import Page, expect

from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.catalogues import catalogue
from tests.ckan.harvest.moved_datasets import handed, ids, remade
from tests.ckan.harvest.moved_datasets import serve as serve_packages
from tests.ckan.harvesting import Portal, figures
from tests.ckan.logins import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
SAME = "These are the same datasets: keep pages and ids"
DIFFERENT = "They are different"


@pytest.fixture
def organization() -> dict[str, str]:
    """An organisation without a picture, which factories load from another host."""
    found: dict[str, str] = factories.Organization(
        name="somewhere-council", title="Somewhere Council", image_url=""
    )
    return found


@pytest.fixture
def admin(visitor: Visitor, organization: dict[str, str]) -> Visitor:
    """The window of an administrator of the organisation."""
    user = factories.UserWithToken(image_url="")
    visitor.page.context.set_extra_http_headers(member(organization, "admin", user))
    return visitor


@pytest.fixture
def changed(portal: Portal, publisher: Publisher) -> str:
    """A source with four datasets, after a run that found all of them under new identifiers."""
    publisher.serve(PATH, catalogue(4))
    source_id = portal.source(publisher.url(PATH), name="parking")
    portal.run(source_id)
    publisher.serve(PATH, catalogue([remade(n, description="New words.") for n in range(4)]))
    assert figures(portal.run(source_id)) == {}
    return source_id


def decide(page: Page, choice: str) -> None:
    """Go from the source's page to the question, and answer it."""
    page.goto("/harvest/parking")
    expect(page.get_by_role("heading", name="Waiting for a decision: 4 datasets")).to_be_visible()
    page.get_by_role("link", name="Compare the datasets").click()
    page.get_by_label(choice).check()
    page.get_by_role("button", name="Continue").click()


def test_administrator_keeps_pages_and_ids(admin: Visitor, portal: Portal, changed: str) -> None:
    before = ids(portal)
    looks.check(admin, "identifiers-source", "/harvest/parking")
    looks.check(admin, "identifiers-choice", "/harvest/parking/identifiers")
    page = admin.page
    row = page.get_by_role("row").filter(has_text="https://data.example/id/new-3")
    expect(row.get_by_text("https://data.example/id/00003")).to_be_visible()
    decide(page, "Not yet")
    expect(page.get_by_text("Nothing changes.")).to_be_visible()
    decide(page, SAME)
    expect(page.get_by_text("The next run updates the datasets")).to_be_visible()
    admin.picture("identifiers-same")
    looks.check(admin, "identifiers-decided", "/harvest/parking/identifiers")
    expect(page.get_by_text("Nothing is waiting for a decision.")).to_be_visible()
    assert figures(portal.run(changed)) == {"updated": 4}
    assert ids(portal) == before
    name = portal.datasets()[0]["name"]
    page.goto(f"/dataset/{name}")
    expect(page.get_by_text("New words.").first).to_be_visible()
    page.locator("a[href$='/harvest-changes']").click()
    expect(page.get_by_text("Description").first).to_be_visible()


# The same page as above; what the decision does is in test_changed_identifiers.py.
@pytest.mark.giant
def test_administrator_lets_new_records_be_new_datasets(
    admin: Visitor, portal: Portal, changed: str
) -> None:
    before = ids(portal)
    page = admin.page
    decide(page, DIFFERENT)
    expect(page.get_by_text("The next run imports the new records")).to_be_visible()
    assert figures(portal.run(changed)) == {"added": 4, "missing": 4}
    assert before.items() <= ids(portal).items()
    looks.check(admin, "identifiers-different", "/harvest/parking")
    expect(page.get_by_role("heading", name="4 datasets")).to_be_visible()


def test_form_refuses_this_portal_as_a_source(admin: Visitor, portal: Portal, site: str) -> None:
    looks.know_stock(admin)
    page = admin.page
    page.goto("/harvest/new")
    page.get_by_label("CKAN", exact=True).check()
    page.get_by_label("URL of the catalogue").fill(f"{site}/dataset")
    page.get_by_label("Title").fill("Ourselves")
    page.get_by_role("button", name="Save only").click()
    link = page.locator("#form-errors").get_by_role("link")
    expect(link).to_contain_text("This URL is this portal itself")
    looks.check_here(admin, "own-site-form")


def test_source_says_that_it_is_this_portal(admin: Visitor, portal: Portal, site: str) -> None:
    factories.Dataset(owner_org=portal.organization_id)
    port = urlsplit(site).port
    source_id = portal.source(f"http://localhost:{port}", "ckan", name="ourselves")
    assert portal.run(source_id)["ukharvest"]["outcome"] == "failed"
    looks.check(admin, "own-site-source", "/harvest/ourselves")
    expect(admin.page.get_by_text("is this portal itself").first).to_be_visible()
    assert len(portal.datasets()) == 1


@pytest.fixture
def second() -> Iterator[Publisher]:
    """Another publisher: the second portal."""
    with Publisher() as publisher:
        yield publisher


def test_page_of_dataset_names_both_routes(
    admin: Visitor, portal: Portal, publisher: Publisher, second: Publisher
) -> None:
    for number, server in enumerate((publisher, second)):
        serve_packages(server, [handed(1, 10 * number)])
    for name, server in (("first", publisher), ("second", second)):
        portal.run(portal.source(server.base, "ckan", name=name))
    (shown,) = portal.datasets()
    looks.check(admin, "routes-dataset", f"/dataset/{shown['name']}", is_own=False)
    box = admin.page.locator(".ukharvest")
    expect(box.locator("a[href='/harvest/first']").first).to_be_visible()
    expect(box.get_by_role("link", name="Source 2")).to_be_visible()
    looks.check(admin, "routes-second", "/harvest/second")
    looks.check(admin, "routes-run", "/harvest/second/job")
    admin.page.locator("a[href*='/harvest/second/job/']").first.click()
    expect(admin.page.get_by_text("its dataset is here already").first).to_be_visible()
    admin.picture("routes-second-run")
    admin.page.get_by_role("link", name="Skipped 1").click()
    admin.page.get_by_role("link", name="Rivers 1").click()
    expect(admin.page.get_by_text("its dataset is here already")).to_be_visible()
    admin.picture("routes-second-record")
