"""The page of a source's mails as people see it, with mouse, keyboard and hostile names."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.notifications import mails
from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.harvesting import Portal, act
from tests.ckan.people import member

pytestmark = pytest.mark.in_process

ADDRESS = "/harvest/somewhere/notifications"


@pytest.fixture
def source(portal: Portal) -> str:
    return portal.source("https://data.example/data.json", name="somewhere")


@pytest.fixture
def editor(visitor: Visitor, organization: dict[str, str]) -> dict[str, str]:
    """An editor, with whose token the visitor's window sends requests."""
    user = member(organization, fullname=looks.HOSTILE[0])
    visitor.page.context.set_extra_http_headers(user["headers"])
    return user


def test_choosing_and_leaving(visitor: Visitor, source: str, editor: dict[str, str]) -> None:
    page = visitor.page
    page.goto(ADDRESS)
    page.fill("#field-addresses", "nobody")
    with page.expect_navigation():
        page.click("text=Save")
    assert page.title().startswith("Error: ")
    assert page.locator("[role=alert] a").get_attribute("href") == "#field-addresses"
    assert page.evaluate("document.activeElement.getAttribute('role')") == "alert"
    page.fill("#field-addresses", "team@somewhere.example")
    page.check("#field-people")
    page.check("#field-weekly-needed")
    with page.expect_navigation():
        page.click("text=Save")
    main = page.locator("[role=main] .ukharvest")
    assert "Recipients: 2" in main.inner_text()
    page.goto(f"/harvest/unsubscribe/{mails.token(editor['id'], source)}")
    with page.expect_navigation():
        page.click("form button[type=submit].btn-primary.text-break")
    assert "Done" in main.locator("[role=status]").inner_text()
    shown = act("ukharvest_mail_show", source_id=source)
    assert (shown["addresses"], shown["recipients"]) == (["team@somewhere.example"], 1)
