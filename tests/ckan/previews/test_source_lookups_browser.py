"""A new user's way to a source of each type, from an address alone, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from ckan import model
from ckan.tests import factories
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.source_types import TYPES
from tests.ckan.browser import Visitor
from tests.ckan.previews.previewing import work
from tests.contract import SERVERS
from tests.publisher import Publisher
from tests.publishing.records import items
from tests.reading.lookup_pages import ASK, CAPABILITIES, CKAN_PAGE, DKAN_PAGE, YES

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.in_process

# Where a person would copy the address from, if not the source's own URL.
HOMES = {"ckan": ("/", CKAN_PAGE), "dkan": ("/", DKAN_PAGE)}


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    """A publisher without routes: a document of its own would be found first."""
    with Publisher() as serving:
        yield serving


def serve(publisher: Publisher, name: str) -> str:
    """Serve a source of this type; return the address that a person has of it."""
    path = SERVERS[name](publisher, items(3)).path
    if name == "gemini-csw":
        publisher.serve("/csw?service=CSW&request=GetCapabilities", CAPABILITIES)
    if name == "sparql":
        publisher.serve(ASK, YES)
    if name not in HOMES:
        return publisher.url(path)
    publisher.serve(*HOMES[name])
    return publisher.url(HOMES[name][0])


def walk(page: Page, address: str) -> None:
    """Add a source: fill in the address and click three times."""
    page.goto("/harvest/add")
    page.get_by_label("URL", exact=True).fill(address)
    page.get_by_role("button", name="Test", exact=True).click()
    page.wait_for_selector("text=Test in progress")
    work()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Save only").click()
    page.wait_for_selector("text=Saved.")


# Which type an address has is found without a browser (tests/reading/test_address_lookup.py).
@pytest.mark.parametrize(
    "type_name",
    [pytest.param(name, marks=() if name == "data_json" else pytest.mark.giant) for name in TYPES],
)
def test_three_clicks_add_a_source(manager: Visitor, publisher: Publisher, type_name: str) -> None:
    factories.Organization(name="one-council", title="One Council", image_url="")
    walk(manager.page, serve(publisher, type_name))
    assert manager.errors == []
    assert model.Session.query(HarvestSource.type).all() == [(type_name,)]
